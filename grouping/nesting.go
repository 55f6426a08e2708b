package grouping

import (
	"bytes"
	"sort"

	"github.com/gitdd/gitdd/internal/lexical"
)

// unmatched returns the line of the first bracket that does not match what was opened
// before it, or the last line if one stays open; 0 if all match. It can be said of a text
// that no parser here reads, such as C with macros. Cost: one scan.
func unmatched(l language, content []byte) int {
	starts := lineStarts(content)
	var open []byte
	s := lexical.NewScanner(content, syntaxOf(l).Rules, lexical.Names)
	for kind, from, _ := s.Next(); kind != lexical.None; kind, from, _ = s.Next() {
		switch c := content[from]; kind {
		case lexical.Opener:
			open = append(open, c)
		case lexical.Closer:
			top := len(open) - 1
			if top < 0 || open[top] != map[byte]byte{')': '(', ']': '[', '}': '{'}[c] {
				return sort.SearchInts(starts, from+1)
			}
			open = open[:top]
		}
	}
	if len(open) > 0 {
		return max(1, len(starts)-1)
	}
	return 0
}

// unconditioned returns the line of the first condition of the preprocessor of C that
// does not match what was opened before it, or the last line if one stays open; 0 if all
// match.
func unconditioned(l language, content []byte) int {
	if syntaxOf(l).family != "c" {
		return 0
	}
	var conditions []byte // for each that is open: i behind #if, e behind #else
	number := 0
	for row := range bytes.Lines(content) {
		number++
		row = bytes.TrimSpace(row)
		if len(row) == 0 || row[0] != '#' {
			continue
		}
		word, _ := firstWord(bytes.TrimSpace(row[1:]))
		top := len(conditions) - 1
		switch string(word) {
		case "if", "ifdef", "ifndef":
			conditions = append(conditions, 'i')
		case "elif", "elifdef", "elifndef":
			if top < 0 || conditions[top] == 'e' {
				return number
			}
		case "else":
			if top < 0 || conditions[top] == 'e' {
				return number
			}
			conditions[top] = 'e'
		case "endif":
			if top < 0 {
				return number
			}
			conditions = conditions[:top]
		}
	}
	if len(conditions) > 0 {
		return max(1, number)
	}
	return 0
}
