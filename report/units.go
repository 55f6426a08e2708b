package report

import (
	"fmt"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
)

// Generated is a declaration in a file that a program made. Its hunks are one change, unless a few trials find a part of them that is enough.
type Generated struct {
	Path    string   `json:"path"`
	Symbol  string   `json:"symbol"`
	Changes []string `json:"changes"` // ids of its changes, which are all in Cause
}

// generated fills in the declarations in files that a program made of which the cause has hunks.
func (r *Result) generated(set *changes.Set, res isolate.Result, f Facts) {
	for _, unit := range f.Generated {
		if !res.Cause.Has(unit[0]) {
			continue
		}
		g := Generated{Path: valid(set.Changes[unit[0]].Path), Symbol: valid(f.symbol(unit[0]))}
		for _, i := range unit {
			g.Changes = append(g.Changes, set.Changes[i].ID)
		}
		r.Generated = append(r.Generated, g)
	}
}

// units are ids of changes of the cause, of which those of one list count as one.
func (r *Result) units() (list [][]string) {
	for _, u := range r.Updates {
		list = append(list, u.Changes)
	}
	for _, g := range r.Generated {
		list = append(list, g.Changes)
	}
	return list
}

// members is the number of changes of the cause, where those of a unit are one.
func (r *Result) members() int {
	first := make(map[string]string) // of the same member, by id
	find := func(id string) string {
		for first[id] != "" {
			id = first[id]
		}
		return id
	}
	n := len(r.Cause)
	for _, unit := range r.units() {
		for _, id := range unit[1:] {
			if a, b := find(unit[0]), find(id); a != b {
				first[b] = a
				n--
			}
		}
	}
	return n
}

// unitsOf says what the units of the cause are: "an update is".
func (r *Result) unitsOf() string {
	switch {
	case len(r.Generated) == 0:
		return "an update is"
	case len(r.Updates) == 0:
		return "a declaration that a program made is"
	}
	return "an update, or a declaration that a program made, is"
}

// oneEach says that members are units of several changes, if some are.
func (r *Result) oneEach() string {
	if r.members() < len(r.Cause) {
		return fmt.Sprintf(" (%s one)", r.unitsOf())
	}
	return ""
}
