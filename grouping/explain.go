package grouping

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// A tally is how likely changes are one end of a message.
type tally struct {
	weight  []float64 // by change; 0 = it is not in the tally
	touched []int     // the changes that are
	best    []int     // the likeliest of them, in order, at most maxCommonPairs
	leads   []bool    // by change: whether it is in best
}

func newTally(n int) tally { return tally{weight: make([]float64, n), leads: make([]bool, n)} }

func (t *tally) add(i int, weight float64) {
	if t.weight[i] == 0 {
		t.touched = append(t.touched, i)
	}
	t.weight[i] += weight
}

func (t *tally) clear() {
	for _, i := range t.touched {
		t.weight[i] = 0
	}
	for _, i := range t.best {
		t.leads[i] = false
	}
	t.touched, t.best = t.touched[:0], t.best[:0]
}

// findBest fills in best.
func (t *tally) findBest() {
	for _, i := range t.touched {
		at, w := len(t.best), t.weight[i]
		for at > 0 && (w > t.weight[t.best[at-1]] || w == t.weight[t.best[at-1]] && i < t.best[at-1]) {
			at--
		}
		if at == maxCommonPairs {
			continue
		}
		if len(t.best) == maxCommonPairs {
			t.best = t.best[:maxCommonPairs-1]
		}
		t.best = slices.Insert(t.best, at, i)
	}
	for _, i := range t.best {
		t.leads[i] = true
	}
}

// A role is what a change can be in the explanations of a message.
type role uint8

const (
	isMissing role = iota
	isApplied
	raisedIt // it is no other end of the message: this is said of its lines, here or elsewhere, or they are only for readers
)

// An explainer holds what explain needs, to be used again.
type explainer struct {
	roles   []role
	tallies [2]tally // by role
	order   []int    // see nearest
	away    []int
	list    []Explanation
}

func newExplainer(n int) explainer {
	return explainer{roles: make([]role, n), tallies: [2]tally{newTally(n), newTally(n)}}
}

// add gives the changes of a list a weight, divided by how many of them there are of
// the same role.
func (e *explainer) add(list []int, weight float64) {
	var n [raisedIt + 1]int
	for _, i := range list {
		n[e.roles[i]]++
	}
	for _, i := range list {
		if r := e.roles[i]; r != raisedIt {
			e.tallies[r].add(i, weight/float64(n[r]))
		}
	}
}

// explain returns the explanations of a remark, the likeliest first. raised are the
// changes of which the same is said.
func (d *Diagnosis) explain(r remark, at []pointed, has []bool, raised map[int]bool) []Explanation {
	e := &d.explainer
	for i := range e.roles {
		e.roles[i] = isMissing
		if has[i] {
			e.roles[i] = isApplied
		}
	}
	for i := range raised {
		if i >= 0 {
			e.roles[i] = raisedIt
		}
	}
	if !slices.ContainsFunc(at, func(p pointed) bool { return beside(p.file.path) }) {
		for _, i := range d.documents {
			e.roles[i] = raisedIt
		}
	}
	d.weigh(r, at)
	e.pair(at)
	for k := range e.tallies {
		e.tallies[k].clear()
	}
	if len(e.list) > maxExplanations {
		likeliest(e.list, maxExplanations)
		e.list = e.list[:maxExplanations]
	}
	slices.SortFunc(e.list, Explanation.compare)
	return slices.Clone(e.list)
}

