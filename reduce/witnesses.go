package reduce

import (
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A Witness is an input that was tested, with its outcome.
type Witness struct {
	Input   trial.Input
	Outcome isolate.Outcome
}

// witnesses are the smaller inputs that show that the output is minimal: without
// one element each, in the order of files and elements. What is not smaller or not
// well-formed was not tested, and is none of them. Each costs a copy of the output.
func (r *reduction) witnesses() ([]Witness, error) {
	var all []Witness
	seen := map[string]bool{}
	collect := func(s *search) {
		lengths := s.lengths()
		for _, n := range s.all(s.tree.Root, removable) {
			p := removing(n)
			if _, ok := s.saves(lengths, p); !ok {
				continue
			}
			in, ok := s.into(s.with([]Proposal{p}, func(int) bool { return true }))
			if !ok || seen[in.Digest()] {
				continue
			}
			seen[in.Digest()] = true
			o, known := r.remembered(in.Digest())
			if !known || o == isolate.Fail { // Fail: the output itself, in other words
				continue
			}
			packed, err := r.archives.pack(in)
			if err != nil {
				continue // what cannot be written was not tested
			}
			all = append(all, Witness{packed, o})
		}
	}
	if r.wholeFiles && len(r.best.Files) > 1 {
		collect(r.files())
	}
	for _, path := range r.largest() {
		i := r.fileAt(path)
		if i < 0 {
			continue
		}
		s, err := r.elements(i)
		if err != nil {
			return nil, err
		}
		collect(s)
	}
	return all, nil
}
