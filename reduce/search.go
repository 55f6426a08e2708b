package reduce

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// A NodeEdit is an edit and the node that it is made to.
type NodeEdit struct {
	Node *Node
	Edit Edit
}

// A Proposal is edits that are made together or not at all. Of two edits of one
// node the later one counts.
type Proposal struct{ Edits []NodeEdit }

// removing proposes to take nodes out.
func removing(nodes ...*Node) Proposal {
	var p Proposal
	for _, n := range nodes {
		p.Edits = append(p.Edits, NodeEdit{n, Removal(n)})
	}
	return p
}

// replacing proposes to put text in the place of a node.
func replacing(n *Node, text []byte) Proposal {
	return Proposal{[]NodeEdit{{n, Edit{Text: text}}}}
}

// A search is one tree that is being reduced within the input. Passes and tree
// algorithms propose edits; only a search asks.
type search struct {
	*reduction
	tree     *Tree
	made     Edits  // by now; the best input is what they render to
	list     string // the list algorithm that minimise uses, see isolate.MinimizeAlgorithms; "" = auto
	sure     bool   // minimise ends with a sweep that asks for each proposal that is left alone
	nonEmpty bool   // minimise does not ask whether all proposals can be made together

	// into returns the input with edits, false if it would not be well-formed.
	into func(Edits) (testcase.Input, bool)
}

// with returns the edits made so far and those of some of the proposals.
func (s *search) with(ps []Proposal, chosen func(i int) bool) Edits {
	edits := make(Edits, len(s.made)+len(ps))
	maps.Copy(edits, s.made)
	for i, p := range ps {
		if chosen(i) {
			for _, e := range p.Edits {
				edits[e.Node] = e.Edit
			}
		}
	}
	return edits
}

// lengths returns how long each node is with the edits made so far, as far as
// the nodes tell: separators and white space that go along are counted. One walk
// over the tree.
func (s *search) lengths() map[*Node]int {
	lengths := map[*Node]int{}
	var walk func(n *Node) int
	walk = func(n *Node) int {
		length := n.To - n.From
		for _, c := range n.Children {
			length += walk(c) - (c.To - c.From)
		}
		if e, ok := s.made[n]; ok {
			length = s.replaced(lengths, e)
		}
		lengths[n] = length
		return length
	}
	walk(s.tree.Root)
	return lengths
}

// replaced returns how long that is what an edit puts in.
func (s *search) replaced(lengths map[*Node]int, e Edit) int {
	if e.By == nil {
		return len(e.Text)
	}
	if length, ok := lengths[e.By]; ok {
		return length
	}
	return len(s.tree.textOf(e.By, s.made))
}

// saves returns how many bytes a proposal takes away, by the lengths of nodes,
// and whether it makes the text smaller: shorter, or as long and earlier in the
// order of texts. What goes along, and whether the nodes are there at all, is not
// looked at. saved is negative if the text grows.
func (s *search) saves(lengths map[*Node]int, p Proposal) (saved int, ok bool) {
	for _, e := range p.Edits {
		saved += lengths[e.Node] - s.replaced(lengths, e.Edit)
	}
	if saved != 0 {
		return saved, saved > 0
	}
	for _, e := range p.Edits {
		text := e.Edit.Text
		if e.Edit.By != nil {
			text = s.tree.textOf(e.Edit.By, s.made)
		}
		if c := bytes.Compare(text, s.tree.textOf(e.Node, s.made)); c != 0 {
			return 0, c < 0
		}
	}
	return 0, false
}