// weigh fills in the tallies: how likely each change is one end, by the names in the
// remark and by what stands near its places.
func (d *Diagnosis) weigh(r remark, at []pointed) {
	e := &d.explainer
	names := d.namesOf(r, at)
	ordered := slices.Sorted(maps.Keys(names)) // sums do not depend on the order of a map
	for _, n := range ordered {
		holders := d.declaring(n, at)
		e.add(holders, names[n]*declaring)
		e.add(d.within[n], names[n]*inside)
		for _, stem := range d.stems(holders) {
			if saying := d.saying[stem]; stem != n && len(saying) <= maxSaying {
				e.add(saying, names[n]*including)
			}
		}
		if saying := d.saying[n]; len(saying) <= maxSaying {
			e.add(d.altering[n], names[n]*alters)
			e.add(saying, names[n]*mentioning)
		}
	}
	if len(at) > 0 && d.families[at[0].n] == "c" && !d.declares(r) {
		var same, others []int
		for _, i := range d.includes {
			switch {
			case d.fileOf[i] == at[0].n:
				same = append(same, i)
			case isHeader(d.set.Changes[i].Path):
				others = append(others, i)
			}
		}
		e.add(same, brings)
		e.add(others, mayBring)
	}
	for k, p := range at {
		if k > 0 && p.change >= 0 && e.roles[p.change] != raisedIt {
			e.tallies[e.roles[p.change]].add(p.change, pointedAt)
		}
		d.nearest(p)
		for k, i := range e.order {
			if r := e.roles[i]; r != raisedIt {
				e.tallies[r].add(i, near/float64(1+k))
			}
		}
		if p.change >= 0 && d.symbols[p.change] != "" {
			e.add(d.sameSymbol[symbolOf{p.n, d.symbols[p.change]}], under)
		}
	}
	if len(at) > 0 {
		e.add(d.folders[path.Dir(at[0].file.path)], sameFolder)
	}
	if top := topFolder(at); top != "" {
		for k := range e.tallies {
			for _, i := range e.tallies[k].touched {
				if !strings.HasPrefix(d.set.Changes[i].Path, top) {
					e.tallies[k].weight[i] *= otherTop
				}
			}
		}
	}
	for k := range e.tallies {
		e.tallies[k].findBest()
	}
}

// topFolder returns the folder of the project, with a slash, that has all places of a message, if there are several places, as in a
// stack; else "". What runs is in this folder, and examples or tests in other folders are not.
func topFolder(at []pointed) string {
	if len(at) < 2 {
		return ""
	}
	top := ""
	for k, p := range at {
		first, _, found := strings.Cut(p.file.path, "/")
		if !found || k > 0 && first != top {
			return ""
		}
		top = first
	}
	return top + "/"
}

// pair fills in list: a place in a line of a change is one end, and the other is any
// change of the other tally; and the likeliest of both tallies are pairs as well. Each
// pair comes once, with its largest weight.
func (e *explainer) pair(at []pointed) {
	e.list = e.list[:0]
	missing, applied := &e.tallies[isMissing], &e.tallies[isApplied]
	type end struct {
		change int
		weight float64
	}
	var ends [2][]end // by role; few
	whole := 1.0
	for k, p := range at {
		if p.change < 0 {
			continue
		}
		whole = elsewhere
		role := isMissing
		if p.has {
			role = isApplied
		}
		if !slices.ContainsFunc(ends[role], func(x end) bool { return x.change == p.change }) { // else with a larger weight
			ends[role] = append(ends[role], end{p.change, 1 / float64(1+k*k)})
		}
	}
	common := func(i, j int) float64 {
		if applied.leads[i] && missing.leads[j] {
			return whole * applied.weight[i] * missing.weight[j]
		}
		return 0
	}
	exact := func(role role, i int) float64 {
		for _, x := range ends[role] {
			if x.change == i {
				return x.weight
			}
		}
		return 0
	}
	put := func(i, j int, w float64) { e.list = append(e.list, Explanation{Requirement{i, j}, w}) }
	for _, x := range ends[isApplied] {
		for _, j := range missing.touched {
			w := max(x.weight*missing.weight[j], common(x.change, j), exact(isMissing, j)*applied.weight[x.change])
			put(x.change, j, w)
		}
	}
	for _, x := range ends[isMissing] {
		for _, i := range applied.touched {
			if exact(isApplied, i) == 0 || missing.weight[x.change] == 0 { // else it is there
				put(i, x.change, max(x.weight*applied.weight[i], common(i, x.change)))
			}
		}
	}
	for _, i := range applied.best {
		for _, j := range missing.best {
			if exact(isApplied, i) == 0 && exact(isMissing, j) == 0 { // else it is there
				put(i, j, common(i, j))
			}
		}
	}
}

// compare orders explanations, the likeliest first.
func (e Explanation) compare(o Explanation) int {
	switch {
	case e.Weight > o.Weight:
		return -1
	case e.Weight < o.Weight:
		return 1
	}
	return cmp.Or(e.Change-o.Change, e.Requires-o.Requires)
}

