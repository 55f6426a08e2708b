package grouping

import (
	"cmp"
	"math"
	"slices"
)

// A Tie says how much two changes belong together.
type Tie struct {
	I, J   int
	Weight float64
}

// What ties changes, and how much.
const (
	tiedByName   = 1.0 // a name in the lines of both, divided by the root of how many changes have it
	tiedBySymbol = 0.5 // to the next change of the same symbol of a file
	tiedByPlace  = 0.3 // to the next change of the same file
	rareName     = 24  // changes that have a name at most, for it to tie them
	fewSay       = 6   // a name ties up to so many changes each to each, and more only each to the next
)

// Affinity returns which changes belong together: those that have a rare name in common,
// and those that stand next to each other in a symbol or a file. Each pair comes once,
// I before J, in order. Cost: one pass over the text of all changes.
func (p *Plan) Affinity() []Tie {
	if p.index == nil {
		return nil
	}
	weights := map[[2]int]float64{}
	tie := func(i, j int, w float64) {
		if i != j {
			weights[[2]int{min(i, j), max(i, j)}] += w
		}
	}
	saying := p.index.mentions()
	names := make([]string, 0, len(saying))
	for name, list := range saying {
		if len(list) > 1 && len(list) <= rareName && len(name) >= shortestName {
			names = append(names, name)
		}
	}
	slices.Sort(names) // sums do not depend on the order of a map
	for _, name := range names {
		list := saying[name]
		w := tiedByName / math.Sqrt(float64(len(list)))
		for a, i := range list {
			for _, j := range list[a+1:] {
				tie(i, j, w)
				if len(list) > fewSay {
					break
				}
			}
		}
	}
	for n := range p.index.files {
		f := &p.index.files[n]
		for k := 1; k < len(f.members); k++ {
			i, j := f.members[k-1], f.members[k]
			tie(i, j, tiedByPlace)
			if p.Symbols[i] != "" && p.Symbols[i] == p.Symbols[j] {
				tie(i, j, tiedBySymbol)
			}
		}
	}
	list := make([]Tie, 0, len(weights))
	for pair, w := range weights {
		list = append(list, Tie{pair[0], pair[1], w})
	}
	slices.SortFunc(list, func(a, b Tie) int { return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J)) })
	return list
}

// mentions returns, for each identifier, the changes in whose lines it stands.
func (x *index) mentions() map[string][]int {
	x.mentioned.Do(func() {
		x.saying, x.altering = map[string][]int{}, map[string][]int{}
		for i := range x.set.Changes {
			count := map[string]int{}
			for k, text := range [2][]byte{x.text(i, false), x.text(i, true)} {
				eachIdentifier(text, func(name string) { count[name] += 2*k - 1 })
			}
			for name, n := range count {
				x.saying[name] = append(x.saying[name], i) // increasing
				if n != 0 {
					x.altering[name] = append(x.altering[name], i)
				}
			}
		}
	})
	return x.saying
}
