package isolate

import (
	"context"
	"errors"
)

// Search isolates.
func Search(ctx context.Context, p Problem, test Test, opts Options) (Result, error) {
	return Result{}, errors.New("isolate: search is not built yet")
}

// Algorithms returns the names of the algorithms.
func Algorithms() []string { return nil }
