package grouping

import (
	"sync"
	"testing"
)

// A pattern of a tool that no test runs is one that compiles, too; several
// goroutines may be the first to ask for it.
func TestPatterns(t *testing.T) {
	var all []*pattern
	for i := range messages {
		all = append(all, messages[i].pattern)
	}
	for _, p := range directives {
		if p != nil {
			all = append(all, p)
		}
	}
	var done sync.WaitGroup
	for range 2 {
		done.Go(func() {
			for _, p := range all {
				if p.re().String() != p.text {
					t.Errorf("%s was compiled of %s", p.re(), p.text)
				}
			}
		})
	}
	done.Wait()
}
