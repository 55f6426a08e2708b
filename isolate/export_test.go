package isolate

import (
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// Once leaves a test to the run without the race detector, in which the tests are not
// short (make test has both): it asks one test at a time, so that there is nothing to
// detect, and the detector does not change what is asserted but takes five times as long
// for it. What several workers do has tests beside it that run with both, with fewer
// rounds where the detector is. As it keeps one processor busy, it runs beside others of
// its kind.
func Once(t *testing.T) {
	t.Helper()
	seed.SkipLong(t, 8)
	t.Parallel()
}
