//go:build unix

package trial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// searched is what a search with the trials of a bench says: its path and its answer.
func (b *bench) searched(ctx context.Context, jobs int) (path []string, answer string, err error) {
	if _, err := b.Ends(ctx, b.set); err != nil {
		return nil, "", err
	}
	found, err := isolate.Search(ctx, isolate.Problem{N: b.set.Len(), Requires: b.set.Requires}, b.Test(b.set), isolate.Options{
		Jobs:    jobs,
		Observe: func(s isolate.Step) { path = append(path, fmt.Sprintf("%v %v %v", s.Config, s.Outcome, s.Known)) },
	})
	return path, fmt.Sprintf("%v in %v, %d trials, %v", found.Cause, found.Failing, found.Trials, found.Minimal), err
}

// TestAwayAsHere: a search elsewhere takes the path of one here, with any number of
// machines, though many are lost, some are slow, and gitdd is ended now and then. What
// a journal has is not run again.
func TestAwayAsHere(t *testing.T) {
	seed.SkipLong(t, 6)
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	h := newHistory(t)
	const n = 12
	var good, bad []string
	for i := range n {
		good, bad = append(good, fmt.Sprintf("f%d", i), "0\n"), append(bad, fmt.Sprintf("f%d", i), "1\n")
	}
	h.commit("good", good...)
	h.commit("bad", bad...)
	for _, jobs := range []int{1, 4, 16} {
		culprits := random.Perm(n)
		needs := random.Perm(n)
		set := func(o *Options) {
			o.Build = fmt.Sprintf("[ $(cat f%d) -le $(cat f%d) ]", needs[0], needs[1])
			script(fmt.Sprintf("[ $(cat f%d)$(cat f%d) != 11 ]", culprits[0], culprits[1]))(o)
			o.Jobs = jobs
		}
		wantPath, wantAnswer, err := h.bench(set).searched(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		bothWays(t, func(t *testing.T, shared bool) {
			if shared && jobs == 1 {
				return // nothing differs from more, but the time
			}
			h := history{t, h.dir}
			var mu sync.Mutex
			c := cluster{before: func(ctx context.Context, task Task) (TaskResult, error) {
				mu.Lock()
				defer mu.Unlock()
				if task.Lost < 3 && random.IntN(3) == 0 { // a copy may be lost beside it
					return TaskResult{}, &LostError{Reason: "lost"}
				}
				return TaskResult{}, nil
			}}
			s := h.session(t.TempDir())
			for end := 2; ; end += 4 { // the process ends after so many trials
				ctx, cancel := context.WithCancel(t.Context())
				finished := 0
				b := h.awayIn(s, &c, shared, func(o *Options) {
					set(o)
					o.Observe = func(e Event) {
						if e.Kind != Finished {
							return
						}
						if finished++; finished == end {
							cancel()
						}
					}
				})
				b.patience.look, b.patience.slow, b.patience.copies = time.Millisecond, time.Millisecond, 1
				path, answer, err := b.searched(ctx, jobs)
				cancel()
				dir := s.Dir()
				b.close()
				if err == nil {
					if diff := cmp.Diff(wantPath, path); diff != "" || answer != wantAnswer {
						t.Errorf("%d jobs: -here +elsewhere\n%s%s, here %s", jobs, diff, answer, wantAnswer)
					}
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if s, err = OpenSession(dir); err != nil {
					t.Fatal(err)
				}
			}
			s, err := ReadSession(s.Dir())
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			for _, rec := range s.Records() {
				if seen[string(rec.Tree)] {
					t.Errorf("%d jobs: {%s} was run again", jobs, rec.Config)
				}
				if seen[string(rec.Tree)] = true; strings.Contains(rec.Reason, "lost") {
					t.Errorf("%+v", rec)
				}
			}
		})
	}
}
