package reduce

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passNames gives short names to what has long ones: each name everywhere at
// once, the names that take most room first.
func passNames(ctx context.Context, t *text) error {
	names := t.names()
	free := t.freeNames(len(names))
	var ps []Proposal
	for _, n := range slices.Backward(names) { // a list algorithm begins with the last
		if len(n.text) > 1 && len(free) > 0 && len(free[0]) < len(n.text) {
			ps = append(ps, t.renaming(n, free[0]))
			free = free[1:]
		}
	}
	_, err := t.minimise(ctx, ps)
	return err
}

// A name is a word and where it stands.
type name struct {
	text   string
	pieces []int
}

// names lists the words of a text that are no keywords, those that take most
// room first. The caller does not change them.
func (t *text) names() []name {
	if t.words != nil {
		return t.words
	}
	names := []name{}
	number := map[string]int{}
	for i := range t.pieces {
		text := string(t.bytes(i))
		if !t.isName(i) {
			continue
		}
		n, ok := number[text]
		if !ok {
			n = len(names)
			number[text] = n
			names = append(names, name{text: text})
		}
		names[n].pieces = append(names[n].pieces, i)
	}
	slices.SortStableFunc(names, func(a, b name) int {
		return cmp.Compare(len(b.pieces)*(len(b.text)-1), len(a.pieces)*(len(a.text)-1))
	})
	t.words = names
	return names
}

// renaming proposes another word for a name.
func (t *text) renaming(n name, to string) Proposal {
	var p Proposal
	for _, i := range n.pieces {
		p.Edits = append(p.Edits, NodeEdit{t.nodes[i], Edit{Text: []byte(to)}})
	}
	return p
}

// freeNames returns n short names that do not stand anywhere in the text.
func (t *text) freeNames(n int) []string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	taken := map[string]bool{}
	for i, p := range t.pieces {
		if p.kind == lexical.Word {
			taken[string(t.bytes(i))] = true
		}
	}
	var list []string
	add := func(s string) {
		if len(list) < n && !taken[s] && !t.rules.IsKeyword(s) {
			list = append(list, s)
		}
	}
	for _, all := range []string{letters, strings.ToUpper(letters)} {
		for _, c := range all {
			add(string(c))
		}
	}
	for _, c := range letters {
		for _, d := range letters {
			add(string(c) + string(d))
		}
	}
	return list
}
