package syntax

// A Part is what became of a piece of a rule where a node's children were
// matched with it: a child, or parts that come and go together, or a list.
type Part struct {
	Child     int32             // index of the node in the tree, -1 = Parts
	Parts     []Part            // in their order
	Least     string            // the shortest text that may stand in its place
	Never     bool              // there is none, or not in the grammar's words
	Sort      string            // nodes of a sort may stand for each other; "" = no sort
	Takes     map[string]string // keys of the nodes that may stand in its place, if it is a child
	List      bool              // Parts are elements and what separates them, each may go
	Plus      bool              // of the elements of the list one must stay
	Separator bool              // in a list
}

// How much a match may cost: the steps of the search, per child.
const (
	stepsPerChild = 4096
	memoAfter     = 256 // steps back before places that failed are remembered
	maxCalls      = 4096
)

// A Matcher matches nodes of a tree with the rules of its language. One
// goroutine may use it at a time.
type Matcher struct {
	rules  *rules
	tree   *Tree
	trail  []event
	ways   []way
	frames []frame
	known  map[frame]int32
	seen   map[state]bool
}

// An event is a piece of a rule that was begun or ended, or a child that was
// met.
type event struct {
	at    int32 // of the code
	child int32 // of an instruction doOne
}

// A way is one that was not gone yet.
type way struct {
	state
	trail int32
}

type state struct{ pc, pos, stack int32 }

// A frame is a call of a hidden rule; frames are shared, so that equal stacks
// are equal numbers. 0 is the bottom.
type frame struct{ back, below int32 }

// NewMatcher returns a matcher for a tree, nil if there is no table for its
// language.
func NewMatcher(t *Tree) *Matcher {
	r := rulesOf(t.Language)
	if r == nil {
		return nil
	}
	return &Matcher{rules: r, tree: t, frames: make([]frame, 1), known: map[frame]int32{}, seen: map[state]bool{}}
}

// Match returns the parts of node i: what its children are to its rule. ok is
// false if they do not follow it, as where a part of the text could not be
// read. children are those of node i without extras. The cost is linear in
// their number but for grammars that are ambiguous beyond those that exist, and
// bounded anyway.
func (m *Matcher) Match(i int32, children []int32) (parts []Part, ok bool) {
	p := m.rules.programOf(m.tree.Nodes[i].Key())
	if p == nil || !m.run(p, children) {
		return nil, false
	}
	at := 0
	return m.parts(p, &at), true
}

func (m *Matcher) run(p *program, children []int32) bool {
	m.trail, m.ways = m.trail[:0], m.ways[:0]
	m.frames = m.frames[:1]
	clear(m.known)
	clear(m.seen)
	s := state{}
	calls, failures := 0, 0
	for budget := stepsPerChild * (len(children) + 4); budget > 0; budget-- {
		// Invariant: the trail says how the children before s.pos are matched.
		fails := false
		switch in := &p.code[s.pc]; in.do {
		case doOne:
			fails = true
			if int(s.pos) < len(children) {
				if _, fits := in.e.sorts[m.tree.Nodes[children[s.pos]].Key()]; fits {
					m.trail = append(m.trail, event{s.pc, children[s.pos]})
					s.pc++
					s.pos++
					fails = false
				}
			}
		case doSplit:
			if failures >= memoAfter || in.loop {
				if fails = m.seen[s]; fails {
					break
				}
				m.seen[s] = true
			}
			m.ways = append(m.ways, way{state{in.y, s.pos, s.stack}, int32(len(m.trail))})
			s.pc = in.x
		case doJump:
			s.pc = in.x
		case doCall:
			f := frame{s.pc + 1, s.stack}
			id, ok := m.known[f]
			if !ok {
				if calls++; calls > maxCalls+len(children) {
					return false
				}
				id = int32(len(m.frames))
				m.frames, m.known[f] = append(m.frames, f), id
			}
			s.pc, s.stack = in.x, id
		case doReturn:
			f := m.frames[s.stack]
			s.pc, s.stack = f.back, f.below
		case doOpen, doClose:
			m.trail = append(m.trail, event{s.pc, -1})
			s.pc++
		case doMatch:
			if int(s.pos) == len(children) {
				return true
			}
			fails = true
		}
		if fails {
			failures++
			if len(m.ways) == 0 {
				return false
			}
			w := m.ways[len(m.ways)-1]
			m.ways = m.ways[:len(m.ways)-1]
			s, m.trail = w.state, m.trail[:w.trail]
		}
	}
	return false
}

// parts reads parts off the trail up to the end of the piece that is open.
func (m *Matcher) parts(p *program, at *int) (made []Part) {
	for *at < len(m.trail) {
		ev := m.trail[*at]
		*at++
		in := &p.code[ev.at]
		switch in.do {
		case doClose:
			return made
		case doOne:
			made = append(made, Part{Child: ev.child, Least: in.e.least, Never: in.e.never, Sort: in.e.sorts[m.tree.Nodes[ev.child].Key()], Takes: in.e.sorts})
		case doOpen:
			if inner := m.parts(p, at); len(inner) > 0 {
				made = append(made, part(int(in.x), in.e, inner)...)
			}
		}
	}
	return made
}

// part makes one part of those within a piece, or leaves them as they are.
func part(role int, e *expression, inner []Part) []Part {
	p := Part{Child: -1, Parts: inner, Least: e.least, Never: e.never}
	switch {
	case role == roleList:
		p.List, p.Plus = true, e.op == list || e.plus
	case role == roleItem || role == roleSeparator:
		p.Least, p.Never, p.Separator = "", false, role == roleSeparator
	case e.op == optional && len(inner) == 1 && inner[0].List:
		inner[0].Plus, inner[0].Least, inner[0].Never = false, "", false
		return inner
	case e.op == optional:
	case len(inner) == 1 && !e.never: // the wider says what may stand here
		inner[0].Least, inner[0].Never = e.least, false
		if e.op == call {
			inner[0].Sort = e.sort
		}
		return inner
	case e.never:
		if e.op == call && len(inner) == 1 {
			inner[0].Sort = e.sort
		}
		return inner
	}
	return []Part{p}
}
