package hints

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/search"
)

// Uncut says why the cause was not cut into lines, and names the longest change that could be cut,
// if one has at least [search.ManyLines] lines. It returns "" if level, that of --level, is hunk or symbol.
// If no finer round was cut short, it says so only with the level auto, and only of such a change.
func Uncut(found search.Answer, level string) string {
	if level == "hunk" || level == "symbol" || found.Result.Cause.IsEmpty() {
		return ""
	}
	_, starts, _ := found.Set.Split(slices.Collect(found.Result.Cause.All()), changes.EveryLine)
	var longest *changes.Change
	lines := search.ManyLines - 1
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
		return fmt.Sprintf("%s: lines that came together seldom fail alone; --level line tries them, in %d trials or more", what, bits.Len(uint(lines))+1)
	}
	return ""
}
