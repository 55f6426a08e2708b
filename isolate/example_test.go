package isolate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

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
func ExampleSearchSurely() {
	luck := rand.New(rand.NewPCG(1, 0))
	attempt := func(ctx context.Context, c isolate.Configuration, attempt int) (isolate.Outcome, error) {
		if c.Has(2) && luck.IntN(5) > 0 {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	result, sure, err := isolate.SearchSurely(context.Background(), isolate.Problem{N: 8}, 0.99, attempt, isolate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("good", sure.Rates.Good)
	fmt.Println("bad", sure.Rates.Bad)
	fmt.Println("cause", result.Cause, "with at least 0.99:", sure.Confidence >= 0.99)
	// Output:
	// good passes 7 of 7 times
	// bad passes 2 of 6 times, fails 4 of 6 times
	// cause 2 with at least 0.99: true
}

// Lines of a script were edited; which of the edits make it fail? The test gets
// those that are made.
func ExampleSearchSlice() {
	edits := []string{"set -u", "cd build", "export CI=1", "rm -f *.o", "unset PATH", "make -j4"}
	runs := 0
	fails := func(ctx context.Context, script []string) (isolate.Outcome, error) {
		runs++
		if strings.Contains(strings.Join(script, ";"), "unset PATH") {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	cause, _, err := isolate.SearchSlice(context.Background(), edits, fails, isolate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(cause, "\n"))
	fmt.Println(runs, "trials")
	// Output:
	// unset PATH
	// 6 trials
}

// Staging has other feature flags than production, and fails. Flags are elements;
// one that needs another requires it, and is never tried without it.
func ExampleSearch_featureFlags() {
	flags := []string{"dark-mode", "new-cart", "fast-checkout", "price-cache", "wish-list", "gift-cards", "eur-prices", "guest-login"}
	requires := make([][]int, len(flags))
	requires[2] = []int{1} // fast-checkout is part of new-cart
	requires[6] = []int{3} // eur-prices come out of the price-cache
	shop := func(on map[string]bool) bool { return !(on["fast-checkout"] && on["eur-prices"]) }

	deploys := 0
	test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		deploys++
		on := map[string]bool{}
		for i := range c.All() {
			on[flags[i]] = true
		}
		if shop(on) {
			return isolate.Pass, nil
		}
		return isolate.Fail, nil
	}
	result, err := isolate.Search(context.Background(), isolate.Problem{N: len(flags), Requires: requires}, test, isolate.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	named := func(c isolate.Configuration) (names []string) {
		for i := range c.All() {
			names = append(names, flags[i])
		}
		return names
	}
	fmt.Println("break it together:", named(result.Cause))
	fmt.Println("which need:", named(result.Context))
	fmt.Println(deploys, "deploys, minimal:", result.Minimal)
	// Output:
	// break it together: [fast-checkout eur-prices]
	// which need: [new-cart price-cache]
	// 12 deploys, minimal: true
}

// As little as possible of a list shall be left, while all of it fails.
func ExampleMinimize() {
	words := strings.Fields("the quick brown fox jumps over the lazy dog and runs away")
	test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		var text []string
		for i := range c.All() {
			text = append(text, words[i])
		}
		if s := strings.Join(text, " "); strings.Contains(s, "fox") && strings.Contains(s, "dog") {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	min, err := isolate.Minimize(context.Background(), isolate.List{N: len(words)}, test, isolate.MinimizeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range min.Kept.All() {
		fmt.Println(words[i])
	}
	// Output:
	// fox
	// dog
}

// Change 2 breaks the first and the third test, and changes 1 and 6 together the second one.
func ExampleSearchEach() {
	test := func(ctx context.Context, c isolate.Configuration, targets []int) ([]isolate.Outcome, error) {
		outcomes := make([]isolate.Outcome, len(targets))
		for k, target := range targets {
			outcomes[k] = isolate.Pass
			if target != 1 && c.Has(2) || target == 1 && c.Has(1) && c.Has(6) {
				outcomes[k] = isolate.Fail
			}
		}
		return outcomes, nil
	}
	result, err := isolate.SearchEach(context.Background(), isolate.Problem{N: 8}, test, isolate.EachOptions{Targets: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, class := range result.Classes {
		fmt.Println("tests", class.Targets, "cause", class.Result.Cause, "minimal", class.Result.Minimal)
	}
	// Output:
	// tests [0 2] cause 2 minimal true
	// tests [1] cause 1,6 minimal true
}
