package isolate_test

import (
	"context"
	"math/bits"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// TestTrimRandom holds Trim to what check holds a search to, and besides to an answer that is
// never larger than the given one, and to a bound of its trials.
func TestTrimRandom(t *testing.T) {
	once(t)
	r := random(t)
	rounds := 3000
	if testing.Short() {
		rounds = 1000
	}
	smaller := 0
	for range rounds {
		p := randomProblem(r, 4+r.IntN(4))
		p.Passing, p.Failing = isolate.Configuration{}, isolate.Configuration{}
		b := &behaviour{Problem: p, outcome: randomOutcomes(r, p), advice: randomAdvice(r, p.N)}
		found := check(t, b, b.advice)
		if found.Inseparable {
			continue
		}
		b.Failing, b.cause = found.Failing, found.Cause
		trimmed := check(t, b, b.advice)
		if !found.Failing.Contains(trimmed.Failing) || !found.Cause.Contains(trimmed.Cause) && trimmed.Passing == found.Passing {
			t.Fatalf("of %+v Trim makes %+v", found, trimmed)
		}
		if trimmed.Cause.Len() > found.Cause.Len() {
			t.Fatalf("of a cause of %d elements Trim makes one of %d", found.Cause.Len(), trimmed.Cause.Len())
		}
		if trimmed.Failing != found.Failing {
			smaller++
		} else if trimmed.Passing != found.Passing {
			t.Fatalf("of %+v Trim makes %+v", found, trimmed)
		}
		// The ends, what passes, a certificate, the context, and a certificate of what is left.
		d, k := found.Cause.Len(), found.Passing.Len()
		if most := 2 + 1 + d*(d+1)/2 + d*len(p.Groups) + bits.Len(uint(k)) + 2 + 1 + d*(d+1)/2; trimmed.Trials > most {
			t.Fatalf("%d trials, bound %d", trimmed.Trials, most)
		}
	}
	if smaller == 0 {
		t.Error("Trim made no answer smaller")
	}
	t.Logf("%d of %d smaller", smaller, rounds)
}

// TestTrimSteps is about answers of which single elements cannot be left out.
func TestTrimSteps(t *testing.T) {
	// Of every group of three either all are there or none: an import, a function and its call.
	inThrees := func(c isolate.Configuration) bool {
		for g := 0; g < c.N(); g += 3 {
			if n := c.Intersect(isolate.Of(c.N(), g, g+1, g+2)).Len(); n != 0 && n != 3 {
				return false
			}
		}
		return true
	}
	groups := func(n int) [][]int {
		of := make([]int, n)
		for i := range of {
			of[i] = i / 3
		}
		return [][]int{of}
	}
	tests := []struct {
		name            string
		n               int
		cause           []int
		fails           func(isolate.Configuration) bool
		wantCause, want []int // want is the context
		most            int   // trials beside the ends, the passing end, and certificates
	}{
		{"a context that is not needed", 30, []int{9, 10, 11}, func(c isolate.Configuration) bool { return c.Has(9) },
			[]int{9, 10, 11}, nil, 1},
		{"a context of which one group is needed", 24, []int{9, 10, 11}, func(c isolate.Configuration) bool { return c.Has(9) && c.Has(21) },
			[]int{9, 10, 11}, []int{21, 22, 23}, 7},
		{"a cause of which two groups are not needed", 9, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, func(c isolate.Configuration) bool { return c.Has(4) },
			[]int{3, 4, 5}, nil, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := &behaviour{
				Problem: isolate.Problem{N: test.n, Groups: groups(test.n)},
				cause:   isolate.Of(test.n, test.cause...),
				outcome: func(c isolate.Configuration) isolate.Outcome {
					switch {
					case !inThrees(c):
						return isolate.Unresolved
					case test.fails(c):
						return isolate.Fail
					}
					return isolate.Pass
				},
			}
			got := check(t, b, isolate.Options{})
			if want := isolate.Of(test.n, test.wantCause...); got.Cause != want {
				t.Errorf("cause %q, want %q", got.Cause, want)
			}
			if want := isolate.Of(test.n, test.want...); got.Context != want || got.Passing != want {
				t.Errorf("context %q, passing %q, want %q", got.Context, got.Passing, want)
			}
			certificates := len(test.cause)
			if got.Failing.Len() < test.n {
				certificates += got.Cause.Len()
			}
			if most := 3 + certificates + 1 + test.most; got.Trials > most {
				t.Errorf("%d trials, want at most %d", got.Trials, most)
			}
		})
	}
}

func TestTrimRefuses(t *testing.T) {
	test := func(context.Context, isolate.Configuration) (isolate.Outcome, error) { return isolate.Pass, nil }
	p := isolate.Problem{N: 3, Failing: isolate.Of(3, 0, 1)}
	for _, cause := range []isolate.Configuration{isolate.Empty(3), isolate.Of(3, 2), isolate.Of(4, 0)} {
		if _, err := isolate.Trim(context.Background(), p, cause, test, isolate.Options{}); err == nil {
			t.Errorf("a cause of %q is taken", cause)
		}
	}
	if _, err := isolate.Trim(context.Background(), p, isolate.Of(3, 0), test, isolate.Options{Goal: isolate.Revert}); err == nil {
		t.Error("another goal is taken")
	}
}

// TestTrimPath is the same for every number of jobs.
func TestTrimPath(t *testing.T) {
	r := random(t)
	for range 100 {
		p := randomProblem(r, 4+r.IntN(4))
		p.Passing, p.Failing = isolate.Configuration{}, isolate.Configuration{}
		b := &behaviour{Problem: p, outcome: randomOutcomes(r, p)}
		found := check(t, b, isolate.Options{})
		if found.Inseparable {
			continue
		}
		b.Failing, b.cause = found.Failing, found.Cause
		path := func(jobs int) (steps []isolate.Configuration) {
			opts := isolate.Options{Jobs: jobs, Observe: func(s isolate.Step) { steps = append(steps, s.Config) }}
			if _, err := isolate.Trim(context.Background(), b.Problem, b.cause, b.test, opts); err != nil {
				t.Fatal(err)
			}
			return steps
		}
		one, four := path(1), path(2+r.IntN(4))
		if len(one) != len(four) {
			t.Fatalf("%d steps with one worker, %d with more", len(one), len(four))
		}
		for i := range one {
			if one[i] != four[i] {
				t.Fatalf("step %d is %q with one worker, %q with more", i, one[i], four[i])
			}
		}
	}
}
