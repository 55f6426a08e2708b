package reduce

import (
	"context"
	"slices"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passStrings empties strings, and the comments that have to stay, and takes out of those that cannot be empty the
// characters that it can.
func passStrings(ctx context.Context, t *text) error {
	var ps []Proposal
	for i := range t.pieces {
		if begin, end, ok := t.content(i); ok {
			ps = append(ps, replacing(t.nodes[i], slices.Concat(t.source[t.pieces[i].from:begin], t.source[end:t.pieces[i].to])))
		}
	}
	if err := t.make(ctx, ps); err != nil {
		return err
	}
	// What is left is a list of characters: a tree in which they are the nodes.
	root := &Node{To: len(t.source)}
	for i := range t.pieces {
		if begin, end, ok := t.content(i); ok {
			root.Children = append(root.Children, characters(t.source, begin, end)...)
		}
	}
	tree := &Tree{Source: t.source, Root: root}
	s := &search{reduction: t.reduction, tree: tree, made: Edits{}, into: t.inFile(t.file, tree)}
	ps = nil
	for _, n := range root.Children {
		ps = append(ps, removing(n))
	}
	_, err := s.minimise(ctx, ps)
	return err
}

// content returns where what a string or a comment says begins and ends, between its quotes or its signs; false
// for other pieces.
func (t *text) content(i int) (from, to int, ok bool) {
	switch p := t.pieces[i]; p.kind {
	case lexical.String:
		n := quoteLength(t.bytes(i))
		return p.from + n, p.to - n, true
	case lexical.Comment:
		says := func(c byte) bool { return isSpace(c) || isWord(c) }
		from, to = p.from, p.to
		for from < to && !says(t.source[from]) {
			from++
		}
		for to > from && !says(t.source[to-1]) {
			to--
		}
		return from, to, true
	}
	return 0, 0, false
}

// quoteLength is how many characters the quotes of a string are.
func quoteLength(text []byte) int {
	if len(text) >= 6 && text[0] == text[1] && text[1] == text[2] {
		return 3
	}
	return 1
}

// characters cuts what is in a string; an escape is one character.
func characters(source []byte, from, to int) []*Node {
	var nodes []*Node
	for at := from; at < to; {
		length := 1
		if source[at] == '\\' && at+1 < to {
			length = 2
			for at+length < to && length < 4 && isDigit(source[at+1]) && isDigit(source[at+length]) {
				length++
			}
		}
		for at+length < to && source[at+length]&0xC0 == 0x80 {
			length++ // the rest of a character of UTF-8
		}
		nodes = append(nodes, &Node{From: at, To: at + length})
		at += length
	}
	return nodes
}

// smallNumbers are what numbers become if they can, in this order.
var smallNumbers = []string{"0", "1"}

// numbersAs proposes for each number of a text but 0 to put another one in its place.
func (t *text) numbersAs(number string) (ps []Proposal) {
	for i, p := range t.pieces {
		if p.kind == lexical.Number && !t.is(i, "0") {
			ps = append(ps, replacing(t.nodes[i], []byte(number)))
		}
	}
	return ps
}

// allNumbers proposes to make all numbers of a text 0 and, if that cannot be, 1.
func allNumbers(t *text) []Proposal {
	ps := make([]Proposal, len(smallNumbers))
	for k, number := range smallNumbers {
		for _, p := range t.numbersAs(number) {
			ps[k].Edits = append(ps[k].Edits, p.Edits...)
		}
	}
	return ps
}

// passNumbers makes numbers smaller: 0, else 1, else fewer digits.
func passNumbers(ctx context.Context, t *text) error {
	for _, number := range smallNumbers {
		if err := t.make(ctx, t.numbersAs(number)); err != nil {
			return err
		}
	}
	var left []int // the numbers that are not a digit, counted among all pieces that are neither space nor comment
	for i, p := range t.pieces {
		if p.kind == lexical.Number && p.to-p.from > 1 {
			left = append(left, i)
		}
	}
	for _, i := range left {
		for {
			var ps []Proposal
			for _, text := range shorterNumbers(string(t.bytes(i))) {
				ps = append(ps, replacing(t.nodes[i], []byte(text)))
			}
			at, err := t.first(ctx, ps)
			if err != nil {
				return err
			}
			if at < 0 {
				break
			}
			t.reopen() // the pieces are as many as before
			if t.pieces[i].kind != lexical.Number {
				break
			}
		}
	}
	return nil
}
