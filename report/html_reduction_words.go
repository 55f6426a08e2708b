package report

// keptWords marks the bytes of the words of before that after has in the same order,
// as many as can be, and counts them. Among the ways to choose them it takes one with
// many neighbours together. marks[i] is nil where nothing of line i is marked; nothing
// is where the texts are too long to compare. Cost O(words of the one · of the other).
func keptWords(before, after []string) (marks [][]bool, count int) {
	marks = make([][]bool, len(before))
	type word struct {
		text     string
		line, at int
	}
	split := func(lines []string) (words []word) {
		for i, line := range lines {
			at := 0
			for _, w := range cutWords(line) {
				if weight(w) > 0 {
					words = append(words, word{w, i, at})
				}
				at += len(w)
			}
		}
		return words
	}
	a, b := split(before), split(after)
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > pageWords {
		return marks, 0
	}
	// best[i][j] is the most that a[i:] and b[j:] can share, where a word counts two
	// and one more if the word before it is shared as well, as then[i][j] says for a
	// pair that follows a shared one.
	width := len(b) + 1
	best := make([]int32, (len(a)+1)*width)
	then := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			at := i*width + j
			most := max(best[at+width], best[at+1])
			after := most
			if a[i].text == b[j].text {
				both := then[at+width+1]
				most = max(most, 2+both)
				after = max(after, 3+both)
			}
			best[at], then[at] = most, after
		}
	}
	follows := false
	for i, j := 0, 0; i < len(a) && j < len(b); {
		at := i*width + j
		value := best[at]
		gain := int32(2)
		if follows {
			value, gain = then[at], 3
		}
		if a[i].text == b[j].text && value == gain+then[at+width+1] {
			w := a[i]
			if marks[w.line] == nil {
				marks[w.line] = make([]bool, len(before[w.line]))
			}
			set(marks[w.line], w.at, w.at+len(w.text))
			count++
			i, j, follows = i+1, j+1, true
			continue
		}
		follows = false
		if best[at+width] >= best[at+1] {
			i++
		} else {
			j++
		}
	}
	return marks, count
}
