package reduce

import (
	"bytes"
	"context"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passMembers puts the type of the one member of a structure in the place of the structure: its definition goes,
// what is of the structure is of the type of the member, and no member is selected any more.
func passMembers(ctx context.Context, t *text) error {
	return untilNone(ctx, func() (offers, error) {
		t.reopen()
		selected := t.selected()
		var opens []int
		for _, open := range t.pairs() {
			if _, _, ok := t.onlyMember(open, selected); ok {
				opens = append(opens, open)
			}
		}
		return t.offers(len(opens), func(i int) (Proposal, bool) { return t.withoutStructure(opens[i], selected) }), nil
	})
}

// longestMember bounds the tokens in the brackets of a structure with one member.
const longestMember = 8

// onlyMember returns the member of the structure whose members stand in brackets, and the type of the member; false
// if they are no such brackets, or none of its words is among those that are selected somewhere.
func (t *text) onlyMember(open int, selected map[string]bool) (member int, kind []byte, ok bool) {
	if !t.is(open, "{") || t.next(open, -1) < 0 {
		return 0, nil, false
	}
	member = -1
	tokens := 0
	for i := t.next(open, 1); i < t.partner[open]; i = t.next(i, 1) {
		if tokens++; tokens > longestMember {
			return 0, nil, false
		}
		switch word := t.bytes(i); {
		case selected[string(word)] && member < 0:
			member = i
		case t.pieces[i].kind == lexical.Word, t.pieces[i].kind == lexical.Operator && !bytes.ContainsAny(word, ";,:"):
			if kind != nil && glues(kind, word) {
				kind = append(kind, ' ')
			}
			kind = append(kind, word...)
		}
	}
	return member, kind, member >= 0 && kind != nil
}

// withoutStructure proposes to take the structure out that has only one member. It takes time linear in the text.
func (t *text) withoutStructure(open int, selected map[string]bool) (p Proposal, ok bool) {
	member, kind, ok := t.onlyMember(open, selected)
	if !ok {
		return p, false
	}
	close := t.partner[open]
	name := t.next(open, -1)
	for name >= 0 && t.pieces[name].kind == lexical.Word && !t.isName(name) {
		name = t.next(name, -1) // type S struct {
	}
	named := name >= 0 && t.isName(name)
	// The definition begins with the first word before the bracket: that of its line, if it is a keyword.
	from, end := t.next(open, -1), t.next(close, 1)
	for from > 0 && (t.isName(from) || !t.beginsLine(from)) {
		before := t.next(from, -1)
		if before < 0 || t.pieces[before].kind != lexical.Word {
			break
		}
		from = before
	}
	declares := end >= 0 && t.isName(end) && !bytes.Contains(t.source[t.pieces[close].to:t.pieces[end].from], []byte("\n"))
	edit := func(from, to int, text ...byte) {
		for i := from; i <= to; i++ {
			p.Edits = append(p.Edits, NodeEdit{t.nodes[i], Edit{}})
		}
		p.Edits = append(p.Edits, NodeEdit{t.nodes[from], Edit{Text: text}})
	}
	switch {
	case declares:
		edit(from, close, kind...)
	case !named:
		return p, false
	default:
		if t.is(end, ";") {
			close = end
		}
		p = t.cutting(from, close)
	}
	for i := range t.pieces {
		if from <= i && i <= close {
			continue
		}
		before := t.next(i, -1)
		switch {
		case bytes.Equal(t.bytes(i), t.bytes(member)) && t.selects(before):
			edit(before, i)
		case !named || !bytes.Equal(t.bytes(i), t.bytes(name)):
		case before >= 0 && t.pieces[before].kind == lexical.Word && !t.isName(before): // struct S
			edit(before, i, kind...)
		default:
			edit(i, i, kind...)
		}
	}
	return p, true
}

// selected returns the words that are selected as members anywhere.
func (t *text) selected() map[string]bool {
	words := map[string]bool{}
	for _, i := range t.real {
		if t.pieces[i].kind == lexical.Word && t.selects(t.next(i, -1)) {
			words[string(t.bytes(i))] = true
		}
	}
	return words
}

// selects reports whether a piece is a sign that selects a member.
func (t *text) selects(i int) bool { return t.is(i, ".") || t.is(i, "->") }
