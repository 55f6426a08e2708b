//go:build unix

package trial

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/isolate"
)

// TestOutOfReach: where nobody answers, the search ends with an error, and not with
// outcomes that nobody has seen; who resumes the session goes on where that was.
func TestOutOfReach(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	var c cluster
	s := h.session(t.TempDir())
	b := h.awayIn(s, &c, false, script("exit $(cat a)"))
	b.ends()
	c.before = func(_ context.Context, task Task) (TaskResult, error) {
		return TaskResult{}, &LostError{Reason: "connection refused", Away: true}
	}
	_, err := b.Test(b.set)(t.Context(), b.config("a"))
	if err == nil || !strings.Contains(err.Error(), "the machines are out of reach (connection refused)") || !strings.Contains(err.Error(), "`gitdd resume`") {
		t.Errorf("%v", err)
	}
	if n := len(c.tasks) - 2; n != MostLosses {
		t.Errorf("%d tasks", n)
	}
	dir := s.Dir()
	b.close()

	c.before = nil
	s, err = OpenSession(dir)
	if err != nil {
		t.Fatal(err)
	}
	b = h.awayIn(s, &c, false, script("exit $(cat a)"))
	b.ends()
	if v := b.verdict(b.config("a")); v.Outcome != isolate.Fail || len(c.tasks) != 2+MostLosses+1 {
		t.Errorf("resumed: %+v, %d tasks", v, len(c.tasks))
	}
}

// TestLossesKept: the journal says why a trial was lost, in one short line for each loss,
// whatever a machine has said.
func TestLossesKept(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	long := strings.Repeat("long ", 1000)
	c := cluster{before: func(_ context.Context, task Task) (TaskResult, error) {
		switch task.Lost {
		case 0:
			return TaskResult{}, &LostError{Reason: "\tthe node\r\nfailed \xff", Machine: "node7"}
		case 1:
			return TaskResult{}, &LostError{Reason: long}
		}
		return TaskResult{}, nil
	}}
	b := h.away(&c, false, script("exit $(cat a)"))
	b.ends()
	want := []Loss{{"node7", "the node failed \uFFFD"}, {"", long[:lineBytes] + "..."}}
	for _, rec := range b.sess.Records() {
		if diff := cmp.Diff(&Away{Machine: "node1", Lost: 2, Losses: want}, rec.Remote); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDoubtful(t *testing.T) {
	ran := func(exit int) Part { return Part{Ran: true, Exit: exit} }
	late := Part{Ran: true, Exit: 143, TimedOut: true}
	for _, test := range []struct {
		r              TaskResult
		cache, another bool // not to be taken from a cache, or from a copy
	}{
		{TaskResult{Test: ran(0)}, false, false},
		{TaskResult{Setup: ran(0), Build: ran(0), Test: ran(1)}, false, false},
		{TaskResult{Build: ran(1)}, false, false},
		{TaskResult{Test: ran(139)}, false, true},
		{TaskResult{Build: ran(134)}, false, true},
		{TaskResult{Test: ran(137)}, true, true},
		{TaskResult{Test: ran(127)}, true, true},
		{TaskResult{Build: ran(126)}, true, true},
		{TaskResult{Test: late}, true, true},
		{TaskResult{Build: late}, true, true},
		{TaskResult{Setup: ran(1)}, true, true},
		{TaskResult{Setup: late}, true, true},
	} {
		if test.r.Doubtful() != test.cache || test.r.suspect() != test.another {
			t.Errorf("%+v: %v, %v", test.r, test.r.Doubtful(), test.r.suspect())
		}
	}
}
