//go:build unix

package trial

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/isolate"
)

// TestLost: a trial that is lost is performed again, on other machines, and counts
// once.
func TestLost(t *testing.T) {
	bothWays(t, func(t *testing.T, shared bool) {
		h := newHistory(t)
		h.commit("good", "a", "0\n")
		h.commit("bad", "a", "1\n")
		c := cluster{before: lostTask(4)}
		b := h.away(&c, shared, script("exit $(cat a)"))
		b.ends()
		if s := b.Stats(); s.Run != 2 || len(c.tasks) != 10 {
			t.Errorf("%+v, %d tasks", s, len(c.tasks))
		}
		names, places := map[string]bool{}, map[string]bool{}
		for i, task := range c.tasks {
			names[task.Name], places[task.Shared] = true, true
			if task.Lost != i%5 || len(task.Avoid) != i%5 || i%5 > 0 && task.Avoid[0] != "bad0" {
				t.Errorf("task %d was lost %d times, on %v", i, task.Lost, task.Avoid)
			}
		}
		if len(names) != 10 {
			t.Errorf("names %v", names)
		}
		if want := map[bool]int{false: 1, true: 9}[shared]; len(places) != want {
			t.Errorf("%d places", len(places))
		}
		for _, rec := range b.sess.Records() {
			want := Away{Machine: "node1", Lost: 4}
			for i := range 4 {
				want.Losses = append(want.Losses, Loss{Machine: fmt.Sprintf("bad%d", i), Reason: "the worker was lost"})
			}
			if diff := cmp.Diff(&want, rec.Remote); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// TestGivenUp: what is always lost is unresolved, for now; but an end is an error that
// says so. Whoever resumes the session asks again.
func TestGivenUp(t *testing.T) {
	bothWays(t, func(t *testing.T, shared bool) {
		h := newHistory(t)
		h.commit("good", "a", "0\n", "b", "0\n")
		h.commit("bad", "a", "1\n", "b", "1\n")
		var c cluster
		root := t.TempDir()
		s := h.session(root)
		b := h.awayIn(s, &c, shared, func(o *Options) { script("exit $(cat a)")(o); o.Repeat = 2 })
		b.ends()
		ends := len(c.tasks)
		c.before = lostTask(1000)
		killed := c.before
		c.before = func(ctx context.Context, task Task) (TaskResult, error) { // at first it is killed
			if task.Salt != "" {
				return killed(ctx, task)
			}
			return TaskResult{Test: Part{Ran: true, Exit: exitKilled}}, os.WriteFile(task.Output("out"), []byte("of no use"), 0o666)
		}
		v := b.verdict(b.config("a"))
		c.before, ends = killed, ends+1
		if v.Outcome != isolate.Unresolved || v.Reason != "lost 5 times: the worker was lost" || len(c.tasks) != ends+5 {
			t.Errorf("%+v after %d tasks", v, len(c.tasks)-ends)
		}
		if again := b.verdict(b.config("a")); again.Trial != v.Trial || len(c.tasks) != ends+5 {
			t.Errorf("asked again: %+v", again)
		}
		if _, err := b.Confirm(t.Context(), b.set, b.config("a"), isolate.Fail); err == nil || !strings.Contains(err.Error(), "was lost 5 times: the worker was lost: that says nothing about it") {
			t.Errorf("to confirm: %v", err)
		}
		if got := b.Learned(b.set, b.config("a"), func([]byte) [][2]int { return [][2]int{{0, 1}} }); got != nil {
			t.Errorf("a lost trial taught %v", got)
		}
		if f := b.Flakiness(); len(f.Torn) != 0 {
			t.Errorf("torn: %+v", f.Torn)
		}
		dir := s.Dir()
		b.close()

		s, err := OpenSession(dir)
		if err != nil {
			t.Fatal(err)
		}
		tasks := len(c.tasks)
		c.before = nil
		b = h.awayIn(s, &c, shared, func(o *Options) { script("exit $(cat a)")(o); o.Repeat = 2 })
		b.ends()
		if len(c.tasks) != tasks {
			t.Errorf("the ends were run again: %d tasks", len(c.tasks)-tasks)
		}
		if v := b.verdict(b.config("a")); v.Outcome != isolate.Fail || len(c.tasks) != tasks+2 {
			t.Errorf("resumed: %+v after %d tasks", v, len(c.tasks)-tasks)
		}
		b.close()

		c.before = lostTask(1000)
		b = h.away(&c, shared, script("exit $(cat a)"))
		_, err = b.Ends(t.Context(), b.set)
		if err == nil || !strings.HasPrefix(err.Error(), "trial 1, of good, was lost 5 times: the worker was lost: that says nothing about it, and the answer would rest on it") {
			t.Errorf("a lost end: %v", err)
		}
		if s := b.Stats(); s.Run != 0 || len(b.sess.Records()) != 0 {
			t.Errorf("a lost end counts: %+v", s)
		}
	})
}

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
	want := []Loss{{"node7", "the node failed \uFFFD"}, {"", long[:failure.LineBytes] + "..."}}
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
