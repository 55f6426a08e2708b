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

// Instructions of a program.
const (
	doOne = iota
	doSplit
	doJump
	doCall
	doReturn
	doOpen
	doClose
	doMatch
)

type instruction struct {
	do   uint8
	x, y int32 // split: the two ways, the first is tried first; jump, call: x; open: x is the index of its expression
	e    *expression
	loop bool // split: may be met again at the same place
}

// A program matches children with a rule, as a regular expression would.
type program struct {
	code []instruction
}

// compiler lays out the programs of the rules; a hidden rule that is called is
// laid out once, behind.
type compiler struct {
	rules *Rules
	code  []instruction
	calls map[string][]int32 // where hidden rules are called
}

const (
	roleGroup = iota
	roleList
	roleItem
	roleSeparator
)

func (c *compiler) add(i instruction) int32 {
	c.code = append(c.code, i)
	return int32(len(c.code) - 1)
}

func (c *compiler) within(role int32, e *expression, body func()) {
	c.add(instruction{do: doOpen, x: role, e: e})
	body()
	c.add(instruction{do: doClose})
}

func (c *compiler) compile(e *expression) {
	switch e.op {
	case absent:
	case one:
		c.add(instruction{do: doOne, e: e})
	case call:
		c.within(roleGroup, e, func() {
			c.calls[e.name] = append(c.calls[e.name], c.add(instruction{do: doCall}))
		})
	case sequence:
		for _, sub := range e.subs {
			c.compile(sub)
		}
	case choice:
		c.within(roleGroup, e, func() {
			var out []int32
			for i, sub := range e.subs {
				split := int32(-1)
				if i < len(e.subs)-1 {
					split = c.add(instruction{do: doSplit})
					c.code[split].x = split + 1
				}
				if sub.op == sequence { // what it may be replaced by is the choice's
					for _, s := range sub.subs {
						c.compile(s)
					}
				} else {
					c.compile(sub)
				}
				if split >= 0 {
					out = append(out, c.add(instruction{do: doJump}))
					c.code[split].y = int32(len(c.code))
				}
			}
			for _, at := range out {
				c.code[at].x = int32(len(c.code))
			}
		})
	case optional:
		split := c.add(instruction{do: doSplit})
		c.code[split].x = split + 1
		c.within(roleGroup, e, func() { c.compile(e.subs[0]) })
		c.code[split].y = int32(len(c.code))
	case repeat:
		c.within(roleList, e, func() {
			again, loop := int32(len(c.code)), c.nullable(e.subs[0], 0)
			var split int32
			if !e.plus {
				split = c.add(instruction{do: doSplit, loop: loop})
				c.code[split].x = split + 1
			}
			c.within(roleItem, e.subs[0], func() { c.compile(e.subs[0]) })
			if e.plus {
				split = c.add(instruction{do: doSplit, x: again, loop: loop})
			} else {
				c.add(instruction{do: doJump, x: again})
			}
			c.code[split].y = int32(len(c.code))
		})
	case list:
		c.within(roleList, e, func() {
			again, loop := int32(len(c.code)), c.nullable(e.subs[0], 0) && c.nullable(e.subs[1], 0)
			c.within(roleItem, e.subs[0], func() { c.compile(e.subs[0]) })
			split := c.add(instruction{do: doSplit, loop: loop})
			c.code[split].x = split + 1
			c.within(roleSeparator, e.subs[1], func() { c.compile(e.subs[1]) })
			c.add(instruction{do: doJump, x: again})
			c.code[split].y = int32(len(c.code))
			if e.trailing {
				split := c.add(instruction{do: doSplit})
				c.code[split].x = split + 1
				c.within(roleSeparator, e.subs[1], func() { c.compile(e.subs[1]) })
				c.code[split].y = int32(len(c.code))
			}
		})
	}
}

// nullable reports whether an expression may be no node at all. Rules within
// rules beyond a few are taken for such.
func (c *compiler) nullable(e *expression, depth int) bool {
	some, all := false, true
	for _, sub := range e.subs {
		if c.nullable(sub, depth) {
			some = true
		} else {
			all = false
		}
	}
	switch e.op {
	case one:
		return false
	case call:
		return depth > 8 || c.nullable(c.rules.rules[e.name], depth+1)
	case sequence:
		return all
	case choice:
		return some
	case repeat:
		return !e.plus || some
	case list:
		return c.nullable(e.subs[0], depth)
	}
	return true
}

// programOf returns the program for the nodes of a kind: any of its bodies, to
// the last child. nil without a body.
func (r *Rules) programOf(key string) *program {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.programs[key]; ok {
		return p
	}
	bodies := r.bodies[key]
	if len(bodies) == 0 {
		r.programs[key] = nil
		return nil
	}
	c := compiler{rules: r, calls: map[string][]int32{}}
	for i, body := range bodies {
		split := int32(-1)
		if i < len(bodies)-1 {
			split = c.add(instruction{do: doSplit})
			c.code[split].x = split + 1
		}
		c.compile(body)
		c.add(instruction{do: doMatch})
		if split >= 0 {
			c.code[split].y = int32(len(c.code))
		}
	}
	// Invariant: done holds where each hidden rule laid out so far begins.
	done := map[string]int32{}
	for {
		name := ""
		for n, at := range c.calls {
			if len(at) > 0 && (name == "" || n < name) {
				name = n
			}
		}
		if name == "" {
			break
		}
		at := c.calls[name]
		c.calls[name] = nil
		if _, ok := done[name]; !ok {
			done[name] = int32(len(c.code))
			c.compile(r.rules[name])
			c.add(instruction{do: doReturn})
		}
		for _, i := range at {
			c.code[i].x = done[name]
		}
	}
	p := &program{code: c.code}
	r.programs[key] = p
	return p
}

// A Matcher matches nodes of a tree with the rules of its language. One
// goroutine may use it at a time.
type Matcher struct {
	rules  *Rules
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
	r := RulesOf(t.Language)
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
