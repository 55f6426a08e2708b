package grouping

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/updates"
)

// Options choose a plan; the zero value is the usual one.
type Options struct {
	By []Level // coarse to fine; nil = Directory, File, Symbol, Hunk
	// Modules returns the go.mod of a version of a Go module; nil if it is not at hand. It may be nil: then
	// the updates of a go.mod are tied to each other.
	Modules func(path, version string) []byte
	// Apart lets the hunks of a declaration be changes of their own in files that a program made, too.
	Apart bool
}

// A Plan says in which order and in which groups n changes are tried.
type Plan struct {
	// Order is a permutation of 0..n-1 in which every group of every level is
	// contiguous. As far as that allows, what is required stands before what
	// requires it, so that prefixes tend to build; by Commit, commits stand
	// oldest first. Ties, and what requires each other in a circle, keep the
	// order of the set.
	Order []int
	// Levels names the rows of Groups, coarse to fine. Update comes first of all where a difference has
	// updates, unless there is a Commit. Directory may appear
	// several times, once per depth below the common directory; the other
	// levels appear as asked for.
	Levels []Level
	// Groups[l][i] is the group of change i at Levels[l]. Groups are numbered
	// from 0 as they appear in Order; each level refines the one before.
	Groups [][]int
	// Names[l][g] is what to call group g of Levels[l]: a path, a symbol, a
	// commit's subject, an identifier, or "path:line"; "" for changes that no
	// commit is known for.
	Names [][]string

	Requires  [][]int // structural, as in the set, and such that each update and each of Generated is one change; nil rows for none
	Predicted [][]int // Predicted[i]: the changes that i most likely requires, besides; increasing

	// Symbols[i] is the symbol that change i lies in: the innermost declaration
	// around its new lines (its old lines, if it only removes some), else the
	// first declaration in them; "" if there is none.
	Symbols []string

	Updates []updates.Update // in the order of their first changes; a change may be of several
	Ties    []updates.Tie    // those of Predicted that keep manifests and lock files consistent, sorted

	// Generated are the hunks of declarations in files that a program made, those of each declaration by
	// themselves: several, increasing. None with Options.Apart.
	Generated [][]int

	// Renamed are the changes within lines that give a name of a declaration a new name, those of each name by
	// themselves; they are among Predicted, as each requires the others.
	Renamed [][]int

	Note string // which part of the contents was too much to read closely; "" = none was

	index *index // for Learn and Prior; nil in a Plan that New did not make
}

// New plans the changes of s. Errors are those of reading contents, of the
// context, and of a level that does not exist. For Commit, Set.Blame must have
// filled in the commits; without them all changes are in one group.
//
// Cost: one reading of the changed files up to the bounds in survey.go, beyond
// them of the changed lines; then O(n log n + requirements) per level.
func New(ctx context.Context, s *changes.Set, opts Options) (*Plan, error) {
	by := opts.By
	if by == nil {
		by = []Level{Directory, File, Symbol, Hunk}
	}
	var history []changes.Commit
	for _, l := range by {
		if int(l) >= len(levelNames) {
			return nil, fmt.Errorf("group changes: no such %v", l)
		}
		if l == Commit {
			var err error
			if history, err = s.History(ctx); err != nil {
				return nil, fmt.Errorf("group changes by commit: %w", err)
			}
		}
	}
	v, err := look(ctx, s)
	if err != nil {
		return nil, err
	}
	v.noteFiles(s.Changes)
	if err := v.findUpdates(s, opts.Modules); err != nil {
		return nil, err
	}
	var units [][]int
	if !opts.Apart {
		units = v.ofGenerated(s.Changes)
	}
	p := &Plan{Generated: units, Predicted: v.predict(s), Note: v.note, index: newIndex(s, v), Updates: v.updates.Updates, Ties: v.updates.Ties}
	for _, u := range p.Updates {
		units = append(slices.Clip(units), u.Changes)
	}
	p.Requires = asOne(s, units)
	for i := range v.facts {
		p.Symbols = append(p.Symbols, v.facts[i].symbol)
		p.Renamed = append(p.Renamed, v.facts[i].renamed...)
	}
	var parts []partition
	if len(p.Updates) > 0 && by[0] == Directory {
		parts = append(parts, byUpdate(s.Changes, p.Updates))
	}
	for _, l := range by {
		parts = append(parts, v.partitions(l, s, history)...)
	}
	first := make([]int, s.Len())
	for i := range first {
		first[i] = math.MaxInt
		if name := s.Changes[i].Path; buildsFirst(name) {
			first[i] = strings.Count(name, "/")
		}
	}
	p.arrange(parts, first)
	return p, nil
}

