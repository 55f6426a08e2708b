package reduce

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
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
	tree *Tree
	made Edits  // by now; the best input is what they render to
	list string // the list algorithm that minimise uses, see isolate.MinimizeAlgorithms; "" = auto
	sure bool   // minimise ends with a sweep that asks for each proposal that is left alone

	until int // ahead asks nothing when there were so many trials; 0 = it always does

	// into returns the input with edits, false if it would not be well-formed.
	into func(Edits) (trial.Input, bool)
}

// with returns the edits made so far and those of some of the proposals.
func (s *search) with(ps []Proposal, chosen func(i int) bool) Edits {
	edits := make(Edits, len(s.made)+len(ps))
	for n, e := range s.made {
		edits[n] = e
	}
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
	m := &minimising{search: s, proposals: useful, asked: map[isolate.Configuration]question{}, kept: isolate.Full(len(useful))}
	err = m.run(ctx, weights)
	if m.kept.Len() < len(useful) {
		s.made = s.with(useful, func(i int) bool { return !m.kept.Has(i) })
		for k, i := range numbers {
			made[i] = !m.kept.Has(k)
		}
	}
	return made, err
}

// A minimising is one call of minimise: its elements are the proposals that are
// not made.
type minimising struct {
	*search
	proposals []Proposal
	base      trial.Input           // the best one at the beginning: whether to ask depends on no answer
	kept      isolate.Configuration // with which the input is the best one

	mu    sync.Mutex
	asked map[isolate.Configuration]question
}

// A question is an input of which is asked whether it fails.
type question struct {
	digest string // "" = it need not be asked: it is not well-formed, or no smaller than the best one was
	size   int64
}

func (m *minimising) run(ctx context.Context, weights []int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	test := func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		in, q := m.question(c)
		if q.digest == "" {
			return isolate.Pass, nil
		}
		return m.outcome(ctx, in, q.digest)
	}
	m.base = m.best
	minimum, err := isolate.Minimize(ctx, isolate.List{N: len(m.proposals), Weights: weights}, test, isolate.MinimizeOptions{
		Algorithm: m.list,
		Jobs:      m.opts.Jobs,
		Fast:      !m.sure,
		Density:   m.densities[m.pass.Name],
		Observe: func(step isolate.MinimizeStep) {
			if m.err(ctx) == nil {
				m.step(step)
			}
			if m.over != nil {
				cancel()
			}
		},
	})
	m.densities[m.pass.Name] = minimum.Density
	return m.ended(err)
}

// candidate returns the input in which the proposals outside of c are made.
func (m *minimising) candidate(c isolate.Configuration) (trial.Input, bool) {
	return m.into(m.with(m.proposals, func(i int) bool { return !c.Has(i) }))
}

