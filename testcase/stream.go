package testcase

import "context"

// ReadUnlessEnded returns the result of read, or the cause of ctx if ctx ends first: read may wait
// for a terminal or a pipe, and is then left running.
func ReadUnlessEnded(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
