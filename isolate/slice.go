package isolate

import "context"

// SearchSlice finds which elements of a list make a test fail: the test passes without any and fails with
// all of them. It is [Search] for a caller who has the elements, and not their numbers. The test gets the
// elements of a configuration in their order; it must not change the slice. cause are the elements of
// Result.Cause.
func SearchSlice[T any](ctx context.Context, list []T, test func(ctx context.Context, part []T) (Outcome, error), opts Options) (cause []T, result Result, err error) {
	result, err = Search(ctx, Problem{N: len(list)}, func(ctx context.Context, c Configuration) (Outcome, error) {
		return test(ctx, part(list, c))
	}, opts)
	return part(list, result.Cause), result, err
}

// MinimizeSlice leaves elements out of a list as long as the test fails with the rest. It is [Minimize] for a
// caller who has the elements, and not their numbers. kept are the elements of Minimum.Kept.
func MinimizeSlice[T any](ctx context.Context, list []T, test func(ctx context.Context, part []T) (Outcome, error), opts MinimizeOptions) (kept []T, found Minimum, err error) {
	found, err = Minimize(ctx, List{N: len(list)}, func(ctx context.Context, c Configuration) (Outcome, error) {
		return test(ctx, part(list, c))
	}, opts)
	return part(list, found.Kept), found, err
}

// part returns the elements of a configuration.
func part[T any](list []T, c Configuration) []T {
	elements := make([]T, 0, c.Len())
	for i := range c.All() {
		elements = append(elements, list[i])
	}
	return elements
}
