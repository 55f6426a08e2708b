package grouping

import (
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// maxBracketTies is how many hunks a hunk may be tied to by its brackets.
const maxBracketTies = 8

// brackets ties a hunk that leaves more brackets open than its old lines did to the hunk
// that closes them, and one that closes more to the hunk that opens them: with one of the
// two alone the file does not parse, however far apart they are. Hunks are matched as
// brackets are, by how many more brackets each leaves open in its new lines than in its
// old ones. In C, a macro counts as the brackets that it stands for. Cost: one scan of both sides.
func (f *file) brackets(all []facts, list []changes.Change, macros bracketMacros, old, new []byte) {
	if len(f.text) < 2 {
		return
	}
	l := languageOf(f.path, new)
	if wholeOnly(l) || syntaxOf(l).family == "" {
		return
	}
	sides := [2][][3]int{depths(languageOf(f.oldPath, old), old, macros), depths(l, new, macros)}
	var stacks [3][]pending
	ties := map[int]int{} // by hunk
	for _, i := range f.text {
		c := &list[i]
		if c.Part != (changes.Part{}) {
			continue
		}
		before := depthOf(sides[good], c.OldStart, c.OldLines)
		after := depthOf(sides[bad], c.NewStart, c.NewLines)
		for k := range stacks {
			if l == bash && k == 0 {
				continue // a pattern of case closes what nothing opens
			}
			stacks[k] = match(stacks[k], pending{i, after[k] - before[k]}, func(j int) {
				if ties[i] < maxBracketTies && ties[j] < maxBracketTies {
					ties[i]++
					ties[j]++
					tie(all, i, j)
				}
			})
		}
	}
}

// A pending is a hunk that leaves so many more brackets or conditions open than its old lines did, or closes more if count is
// below 0, for which no match is found yet.
type pending struct{ change, count int }

// match matches a hunk with the last ones that are pending, as brackets are, and returns what is pending then. matched is told
// each hunk that it is matched with.
func match(stack []pending, p pending, matched func(change int)) []pending {
	for p.count != 0 {
		top := len(stack) - 1
		if top < 0 || stack[top].count > 0 == (p.count > 0) {
			return append(stack, p)
		}
		matched(stack[top].change)
		rest := stack[top].count + p.count
		if rest != 0 && rest > 0 != (p.count > 0) {
			stack[top].count = rest
			break
		}
		stack, p.count = stack[:top], rest
	}
	return stack
}

// tie lets two changes require each other.
func tie(all []facts, i, j int) {
	all[i].requires = append(all[i].requires, j)
	all[j].requires = append(all[j].requires, i)
}

// depths returns how many brackets of each of three kinds are open before each line of a
// content, and at its end.
func depths(l language, content []byte, macros bracketMacros) [][3]int {
	starts := lineStarts(content)
	list := make([][3]int, 0, len(starts)+1)
	var open [3]int
	for at, c := range eachBracket(l, content, macros) {
		for len(list) < len(starts) && starts[len(list)] <= at {
			list = append(list, open)
		}
		if k := strings.IndexByte("([{", c); k >= 0 {
			open[k]++
		} else {
			open[strings.IndexByte(")]}", c)]--
		}
	}
	for len(list) <= len(starts) {
		list = append(list, open)
	}
	return list
}

// depthOf returns how many more brackets are open behind some lines than before them.
func depthOf(depths [][3]int, start, lines int) (more [3]int) {
	if lines == 0 || start < 1 || start-1+lines >= len(depths) {
		return more
	}
	for k := range more {
		more[k] = depths[start-1+lines][k] - depths[start-1][k]
	}
	return more
}
