package lazyregexp

import (
	"sync"
	"testing"
)

// Several goroutines may be the first to ask for an expression.
func TestNew(t *testing.T) {
	expression := New(`^a+$`)
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			first, second := expression(), expression()
			if !first.MatchString("aa") || first != second {
				t.Error("it is compiled more than once, or wrong")
			}
		})
	}
	done.Wait()
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression did not panic in a test")
		}
	}()
	New(`(`)
}
