package grouping

import (
	"bytes"

	"github.com/gitdd/gitdd/internal/lexical"
	parse "github.com/gitdd/gitdd/internal/syntax"
)

// misindented returns the number of the first line that Python refuses for its indentation, or 0
// if it refuses none or the text is of another language. A line behind one that ends with a colon
// must be indented further than that one, and any other line like one of the blocks that are
// open. A line that begins with "return" or "yield" must be inside a function, and "break" and "continue" inside a loop. Blank lines, comments, and lines that continue another line do not count. With whole
// set, the text must not end with a line that ends with a colon. Without whole it may be a part of
// a file, and later lines may be indented less than its first one. Columns are counted as Python 2
// counts them. Python 3 also refuses indentation that depends on the width of a tab, which is not
// checked.
//
// A grammar does not tell: it takes a line that is indented too far for a statement of the block
// before that line. Cost: one scan and a copy of the text.
func misindented(l language, text []byte, whole bool) int {
	if l != python {
		return 0
	}
	type block struct {
		indent int
		head   string // the first word of the line above it
	}
	var levels []block // that are open, the outermost first
	head := ""
	brackets := 0 // that are open
	continued := false
	expectsBlock := false
	last := 0 // the number of the last line with code
	for n, line := range bytes.Split(pythonCode(text), []byte{'\n'}) {
		code := bytes.TrimRight(line, " \t\r\f")
		if len(code) == 0 {
			continue
		}
		if brackets == 0 && !continued {
			indent, _ := parse.Indentation(code)
			top := len(levels) - 1
			switch {
			case top < 0 || expectsBlock && indent > levels[top].indent:
				levels = append(levels, block{indent, head})
			case expectsBlock || indent > levels[top].indent:
				return n + 1
			default:
				for top > 0 && indent < levels[top].indent {
					top--
				}
				if levels = levels[:top+1]; indent > levels[top].indent {
					return n + 1
				}
				levels[top].indent = indent // in a part of a file, it may be further out than the first line
			}
			word, rest := firstWord(bytes.TrimLeft(code, " \t\f"))
			if string(word) == "async" {
				word, _ = firstWord(bytes.TrimLeft(rest, " \t"))
			}
			head = string(word)
			if inside := needsAround[head]; inside != nil && levels[0].indent == 0 {
				at := len(levels) - 1
				for at > 0 && !inside[levels[at].head] && levels[at].head != "def" && levels[at].head != "class" {
					at--
				}
				if !inside[levels[at].head] {
					return n + 1
				}
			}
		}
		for _, c := range code {
			switch c {
			case '(', '[', '{':
				brackets++
			case ')', ']', '}':
				brackets = max(0, brackets-1)
			}
		}
		continued = bytes.HasSuffix(code, []byte{'\\'})
		expectsBlock, last = brackets == 0 && bytes.HasSuffix(code, []byte{':'}), n+1
	}
	if whole && expectsBlock {
		return last
	}
	return 0
}

// needsAround says, by the first word of a line, which words must begin the line above one of the blocks around it.
var needsAround = map[string]map[string]bool{
	"return": setOf("def"), "yield": setOf("def"), "break": setOf("for", "while"), "continue": setOf("for", "while"),
}

// misindentedFile is misindented of a whole file.
func misindentedFile(l language, text []byte) int { return misindented(l, text, true) }

// pythonCode returns a text of the same lines, with blanks for its comments and letters for its
// strings. Where a line ends inside a string and is not empty, a backslash says that the next
// line continues it.
func pythonCode(text []byte) []byte {
	code := bytes.Clone(text)
	s := lexical.NewScanner(text, syntaxOf(python).Rules, lexical.Names)
	for kind, from, to := s.Next(); kind != lexical.None; kind, from, to = s.Next() {
		if kind != lexical.Comment && kind != lexical.String {
			continue
		}
		for i := from; i < to; i++ {
			switch {
			case code[i] == '\n' && code[i-1] != '\n':
				code[i-1] = '\\'
			case code[i] == '\n':
			case kind == lexical.Comment:
				code[i] = ' '
			default:
				code[i] = 's'
			}
		}
	}
	return code
}
