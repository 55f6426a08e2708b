//go:build unix

package trial

import (
	"context"
	"sync"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// TestToldInTime: of a trial that has finished nothing more is told, though a machine, as
// that of a copy that was given up, has more to say.
func TestToldInTime(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	var talkers sync.WaitGroup
	done := make(chan struct{})
	c := cluster{before: func(_ context.Context, task Task) (TaskResult, error) {
		talking := make(chan struct{})
		talkers.Go(func() {
			close(talking)
			for {
				select {
				case <-done:
					return
				default:
					task.Told(TaskEvent{State: "running"})
				}
			}
		})
		<-talking
		return TaskResult{}, nil
	}}
	finished := map[int]bool{}
	b := h.away(&c, false, func(o *Options) {
		script("exit $(cat a)")(o)
		o.Observe = func(e Event) {
			if e.Kind == Finished {
				finished[e.Trial] = true
			} else if e.Kind == Moved && finished[e.Trial] {
				t.Errorf("trial %d has finished, and is %s", e.Trial, e.State)
			}
		}
	})
	b.ends()
	for range 3 {
		if v, err := b.Confirm(t.Context(), b.set, b.config("a"), isolate.Fail); err != nil || v.Outcome != isolate.Fail {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	close(done)
	talkers.Wait()
}
