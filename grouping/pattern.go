package grouping

import (
	"regexp"
	"sync"
)

// A pattern is a regular expression that is compiled when it is first asked for. There
// are 150 of them, and the program is started for each trial, to keep it: these starts
// read no output and no source code.
type pattern struct {
	text string
	once sync.Once
	exp  *regexp.Regexp
}

// re is safe for concurrent use.
func (p *pattern) re() *regexp.Regexp {
	p.once.Do(func() { p.exp = regexp.MustCompile(p.text) })
	return p.exp
}
