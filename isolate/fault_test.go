package isolate_test

import (
	"context"
	"math/bits"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// faultOf runs Fault, and returns the steps of its path.
func faultOf(t *testing.T, b *behaviour, kept isolate.Configuration, opts isolate.Options) (isolate.Result, []isolate.Step) {
	t.Helper()
	var steps []isolate.Step
	opts.Observe = func(s isolate.Step) { steps = append(steps, s) }
	got, err := isolate.Fault(context.Background(), b.Problem, kept, b.test, opts)
	if err != nil {
		t.Fatal(err)
	}
	return got, steps
}

// TestFaultRandom compares Fault with the outcomes of all configurations.
func TestFaultRandom(t *testing.T) {
	once(t)
	r := random(t)
	found := 0
	rounds := 3000
	if testing.Short() {
		rounds = 500
	}
	for range rounds {
		p := randomProblem(r, 4+r.IntN(4))
		p.Passing, p.Failing = isolate.Configuration{}, isolate.Configuration{}
		b := &behaviour{Problem: p, outcome: randomOutcomes(r, p)}
		kept := isolate.Of(p.N, r.IntN(p.N), r.IntN(p.N))
		advice := randomAdvice(r, p.N)
		got, steps := faultOf(t, b, kept, advice)
		passes := false
		for k, s := range steps {
			if k >= 2 && (!s.Config.Contains(kept) || s.Config == isolate.Full(p.N)) {
				t.Fatalf("%q was asked for, %q is kept", s.Config, kept)
			}
			if k >= 2 && s.Outcome == isolate.Pass {
				passes = true
				if got.Passing != s.Config || k != len(steps)-1 {
					t.Fatalf("%q passes, the answer is %+v", s.Config, got)
				}
			}
		}
		if passes != got.Passing.Contains(kept) || got.Failing != isolate.Full(p.N) {
			t.Fatalf("%+v, of which %q was kept", got, kept)
		}
		if most := 2 + bits.Len(uint(max(p.N-kept.Len(), 1)-1)) + 4; got.Trials > most {
			t.Fatalf("%d trials, bound %d", got.Trials, most)
		}
		if passes {
			found++
		}

		advice.Jobs = 2 + r.IntN(4)
		_, again := faultOf(t, b, kept, advice)
		if !slices.EqualFunc(steps, again, func(x, y isolate.Step) bool { return x.Config == y.Config }) {
			t.Fatalf("with one worker the path is %+v, with more %+v", steps, again)
		}
	}
	if found < rounds/10 {
		t.Errorf("%d found", found)
	}
	t.Logf("%d found", found)
}

// TestFaultSteps is about code that one element switches on.
func TestFaultSteps(t *testing.T) {
	const n = 32
	kept := isolate.Of(n, 5)
	fails := func(c isolate.Configuration) isolate.Outcome {
		if c.Has(5) && c.Has(20) {
			return isolate.Fail
		}
		return isolate.Pass
	}
	built := func(c isolate.Configuration) isolate.Outcome { // the call needs the function, 16 to 23 but for the fault
		if c.Has(5) && !c.Contains(isolate.Of(n, 16, 17, 18, 19, 22, 23)) {
			return isolate.Unresolved
		}
		return fails(c)
	}
	prior := make([]float64, n)
	for i := range prior {
		prior[i] = 1
	}
	prior[20], prior[21] = 50, 50
	predicted := make([][]int, n)
	predicted[5] = []int{16, 17, 18, 19, 22, 23}
	tests := []struct {
		name    string
		problem isolate.Problem
		outcome func(isolate.Configuration) isolate.Outcome
		opts    isolate.Options
		want    isolate.Configuration // what is left out; the zero value = nothing was found
		most    int                   // trials beside the ends
	}{
		{"everything else", isolate.Problem{N: n}, fails, isolate.Options{}, isolate.Full(n).Minus(kept), 1},
		{"what the function does not need", isolate.Problem{N: n, Prior: prior}, built, isolate.Options{}, isolate.Of(n, 20, 21), 10},
		{"as is predicted", isolate.Problem{N: n, Prior: prior, Predicted: predicted}, built, isolate.Options{}, isolate.Of(n, 20, 21), 1},
		{"what does not parse takes no trial", isolate.Problem{N: n, Prior: prior}, built, isolate.Options{Check: func(c isolate.Configuration) []isolate.Message {
			if built(c) == isolate.Unresolved {
				missing := isolate.Of(n, 16, 17, 18, 19, 22, 23).Minus(c)
				return []isolate.Message{{Key: 1, Explanations: []isolate.Explanation{{Element: 5, Requires: slices.Collect(missing.All())[0], Weight: 1}}}}
			}
			return nil
		}}, isolate.Of(n, 20, 21), 1},
		{"a fault of the kept ones", isolate.Problem{N: n}, func(c isolate.Configuration) isolate.Outcome {
			if c.Has(5) {
				return isolate.Fail
			}
			return isolate.Pass
		}, isolate.Options{}, isolate.Configuration{}, 1},
		{"nothing builds", isolate.Problem{N: n}, func(c isolate.Configuration) isolate.Outcome {
			if c == isolate.Full(n) || c.IsEmpty() {
				return fails(c)
			}
			return isolate.Unresolved
		}, isolate.Options{}, isolate.Configuration{}, 9},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, steps := faultOf(t, &behaviour{Problem: test.problem, outcome: test.outcome}, kept, test.opts)
			if test.want == (isolate.Configuration{}) {
				if got.Passing.Contains(kept) {
					t.Errorf("found %q", got.Cause)
				}
			} else if got.Cause != test.want {
				t.Errorf("left out are %q, want %q", got.Cause, test.want)
			}
			if trials := len(steps) - 2; trials > test.most {
				t.Errorf("%d trials, want at most %d", trials, test.most)
			}
		})
	}
}

func TestFaultRefuses(t *testing.T) {
	test := func(context.Context, isolate.Configuration) (isolate.Outcome, error) { return isolate.Pass, nil }
	p := isolate.Problem{N: 3, Failing: isolate.Of(3, 0, 1)}
	for _, kept := range []isolate.Configuration{isolate.Empty(3), isolate.Of(3, 2), isolate.Of(4, 0)} {
		if _, err := isolate.Fault(context.Background(), p, kept, test, isolate.Options{}); err == nil {
			t.Errorf("%q is kept", kept)
		}
	}
	if _, err := isolate.Fault(context.Background(), p, isolate.Of(3, 0), test, isolate.Options{Goal: isolate.Revert}); err == nil {
		t.Error("another goal is taken")
	}
}