// minimise makes as many of the proposals as the list algorithm finds can be
// made together, and reports which. One that would not make the text smaller is
// not made, without a trial.
//
// The error is isolate.ErrBudget, that of ctx, of the test, or of
// Options.Improved; what was made by then stays made.
func (s *search) minimise(ctx context.Context, ps []Proposal) (made []bool, err error) {
	made = make([]bool, len(ps))
	var useful []Proposal
	var numbers, weights []int
	lengths := s.lengths()
	for i, p := range ps {
		if saved, ok := s.saves(lengths, p); ok {
			useful, numbers, weights = append(useful, p), append(numbers, i), append(weights, max(1, saved))
		}
	}
	if len(useful) == 0 {
		return made, s.err(ctx)
	}
	base := s.best // whether to ask depends on no answer
	kept := isolate.Full(len(useful))
	err = list{
		reduction: s.reduction, n: len(useful), weights: weights, algorithm: s.list, sure: s.sure, nonEmpty: s.nonEmpty,
		offer: func(c isolate.Configuration) (testcase.Input, bool) {
			in, ok := s.into(s.with(useful, func(i int) bool { return !c.Has(i) }))
			return in, ok && smaller(in, base)
		},
		made: func(c isolate.Configuration, in testcase.Input) bool {
			better := smaller(in, s.best) // else two of the proposals together are not smaller than one
			if better {
				kept = c
			}
			return better
		},
	}.minimise(ctx)
	if kept.Len() < len(useful) {
		s.made = s.with(useful, func(i int) bool { return !kept.Has(i) })
		for k, i := range numbers {
			made[i] = !kept.Has(k)
		}
	}
	return made, err
}

// try makes a proposal if the input then still fails.
func (s *search) try(ctx context.Context, p Proposal) (bool, error) {
	i, err := s.first(ctx, []Proposal{p})
	return i == 0, err
}

// first makes the first of the proposals with which the input still fails, and
// returns its number; -1 if there is none. Options.Jobs of them are tested at
// once, in their order.
func (s *search) first(ctx context.Context, ps []Proposal) (int, error) {
	return s.offers(len(ps), func(i int) (Proposal, bool) { return ps[i], true }).first(ctx)
}

// each asks about n proposals one after the other, and makes those that it can.
// What is proposed may depend on what was made before: propose is called for i
// again whenever one before it was made. It returns how many were made.
func (s *search) each(ctx context.Context, n int, propose func(i int) (Proposal, bool)) (made int, err error) {
	return s.offers(n, propose).each(ctx)
}

// offers are the inputs with one of n proposals each.
func (s *search) offers(n int, propose func(i int) (Proposal, bool)) offers {
	var lengths map[*Node]int // nil = not known of what is made now
	return offers{
		reduction: s.reduction, n: n,
		offer: func(i int) (in testcase.Input, made func(), ok bool) {
			p, ok := propose(i)
			if !ok {
				return in, nil, false
			}
			if lengths == nil {
				lengths = s.lengths()
			}
			if _, ok = s.saves(lengths, p); ok {
				in, ok = s.into(s.with([]Proposal{p}, func(int) bool { return true }))
			}
			made = func() {
				for _, e := range p.Edits {
					s.made[e.Node] = e.Edit
				}
				lengths = nil
			}
			return in, made, ok && smaller(in, s.best)
		},
	}
}

// walk asks about n proposals one after the other, and begins after when one was
// made. It gives up as [offers.walk] does.
func (s *search) walk(ctx context.Context, n int, propose func(i int) (Proposal, bool), after func()) error {
	return s.offers(n, propose).walk(ctx, func() bool {
		after()
		return true
	})
}

// smaller is the order in which every step of a reduction goes down: bytes,
// then files, then the text.
func smaller(a, b testcase.Input) bool {
	if a, b := a.Size(), b.Size(); a != b {
		return a < b
	}
	if len(a.Files) != len(b.Files) {
		return len(a.Files) < len(b.Files)
	}
	return slices.CompareFunc(a.Files, b.Files, func(a, b testcase.File) int {
		if a.Path != b.Path {
			return bytes.Compare([]byte(a.Path), []byte(b.Path))
		}
		return bytes.Compare(a.Content, b.Content)
	}) < 0
}
