package listing

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/prose"
)

// Text lists the changes in the order in which a search would cut them,
// each group below its name, then one line a change: its number, what it is,
// where it stands, and the numbers that it requires.
func Text(out io.Writer, set *changes.Set, plan *grouping.Plan) error {
	w := bufio.NewWriter(out)
	groups := len(plan.Levels)
	if groups > 0 && plan.Levels[groups-1] == grouping.Hunk {
		groups-- // a hunk is the line itself
	}
	last := make([]int, groups)
	for l := range last {
		last[l] = -1
	}
	for _, i := range plan.Order {
		for l := range groups {
			g := plan.Groups[l][i]
			if g == last[l] {
				continue
			}
			last[l] = g
			for m := l + 1; m < groups; m++ {
				last[m] = -1
			}
			if name := plan.Names[l][g]; name != "" && (l == 0 || name != plan.Names[l-1][plan.Groups[l-1][i]]) {
				fmt.Fprintf(w, "%s%s %s\n", strings.Repeat("  ", l), plan.Levels[l], prose.Printable(name))
			}
		}
		c := &set.Changes[i]
		fmt.Fprintf(w, "%s%5d  %-9s %s%s%s\n", strings.Repeat("  ", groups), i, c.Kind, place(c),
			numbers("  requires", plan.Requires[i]), numbers("  probably requires", plan.Predicted[i]))
	}
	said := ""
	named := func(i int) string {
		if title := plan.UpdateOf(i); title != "" {
			return fmt.Sprintf("%d (%s)", i, prose.Printable(title))
		}
		return fmt.Sprint(i)
	}
	for _, t := range plan.Ties {
		if t.Reason != "" && t.Reason != said {
			fmt.Fprintf(w, "    %s requires %s by %s\n", named(t.Change), named(t.Requires), prose.Printable(t.Reason))
		}
		said = t.Reason
	}
	files := map[string]bool{}
	for i := range set.Changes {
		files[set.Changes[i].Path] = true
	}
	fmt.Fprintf(w, "%s in %s between %s and %s\n", prose.Count(set.Len(), "change"), prose.Count(len(files), "file"), set.Good.Rev, set.Bad.Rev)
	if plan.Note != "" {
		fmt.Fprintf(w, "note: %s\n", plan.Note)
	}
	return w.Flush()
}

// place says where a change stands: both sides' lines for a hunk.
func place(c *changes.Change) string {
	path := prose.Printable(c.Path)
	switch c.Kind {
	case changes.Text:
		return fmt.Sprintf("%s -%d,%d +%d,%d", path, c.OldStart, c.OldLines, c.NewStart, c.NewLines)
	case changes.Renamed, changes.Copied:
		return prose.Printable(c.OldPath) + " -> " + path
	case changes.Mode, changes.Type:
		return fmt.Sprintf("%s %06o -> %06o", path, c.OldMode, c.NewMode)
	}
	return path
}

func numbers(word string, list []int) string {
	const most = 8
	if len(list) == 0 {
		return ""
	}
	text := word
	for n, i := range list {
		if n == most {
			return text + fmt.Sprintf(" and %d more", len(list)-most)
		}
		text += fmt.Sprintf(" %d", i)
	}
	return text
}

// Schema names the shape of a list of changes. Fields are only ever added to it.
const Schema = "gitdd.changes/1"

// A List is what changes writes as JSON. No array of it is null.
type List struct {
	Schema  string   `json:"schema"`
	Good    string   `json:"good"` // a tree
	Bad     string   `json:"bad"`  // likewise
	Order   []int    `json:"order"`
	Changes []Change `json:"changes"` // by number
	Updates []Update `json:"updates"`
	Ties    []Tie    `json:"ties"` // those of Change.Predicted that manifests and lock files tell
}

// An Update takes a package from one version to another one; a change may be of several.
type Update struct {
	Name    string `json:"name"`
	Old     string `json:"old"` // "" = the package was added
	New     string `json:"new"` // "" = the package was removed
	Title   string `json:"title"`
	Changes []int  `json:"changes"`
}

// A Tie says that a change has to be accompanied by another one.
type Tie struct {
	Change   int    `json:"change"`
	Requires int    `json:"requires"`
	Reason   string `json:"reason"` // "" = they are of one thing
}

type Change struct {
	Number    int               `json:"number"`
	ID        string            `json:"id"`
	Kind      string            `json:"kind"`
	Path      string            `json:"path"`
	OldPath   string            `json:"old_path"`
	OldStart  int               `json:"old_start"`
	OldLines  int               `json:"old_lines"`
	NewStart  int               `json:"new_start"`
	NewLines  int               `json:"new_lines"`
	Symbol    string            `json:"symbol"`
	Groups    map[string]string `json:"groups"` // names of groups by level
	Requires  []int             `json:"requires"`
	Predicted []int             `json:"predicted"`
}

// JSON writes one object a change, in the order of their numbers.
func JSON(out io.Writer, set *changes.Set, plan *grouping.Plan) error {
	list := make([]Change, set.Len())
	for i := range set.Changes {
		c := &set.Changes[i]
		groups := map[string]string{}
		for l, level := range plan.Levels {
			groups[level.String()] = plan.Names[l][plan.Groups[l][i]]
		}
		list[i] = Change{i, c.ID, c.Kind.String(), c.Path, c.OldPath, c.OldStart, c.OldLines, c.NewStart, c.NewLines,
			plan.Symbols[i], groups, append([]int{}, plan.Requires[i]...), append([]int{}, plan.Predicted[i]...)}
	}
	updates, ties := []Update{}, []Tie{}
	for _, u := range plan.Updates {
		updates = append(updates, Update{u.Name, u.Old, u.New, u.String(), u.Changes})
	}
	for _, t := range plan.Ties {
		ties = append(ties, Tie(t))
	}
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	return e.Encode(List{Schema, string(set.Good.Tree), string(set.Bad.Tree), append([]int{}, plan.Order...), list, updates, ties})
}
