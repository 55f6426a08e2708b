package grouping

import (
	"bytes"
	"iter"
	"sort"

	"github.com/gitdd/gitdd/internal/lexical"
)

// bracketMacros has the brackets that a macro of C closes and leaves open, such as "}" and "{{", by its name. Macros with brackets
// that match are not in it, and "" stands for one that is defined in different ways.
type bracketMacros map[string]string

// note adds the macros that a content defines.
func (b bracketMacros) note(content []byte) {
	for at := 0; at < len(content); {
		end := directiveEnd(content, at)
		if name, body := macroBody(content[at:end]); name != nil {
			if left := leftOpen(body); left != "" {
				b.add(string(name), left)
			}
		}
		at = end + 1
	}
}

func (b bracketMacros) add(name, left string) {
	if was, ok := b[name]; ok && was != left {
		left = ""
	}
	b[name] = left
}

// in returns those that count in a language.
func (b bracketMacros) in(l language) bracketMacros {
	if syntaxOf(l).family != "c" {
		return nil
	}
	return b
}

// macroBody returns the macro that a line of the preprocessor defines, or nil, and what it stands for.
func macroBody(line []byte) (name, body []byte) {
	line, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
	word, rest := firstWord(bytes.TrimLeft(line, " \t"))
	if !ok || string(word) != "define" {
		return nil, nil
	}
	return firstWord(rest)
}

// leftOpen returns the brackets in a text that match no others.
func leftOpen(text []byte) string {
	var left []byte
	for _, c := range eachBracket(cpp, text, nil) {
		if top := len(left) - 1; top >= 0 && left[top] == opening[c] {
			left = left[:top]
		} else {
			left = append(left, c)
		}
	}
	return string(left)
}

// opening is the bracket that a closing one closes.
var opening = map[byte]byte{')': '(', ']': '[', '}': '{'}

// eachBracket yields the brackets of a content with their offsets, and with the offset of a macro the brackets that this stands for.
func eachBracket(l language, content []byte, macros bracketMacros) iter.Seq2[int, byte] {
	return func(yield func(int, byte) bool) {
		begins := true // a line
		for s := lexical.NewScanner(content, syntaxOf(l).Rules, lexical.Names); ; {
			kind, from, to := s.Next()
			switch kind {
			case lexical.None:
				return
			case lexical.Space:
				begins = begins || bytes.IndexByte(content[from:to], '\n') >= 0
				continue
			case lexical.Comment:
				continue
			case lexical.Opener, lexical.Closer:
				if !yield(from, content[from]) {
					return
				}
			case lexical.Word:
				for _, c := range []byte(macros[string(content[from:to])]) {
					if !yield(from, c) {
						return
					}
				}
			case lexical.Operator:
				if end := directiveEnd(content, from); begins && len(macros) > 0 && content[from] == '#' {
					if name, _ := macroBody(content[from:end]); macros[string(name)] != "" {
						s.At = end
					}
				}
			}
			begins = false
		}
	}
}

// unmatched returns the line of the first bracket that does not match what was opened
// before it, or the last line if one stays open; 0 if all match. It can be said of a text
// that no parser here reads, such as C with macros. Cost: one scan.
func unmatched(l language, content []byte, macros bracketMacros) int {
	starts := lineStarts(content)
	var open []byte
	for at, c := range eachBracket(l, content, macros) {
		top := len(open) - 1
		switch {
		case opening[c] == 0:
			open = append(open, c)
		case top < 0 || open[top] != opening[c]:
			return sort.SearchInts(starts, at+1)
		default:
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
