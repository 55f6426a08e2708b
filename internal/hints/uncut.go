package hints

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/search"
)

// leastUncut is the number of lines of a change from which on it is said that they were not tried one by one.
const leastUncut = 3

// Uncut says why the cause was not cut further: that hunks of it go together because a program made
// their file, or why it was not cut into lines. Then it names the longest change that could be cut,
// if one has at least leastUncut lines; it returns "" if level, that of --level, is hunk or symbol, and if lines were found
// within the cause without which the test passes.
// If no finer round was cut short, it says so only with the level auto, and only of such a change. A cause that only adds lines is
// cut by --goal revert if revert says that the search could have that goal: what is taken off bad need not be a whole without the
// rest of the change, as what is put on good has to be.
//
// The numbers of trials that it names are what a search with one wrong line among 20 to 50 takes as a whole, in fixtures of added
// tables, functions and statements and of rewritten ones: from log2 n + 5 to three times that logarithm and two.
func Uncut(found search.Answer, level string, revert bool) string {
	if unit := found.FirstGenerated(); unit != nil {
		name, all := found.Set.Changes[unit[0]].Path, 0
		for i := range found.Result.Cause.All() {
			if found.Set.Changes[i].Path == name {
				all++
			}
		}
		if all > len(unit) {
			return fmt.Sprintf("a program made %s, of which the cause has %s: look at what it is made of", name, prose.Count(all, "change"))
		}
		return fmt.Sprintf("a program made %s (%s), and its %s count as one: look at what it is made of",
			name, found.Plan.Symbols[unit[0]], prose.Count(len(unit), "change"))
	}
	within := func(f search.Further) bool { return f.Relation == search.Within }
	if level == "hunk" || level == "symbol" || found.Result.Cause.IsEmpty() || slices.ContainsFunc(found.Further, within) {
		return ""
	}
	_, starts, _ := found.Set.Split(slices.Collect(found.Result.Cause.All()), changes.EveryLine)
	var longest *changes.Change
	lines := leastUncut - 1
	for i := range found.Result.Cause.All() {
		c := &found.Set.Changes[i]
		if n := max(c.OldLines, c.NewLines); starts[i+1]-starts[i] > 1 && n > lines {
			longest, lines = c, n
		}
	}
	what := "the cause was not cut further"
	if longest != nil {
		what = fmt.Sprintf("%s was not cut into its %d lines", record.Place(longest), lines)
	}
	switch {
	case found.Uncut != "":
		return what + ": " + found.Uncut
	case longest != nil && level == "auto":
		try := "--level line tries them"
		if revert && longest.OldLines == 0 {
			try = "--goal revert --level line finds which to take off"
		}
		depth := bits.Len(uint(lines))
		return fmt.Sprintf("%s: lines that came together seldom fail alone; %s, in about %d to %d trials", what, try, depth+5, 3*depth+2)
	}
	return ""
}
