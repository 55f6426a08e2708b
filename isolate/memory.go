package isolate

// A memory holds what was worked out at a point of the path. Looking ahead runs an
// algorithm again and again from its beginning, and each run comes by the points that
// others came by: what is dear to work out, and follows from the outcomes so far, is
// worked out once. Points that did not come about are forgotten as the path moves on.
type memory struct {
	found []any                     // in the order in which it was worked out
	noted *noted                    // what the outcome before this point changed; nil = nobody looked
	next  [2 * outcomeCount]*memory // by outcome, and whether it taught or said something
}

// A noted is what run.note finds out.
type noted struct {
	size     int // of the configuration
	closest  pair
	distance int
	refuted  [][2]int
}

const outcomeCount = 3

// after returns the point behind an outcome, as it stands in run.trail.
func (m *memory) after(step byte) *memory {
	k := place(step)
	if m.next[k] == nil {
		m.next[k] = &memory{}
	}
	return m.next[k]
}

func place(step byte) int {
	if step&taughtFlag != 0 {
		return int(step&^taughtFlag) + outcomeCount
	}
	return int(step)
}

// keep forgets all points but those behind an outcome.
func (m *memory) keep(step byte) *memory {
	next := m.after(step)
	m.next = [2 * outcomeCount]*memory{}
	m.next[place(step)] = next
	return next
}

// recalled returns what find returns, or what it returned when a run was last at this
// point. It must follow from the outcomes so far, and call no recalled itself.
func recalled[T any](s *run, find func() T) T {
	if s.memory == nil {
		return find()
	}
	k := s.recalls
	s.recalls++
	if k == len(s.memory.found) {
		s.memory.found = append(s.memory.found, find())
	}
	return s.memory.found[k].(T)
}
