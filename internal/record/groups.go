package record

import (
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
)

// groups are those of a stage.
func (s *openStage) groups(room int) []report.Group {
	if s.set == nil {
		return s.commitGroups(room)
	}
	return Groups(s.set, s.plan, room)
}

// Groups are those of the changes of a set, in the order of its plan: all if there are at most so many, else
// only those of several changes, else of coarser levels.
func Groups(set *changes.Set, plan *grouping.Plan, room int) []report.Group {
	for _, least := range []int{1, 2} {
		if list, ok := tree(set, plan, len(plan.Levels)+1, least, room); ok {
			return list
		}
	}
	for levels := len(plan.Levels) - 1; levels > 0; levels-- {
		if list, ok := tree(set, plan, levels, 2, room); ok {
			return list
		}
	}
	return nil
}

func (s *openStage) commitGroups(room int) []report.Group {
	commits := s.tried
	if s.line != nil {
		commits = s.line[1:]
	}
	if len(commits) > room {
		return nil
	}
	var list []report.Group
	for k, c := range commits {
		name := c.ID.Short()
		if c.Subject != "" {
			name += " " + c.Subject
		}
		list = append(list, report.Group{Level: grouping.Commit.String(), Name: name, From: k, To: k + 1})
	}
	return list
}

// tree lists the groups of the first so many levels in preorder, and behind the last
// one the elements, of at least so many elements; not ok if these are more than
// there is room for. A group that is all of the one around it, and has its name, is
// left out: a file that is one change, say.
func tree(set *changes.Set, plan *grouping.Plan, levels, least, room int) (list []report.Group, ok bool) {
	order := plan.Order
	var below func(l, from, to int) bool
	below = func(l, from, to int) bool {
		if l == levels {
			return true
		}
		for k := from; k < to; {
			end := k + 1
			g := report.Group{Level: grouping.Line.String(), From: k}
			if l < len(plan.Levels) {
				in := plan.Groups[l]
				for end < to && in[order[end]] == in[order[k]] {
					end++
				}
				g.Level, g.Name = plan.Levels[l].String(), plan.Names[l][in[order[k]]]
			} else if to-from > 1 {
				g.Name = Place(&set.Changes[order[k]])
			} else {
				return true // its group has the one element
			}
			g.To = end
			again := len(list) > 0 && list[len(list)-1] == report.Group{Level: list[len(list)-1].Level, Name: g.Name, From: g.From, To: g.To}
			if end-k >= least && !again {
				if list = append(list, g); len(list) > room {
					return false
				}
			}
			if !below(l+1, k, end) {
				return false
			}
			k = end
		}
		return true
	}
	ok = below(0, 0, len(order))
	return list, ok
}

// Place returns where a change is, as grouping names a hunk.
func Place(c *changes.Change) string {
	name := c.Path
	if name == "" {
		name = c.OldPath
	}
	switch {
	case c.Kind != changes.Text:
		return name
	case c.Part != changes.Part{}:
		return fmt.Sprintf("%s:%d:%d", name, c.NewStart, c.Part.NewFrom+1)
	}
	return fmt.Sprintf("%s:%d", name, max(c.NewStart, 1))
}

// requires are the requirements among what a stage has found, its context and what
// it has learned, as far as no trial has refuted them.
func (s *openStage) requires() []report.Edge {
	if s.set == nil || s.best.Cause.N() == 0 {
		return nil
	}
	nodes := s.best.Cause.Union(s.best.Context)
	for _, pair := range s.best.Learned {
		nodes = nodes.With(pair[0], pair[1])
	}
	var list []report.Edge
	seen := map[[2]int]bool{}
	add := func(i, j int, kind string) {
		if seen[[2]int{i, j}] || !nodes.Has(i) || !nodes.Has(j) || len(list) == mostRequires {
			return
		}
		seen[[2]int{i, j}] = true
		list = append(list, report.Edge{From: report.ReferenceTo(s.set, i, s.plan.Symbols), To: report.ReferenceTo(s.set, j, s.plan.Symbols), Kind: kind})
	}
	for _, pair := range s.best.Learned {
		add(pair[0], pair[1], "learned")
	}
	for _, rows := range []struct {
		kind string
		of   [][]int
	}{{"structural", s.plan.Requires}, {"predicted", s.plan.Predicted}} {
		for i := range nodes.All() {
			if rows.of == nil || len(list) == mostRequires {
				break
			}
			for _, j := range rows.of[i] {
				if rows.kind == "structural" || nodes.Has(j) && !s.refuted(i, j) {
					add(i, j, rows.kind)
				}
			}
		}
	}
	return list
}

// refuted reports whether a trial was judged that had i and not j.
func (s *openStage) refuted(i, j int) bool {
	return slices.ContainsFunc(s.steps, func(step storyStep) bool {
		return step.Outcome != isolate.Unresolved.String() && step.config.Has(i) && !step.config.Has(j)
	})
}
