package isolate

import "slices"

// learned holds the requirements that unresolved tests taught, between
// positions, in both directions.
type learned struct {
	all              [][2]int // {i, j}: i requires j; in the order of learning, each once
	to, from         map[int][]int
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
