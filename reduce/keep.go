package reduce

import (
	"fmt"

	"github.com/gitdd/gitdd/testcase"
)

// protect counts what Options.Keep matches in each file. From then on a text
// that it matched in a file stays: it must be matched there as often as it was,
// or the input is not asked about. A file in which it matched stays, too.
func (r *reduction) protect() {
	if r.opts.Keep == nil {
		return
	}
	r.protected = map[string]map[string]int{}
	any := false
	for _, f := range r.best.Files {
		matches := r.matches(f.Content)
		r.protected[f.Path] = matches
		any = any || len(matches) > 0
	}
	if !any {
		r.note(fmt.Sprintf("%q matches nothing in the input: nothing is kept for it", r.opts.Keep))
	}
}

func (r *reduction) matches(content []byte) map[string]int {
	counts := map[string]int{}
	for _, m := range r.opts.Keep.FindAll(content, -1) {
		if len(m) > 0 {
			counts[string(m)]++
		}
	}
	return counts
}

// keeps reports whether a file with this content holds what it has to.
func (r *reduction) keeps(path string, content []byte) bool {
	must := r.protected[path]
	if len(must) == 0 {
		return true
	}
	counts := r.matches(content)
	for text, n := range must {
		if counts[text] < n {
			return false
		}
	}
	return true
}

// keepsFiles reports whether all files that have to stay are in an input.
func (r *reduction) keepsFiles(in testcase.Input) bool {
	if len(r.protected) == 0 {
		return true
	}
	here := map[string]bool{}
	for _, f := range in.Files {
		here[f.Path] = true
	}
	for path, must := range r.protected {
		if len(must) > 0 && !here[path] {
			return false
		}
	}
	return true
}
