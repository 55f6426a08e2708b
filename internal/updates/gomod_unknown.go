package updates

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/mod/module"
)

// An unknown has the requirements of a go.mod of which it is not known what the modules require. Both are by side.
type unknown struct {
	moved   [2][]int        // changes of modules whose version is higher there than on the other side, or which only that side requires
	list    [2][]*presence  // the requirements
	missing []moduleVersion // whose go.mod is not at hand; of a folder without a version
}

func newUnknown(p *project) *unknown {
	u := &unknown{}
	for _, a := range p.altered {
		if !a.inGoMod() {
			continue
		}
		for which, e := range a.entry {
			other := a.entry[1-which]
			if e != nil && len(e.Provides) > 0 && (other == nil || compareModules(e.Name, e.Version, other.Version) > 0) {
				u.moved[which] = append(u.moved[which], a.changes[0])
			}
		}
	}
	return u
}

func (u *unknown) add(which int, a *presence, missing moduleVersion) {
	u.list[which] = append(u.list[which], a)
	u.missing = append(u.missing, missing)
}

// tie lets each requirement of a side need all modules that are newer on that side in the versions that they have there: it may
// require any of them. All ties go through one of the requirements, so that their number is that of the requirements and modules, and not the product.
func (u *unknown) tie(p *project) {
	had := make(map[[2]int]bool) // pairs that are tied for another reason
	for _, t := range p.edges {
		had[[2]int{t.Change, t.Requires}] = true
	}
	before := len(p.edges)
	for which, list := range u.list {
		if len(list) == 0 {
			continue
		}
		through := list[0]
		if i := slices.IndexFunc(list, func(a *presence) bool { return slices.Contains(u.moved[which], a.changes[0]) }); i >= 0 {
			through = list[i]
		}
		add := func(a *presence, needs int) {
			change, reason := a.changes[0], a.file.Path+": what "+a.entry[which].Name+" "+a.entry[which].Version+" requires is not known"
			if which == good { // applying a change takes away what is needed
				change, needs = needs, change
			}
			if !had[[2]int{change, needs}] {
				p.tie(change, needs, reason)
			}
		}
		for _, change := range u.moved[which] {
			add(through, change)
		}
		for _, a := range list {
			add(a, through.changes[0])
		}
	}
	if len(p.edges) == before {
		return
	}
	slices.SortFunc(u.missing, func(a, b moduleVersion) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.version, b.version))
	})
	u.missing = slices.Compact(u.missing)
	named := max(0, slices.IndexFunc(u.missing, func(m moduleVersion) bool { return m.version != "" })) // which can be downloaded, unlike a folder
	m, more := u.missing[named], ""
	if n := len(u.missing) - 1; n > 0 {
		more = fmt.Sprintf(" and of %d more", n)
	}
	p.note = "updates of Go modules are tied to each other, as it is not known what they require: "
	if m.version == "" {
		p.note += "the go.mod of " + m.path + more + " does not change, and was not read"
	} else {
		p.note += fmt.Sprintf("the module cache lacks the go.mod of %s %s%s", m.path, m.version, more)
		if module.Check(m.path, m.version) == nil { // else nobody should paste it
			p.note += fmt.Sprintf("; `go mod download %s@%s` brings it", m.path, m.version)
		}
	}
}
