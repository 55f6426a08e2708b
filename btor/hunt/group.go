package hunt

import (
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/internal/prose"
)

// A Group is findings that seem to show one flaw.
type Group struct {
	Failure  Failure // of the first
	Shape    string  // of what is left of each, "" = they were not reduced
	Findings []Finding
}

// Smallest returns the finding with the fewest nodes: those that its reduction has left, or those of the
// whole graph if it was not reduced. Of several it returns the first, which has the lowest seed.
func (g Group) Smallest() Finding {
	return slices.MinFunc(g.Findings, func(a, b Finding) int { return a.size() - b.size() })
}

// size is how large what there is of a finding is.
func (f Finding) size() int {
	if f.Reduced() {
		return f.Reduction.Nodes
	}
	return f.Nodes
}

// Reduced reports whether something smaller fails as the finding does, or the
// reduction has shown that nothing does.
func (f Finding) Reduced() bool {
	return f.Reduction != nil && f.Reduction.Nodes > 0 && f.Reduction.Failure != nil && f.Reduction.Failure.Alike(*f.Failure)
}

// Remainder says in words what a reduction has left of the finding, which has one.
func (f Finding) Remainder() string {
	r := f.Reduction
	if !f.Reduced() {
		return fmt.Sprintf("%s, not reduced: %s", prose.Count(f.Nodes, "node"), r.Reason)
	}
	return fmt.Sprintf("%s of %s left, %s", prose.Number(r.Nodes), prose.Count(f.Nodes, "node"), prose.Count(r.Trials, "trial"))
}

// Told is how what is left of a finding failed, or the finding itself.
func (f Finding) Told() Failure {
	if f.Reduced() {
		return *f.Reduction.Failure
	}
	return *f.Failure
}

// shape is that of what is left, if the reduction came to its end: before, it says
// little.
func (f Finding) shape() string {
	if f.Reduced() && f.Reduction.Reason == "" {
		return f.Reduction.Shape
	}
	return ""
}

// Kind is the same for findings of one group, and no text to show.
func (f Finding) Kind() string { return f.Told().key() + "\x00" + f.shape() }

// Groups puts findings together that have the same failure and, where they were
// reduced, the same shape; groups and the findings in them in the order of seeds.
func Groups(findings []Finding) []Group {
	var groups []Group
	at := map[string]int{}
	for _, f := range findings {
		kind := f.Kind()
		i, known := at[kind]
		if !known {
			i = len(groups)
			at[kind] = i
			groups = append(groups, Group{Failure: f.Told(), Shape: f.shape()})
		}
		groups[i].Findings = append(groups[i].Findings, f)
	}
	return groups
}
