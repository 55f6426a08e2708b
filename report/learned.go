package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// learned says which requirements the errors of mixtures have taught, in trials or without one. In the short form of a report these are the requirements of the
// answer: where a large difference was searched, the others are about code that the answer has nothing to do with.
func (p *page) learned() {
	learned := p.r.Learned
	if len(learned) == 0 {
		return
	}
	const shown = 2
	text := prose.Count(len(learned), "requirement") + " read off the errors of mixtures"
	if own := p.ofAnswer(learned); len(own) < len(learned) && !p.full {
		if len(own) == 0 {
			p.item("learned", text+", none about the answer")
			return
		}
		learned, p.shortened = own, true
		text += ", " + prose.Number(len(own)) + " about the answer"
	}
	sentences := p.sentences(learned)
	if len(sentences) > shown+1 && !p.full {
		sentences = append(sentences[:shown], "…")
		p.shortened = true
	}
	p.item("learned", text+": "+strings.Join(sentences, "; "))
}

// ofAnswer returns the requirements that name a change of the answer; all of them if there is no answer.
func (p *page) ofAnswer(learned []LearnedRequirement) (own []LearnedRequirement) {
	if p.r.Status != Isolated {
		return learned
	}
	named := map[string]bool{}
	add := func(cause []Change, context []string) {
		for _, c := range cause {
			named[c.ID] = true
		}
		for _, id := range context {
			named[id] = true
		}
	}
	add(p.r.Cause, p.r.Context)
	for _, f := range p.r.Further {
		add(f.Cause, f.Context)
	}
	for _, l := range learned {
		if named[l.Change.ID] || named[l.Requires.ID] {
			own = append(own, l)
		}
	}
	return own
}

// sentences are learned in words. Changes that require each other belong together;
// the others are told by what they require. Each names a place once.
func (p *page) sentences(learned []LearnedRequirement) []string {
	var sentences []string
	said := make([]bool, len(learned))
	known := make(map[LearnedRequirement]bool, len(learned))
	for _, l := range learned {
		known[l] = true
	}
	mutual := func(l LearnedRequirement) bool {
		return known[LearnedRequirement{Change: l.Requires, Requires: l.Change}]
	}
	for i, l := range learned {
		if said[i] || !mutual(l) {
			continue
		}
		together := []Reference{l.Change, l.Requires}
		for k := 0; k < len(together); k++ {
			for _, m := range learned {
				if m.Change == together[k] && mutual(m) && !slices.Contains(together, m.Requires) {
					together = append(together, m.Requires)
				}
			}
		}
		for j, m := range learned {
			said[j] = said[j] || slices.Contains(together, m.Change) && slices.Contains(together, m.Requires)
		}
		if named, n := p.named(together); n == 1 {
			sentences = append(sentences, "several changes of "+named+" belong together")
		} else {
			sentences = append(sentences, named+" belong together")
		}
	}
	for i, l := range learned {
		if said[i] {
			continue
		}
		var users []Reference
		for j := i; j < len(learned); j++ {
			if m := learned[j]; !said[j] && m.Requires == l.Requires {
				said[j] = true
				users = append(users, m.Change)
			}
		}
		named, n := p.named(users)
		required := l.Requires.Place()
		if n == 1 && l.Change.Path == l.Requires.Path && l.Requires.Line > 0 && l.Requires.Line != l.Change.Line {
			required = strings.TrimPrefix(required, l.Requires.Path)
		}
		sentences = append(sentences, named+verb(n, " requires ", " require ")+required)
	}
	return sentences
}

// named lists places, each once, and returns how many there are: of one file one
// behind the other, so that it is named once.
func (p *page) named(refs []Reference) (text string, n int) {
	var places []string
	var last Reference
	seen := make(map[string]bool)
	first := make(map[string]int) // of each file, in refs
	for i, r := range slices.Backward(refs) {
		first[r.Path] = i
	}
	refs = slices.Clone(refs)
	slices.SortStableFunc(refs, func(a, b Reference) int { return first[a.Path] - first[b.Path] })
	for _, r := range refs {
		whole := r.Place()
		if seen[whole] {
			continue
		}
		seen[whole] = true
		switch {
		case r.Path != last.Path || r.Line == 0 || last.Line == 0:
			places = append(places, whole)
		case r.Symbol == last.Symbol:
			places = append(places, ":"+strconv.Itoa(r.Line))
		default:
			places = append(places, strings.TrimPrefix(whole, r.Path))
		}
		last = r
	}
	n = len(places)
	if n > 4 && !p.full {
		p.shortened = true
		return prose.List(places[:3], n), n
	}
	return prose.List(places, n), n
}

// Place names a change by its file, line and symbol.
func (r Reference) Place() string {
	text := r.Path
	if r.Line > 0 {
		text += ":" + strconv.Itoa(r.Line)
	}
	if r.Symbol != "" {
		text += " (" + r.Symbol + ")"
	}
	return text
}
