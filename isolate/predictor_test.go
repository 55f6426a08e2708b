package isolate

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"testing"
	"testing/synctest"
	"time"
)

func finishedItem(c Configuration, o Outcome) *item {
	return &item{config: c, outcome: o, finished: true}
}

// What others say of a test: a subset of what passed passes, a superset of what failed
// fails, and else it fails as likely as it holds the single cause that explains them.
func TestHearsay(t *testing.T) {
	const n = 64
	const even = 0.4 // to pass, and to fail; else it is unresolved
	expected := chances{1 - 2*even, even, even}
	var alike []*item
	for k := range 16 {
		alike = append(alike, finishedItem(Of(n, 3, 10+k), Fail))
	}
	prefix := func(m int) Configuration { return span(n, 0, m) }
	for _, row := range []struct {
		name  string
		said  []*item
		c     Configuration
		fails float64 // of what resolves
		about float64
	}{
		{"nothing", nil, prefix(32), 0.5, 0},
		{"unresolved", []*item{finishedItem(prefix(20), Unresolved)}, prefix(32), 0.5, 0},
		{"a longer prefix passed", []*item{finishedItem(prefix(40), Pass)}, prefix(32), contradictionRate, 0},
		{"a shorter prefix failed", []*item{finishedItem(prefix(20), Fail)}, prefix(32), 1 - contradictionRate, 0},
		{"the first says it", []*item{finishedItem(prefix(40), Pass), finishedItem(prefix(20), Fail)}, prefix(32), contradictionRate, 0},
		{"between", []*item{finishedItem(prefix(8), Pass), finishedItem(prefix(16), Fail), finishedItem(prefix(12), Pass), finishedItem(prefix(10), Pass), finishedItem(prefix(14), Fail), finishedItem(prefix(50), Fail), finishedItem(prefix(51), Fail), finishedItem(prefix(52), Fail)},
			prefix(13), 0.5, 0.01},
		{"no single cause", []*item{finishedItem(prefix(32), Pass), finishedItem(span(n, 32, n), Pass)}, span(n, 16, 48), 0.5, 0},
		{"in all that fails", alike, Of(n, 3, 60), 1 - contradictionRate, 0.01},
		{"not in what fails", alike, Of(n, 4, 60), contradictionRate, 0.01},
	} {
		h := predictor{alone: Full(n), known: Full(n)}
		i := &item{config: row.c}
		for _, said := range row.said {
			h.chances(i, expected) // what is said later counts, too
			h.add(said)
		}
		got := h.chances(i, expected)
		if sum := got[Unresolved] + got[Pass] + got[Fail]; math.Abs(sum-1) > 1e-9 || got[Unresolved] != expected[Unresolved] {
			t.Errorf("%s: %v", row.name, got)
		}
		if fails := got[Fail] / (got[Pass] + got[Fail]); math.Abs(fails-row.fails) > row.about+1e-9 {
			t.Errorf("%s: fails with %.3f, want %.3f", row.name, fails, row.fails)
		}
		for _, said := range row.said {
			h.onPath(said)
		}
		if got := h.chances(&item{config: Of(n, 63)}, expected); h.alone != h.known || row.name == "between" && got != expected {
			t.Errorf("%s: the path knows as much, and expects %v", row.name, got)
		}
	}
}

// Who waits for a slow test loses nothing but its time: other tests say how it is going to
// end, and workers go on behind it. The path and its length are those of one worker.
func TestSlowTestsHoldNobodyUp(t *testing.T) {
	const n, jobs, slow = 1024, 6, 4 * time.Second
	took := func(slow time.Duration) (took time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			test := func(ctx context.Context, c Configuration) (Outcome, error) {
				hash := fnv.New64a()
				fmt.Fprint(hash, c)
				length := time.Second + time.Duration(hash.Sum64()%1_000_000)
				if c == span(n, 0, n/2) {
					length += slow
				}
				select {
				case <-time.After(length):
				case <-ctx.Done():
					return Unresolved, ctx.Err()
				}
				if c.Has(100) {
					return Fail, nil
				}
				return Pass, nil
			}
			start := time.Now()
			if _, err := Search(t.Context(), Problem{N: n}, test, Options{Algorithm: "cpi", Jobs: jobs}); err != nil {
				t.Error(err)
			}
			took = time.Since(start)
		})
		return took
	}
	plain, late := took(0), took(slow)
	t.Logf("%v, and with one slow test %v", plain, late)
	if late > plain+slow*5/8 { // one second, without the predictor, is more
		t.Errorf("%v, and with a test that takes %v more %v", plain, slow, late)
	}
}