func (m *minimising) question(c isolate.Configuration) (trial.Input, question) {
	in, ok := m.candidate(c)
	var q question
	if ok && smaller(in, m.base) {
		q = question{in.Digest(), in.Size()}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[c] = q
	return in, q
}

// step takes note of a question on the path.
func (m *minimising) step(s isolate.MinimizeStep) {
	m.mu.Lock()
	q, ok := m.asked[s.Config]
	m.mu.Unlock()
	if !ok || q.digest == "" {
		return
	}
	m.count(q, s.Outcome)
	if s.Outcome != isolate.Fail {
		return
	}
	in, ok := m.candidate(s.Config)
	if ok && smaller(in, m.best) { // else two of the proposals together are not smaller than one
		m.kept = s.Config
		m.accept(in)
	}
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
	for from := 0; from < len(ps); {
		n, made, err := s.ahead(ctx, len(ps)-from, func(i int) (Proposal, bool) { return ps[from+i], true })
		if made >= 0 {
			return from + made, err
		}
		if err != nil {
			return -1, err
		}
		from += n
	}
	return -1, s.err(ctx)
}

// each asks about n proposals one after the other, and makes those that it can.
// What is proposed may depend on what was made before: propose is called for i
// again whenever one before it was made. It returns how many were made.
func (s *search) each(ctx context.Context, n int, propose func(i int) (Proposal, bool)) (made int, err error) {
	for from := 0; from < n; {
		through, at, err := s.ahead(ctx, n-from, func(i int) (Proposal, bool) { return propose(from + i) })
		if at >= 0 {
			made, through = made+1, at+1
		}
		if err != nil {
			return made, err
		}
		from += through
	}
	return made, s.err(ctx)
}

// ahead asks about the first of n proposals, as many at once as there are jobs
// and questions that no memory answers. It makes the first that it can, returns
// its number or -1, and how many were looked at.
func (s *search) ahead(ctx context.Context, n int, propose func(i int) (Proposal, bool)) (through, made int, err error) {
	type asking struct {
		proposal Proposal
		in       trial.Input
		question
		outcome isolate.Outcome
		err     error
		done    chan struct{}
	}
	if err := s.err(ctx); err != nil {
		return 0, -1, err
	}
	inner, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	var all []*asking
	tests := 0
	lengths := s.lengths()
	for ; through < n && tests < max(1, s.opts.Jobs); through++ {
		a := &asking{done: make(chan struct{})}
		all = append(all, a)
		var ok bool
		if a.proposal, ok = propose(through); ok {
			if _, ok = s.saves(lengths, a.proposal); ok {
				a.in, ok = s.into(s.with([]Proposal{a.proposal}, func(int) bool { return true }))
			}
		}
		if !ok || !smaller(a.in, s.best) {
			close(a.done)
			continue
		}
		a.question = question{a.in.Digest(), a.in.Size()}
		if _, known := s.remembered(a.digest); !known {
			tests++
		}
		running.Go(func() {
			a.outcome, a.err = s.outcome(inner, a.in, a.digest)
			close(a.done)
		})
	}
	for i, a := range all {
		<-a.done
		if s.patienceEnds() {
			return i, -1, nil // where one job would have ended
		}
		if a.digest == "" {
			continue
		}
		if a.err != nil {
			return i, -1, s.ended(a.err)
		}
		s.count(a.question, a.outcome)
		if a.outcome == isolate.Fail {
			for _, e := range a.proposal.Edits {
				s.made[e.Node] = e.Edit
			}
			s.accept(a.in)
			return i + 1, i, s.over
		}
		if s.over != nil {
			return i + 1, -1, s.over
		}
	}
	return through, -1, nil
}

// walk asks about n proposals one after the other, and begins after when one was
// made. It gives up when so many in a row were for nothing that all trials so
// far were better spent: a quarter as many as they are, at least 64.
func (s *search) walk(ctx context.Context, n int, propose func(i int) (Proposal, bool), after func()) error {
	patience := max(64, s.trials/4)
	s.until = s.trials + patience
	defer func() { s.until = 0 }()
	for from := 0; from < n && !s.patienceEnds(); {
		through, at, err := s.ahead(ctx, n-from, func(i int) (Proposal, bool) { return propose(from + i) })
		if err != nil {
			return err
		}
		if at >= 0 {
			through, s.until = at+1, s.trials+patience
			after()
		}
		from += through
	}
	return s.err(ctx)
}

func (s *search) patienceEnds() bool { return s.until > 0 && s.trials >= s.until }

// smaller is the order in which every step of a reduction goes down: bytes,
// then files, then the text.
func smaller(a, b trial.Input) bool {
	if a, b := a.Size(), b.Size(); a != b {
		return a < b
	}
	if len(a.Files) != len(b.Files) {
		return len(a.Files) < len(b.Files)
	}
	return slices.CompareFunc(a.Files, b.Files, func(a, b trial.File) int {
		if a.Path != b.Path {
			return bytes.Compare([]byte(a.Path), []byte(b.Path))
		}
		return bytes.Compare(a.Content, b.Content)
	}) < 0
}
