package grouping

import (
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/updates"
)

// Cut is the changes.Cutter that cuts manifests and lock files along the packages that they are about.
var Cut changes.Cutter = updates.Cut

// findUpdates reads the manifests and lock files of known formats among the changed files.
func (v *survey) findUpdates(s *changes.Set, modules updates.Modules) error {
	var read []updates.File
	var wholes []updates.Whole
	for _, f := range files(s.Changes) {
		if len(f.text) == 0 || f.whole || !updates.Known(f.path) {
			for _, i := range f.members {
				c := &s.Changes[i]
				w := updates.Whole{Change: i, Path: c.Path}
				if c.Kind == changes.Submodule {
					w.Old, w.New = string(c.OldBlob), string(c.NewBlob)
				}
				wholes = append(wholes, w)
			}
			continue
		}
		file := updates.File{Path: f.path}
		var err error
		if file.Old, err = s.OldContent(f.oldPath); err == nil {
			file.New, err = s.NewContent(f.path)
		}
		if err != nil {
			return fmt.Errorf("group changes: %w", err)
		}
		for _, i := range f.text {
			c := &s.Changes[i]
			old, new := before(c.OldStart, c.OldLines), before(c.NewStart, c.NewLines)
			file.Hunks = append(file.Hunks, updates.Hunk{Change: i, OldFrom: old, OldTo: old + c.OldLines, NewFrom: new, NewTo: new + c.NewLines})
		}
		read = append(read, file)
	}
	v.updates = updates.Find(read, wholes, modules)
	for _, note := range v.updates.Notes {
		if v.note != "" {
			v.note += "; "
		}
		v.note += note
	}
	return nil
}

// byUpdate puts the changes of each update together, and all others. Those of several updates are with the
// first one.
func byUpdate(list []changes.Change, found []updates.Update) partition {
	of := make([]int, len(list))
	for n := len(found) - 1; n >= 0; n-- {
		for _, i := range found[n].Changes {
			of[i] = n + 1
		}
	}
	return classify(Update, list, func(i int) (string, string) {
		if of[i] == 0 {
			return "", ""
		}
		return fmt.Sprint(of[i]), found[of[i]-1].String()
	})
}

// asOne returns the requirements with those that make one change of the changes of each unit.
func asOne(s *changes.Set, units [][]int) [][]int {
	if len(units) == 0 {
		return s.Requires
	}
	e := &edges{rows: make([][]int, s.Len()), known: make([][]int, s.Len())}
	for i, row := range s.Requires {
		e.rows[i] = slices.Clone(row)
	}
	for _, u := range units {
		e.circle(u)
	}
	for i := range e.rows {
		slices.Sort(e.rows[i])
		e.rows[i] = slices.Compact(e.rows[i])
	}
	return e.rows
}
