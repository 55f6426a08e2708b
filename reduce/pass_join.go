package reduce

import (
	"bytes"
	"context"
	"slices"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passJoin makes one of two elements that stand next to each other, and begin and end with the same tokens:
// two declarations, two objects with one key, two elements of markup, the rows of two inserts.
func passJoin(ctx context.Context, t *text) error {
	return t.rewrite(ctx, func(s *search) (ps []Proposal) {
		for _, list := range append([]*Node{s.tree.Root}, s.all(s.tree.Root, func(n *Node) bool { return len(n.Children) > 1 })...) {
			if len(ps) >= mostRewritings {
				break
			}
			var last *Node
			for _, n := range list.Children {
				switch {
				case n.Separator || n.Kind == commentKind:
				case !removable(n):
					last = nil
				case last == nil || last.Kind != n.Kind:
					last = n
				default:
					for _, joined := range t.joined(s.tree.source(last), s.tree.source(n)) {
						ps = append(ps, Proposal{append(replacing(last, joined).Edits, removing(n).Edits...)})
					}
					last = n
				}
			}
		}
		return ps
	})
}

// longestJoined bounds the elements that are joined: what a person would join is short.
const longestJoined = 1024

// joined returns texts that hold what two texts have between the tokens that both begin with and those that both
// end with: one after the other, and with a comma between. These tokens are the most that leave something of both,
// and then the most that leave brackets with their partners alone.
func (t *text) joined(a, b []byte) (texts [][]byte) {
	if len(a) > longestJoined || len(b) > longestJoined {
		return nil
	}
	as, bs := cutPieces(a, t.rules), cutPieces(b, t.rules)
	text := func(of []byte, pieces []piece) []byte {
		if len(pieces) == 0 {
			return nil
		}
		return of[pieces[0].from:pieces[len(pieces)-1].to]
	}
	same := func(p, q piece) bool { return bytes.Equal(a[p.from:p.to], b[q.from:q.to]) }
	head := 0
	for head < min(len(as), len(bs)) && same(as[head], bs[head]) {
		head++
	}
	tail := 0
	for tail < min(len(as), len(bs))-head && same(as[len(as)-1-tail], bs[len(bs)-1-tail]) {
		tail++
	}
	join := func(head, tail int) {
		inA, inB := text(a, as[head:len(as)-tail]), text(b, bs[head:len(bs)-tail])
		if head == 0 || len(bytes.TrimSpace(inA)) == 0 || len(bytes.TrimSpace(inB)) == 0 {
			return
		}
		between := []byte{}
		if glues(inA, inB) {
			between = oneSpace
		}
		for _, between := range [][]byte{between, []byte(",")} {
			joined := slices.Concat(text(a, as[:head]), inA, between, inB, text(a, as[len(as)-tail:]))
			if !slices.ContainsFunc(texts, func(t []byte) bool { return bytes.Equal(t, joined) }) {
				texts = append(texts, joined)
			}
		}
	}
	join(head, tail)
	for head > 0 && as[head-1].kind != lexical.Opener {
		head--
	}
	for tail > 0 && as[len(as)-tail].kind != lexical.Closer {
		tail--
	}
	if head > 0 && tail > 0 { // give the brackets back
		join(head-1, tail-1)
	}
	return texts
}
