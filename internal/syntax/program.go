package syntax

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
	rules *rules
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
func (r *rules) programOf(key string) *program {
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
