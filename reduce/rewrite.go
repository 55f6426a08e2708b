package reduce

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// mostRewritings bounds how many proposals are made of one state of a file. There are as many only of a large file
// of which nothing goes any more, and then most are not asked about.
const mostRewritings = 4096

// rewrite makes proposals about the tree of the file, one after the other. Whenever one was made, the file is
// parsed again, and propose is called for the tree of what the file is then: it returns the proposals in the order in
// which to ask about them. Of several proposals that replace the same texts by the same texts, one is asked about.
func (t *text) rewrite(ctx context.Context, propose func(s *search) []Proposal) error {
	asked := map[string]bool{}
	return untilNone(ctx, func() (offers, error) {
		t.reopen()
		s, _, err := t.elements(t.file)
		if err != nil {
			return offers{}, err
		}
		ps := propose(s)
		ps = slices.DeleteFunc(ps[:min(len(ps), mostRewritings)], func(p Proposal) bool {
			what := s.describe(p)
			known := asked[what]
			asked[what] = true
			return known
		})
		return s.offers(len(ps), func(i int) (Proposal, bool) { return ps[i], true }), nil
	})
}

// describe writes down what a proposal edits, and what it puts there.
func (s *search) describe(p Proposal) string {
	var b strings.Builder
	for _, e := range p.Edits {
		by := e.Edit.Text
		if e.Edit.By != nil {
			by = s.tree.textOf(e.Edit.By, nil)
		}
		fmt.Fprintf(&b, "%q %q ", s.tree.Source[e.Node.From:e.Node.To], by)
	}
	return b.String()
}

// around returns the nodes that hold bytes of the source, from the root to the innermost. It takes time
// linear in the depth, and logarithmic in the children of a node.
func (t *Tree) around(from, to int) (path []*Node) {
	for n := t.Root; ; {
		path = append(path, n)
		i, _ := slices.BinarySearchFunc(n.Children, to, func(c *Node, to int) int {
			if c.To < to {
				return -1
			}
			return 1
		})
		if i == len(n.Children) || n.Children[i].From > from {
			return path
		}
		n = n.Children[i]
	}
}

// source returns the text of a node without edits.
func (t *Tree) source(n *Node) []byte { return bytes.TrimSpace(t.Source[n.From:n.To]) }
