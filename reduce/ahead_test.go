package reduce_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
)

// TestLookahead: what workers find ahead of the path changes neither the path nor the answer, whatever is reduced,
// and however a reduction ends.
func TestLookahead(t *testing.T) {
	several := testcase.Input{Dir: true}
	for i := range 12 {
		several.Files = append(several.Files, testcase.File{Path: fmt.Sprintf("d/%02d.json", i), Mode: 0o644, Content: []byte(fmt.Sprintf(`{"a": [1, 2, {"key%d": "value"}], "b": {"c": null, "d": [[], [3]]}}`, i))})
	}
	function := testcase.Input{Files: []testcase.File{{Path: "a.c", Mode: 0o644, Content: []byte(strings.Repeat("int f(int x) { if (x > 10) { return x - needle; } return 2 * (x + 1); }\n", 8))}}}
	for name, test := range map[string]struct {
		in    testcase.Input
		needs []string
	}{
		"files":  {several, []string{"key3", "key7", "null"}},
		"text":   {function, []string{"needle", "return 2", "if"}},
		"hardly": {function, []string{"needle", "x"}},
	} {
		if !seed.OneIn(t, 4) && name == "hardly" { // the longest one
			continue
		}
		fails := func(in testcase.Input) bool {
			return !slices.ContainsFunc(test.needs, func(need string) bool {
				return !slices.ContainsFunc(in.Files, func(f testcase.File) bool { return strings.Contains(string(f.Content), need) })
			})
		}
		for _, most := range []int{0, 25} {
			var want, got string
			for _, jobs := range []int{1, 40} {
				synctest.Test(t, func(t *testing.T) {
					var running, peak atomic.Int64
					run := func(ctx context.Context, in testcase.Input) (isolate.Outcome, error) {
						if n := running.Add(1); n > peak.Load() {
							peak.Store(n)
						}
						defer running.Add(-1)
						select {
						case <-time.After(time.Second + time.Duration(in.Size())*time.Millisecond):
						case <-ctx.Done():
							return isolate.Fail, ctx.Err()
						}
						if fails(in) {
							return isolate.Fail, nil
						}
						return isolate.Pass, nil
					}
					got = ""
					result, err := reduce.Reduce(t.Context(), test.in, run, reduce.Options{Jobs: jobs, Ahead: true, MaxTrials: most, Observe: func(s reduce.Step) { got += fmt.Sprintln(s) }})
					if (err != nil) != (most > 0) || err != nil && !errors.Is(err, isolate.ErrBudget) {
						t.Errorf("%s: %v", name, err)
					}
					if running.Load() != 0 || peak.Load() > int64(jobs) {
						t.Errorf("%s: %d tests are left, of %d at once", name, running.Load(), peak.Load())
					}
					got += fmt.Sprintln(result.Output.Digest(), result.Trials, result.Cached, result.Minimal, result.Passes)
				})
				if jobs == 1 {
					want = got
				}
			}
			if got != want {
				t.Errorf("%s, at most %d trials: another path with 40 workers:\n%s\nwith one:\n%s", name, most, got, want)
			}
		}
	}
}

// TestLookaheadFails: an error of a test, and the end of its context, end a reduction with all its tests.
func TestLookaheadFails(t *testing.T) {
	in := testcase.Input{Files: []testcase.File{{Path: "a", Mode: 0o644, Content: []byte(strings.Repeat("a line of text\n", 200))}}}
	broken := errors.New("broken")
	for _, after := range []int64{1, 5, 90} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var tests, running atomic.Int64
			run := func(ctx context.Context, in testcase.Input) (isolate.Outcome, error) {
				running.Add(1)
				defer running.Add(-1)
				if tests.Add(1) >= after {
					if after == 5 {
						cancel()
					}
					return isolate.Unresolved, broken
				}
				time.Sleep(time.Second)
				return isolate.Pass, nil
			}
			_, err := reduce.Reduce(ctx, in, run, reduce.Options{Jobs: 60, Ahead: true})
			if !errors.Is(err, broken) && !errors.Is(err, context.Canceled) || running.Load() != 0 {
				t.Errorf("after %d: %v, %d tests run", after, err, running.Load())
			}
		})
	}
}
