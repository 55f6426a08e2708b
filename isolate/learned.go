package isolate

import (
	"math"
	"slices"
)

// learned holds the requirements that unresolved tests taught, between
// positions, in both directions.
type learned struct {
	all              [][2]int // {i, j}: i requires j; in the order of learning, each once
	to, from         map[int][]int
	told             map[[2]int]bool // what Options.Learn said of these
	sources, targets Configuration
}

// add takes requirements in and returns those that are new.
func (l *learned) add(taught [][2]int) [][2]int {
	known := len(l.all)
	for _, e := range taught {
		i, j := e[0], e[1]
		if slices.Contains(l.to[i], j) {
			continue
		}
		if l.to == nil {
			l.to, l.from = map[int][]int{}, map[int][]int{}
		}
		l.all = append(l.all, e)
		l.to[i] = append(l.to[i], j)
		l.from[j] = append(l.from[j], i)
		l.sources, l.targets = l.sources.With(i), l.targets.With(j)
	}
	return l.all[known:]
}

// teach returns what Options.Learn says of an unresolved configuration, between
// positions. Only what c violates counts.
func (e *engine) teach(c Configuration) [][2]int {
	if e.opts.Learn == nil {
		return nil
	}
	edges, known := e.taught[c]
	if known {
		return edges
	}
	for _, r := range e.opts.Learn(e.outside(c)) {
		if min(r[0], r[1]) < 0 || max(r[0], r[1]) >= len(e.position) {
			continue
		}
		i, j := e.position[r[0]], e.position[r[1]]
		if e.mirrored { // r[0] cannot stay when r[1] is gone
			i, j = j, i
		}
		if i >= 0 && j >= 0 && c.Has(i) && !c.Has(j) {
			edges = append(edges, [2]int{i, j})
		}
	}
	e.taught[c] = edges
	return edges
}

// messages returns what Options.Diagnose says of an unresolved configuration, between positions.
func (e *engine) messages(c Configuration) []Message { return e.hear(e.opts.Diagnose, e.said, c) }

// checked returns the clearest messages of what Options.Check says of a configuration, between positions.
func (e *engine) checked(c Configuration) []Message {
	_, known := e.known[c]
	said := e.hear(e.opts.Check, e.known, c)
	if !known {
		said = clearest(said)
		e.known[c] = said
	}
	return said
}

// mostExplanations bounds the explanations that a search takes from one check. A check of types can have hundreds of messages
// for one configuration, each with hundreds of explanations, and a proposal may be checked many times.
const mostExplanations = 1 << 12

// clearest returns the messages with the fewest explanations, in the order given: as many as have mostExplanations together,
// and at least one if there is any.
func clearest(said []Message) []Message {
	order := make([]int, len(said))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(said[i].Explanations) - len(said[j].Explanations) })
	sum, kept := 0, 0
	for kept < len(order) && (kept == 0 || sum+len(said[order[kept]].Explanations) <= mostExplanations) {
		sum += len(said[order[kept]].Explanations)
		kept++
	}
	order = order[:kept]
	slices.Sort(order)
	list := make([]Message, 0, kept)
	for _, i := range order {
		list = append(list, said[i])
	}
	return list
}

// hear asks for messages once. Only what c breaks counts of their explanations.
func (e *engine) hear(ask func(Configuration) []Message, heard map[Configuration][]Message, c Configuration) []Message {
	if ask == nil {
		return nil
	}
	said, known := heard[c]
	if known {
		return said
	}
	for _, m := range ask(e.outside(c)) {
		here := Message{Key: m.Key}
		most := 0.0
		for _, x := range m.Explanations {
			if min(x.Element, x.Requires) < 0 || max(x.Element, x.Requires) >= len(e.position) || !(x.Weight > 0) || math.IsInf(x.Weight, 1) {
				continue
			}
			x.Element, x.Requires = e.position[x.Element], e.position[x.Requires]
			if e.mirrored { // see teach
				x.Element, x.Requires = x.Requires, x.Element
			}
			if x.Element >= 0 && x.Requires >= 0 && c.Has(x.Element) && !c.Has(x.Requires) {
				most = max(most, x.Weight)
				same := func(o Explanation) bool { return o.pair() == x.pair() }
				if k := slices.IndexFunc(here.Explanations, same); e.others != nil && k >= 0 { // of other elements at these positions
					here.Explanations[k].Weight = max(here.Explanations[k].Weight, x.Weight)
				} else {
					here.Explanations = append(here.Explanations, x)
				}
			}
		}
		for k := range here.Explanations { // so that no sum of them is infinite, and no share zero
			here.Explanations[k].Weight = max(here.Explanations[k].Weight/most, 1/hopeless/otherReason)
		}
		if len(here.Explanations) > 0 {
			said = append(said, here)
		}
	}
	heard[c] = said
	return said
}

// requirements returns requirements between positions as the problem calls them.
func (s *space) requirements(edges [][2]int) [][2]int {
	var out [][2]int
	for _, r := range edges {
		i, j := s.elements[r[0]], s.elements[r[1]]
		if s.mirrored {
			i, j = j, i
		}
		out = append(out, [2]int{i, j})
	}
	return out
}
