package report

import (
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// An Update takes a package from one version to another one: changes of manifests, lock files and vendored
// files, or the pin of a submodule.
type Update struct {
	Name    string   `json:"name"`
	Old     string   `json:"old"`     // the version at Good; "" = the package was added
	New     string   `json:"new"`     // the version at Bad; "" = the package was removed
	Title   string   `json:"title"`   // all of that in words: "golang.org/x/net v0.17.0 → v0.23.0"
	Paths   []string `json:"paths"`   // the files of its changes
	Changes []string `json:"changes"` // ids of its changes that are in Cause
}

// A Constraint is why a change of Cause has to be accompanied by another one, of Cause or of Context, in a
// manifest or lock file.
type Constraint struct {
	Change   string `json:"change"`   // an id
	Requires string `json:"requires"` // an id
	Reason   string `json:"reason"`   // "Cargo.lock: tokio 1.38.0 requires mio 1.0.1"

	// The titles of the updates that both are of, which need not be in Updates; "" = of none.
	Update         string `json:"update,omitempty"`
	RequiresUpdate string `json:"requires_update,omitempty"`
}

// String is the constraint for a reader.
func (c Constraint) String() string {
	if c.Update == "" || c.RequiresUpdate == "" || c.Update == c.RequiresUpdate {
		return c.Reason
	}
	return c.Update + " to " + c.RequiresUpdate + " by " + c.Reason
}

// UpdateOf is an update of a set, by the numbers of its changes.
type UpdateOf struct {
	Name, Old, New, Title string
	Changes               []int
}

// ConstraintOf is a constraint between two changes of a set.
type ConstraintOf struct {
	Change, Requires int
	Reason           string
}

// updates fills in the updates that the cause has changes of, and the constraints on them.
func (r *Result) updates(set *changes.Set, res isolate.Result, f Facts) {
	for _, u := range f.Updates {
		out := Update{Name: valid(u.Name), Old: valid(u.Old), New: valid(u.New), Title: valid(u.Title)}
		for _, i := range u.Changes {
			if res.Cause.Has(i) {
				out.Changes = append(out.Changes, set.Changes[i].ID)
			}
			if path := valid(set.Changes[i].Path); !slices.Contains(out.Paths, path) {
				out.Paths = append(out.Paths, path)
			}
		}
		if len(out.Changes) > 0 {
			r.Updates = append(r.Updates, out)
		}
	}
	title := func(change int) string {
		for _, u := range f.Updates {
			if slices.Contains(u.Changes, change) {
				return valid(u.Title)
			}
		}
		return ""
	}
	for _, t := range f.Constraints {
		if res.Cause.Has(t.Change) && (res.Cause.Has(t.Requires) || res.Context.Has(t.Requires)) {
			r.Constraints = append(r.Constraints, Constraint{
				Change: set.Changes[t.Change].ID, Requires: set.Changes[t.Requires].ID, Reason: valid(t.Reason),
				Update: title(t.Change), RequiresUpdate: title(t.Requires),
			})
		}
	}
}

// updatesOf are the titles of the updates that a change of the cause is of, printable.
func (r *Result) updatesOf(id string) (titles []string) {
	for _, u := range r.Updates {
		if slices.Contains(u.Changes, id) {
			titles = append(titles, prose.Printable(u.Title))
		}
	}
	return titles
}

// theUpdates are updates in words: "the update of golang.org/x/net v0.17.0 → v0.23.0".
func theUpdates(titles []string) string {
	if len(titles) == 1 {
		return "the update of " + titles[0]
	}
	return "the updates of " + prose.List(titles[:min(len(titles), shownUpdates)], len(titles))
}

// shownUpdates is how many updates a headline names.
const shownUpdates = 3

// updated names the updates that make up the cause; "" if it has changes that are of no update, or if
// there are too many to name.
func updated(r *Result) string {
	if len(r.Updates) == 0 || len(r.Updates) > shownUpdates {
		return ""
	}
	in := make(map[string]bool)
	var names []string
	for _, u := range r.Updates {
		names = append(names, prose.Printable(u.Title))
		for _, id := range u.Changes {
			in[id] = true
		}
	}
	for _, c := range r.Cause {
		if !in[c.ID] {
			return ""
		}
	}
	return theUpdates(names)
}

// ties says of an answer of several changes by which constraints they need each other, and of updates of
// which the headline does not speak which they are.
func (p *page) ties() {
	r := p.r
	if updated(r) == "" && len(r.Updates) > 0 {
		var names []string
		for _, u := range r.Updates {
			names = append(names, prose.Printable(u.Title))
		}
		total := len(names)
		if total > shownUpdates && !p.full {
			names = names[:shownUpdates]
			p.shortened = true
		}
		p.item("updates", prose.List(names, total))
	}
	var reasons []string
	for _, c := range r.Constraints {
		if text := prose.Printable(c.String()); !slices.Contains(reasons, text) {
			reasons = append(reasons, text)
		}
	}
	if n := len(reasons); n > 0 {
		const shown = 2
		if n > shown+1 && !p.full {
			reasons = append(reasons[:shown], fmt.Sprintf("%d more", n-shown))
			p.shortened = true
		}
		p.item("tied", prose.List(reasons, len(reasons)))
	}
}
