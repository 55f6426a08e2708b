package isolate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// Told how many causes there are, it keeps Hwang's bound: d-1 trials above the
// logarithm of the number of possible answers. To these come the questions
// whether the causes found are all, at most one for each number of them.
func TestSplitGroupsKeepsHwangsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, n := range []int{1, 2, 5, 16, 100, 1000} {
		for d := 1; d <= min(n, 32); d++ {
			log := 0.0 // of n over d
			for i := range d {
				log += math.Log2(float64(n-i) / float64(i+1))
			}
			for range 20 {
				causes := Of(n, r.Perm(n)[:d]...)
				seen := map[Configuration]bool{Empty(n): true, Full(n): true}
				found := splitGroups(func(c Configuration) Outcome {
					if seen[c] = true; c.Contains(causes) {
						return Fail
					}
					return Pass
				}, n, d)
				if found != causes {
					t.Fatalf("n=%d: found %q of %q", n, found, causes)
				}
				if trials, most := len(seen)-2, int(math.Ceil(log))+d-1+d; trials > most {
					t.Errorf("n=%d, causes %q: %d trials, bound %d", n, causes, trials, most)
				}
			}
		}
	}
}

func TestGroupSize(t *testing.T) {
	for _, row := range []struct{ n, d, want int }{
		{1, 1, 1}, {2, 1, 2}, {1000, 1, 512}, {1024, 1, 1024}, {1000, 2, 256}, {100, 10, 8}, {18, 10, 1}, {19, 10, 1}, {29, 10, 2}, {5, 8, 1},
	} {
		if got := groupSize(row.n, row.d); got != row.want {
			t.Errorf("groupSize(%d, %d) = %d, want %d", row.n, row.d, got, row.want)
		}
	}
}
