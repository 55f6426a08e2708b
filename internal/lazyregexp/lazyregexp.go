package lazyregexp

import (
	"regexp"
	"sync"
	"testing"
)

// New returns a function that returns the compiled expression. In a test New compiles it at once, so that a
// wrong expression panics in every test of a package that has it.
func New(expression string) func() *regexp.Regexp {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
	if testing.Testing() {
		compiled()
	}
	return compiled
}
