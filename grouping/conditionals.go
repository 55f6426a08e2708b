package grouping

import (
	"bytes"

	"github.com/gitdd/gitdd/changes"
)

// nesting returns how many conditions of the C preprocessor a text leaves open;
// below 0 if it closes more than it opens.
func nesting(text []byte) (open int) {
	for row := range bytes.Lines(text) {
		row, directive := bytes.CutPrefix(bytes.TrimLeft(row, " \t"), []byte("#"))
		if !directive {
			continue
		}
		switch word, _ := firstWord(bytes.TrimLeft(row, " \t")); string(word) {
		case "if", "ifdef", "ifndef":
			open++
		case "endif":
			open--
		}
	}
	return open
}

// conditionals ties the hunks of a C file that open more conditions than they
// close to those that close them: one without the other leaves the rest of the
// file to a condition that is not its own, or does not parse. Hunks are paired as
// brackets are; where they do not pair up in the whole file, nothing is said.
func (f *file) conditionals(all []facts, list []changes.Change) {
	type hunk struct{ change, open int }
	var stack []hunk
	var pairs [][2]int
	for _, i := range f.text {
		h := hunk{i, nesting(list[i].New) - nesting(list[i].Old)}
		for h.open != 0 && len(stack) > 0 {
			top := &stack[len(stack)-1]
			if (top.open > 0) == (h.open > 0) {
				break
			}
			pairs = append(pairs, [2]int{top.change, i})
			both := top.open + h.open
			switch {
			case (both > 0) == (h.open > 0) && both != 0:
				h.open, stack = both, stack[:len(stack)-1]
			case both == 0:
				h.open, stack = 0, stack[:len(stack)-1]
			default:
				h.open, top.open = 0, both
			}
		}
		if h.open != 0 {
			stack = append(stack, h)
		}
	}
	if len(stack) > 0 {
		return
	}
	for _, p := range pairs {
		all[p[0]].requires = append(all[p[0]].requires, p[1])
		all[p[1]].requires = append(all[p[1]].requires, p[0])
	}
}
