package grouping

import "bytes"

// misindented returns the first line of a Python text whose indentation Python refuses, or 0
// if there is none or the text is of another language. A line is indented further than the
// line before it if, and only if, that line ends with a colon, which the last line does not;
// else it is indented as one of the blocks is that it is in. Blank lines, comments, and lines that continue another line do
// not count. The text may be a part of a file: its first line is at the outermost level.
//
// The grammar cannot tell: it takes lines that are indented too far for statements of the
// block before them. Cost: one scan of the text.
func misindented(l language, text []byte) int {
	if l != python {
		return 0
	}
	var levels []int // the indentation of the blocks that are open, the outermost first
	open, joined, opens := 0, false, false
	last := 0 // line with code
	for n, line := range bytes.Split(pythonCode(text), []byte{'\n'}) {
		code := bytes.TrimRight(line, " \t\r\f")
		begins := open == 0 && !joined
		joined = bytes.HasSuffix(code, []byte{'\\'})
		if len(code) == 0 {
			continue
		}
		if begins {
			indent, top := indentation(code), len(levels)-1
			switch {
			case top < 0 || opens && indent > levels[top]:
				levels = append(levels, indent)
			case opens || indent > levels[top]:
				return n + 1
			default:
				for top > 0 && indent < levels[top] {
					top--
				}
				if levels = levels[:top+1]; indent > levels[top] {
					return n + 1
				}
				levels[top] = indent // of a part of a file, what is further out than its first line
			}
		}
		for _, c := range code {
			switch c {
			case '(', '[', '{':
				open++
			case ')', ']', '}':
				open = max(0, open-1)
			}
		}
		opens, last = open == 0 && bytes.HasSuffix(code, []byte{':'}), n+1
	}
	if opens {
		return last
	}
	return 0
}

// pythonCode returns a text of the same lines with blanks for its comments, and letters for its
// strings. A line that ends in a string ends with a backslash then, for it goes on.
func pythonCode(text []byte) []byte {
	code := bytes.Clone(text)
	s := newScanner(text, python, 1)
	s.note = func(from, to int, comment bool) {
		for i := from; i < to; i++ {
			switch {
			case comment && code[i] != '\n':
				code[i] = ' '
			case comment:
			case code[i] != '\n':
				code[i] = 's'
			default:
				code[i-1] = '\\'
			}
		}
	}
	for ok := true; ok; {
		_, ok = s.next()
	}
	return code
}

// indentation returns the column at which a line begins, as Python counts: a tab goes on to the
// next multiple of 8.
func indentation(line []byte) (column int) {
	for _, c := range line {
		switch c {
		case ' ':
			column++
		case '\t':
			column += 8 - column%8
		case '\f':
			column = 0
		default:
			return column
		}
	}
	return column
}