// likeliest moves the first n of a list, in the order of compare, to its front. This is
// Hoare's algorithm FIND; the expected cost is linear.
func likeliest(list []Explanation, n int) {
	for from, to := 0, len(list); to-from > 1; {
		pivot := list[(from+to)/2]
		i, j := from, to-1
		for i <= j {
			for list[i].compare(pivot) < 0 {
				i++
			}
			for list[j].compare(pivot) > 0 {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		// Invariant: what is before i is not behind the pivot, what is after j not before it.
		switch {
		case n <= j:
			to = j + 1
		case n >= i:
			from = i
		default:
			return
		}
	}
}

// declaring returns the changes that hold a declaration of a name, on either side, or
// make or take away a file of this name: those in the language of the place, if there are
// such, and of many those nearest to the place.
func (d *Diagnosis) declaring(name string, at []pointed) []int {
	if len(d.names[name])+len(d.bringing[name]) == 0 {
		return nil
	}
	list := d.kept(declarers{name: name}, func() (list []int) {
		for _, def := range d.names[name] {
			list = append(list, def.change)
		}
		list = append(list, d.bringing[name]...)
		slices.Sort(list)
		return slices.Compact(list)
	})
	if len(at) == 0 {
		return list
	}
	n, dir := at[0].n, path.Dir(at[0].file.path)
	of := func(key declarers, all []int, same func(n int) bool) []int {
		list := d.kept(key, func() []int {
			return slices.DeleteFunc(slices.Clone(all), func(i int) bool { return !same(d.fileOf[i]) })
		})
		if own := slices.Index(list, at[0].change); own >= 0 { // what is wrong there declares nothing, whatever it looks like
			list = slices.Delete(slices.Clone(list), own, own+1)
		}
		return list
	}
	if family := d.families[n]; family != "" {
		if close := of(declarers{name, "family", family, 0}, list, func(n int) bool { return d.families[n] == family }); len(close) > 0 {
			list = close
		}
	}
	if len(list) <= maxPlaces {
		return list
	}
	if close := of(declarers{name, "file", d.families[n], n}, list, func(o int) bool { return o == n }); len(close) > 0 {
		return close
	}
	if close := of(declarers{name, "folder " + d.families[n], dir, 0}, list, func(o int) bool { return path.Dir(d.files[o].path) == dir }); len(close) > 0 {
		return close
	}
	return list
}

// A declarers says which changes that declare a name are meant: all of them, or those
// of one language, file or folder.
type declarers struct {
	name, by, of string
	file         int
}

// kept returns what is kept of a key, or else what make returns.
func (d *Diagnosis) kept(key declarers, make func() []int) []int {
	list, ok := d.declared[key]
	if !ok {
		list = make()
		d.declared[key] = list
	}
	return list
}

// nearest fills in order: the changes of a place's file but that which holds it, the
// nearest first, and of equally near ones the first in the file.
func (d *Diagnosis) nearest(p pointed) {
	e := &d.explainer
	members := p.file.members
	e.order, e.away = e.order[:0], e.away[:0]
	split := 0 // what is before it lies before the place
	for k, i := range members {
		c := &d.set.Changes[i]
		away := 0
		if c.Kind == changes.Text {
			away = min(max(c.OldStart-p.good, p.good-c.OldStart), max(c.OldStart+c.OldLines-p.good, p.good-c.OldStart-c.OldLines))
		}
		if e.away = append(e.away, away); c.OldStart < p.good {
			split = k + 1
		}
	}
	// Hunks are in the order of their lines, so two rows are nearly sorted: from the place up, and down.
	for up, down := split-1, split; up >= 0 || down < len(members); {
		if down == len(members) || up >= 0 && e.away[up] <= e.away[down] {
			e.order = append(e.order, up)
			up--
		} else {
			e.order = append(e.order, down)
			down++
		}
	}
	before := func(a, b int) bool { return e.away[a] < e.away[b] || e.away[a] == e.away[b] && a < b }
	for k := 1; k < len(e.order); k++ { // by insertion, as little is out of order
		for at := k; at > 0 && before(e.order[at], e.order[at-1]); at-- {
			e.order[at], e.order[at-1] = e.order[at-1], e.order[at]
		}
	}
	kept := e.order[:0]
	for _, k := range e.order {
		if members[k] != p.change {
			kept = append(kept, members[k])
		}
	}
	e.order = kept
}
