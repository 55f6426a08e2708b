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
	var stack []pending
	var pairs [][2]int
	for _, i := range f.text {
		stack = match(stack, pending{i, nesting(list[i].New) - nesting(list[i].Old)}, func(j int) { pairs = append(pairs, [2]int{j, i}) })
	}
	if len(stack) > 0 {
		return
	}
	for _, p := range pairs {
		tie(all, p[0], p[1])
	}
}
