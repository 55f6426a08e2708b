package isolate_test

import (
	"context"
	"fmt"

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
