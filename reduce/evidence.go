package reduce

import (
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// Evidence is an input that was tested, with its outcome.
type Evidence struct {
	Input   testcase.Input
	Outcome isolate.Outcome
}

// evidence returns the smaller inputs that show that the output is minimal: without
// one element each, or with one node of a graph replaced, in the order of files and
// elements. What is not smaller or not well-formed was not tested, and is none of
// them. Each costs a copy of the output.
func (r *reduction) evidence() ([]Evidence, error) {
	var all []Evidence
	seen := map[string]bool{}
	collect := func(in testcase.Input, ok bool) {
		if !ok || seen[in.Digest()] {
			return
		}
		seen[in.Digest()] = true
		o, known := r.remembered(in.Digest())
		if !known || o == isolate.Fail { // Fail: the output itself, in other words
			return
		}
		if packed, err := r.archives.pack(in); err == nil { // else it was not tested
			all = append(all, Evidence{packed, o})
		}
	}
	singles := func(s *search) {
		lengths := s.lengths()
		for _, n := range s.all(s.tree.Root, removable) {
			p := removing(n)
			if _, ok := s.saves(lengths, p); ok {
				collect(s.into(s.with([]Proposal{p}, func(int) bool { return true })))
			}
		}
	}
	if r.wholeFiles && len(r.best.Files) > 1 {
		singles(r.files())
	}
	for _, path := range r.largest() {
		i := r.fileAt(path)
		if i < 0 {
			continue
		}
		s, d, err := r.elements(i)
		switch {
		case err != nil:
			return nil, err
		case d != nil:
			for _, h := range d.singly() {
				collect(d.with(h))
			}
		default:
			singles(s)
		}
	}
	return all, nil
}
