package reduce

import (
	"bytes"
	"context"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passComments takes comments out.
func passComments(ctx context.Context, t *text) error {
	var ps []Proposal
	for i, p := range t.pieces {
		if p.kind == lexical.Comment {
			ps = append(ps, replacing(t.nodes[i], t.instead(i)))
		}
	}
	_, err := t.minimise(ctx, ps)
	return err
}

// instead is what has to stand between the pieces beside piece i.
func (t *text) instead(i int) []byte {
	if t.glue(i, i) {
		return []byte(" ")
	}
	return nil
}

// passSpaces takes white space out: first what is more than one character and
// not the beginning of a line, then indentation, then all that does not hold
// words apart.
func passSpaces(ctx context.Context, t *text) error {
	for _, shorter := range []func(i int) []byte{
		func(i int) []byte { // blank lines, and white space at the end of a line
			if at := bytes.LastIndexByte(t.bytes(i), '\n'); at >= 0 {
				return t.bytes(i)[at:]
			}
			return []byte(" ")
		},
		nil, // see flatter
		func(i int) []byte { // indentation
			if bytes.IndexByte(t.bytes(i), '\n') >= 0 {
				return []byte("\n")
			}
			return t.instead(i)
		},
		t.instead,
	} {
		if shorter == nil {
			if _, err := t.try(ctx, t.flatter()); err != nil {
				return err
			}
			t.reopen()
			continue
		}
		var ps []Proposal
		for i, p := range t.pieces {
			if p.kind == lexical.Space {
				ps = append(ps, replacing(t.nodes[i], shorter(i)))
			}
		}
		if err := t.make(ctx, ps); err != nil {
			return err
		}
	}
	return nil
}

// flatter proposes to indent each line by as many characters as there are lines
// above that it is indented more than: by its level.
func (t *text) flatter() Proposal {
	var p Proposal
	var levels []int
	for i, piece := range t.pieces {
		if piece.kind != lexical.Space {
			continue
		}
		at := bytes.LastIndexByte(t.bytes(i), '\n')
		if at < 0 {
			continue
		}
		indent := t.bytes(i)[at+1:]
		for len(levels) > 0 && levels[len(levels)-1] >= len(indent) {
			levels = levels[:len(levels)-1]
		}
		if len(indent) > 0 {
			levels = append(levels, len(indent))
		}
		if len(levels) < len(indent) {
			text := append(bytes.Clone(t.bytes(i)[:at+1]), indent[:len(levels)]...)
			p.Edits = append(p.Edits, NodeEdit{t.nodes[i], Edit{Text: text}})
		}
	}
	return p
}
