package isolate

import (
	"cmp"
	"slices"
)

// pce is parallel complement elimination: a round leaves out, one in each
// test, as many disjoint groups of suspects as there are workers; all that could
// go one by one are presumed to be able to go together, which one test of the
// next round makes sure of. So many causes are halved at once. It is the
// splitting of Hwang (JASA 67, 1972) in stages, several groups a stage as in
// the multi-stage algorithms of Li, "A Sequential Method for Screening
// Experimental Variables" (JASA 57, 1962), on complements, which resolve when
// single groups do not.
//
// Cost for k jobs: at most 5n + 2k trials; for d causes of n, when all is resolved,
// about log2(n/d) / log2(k/d + 1) + 2 rounds where k > d.
func pce(s *run) pair { return s.eliminate(s.closest.failing) }

// eliminate is pce from a configuration that failed.
func (s *run) eliminate(failing Configuration) pair { return s.eliminateWithin(failing, failing) }

// eliminateWithin is pce from a configuration that failed, of which a part is presumed
// to fail, too.
func (s *run) eliminateWithin(failing, presumed Configuration) pair {
	e := &elimination{run: s, progress: progress{
		failing:  failing,
		presumed: presumed,
		needed:   []Configuration{presumed}, // the empty configuration passes
		open:     Empty(s.n),
	}}
	if presumed != failing {
		e.gone = []Configuration{failing.Minus(presumed)}
	}
	for e.round() {
	}
	return e.separate()
}

// An elimination is pce.
type elimination struct {
	*run
	progress
}

// A progress is the state of pce. Invariant: failing failed, presumed lies
// within it, and the groups are disjoint; what is in presumed and in none of
// them is context. What its lists hold is not overwritten, for they are recalled.
type progress struct {
	failing  Configuration
	presumed Configuration   // failing without all groups that could go one by one
	gone     []Configuration // these groups, with what requires them
	needed   []Configuration // groups that could not go, so that each holds a cause, or context
	open     Configuration   // what was not tested since it was cut off from a group
	careful  bool            // presuming went wrong before
}

// A removal is a group to be left out in one test.
type removal struct {
	group  Configuration
	parent int // the group of needed that it is cut from, -1 = open
}

// A draft is what one round asks.
type draft struct {
	configs  []Configuration // the first is presumed, if that is not known to fail
	removals []removal       // of the others
}

// round asks one round of questions and draws the conclusions. It reports
// whether there was anything to ask.
func (e *elimination) round() bool {
	d := recalled(e.run, e.draft)
	if len(d.configs) == 0 {
		return false
	}
	e.suspects, e.level = e.presumed.Len(), e.levels
	outcomes := e.askAll(d.configs)
	if len(d.configs) > len(d.removals) && outcomes[0] != Fail {
		e.oneByOne()
		return true
	}
	e.progress = recalled(e.run, func() progress {
		tested := len(d.configs) - len(d.removals)
		e.failing, e.gone = e.presumed, nil
		e.conclude(d.removals, d.configs[tested:], outcomes[tested:])
		return e.progress
	})
	return true
}

// draft decides what the next round asks.
func (e *elimination) draft() (d draft) {
	slots := e.slots()
	if e.presumed != e.failing {
		slots--
		d.configs = append(d.configs, e.presumed)
		if e.careful {
			slots = 0
		}
	}
	d.removals = e.removals(slots)
	for _, r := range d.removals {
		d.configs = append(d.configs, e.leavingOut(r.group))
	}
	return d
}

// leavingOut returns presumed without a group and what requires it: for
// certain only, if nobody predicted better than to ask what is known.
func (e *elimination) leavingOut(group Configuration) Configuration {
	c := e.presumed.Minus(e.dependents(group, e.presumed))
	if _, known := e.seen[c]; !known {
		return c
	}
	return e.presumed.Minus(e.certainDependents(group, e.presumed))
}

