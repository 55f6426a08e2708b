package isolate_test

import "testing"

// once leaves a test to the run without the race detector (make test has both):
// it searches thousands of times and asserts what was found and by how many
// trials, which the detector does not change but takes five times as long for.
// That of several workers has smaller tests beside it, which run with both.
func once(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("runs without the race detector: make test")
	}
}
