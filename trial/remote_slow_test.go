//go:build unix

package trial

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// A slowed cluster holds performances back.
type slowed struct {
	cluster
	*bench
	hold atomic.Bool    // what comes from now on
	held chan *heldTask // such a performance, which waits for what it is to say
	lost chan struct{}  // a loss was taken note of
}

type heldTask struct {
	Task
	says chan func() (TaskResult, error) // nil = it runs
	gone chan struct{}                   // closed when it was cancelled
}

// slowed knows the pace of the trials, and copies what runs.
func (h history) slowed(shared bool) *slowed {
	s := &slowed{held: make(chan *heldTask), lost: make(chan struct{}, 1)}
	s.before = func(ctx context.Context, t Task) (TaskResult, error) {
		if !s.hold.Load() {
			return TaskResult{}, nil
		}
		held := &heldTask{t, make(chan func() (TaskResult, error)), make(chan struct{})}
		select {
		case s.held <- held:
		case <-ctx.Done():
			return TaskResult{}, ctx.Err()
		}
		select {
		case do := <-held.says:
			if do == nil {
				return TaskResult{}, nil
			}
			return do()
		case <-ctx.Done():
			close(held.gone)
			return TaskResult{}, ctx.Err()
		}
	}
	s.bench = h.away(&s.cluster, shared, func(o *Options) {
		script("exit $(cat a)")(o)
		o.Jobs = 2
		o.Observe = func(e Event) {
			if e.State == "lost" {
				s.lost <- struct{}{}
			}
		}
	})
	s.patience.slow, s.patience.look, s.patience.copies = time.Millisecond, time.Millisecond, 0
	s.ends()
	s.verdict(s.config("b"))
	s.patience.copies = 1
	s.hold.Store(true)
	return s
}

// asking asks for a configuration in the background.
func (s *slowed) asking(paths ...string) <-chan Verdict {
	answer := make(chan Verdict, 1)
	go func() {
		v, err := s.ask(s.bench.t.Context(), s.set, s.config(paths...), Search)
		if err != nil {
			s.bench.t.Error(err)
		}
		answer <- v
	}()
	return answer
}

func slowHistory(t *testing.T) history {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "c", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "c", "1\n")
	return h
}

// TestCopies: of two performances of a slow trial the first result counts, unless that
// of the copy may be the fault of its machine.
func TestCopies(t *testing.T) {
	gives := func(part Part) func() (TaskResult, error) {
		part.Ran = true
		return func() (TaskResult, error) { return TaskResult{Test: part, Machine: "node2"}, nil }
	}
	loses := func() (TaskResult, error) { return TaskResult{}, &LostError{Reason: "gone", Machine: "node3"} }
	bothWays(t, func(t *testing.T, shared bool) {
		h := slowHistory(t)
		for _, test := range []struct {
			name string
			do   func(s *slowed, first, second *heldTask)
			want Away
		}{
			{"the copy is first", func(_ *slowed, first, second *heldTask) {
				second.says <- nil
				<-first.gone
			}, Away{Machine: "node1"}},
			{"the copy times out", func(_ *slowed, first, second *heldTask) {
				second.says <- gives(Part{TimedOut: true, Exit: 143})
				first.says <- nil
			}, Away{Machine: "node1"}},
			{"the copy is killed", func(_ *slowed, first, second *heldTask) {
				second.says <- gives(Part{Exit: exitKilled})
				first.says <- nil
			}, Away{Machine: "node1"}},
			{"the copy is lost", func(_ *slowed, first, second *heldTask) {
				second.says <- loses
				first.says <- nil
			}, Away{Machine: "node1"}},
			{"the first is first", func(_ *slowed, first, second *heldTask) {
				first.says <- gives(Part{Exit: 1})
				<-second.gone
			}, Away{Machine: "node2"}},
			{"the first is lost", func(s *slowed, first, second *heldTask) {
				first.says <- loses
				<-s.lost
				second.says <- gives(Part{Exit: 1})
			}, Away{Machine: "node2", Lost: 1, Losses: []Loss{{"node3", "gone"}}}},
		} {
			t.Run(test.name, func(t *testing.T) {
				seed.SkipLong(t, 3)
				s := history{t, h.dir}.slowed(shared)
				answer := s.asking("a")
				first, second := <-s.held, <-s.held
				if first.Salt != "" || second.Salt != "+copy" || first.Name == second.Name || shared && first.Shared == second.Shared {
					t.Errorf("the first is %+v, the copy %+v", first.Task, second.Task)
				}
				test.do(s, first, second)
				v := <-answer
				s.hold.Store(false)
				s.patience.copies = 0
				recs := s.sess.Records()
				if v.Outcome != isolate.Fail || v.Trial != 4 || cmp.Diff(&test.want, recs[len(recs)-1].Remote) != "" {
					t.Errorf("%+v, %+v", v, *recs[len(recs)-1].Remote)
				}
				// Whatever its workspace went through, it shows what is asked next.
				if v := s.verdict(s.config("b", "c")); v.Outcome != isolate.Pass || v.Trial != 5 {
					t.Errorf("afterwards: %+v", v)
				}
				dir := s.sess.Dir()
				s.close()
				if left, err := filepath.Glob(filepath.Join(dir, trialsDir, "*.[0-9]")); err != nil || len(left) > 0 {
					t.Errorf("left: %v, %v", left, err)
				}
				if len(s.tasks) != 6 {
					t.Errorf("%d tasks", len(s.tasks))
				}
			})
		}
	})
}

// both is a cluster with one worker that holds c, which has had its copy, and one that
// holds a, whose copy waits for a worker.
func (s *slowed) both() (other, slow <-chan Verdict, first, second *heldTask) {
	other = s.asking("c")
	first = <-s.held
	useless := <-s.held
	useless.says <- func() (TaskResult, error) { return TaskResult{Test: Part{Ran: true, TimedOut: true}}, nil }
	slow = s.asking("a")
	second = <-s.held
	for queued := false; !queued; time.Sleep(time.Millisecond) {
		s.pool.mu.Lock()
		queued = len(s.queue) == 1
		s.pool.mu.Unlock()
	}
	return other, slow, first, second
}

// TestCopyIsNext: a copy waits for a worker, and gets the next one before a trial that
// waits, too.
func TestCopyIsNext(t *testing.T) {
	bothWays(t, func(t *testing.T, shared bool) {
		s := slowHistory(t).slowed(shared)
		other, slow, first, second := s.both()
		third := s.asking("b", "c")
		first.says <- nil
		copied := <-s.held
		if copied.Salt != "+copy" {
			t.Errorf("next came %+v", copied.Task)
		}
		copied.says <- nil
		<-second.gone
		if v := <-slow; v.Outcome != isolate.Fail {
			t.Errorf("%+v", v)
		}
		last := <-s.held
		last.says <- func() (TaskResult, error) { return TaskResult{Test: Part{Ran: true}}, nil }
		for _, v := range []Verdict{<-other, <-third} {
			if v.Outcome != isolate.Pass {
				t.Errorf("%+v", v)
			}
		}
	})
}

// TestCopyUnasked: a trial that ends while its copy waits for a worker wants none.
func TestCopyUnasked(t *testing.T) {
	s := slowHistory(t).slowed(false)
	other, slow, first, second := s.both()
	second.says <- nil
	<-slow
	first.says <- nil
	<-other
	s.close()
	if len(s.queue) != 0 || s.copies != 0 || len(s.tasks) != 6 {
		t.Errorf("%d copies wait of %d, %d tasks", len(s.queue), s.copies, len(s.tasks))
	}
}
