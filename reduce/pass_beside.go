package reduce

import (
	"context"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passBeside takes the same tokens out beside a name wherever they stand beside it: the subscripts of an array,
// with its dimension; the star of a pointer where it is declared and where it is followed; the type arguments
// of a generic; a qualifier. It takes out, too, a member wherever it is selected.
func passBeside(ctx context.Context, t *text) error {
	type neighbour struct{ name, kind string }
	var all []neighbour
	count := map[neighbour]int{}
	for _, n := range t.names() {
		for _, p := range n.pieces {
			for kind := range t.beside(p) {
				b := neighbour{n.text, kind}
				if count[b]++; count[b] == 2 { // one alone is for the tree, and for runs of tokens
					all = append(all, b)
				}
			}
		}
	}
	return t.walk(ctx, len(all), func(i int) (p Proposal, ok bool) {
		places := 0
		for _, n := range t.names() {
			if n.text != all[i].name {
				continue
			}
			for _, at := range n.pieces {
				if span, ok := t.beside(at)[all[i].kind]; ok {
					p.Edits = append(p.Edits, t.cutting(span[0], span[1]).Edits...)
					places++
				}
			}
		}
		return p, places > 1
	})
}

// beside returns the tokens that stand beside a name and are nothing without it, by what they look like: of each
// the first piece and the last.
func (t *text) beside(name int) map[string][2]int {
	beside := map[string][2]int{}
	after := t.next(name, 1)
	for kind := "[]"; t.is(after, "[") && t.partner[after] >= 0; kind += "[]" { // for each dimension
		beside[kind] = [2]int{after, t.partner[after]}
		after = t.next(t.partner[after], 1)
	}
	if t.is(after, "<") {
		if close := t.closing(after); close >= 0 {
			beside["<>"] = [2]int{after, close}
		}
	}
	before := t.next(name, -1)
	if before < 0 {
		return beside
	}
	switch mark := string(t.bytes(before)); mark {
	case ".", "->", "::", "?.":
		beside["member"] = [2]int{before, name}
	case "*", "&", "@", "!", "~", "-", "**", "&&":
		beside[mark] = [2]int{before, before}
	default:
		if t.pieces[before].kind == lexical.Word {
			beside[mark] = [2]int{before, before}
		}
	}
	return beside
}

// closing returns the > that belongs to a < if what is between them may be types, -1 if it may not.
func (t *text) closing(open int) int {
	depth := 0
	for i := open; i >= 0; i = t.next(i, 1) {
		switch kind := t.pieces[i].kind; {
		case t.is(i, "<"):
			depth++
		case t.is(i, ">"):
			if depth--; depth == 0 {
				return i
			}
		case kind == lexical.Word, kind == lexical.Number, t.is(i, ","), t.is(i, "*"), t.is(i, "::"), t.is(i, "."), t.is(i, "["), t.is(i, "]"):
		default:
			return -1
		}
	}
	return -1
}