// UpdateOf names the update that a change is of, the first one if there are several; "" = it is of none.
func (p *Plan) UpdateOf(change int) string {
	for _, u := range p.Updates {
		if slices.Contains(u.Changes, change) {
			return u.String()
		}
	}
	return ""
}

// Sides reports whether hunks were cut into lines that are removed, replaced and added by themselves, so
// that the last two levels are Hunk.
func (p *Plan) Sides() bool {
	n := len(p.Levels)
	return n > 1 && p.Levels[n-1] == Hunk && p.Levels[n-2] == Hunk
}

// arrange fills in Order, Levels, Groups and Names.
func (p *Plan) arrange(parts []partition, first []int) {
	n := len(p.Predicted)
	members := make([]int, n)
	for i := range members {
		members[i] = i
	}
	a := arranger{plan: p, parts: parts, first: first, call: make([]int, n), child: make([]int, n)}
	p.Order = a.order(members, 0)
	for l, part := range parts {
		p.Levels = append(p.Levels, part.level)
		group := make([]int, n)
		var names []string
		for k, i := range p.Order {
			if k > 0 {
				before := p.Order[k-1]
				group[i] = group[before]
				if part.class[i] == part.class[before] && (l == 0 || p.Groups[l-1][i] == p.Groups[l-1][before]) {
					continue
				}
				group[i]++
			}
			names = append(names, printable(part.names[part.class[i]]))
		}
		p.Groups = append(p.Groups, group)
		p.Names = append(p.Names, names)
	}
}

// An arranger orders the changes level by level.
type arranger struct {
	plan  *Plan
	parts []partition
	first []int // by change: the depth of a manifest, math.MaxInt for others
	calls int
	call  []int // the last call of order that change i was a member of
	child []int // which of that call's children it is in
}

// order returns the members, which form one group above level, in order.
// members is increasing.
func (a *arranger) order(members []int, level int) []int {
	if len(members) < 2 {
		return members
	}
	a.calls++
	call := a.calls
	children := make([][]int, 0, 4)
	at := make(map[int]int)
	for k, i := range members {
		class := k // below the last level every change is its own
		if level < len(a.parts) {
			class = a.parts[level].class[i]
		}
		c, ok := at[class]
		if !ok {
			c = len(children)
			at[class] = c
			children = append(children, nil)
		}
		children[c] = append(children[c], i)
		a.call[i], a.child[i] = call, c
	}
	if level < len(a.parts) && a.parts[level].ranked {
		class := a.parts[level].class
		slices.SortFunc(children, func(x, y []int) int { return class[x[0]] - class[y[0]] })
	} else if len(children) > 1 {
		children = a.sorted(children, call)
	}
	if level >= len(a.parts) {
		return slices.Concat(children...)
	}
	order := make([]int, 0, len(members))
	for _, c := range children {
		order = append(order, a.order(c, level+1)...)
	}
	return order
}

// sorted orders the children of a call by the requirements between them.
func (a *arranger) sorted(children [][]int, call int) [][]int {
	g, rank := make(graph, len(children)), a.ranks(children)
	for c, list := range children {
		for _, i := range list {
			for _, rows := range [2][][]int{a.plan.Requires, a.plan.Predicted} {
				if rows == nil {
					continue
				}
				for _, j := range rows[i] {
					if a.call[j] == call && a.child[j] != c {
						g[c] = append(g[c], a.child[j])
					}
				}
			}
		}
	}
	order := make([][]int, 0, len(children))
	for _, c := range g.arrange(rank) {
		order = append(order, children[c])
	}
	return order
}

// ranks numbers the children as they should stand where no requirement says
// otherwise: by the outermost manifest in them, then by their first members.
func (a *arranger) ranks(children [][]int) []int {
	depth, list := make([]int, len(children)), make([]int, len(children))
	for c, members := range children {
		list[c], depth[c] = c, math.MaxInt
		for _, i := range members {
			depth[c] = min(depth[c], a.first[i])
		}
	}
	slices.SortStableFunc(list, func(x, y int) int { return cmp.Compare(depth[x], depth[y]) })
	rank := make([]int, len(children))
	for at, c := range list {
		rank[c] = at
	}
	return rank
}
