package reduce

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passMerge gives one name to two things: first where elements of a list then are the same, of which one is
// left; then a later name becomes one before it, and what then is said twice is left to other passes.
func passMerge(ctx context.Context, t *text) error {
	if err := t.rewrite(ctx, t.mergedElements); err != nil {
		return err
	}
	for at := 1; ; at++ {
		names := slices.Clone(t.names())
		slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(a.pieces[0], b.pieces[0]) })
		if at >= len(names) {
			return t.err(ctx)
		}
		var ps []Proposal
		for _, other := range slices.Backward(names[:at]) {
			if len(other.text) <= len(names[at].text) {
				ps = append(ps, t.renaming(names[at], other.text))
			}
		}
		made, err := t.first(ctx, ps)
		if err != nil {
			return err
		}
		if made >= 0 {
			t.reopen()
			at--
		}
	}
}

// mergedElements proposes to give two names of which two elements of a list differ in nothing else one name, and to
// take out the elements that then say what one before them says.
func (t *text) mergedElements(s *search) (ps []Proposal) {
	if len(t.source) > longestMerged {
		return nil
	}
	known := map[[2]string]bool{}
	for _, list := range s.all(s.tree.Root, func(n *Node) bool { return len(n.Children) > 1 }) {
		alike := map[string]*Node{}
		for _, n := range list.Children {
			if !removable(n) {
				continue
			}
			form := t.form(s.tree.source(n))
			if other := alike[form]; other != nil {
				if pair, ok := t.difference(s.tree.source(other), s.tree.source(n)); ok && !known[pair] {
					known[pair] = true
					ps = append(ps, t.merged(s, pair[0], pair[1]), t.merged(s, pair[1], pair[0]))
				}
			}
			alike[form] = n
		}
	}
	return ps
}

// longestMerged bounds the texts of which the elements are compared.
const longestMerged = 16384

// form returns a text with a sign in the place of each name.
func (t *text) form(text []byte) string {
	var b strings.Builder
	for _, p := range cutPieces(text, t.rules) {
		if word := text[p.from:p.to]; p.kind == lexical.Word && !t.rules.IsKeyword(string(word)) {
			b.WriteByte(0)
		} else {
			b.Write(word)
		}
	}
	return b.String()
}

// difference returns the two names in which two texts of one form differ, false if there are more or none.
func (t *text) difference(a, b []byte) (names [2]string, ok bool) {
	as, bs := cutPieces(a, t.rules), cutPieces(b, t.rules)
	if len(as) != len(bs) { // a sign in the place of names stands in a text itself
		return names, false
	}
	for i := range as {
		pair := [2]string{string(a[as[i].from:as[i].to]), string(b[bs[i].from:bs[i].to])}
		if pair[0] == pair[1] {
			continue
		}
		if ok && pair != names {
			return names, false
		}
		names, ok = pair, true
	}
	return names, ok
}

// merged proposes to put one name in the place of another one, and to take out the elements that then say of it what
// one before them in their list says.
func (t *text) merged(s *search, from, to string) Proposal {
	var b bytes.Buffer
	for i := range t.pieces {
		if t.isName(i) && t.is(i, from) {
			b.WriteString(to)
		} else {
			b.Write(t.bytes(i))
		}
	}
	content := b.Bytes()
	f := t.best.Files[t.file]
	tree, _, _, err := t.kinds.parseText(t.archives.nameOf(f.Path), content, t.formats[f.Path])
	if err != nil {
		return replacing(s.tree.Root, content)
	}
	edits := Edits{}
	var walk func(n *Node)
	walk = func(n *Node) {
		seen := map[string]bool{}
		for _, c := range n.Children {
			text := string(tree.source(c))
			if removable(c) && seen[text] && len(text) > len(to) && strings.Contains(text, to) {
				edits[c] = Removal(c)
				continue
			}
			seen[text] = true
			walk(c)
		}
	}
	walk(tree.Root)
	if rest, formed := tree.Render(edits); formed {
		content = rest
	}
	return replacing(s.tree.Root, content)
}
