package trial

import (
	"context"
	"testing"
	"time"

	"github.com/gitdd/gitdd/isolate"
)

// An end that runs for long without a limit is told, and remembered where the search is stopped then.
func TestLasting(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "hangs", "no")
	h.commit("bad", "hangs", "yes")
	stopAt := func(hanging string, first time.Duration, set func(*Options)) (l Lasting, told int, b *bench) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		b = h.bench(func(o *Options) {
			o.Command = []string{"sh", "-c", "if grep -q " + hanging + " hangs; then sleep 600; fi"}
			o.Observe = func(e Event) {
				if e.Kind == Lasts {
					l = e.Lasting
					told++
					cancel()
				}
			}
			if set != nil {
				set(o)
			}
		})
		b.leastLasting, b.firstLasting = time.Millisecond, first
		b.Ends(ctx, b.set)
		return l, told, b
	}
	if l, told, b := stopAt("no", time.Millisecond, nil); told != 1 || l.Bad || l.Other != 0 || l.After != time.Millisecond {
		t.Errorf("good: told %d times: %+v", told, l)
	} else if kept, ok := b.Lasting(); !ok || kept != l {
		t.Errorf("good: kept %+v, %v", kept, ok)
	}
	if l, told, b := stopAt("yes", time.Hour, func(o *Options) { o.Jobs = 2 }); told != 1 || !l.Bad || l.Other == 0 || l.After < 10*l.Other {
		t.Errorf("bad: told %d times: %+v", told, l)
	} else if kept, ok := b.Lasting(); !ok || kept != l {
		t.Errorf("bad: kept %+v, %v", kept, ok)
	}
	if l, told, b := stopAt("yes", time.Millisecond, func(o *Options) { o.Timeout = time.Second }); told != 0 {
		t.Errorf("with a limit: %+v", l)
	} else if _, ok := b.Lasting(); ok {
		t.Error("with a limit: it is kept")
	}
}

// A second end is told at ten times what the first one took, and at the least time at least; one that ends is not kept.
func TestLastingBad(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "status", "0")
	h.commit("bad", "status", "1")
	for _, row := range []struct {
		other time.Duration
		want  Lasting
	}{
		{0, Lasting{true, "", time.Millisecond, 0}},
		{time.Microsecond, Lasting{true, "", 5 * time.Millisecond, time.Microsecond}},
		{time.Millisecond, Lasting{true, "", 10 * time.Millisecond, time.Millisecond}},
	} {
		told := make(chan Lasting, 1)
		b := h.bench(func(o *Options) {
			o.Command = []string{"true"}
			o.Observe = func(e Event) { told <- e.Lasting }
		})
		b.leastLasting, b.firstLasting = 5*time.Millisecond, time.Millisecond
		q, err := b.question(b.set, isolate.Full(b.set.Len()), End)
		if err != nil {
			t.Fatal(err)
		}
		q.other = Verdict{Duration: row.other}
		stop := b.watch(b.workers[0], q, &Record{Trial: 2, Purpose: End, Attempt: 1}, "", 0)
		if got := <-told; got != row.want {
			t.Errorf("%v: %+v, want %+v", row.other, got, row.want)
		}
		if _, ok := b.Lasting(); !ok {
			t.Errorf("%v: it is not kept", row.other)
		}
		stop(nil)
		if _, ok := b.Lasting(); ok {
			t.Errorf("%v: it is kept once it has ended", row.other)
		}
	}
	for l, want := range map[Lasting]string{
		{true, "build", 10 * time.Second, 400 * time.Millisecond}: "the build of bad still runs after 10.0 s, and that of good took 0.4 s: Ctrl-C stops the search, for nothing limits the build of an end",
		{true, "", 10 * time.Second, 400 * time.Millisecond}:      "bad still runs after 10.0 s, and good took 0.4 s: --timeout TIME ends it, if having no end is the failure",
		{false, "", time.Minute, 0}:                               "good still runs after 1 min, and the ends have no limit: --timeout TIME sets one",
	} {
		if l.String() != want {
			t.Errorf("%+v: %q", l, l.String())
		}
	}
}

// A build of the second end is told as its test is, whatever Options.Timeout says; that of the first end is not.
func TestLastingBuild(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "hangs", "no")
	h.commit("bad", "hangs", "yes")
	stopAt := func(hanging string, after time.Duration) (l Lasting, kept bool) {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		defer cancel()
		b := h.bench(func(o *Options) {
			o.Command, o.Timeout = []string{"true"}, time.Minute
			o.Build = "if grep -q " + hanging + " hangs; then sleep 600; fi"
			o.Observe = func(e Event) {
				if e.Kind == Lasts {
					cancel()
				}
			}
		})
		b.leastLasting, b.firstLasting = time.Millisecond, time.Millisecond
		b.Ends(ctx, b.set)
		return b.Lasting()
	}
	if l, kept := stopAt("yes", time.Minute); !kept || !l.Bad || l.Phase != "build" || l.Other == 0 || l.After < 10*l.Other {
		t.Errorf("bad: %+v, %v", l, kept)
	}
	if l, kept := stopAt("no", time.Second); kept {
		t.Errorf("good: %+v", l)
	}
}
