package trial

import (
	"testing"
	"time"

	"github.com/gitdd/gitdd/isolate"
)

// What bad alone teaches counts until both ends are known, and not after that.
func TestExpect(t *testing.T) {
	r := &Runner{pool: &pool{}}
	bad := Verdict{Outcome: isolate.Fail, Exit: 3, Duration: 2 * time.Second}
	r.expect(bad)
	if l := r.limits; !l.settled || l.test != 20*time.Second || l.failure.code != 3 {
		t.Errorf("behind bad alone: %+v", l)
	}
	good := Verdict{Outcome: isolate.Pass, Duration: 6 * time.Second}
	r.settle(Ends{Good: good, Bad: bad}, bad, false)
	if l := r.limits; !l.settled || l.test != 60*time.Second || l.failure.code != 3 {
		t.Errorf("behind both ends: %+v", l)
	}
	r.expect(Verdict{Outcome: isolate.Fail, Exit: 4, Duration: time.Hour})
	r.settle(Ends{Good: good, Bad: good}, good, false)
	if l := r.limits; l.test != 60*time.Second || l.failure.code != 3 {
		t.Errorf("behind that: %+v", l)
	}
}

// A command that cannot run at bad may be what is looked for, unless it cannot run at the oldest commit either.
func TestCannotRun(t *testing.T) {
	r := &Runner{pool: &pool{opts: Options{Command: []string{"./check"}}}}
	missing, fails, unbuilt := Verdict{Exit: 127}, Verdict{Exit: 1}, Verdict{Exit: 127, unbuilt: true}
	for _, e := range []Ends{{Good: fails, Bad: missing}, {Good: missing, Bad: fails}, {Good: unbuilt, Bad: missing}} {
		if err := r.CannotRun(e); err != nil {
			t.Errorf("good %d, bad %d: %v", e.Good.Exit, e.Bad.Exit, err)
		}
	}
	if err := r.CannotRun(Ends{Good: missing, Bad: missing}); err == nil {
		t.Error("it cannot run at all, and no error says so")
	}
}
