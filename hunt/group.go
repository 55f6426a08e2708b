package hunt

import "slices"

// A Group is findings that seem to show one flaw.
type Group struct {
	Failure  Failure // of the first
	Shape    string  // of what is left of each, "" = they were not reduced
	Findings []Finding
}

// Smallest is the finding with the fewest nodes, reduced ones first, and of these the
// one with the lowest seed.
func (g Group) Smallest() Finding {
	return slices.MinFunc(g.Findings, func(a, b Finding) int { return a.size() - b.size() })
}

// size is how large what there is of a finding is.
func (f Finding) size() int {
	if f.isReduced() {
		return f.Reduction.Nodes
	}
	return f.Nodes
}

// isReduced reports whether something smaller fails as the finding does, or the
// reduction has shown that nothing does.
func (f Finding) isReduced() bool {
	return f.Reduction != nil && f.Reduction.Nodes > 0 && f.Reduction.Failure != nil && f.Reduction.Failure.Class == f.Failure.Class
}

// Told is how what is left of a finding failed, or the finding itself.
func (f Finding) Told() Failure {
	if f.isReduced() {
		return *f.Reduction.Failure
	}
	return *f.Failure
}

// Groups puts findings together that have the same failure and, where they were
// reduced, the same shape; groups and the findings in them in the order of seeds.
func Groups(findings []Finding) []Group {
	var groups []Group
	at := map[string]int{}
	for _, f := range findings {
		told, shape := f.Told(), ""
		if f.isReduced() {
			shape = f.Reduction.Shape
		}
		key := told.key() + "\x00" + shape
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups = append(groups, Group{Failure: told, Shape: shape})
		}
		groups[i].Findings = append(groups[i].Findings, f)
	}
	return groups
}
