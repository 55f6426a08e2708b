package changes

import "bytes"

// maxHeading is the number of bytes that git keeps of such a line.
const maxHeading = 80

// A headline is the state of one pass over a text in search of headings: that of
// the lines before offset at is known.
type headline struct {
	text    []byte
	at      int
	heading string
}

// before returns the heading at offset i, the start of a line, and remembers it.
// Offsets must not decrease. A pass looks at every line once at most, and, from
// each offset upwards, seldom further than the function around it.
func (h *headline) before(i int) string {
	for end := i; end > h.at; {
		start := lineStart(h.text, end)
		line := h.text[start:end]
		if line[0] == '}' { // what was headed has ended
			h.heading = ""
			break
		}
		if isHeading(line) {
			line = bytes.TrimRight(line[:min(len(line), maxHeading)], " \t\r\n\v\f")
			h.heading = string(line)
			break
		}
		end = start
	}
	h.at = i
	return h.heading
}

// isHeading is git's rule where no driver is set for a file (xdiff, def_ff): the
// line starts with a letter, "_" or "$" at the left margin. As git's driver for
// C has it, jump targets ("out:") are left out.
func isHeading(line []byte) bool {
	if c := line[0]; !isLetter(c) && c != '$' {
		return false
	}
	for i, c := range line {
		if !isLetter(c) && (c < '0' || c > '9') {
			return c != ':' || len(bytes.TrimSpace(line[i+1:])) > 0
		}
	}
	return true
}

// headingOf returns a line that is a heading; "" = it is none.
func headingOf(line []byte) string {
	if isHeading(line) {
		return string(line)
	}
	return ""
}

// declaredName returns the name in front of the first bracket of a line that looks as if it declared a function of this
// name: it ends with "{" or ":", or is a heading that does not end with ";". "" = it does not. The language is not known.
func declaredName(line []byte) string {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		return ""
	}
	if last := text[len(text)-1]; last != '{' && last != ':' && (last == ';' || !isHeading(line)) {
		return ""
	}
	if receiver, ok := bytes.CutPrefix(text, []byte("func (")); ok { // of a method of Go
		_, text, _ = bytes.Cut(receiver, []byte(")"))
	}
	open := bytes.IndexByte(text, '(')
	if open < 0 {
		return ""
	}
	before := bytes.TrimRight(text[:open], " \t")
	word := bytes.TrimLeft(before, "} \t")
	word = word[:nameLength(word)]
	from := len(before)
	for from > 0 && isNamed(before[from-1]) {
		from--
	}
	name := string(before[from:])
	called := from > 0 && before[from-1] == '.' && string(word) != "function" // "function M.f(" of Lua declares
	if called || control[string(word)] && string(word) != "function" || control[name] || bytes.IndexByte(before, '=') >= 0 {
		return ""
	}
	return name
}

// isNamed reports whether a name may have a character, if in some language or another.
func isNamed(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '$' || c >= 0x80 }

// nameLength returns the length of the name that a text begins with.
func nameLength(text []byte) (n int) {
	for n < len(text) && isNamed(text[n]) {
		n++
	}
	return n
}

// control has words that begin a statement, or stand before a bracket, and declare nothing.
var control = map[string]bool{
	"if": true, "elif": true, "else": true, "elsif": true, "elseif": true, "for": true, "foreach": true, "while": true, "until": true, "switch": true, "match": true,
	"catch": true, "except": true, "return": true, "and": true, "or": true, "not": true, "in": true, "function": true, "with": true, "using": true, "synchronized": true, "new": true, "await": true, "throw": true, "yield": true, "case": true, "do": true, "assert": true,
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

// headings finds the headings of the hunks of two texts.
type headings struct{ old, new headline }

// of returns the heading of a hunk that follows those asked for before: in the
// new text, where the hunk leaves any lines there, else in the old.
func (h *headings) of(p span) string {
	if p.newOff < p.newEnd {
		return h.new.before(p.newOff)
	}
	return h.old.before(p.oldOff)
}
