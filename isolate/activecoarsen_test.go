package isolate_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// Of few elements each is left out alone, the last one first.
func TestActiveCoarsenScans(t *testing.T) {
	const n = 30
	stay := isolate.Of(n, 0, 7, 8, 29)
	want := isolate.Full(n)
	next := n - 1
	got, err := isolate.Minimize(t.Context(), isolate.List{N: n, NonEmpty: true}, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		rest := want.Minus(isolate.Of(n, next))
		if next--; c != rest {
			t.Errorf("%q was asked, want %q", c, rest)
		}
		o := holding(stay)(c)
		if o == isolate.Fail {
			want = c
		}
		return o, nil
	}, isolate.MinimizeOptions{Algorithm: "activecoarsen", Fast: true})
	if err != nil || got.Kept != stay || got.Trials != n {
		t.Errorf("%q after %d trials, want %q after %d; %v", got.Kept, got.Trials, stay, n, err)
	}
}

// Where outcomes are monotone, all that stays has to, without a certificate, and trials are
// as few as the paper expects.
func TestActiveCoarsenIsMinimal(t *testing.T) {
	seed.SkipLong(t, 8)
	once(t)
	r := random(t)
	for _, row := range []struct{ n, stay int }{{31, 1}, {60, 60}, {200, 0}, {200, 5}, {1000, 1}, {1000, 30}, {1000, 300}, {1000, 1000}} {
		trials, lists := 0.0, 5
		for range lists {
			stay := isolate.Of(row.n, r.Perm(row.n)[:row.stay]...)
			fast := minimizeTrials(t, row.n, stay, isolate.MinimizeOptions{Algorithm: "activecoarsen", Fast: true})
			trials += float64(fast) / float64(lists)
			got, err := isolate.Minimize(t.Context(), isolate.List{N: row.n}, func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
				return holding(stay)(c), nil
			}, isolate.MinimizeOptions{Algorithm: "activecoarsen", Fast: true})
			if err != nil || got.Kept != stay || got.Trials != fast {
				t.Errorf("%q of %d after %d trials, want %q after %d; %v", got.Kept, row.n, got.Trials, stay, fast, err)
			}
		}
		s := float64(row.stay)
		if most := math.E*(s+1)*math.Log(float64(row.n)) + s + 30; trials > most {
			t.Errorf("%.0f trials where %d of %d stay, want at most %.0f", trials, row.stay, row.n, most)
		}
		t.Logf("%d of %d: %.0f trials", row.stay, row.n, trials)
	}
}

// Of more elements than are left out one by one, the path does not depend on the jobs either,
// whatever the outcomes.
func TestActiveCoarsenAndChiselWithJobs(t *testing.T) {
	r := random(t)
	for range 6 {
		n := 31 + r.IntN(60)
		noise, stay := r.Uint64(), isolate.Of(n, r.Perm(n)[:r.IntN(8)]...)
		outcome := func(c isolate.Configuration) isolate.Outcome {
			hash := fnv.New64a()
			fmt.Fprint(hash, noise, c)
			switch odd := hash.Sum64() % 10; {
			case odd == 0:
				return isolate.Unresolved
			case odd == 1 || c.Contains(stay):
				return isolate.Fail
			}
			return isolate.Pass
		}
		for _, algorithm := range []string{"activecoarsen", "chisel"} {
			l := isolate.List{N: n, NonEmpty: true}
			checkMinimize(t, l, outcome, isolate.MinimizeOptions{Algorithm: algorithm})
			anyJobs(t, l, outcome, isolate.MinimizeOptions{Algorithm: algorithm}, r, 1, 8)
		}
	}
}
