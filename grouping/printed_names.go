package grouping

import (
	"slices"

	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// mostNames is how many names of one output are kept, the first ones.
const mostNames = 200

// codeName is what an output has from the code of a program: a text between quotes, a name that is
// written as no word of English is, or a number of two digits or more.
var codeName = lazyregexp.New(`"([^"\s][^"]{0,60})"|'([^'\s][^']{0,60})'|` + "`([^`\\s][^`]{0,60})`" +
	`|\b([A-Za-z]\w*(?:_\w+|[a-z0-9][A-Z]\w*)|[A-Z]{2,}[a-z]\w*|_\w*[A-Za-z]\w*)|(?:^|[^\w.:-])(\d{2,10})(?:$|[^\w.:-])`)

// Names returns the names and literals that the output of a failure has from code, each once, in the order of
// the output. Lines that the passing end prints as well, but for numbers, do not count. Names is
// pure.
func Names(output, passing []byte) (list []string) {
	known, seen := linesWithoutDigits(passing), map[string]bool{}
	for _, text := range logLines(output) {
		if known[withoutDigits(text)] {
			continue
		}
		text = sited().ReplaceAllString(text, " ")
		for _, m := range codeName().FindAllStringSubmatch(text, -1) {
			name := m[slices.IndexFunc(m[1:], func(group string) bool { return group != "" })+1]
			if len(list) < mostNames && len(name) > 1 && !seen[name] {
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}
