package isolate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/gitdd/gitdd/isolate"
)

// Changes 2 and 5 break the test together, and 5 needs 0 to build.
func ExampleSearch() {
	p := isolate.Problem{N: 8}
	test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		switch {
		case c.Has(5) && !c.Has(0):
			return isolate.Unresolved, nil
		case c.Has(2) && c.Has(5):
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	result, err := isolate.Search(context.Background(), p, test, isolate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("cause", result.Cause, "context", result.Context, "minimal", result.Minimal)
	// Output: cause 2,5 context 0 minimal true
}

// Change 2 breaks the test, but one time in five it passes all the same.
func ExampleJury() {
	p := isolate.Problem{N: 8}
	luck := rand.New(rand.NewPCG(1, 0))
	attempt := func(c isolate.Configuration) isolate.Sample {
		return func(ctx context.Context, attempt int) (isolate.Outcome, error) {
			if c.Has(2) && luck.IntN(5) > 0 {
				return isolate.Fail, nil
			}
			return isolate.Pass, nil
		}
	}
	witness := func(c isolate.Configuration, o isolate.Outcome) isolate.Witness {
		return isolate.Witness{Name: c.String(), Want: o, Sample: attempt(c)}
	}
	ctx := context.Background()
	jury := isolate.NewJury(0.99)
	rates, err := jury.Calibrate(ctx, witness(isolate.Empty(8), isolate.Pass), witness(isolate.Full(8), isolate.Fail), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("good", rates.Good)
	fmt.Println("bad", rates.Bad)
	test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		return jury.Ask(ctx, c.String(), attempt(c))
	}
	doubt := func(ctx context.Context, c isolate.Configuration, o isolate.Outcome, odds float64) (bool, error) {
		return jury.Doubt(ctx, witness(c, o), odds, 1)
	}
	for {
		result, err := isolate.Search(ctx, p, test, isolate.Options{Doubt: doubt})
		if errors.Is(err, isolate.ErrTurned) {
			continue
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		var witnesses []isolate.Witness
		for _, e := range result.Witnesses {
			witnesses = append(witnesses, witness(e.Config, e.Outcome))
		}
		settled, err := jury.Settle(ctx, witnesses, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		if settled.Holds {
			fmt.Println("cause", result.Cause)
			return
		}
	}
	// Output:
	// good passes 7 of 7 times
	// bad passes 2 of 6 times, fails 4 of 6 times
	// cause 2
}
