package isolate_test

import (
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// once is [isolate.Once].
func once(t *testing.T) {
	t.Helper()
	isolate.Once(t)
}