// conclude takes in which groups could go.
func (e *elimination) conclude(removals []removal, configs []Configuration, outcomes []Outcome) {
	left := map[int]Configuration{} // of each parent, what was not tested
	kept := map[int]bool{}          // of each parent, whether a part could not go
	var needed []Configuration
	for i, r := range removals {
		rest, ok := left[r.parent]
		if !ok {
			rest = e.open
			if r.parent >= 0 {
				rest = e.needed[r.parent]
			}
		}
		left[r.parent] = rest.Minus(r.group)
		if outcomes[i] == Fail {
			e.gone = append(e.gone, e.presumed.Minus(configs[i]))
		} else {
			kept[r.parent] = true
			needed = append(needed, r.group)
		}
	}
	if rest, tested := left[-1]; tested {
		e.open = rest
	}
	for i, g := range e.needed {
		switch rest, tested := left[i]; {
		case !tested:
			needed = append(needed, g)
		case !kept[i]: // it holds a cause, which is not in what could go
			needed = append(needed, rest)
		default:
			e.open = e.open.Union(rest)
		}
	}
	e.needed = needed
	for _, g := range e.gone {
		e.presumed = e.presumed.Minus(g)
	}
	if len(e.gone) == 1 { // this very configuration failed
		e.failing, e.gone = e.presumed, nil
	}
	e.trim()
}

// oneByOne leaves out the groups that could not go together one after the
// other. The first one's going was tested.
func (e *elimination) oneByOne() {
	for _, g := range e.gone {
		if c := e.failing.Minus(g); e.ask(c) == Fail {
			e.failing = c
		} else {
			e.needed = append(slices.Clip(e.needed), g)
		}
	}
	e.presumed, e.gone, e.careful = e.failing, nil, true
	e.trim()
}

// trim drops what is gone from the groups, and makes them disjoint again.
func (e *elimination) trim() {
	left := e.presumed
	var needed []Configuration
	for _, g := range e.needed {
		if g = g.Intersect(left); !g.IsEmpty() {
			needed = append(needed, g)
			left = left.Minus(g)
		}
	}
	e.needed, e.open = needed, e.open.Intersect(left)
}

// removals cuts the largest groups so that their parts are about equal, one
// part for each slot. A group that holds a cause is cut into one part more:
// if all the others can go, the cause is in that one.
func (e *elimination) removals(slots int) []removal {
	type share struct{ parent, size, slots, spare int }
	var shares []share
	for i, g := range e.needed {
		if size := g.Len(); size > 1 {
			shares = append(shares, share{i, size, 1, 1})
		}
	}
	if size := e.open.Len(); size > 0 {
		shares = append(shares, share{-1, size, 1, 0})
	}
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(b.size, a.size) })
	shares = shares[:min(len(shares), slots)]
	for free := slots - len(shares); free > 0; free-- {
		largest := -1
		for i, h := range shares {
			if h.slots+h.spare < h.size && (largest < 0 || h.size*(shares[largest].slots+shares[largest].spare) > shares[largest].size*(h.slots+h.spare)) {
				largest = i
			}
		}
		if largest < 0 {
			break
		}
		shares[largest].slots++
	}
	var removals []removal
	for _, h := range shares {
		group := e.open
		if h.parent >= 0 {
			group = e.needed[h.parent]
		}
		for _, part := range e.cutInto(group, h.slots+h.spare)[h.spare:] {
			removals = append(removals, removal{part, h.parent})
		}
	}
	return removals
}

// cutInto cuts a group into k parts of about one size, at borders of coarse
// groups where there are any near.
func (s *run) cutInto(group Configuration, k int) []Configuration {
	members := newMembers(group, nil)
	size := members.len()
	parts := make([]Configuration, 0, k)
	from := 0
	for i := 1; i <= k; i++ {
		to := size
		if i < k {
			to = i * size / k
			to += coarsest(size/k/6, func(away int) int { return s.levelAt(members, to+away) })
		}
		parts = append(parts, members.slice(from, to))
		from = to
	}
	return parts
}

// separate tells the causes from the context in what could not be made smaller
// by single elements, with questions that certify asks anyway, and one more.
func (e *elimination) separate() pair {
	whole := pair{Empty(e.n), e.failing}
	if e.goal != Cause {
		return whole
	}
	members := slices.Collect(e.failing.All())
	configs := recalled(e.run, func() []Configuration {
		configs := make([]Configuration, len(members))
		for i, x := range members {
			configs[i] = e.without(e.failing, x)
		}
		return configs
	})
	causes := Empty(e.n)
	for i, o := range e.askAll(configs) {
		switch o {
		case Fail:
			return whole
		case Pass:
			causes = causes.With(members[i])
		}
	}
	if causes == e.failing {
		return whole
	}
	rest := e.failing.Minus(e.dependents(causes, e.failing))
	if e.ask(rest) == Pass {
		return pair{rest, e.failing}
	}
	return whole
}
