package grouping

import "bytes"

// lexicalDeclarations lists declarations by the look of their first line, as
// git's xfuncname patterns do, for any language: where there is no grammar,
// no parser, or too much to parse. A declaration ends with the closing brace
// at its own indentation, or where the indentation says so. Nothing is an
// error. Time: one pass over the lines.
func lexicalDeclarations(l language, content []byte) []declaration {
	if syntaxOf(l).separate == "" { // data without any structure known here
		return nil
	}
	if l == cLanguage || l == cpp {
		content = outdented(withoutMacros(content), content)
	}
	r := lexicalReader{language: l, syntax: syntaxOf(l), braces: l != python && l != yaml && l != ruby}
	for line := 1; len(content) > 0; line++ {
		text, rest, _ := bytes.Cut(content, []byte{'\n'})
		r.read(line, text)
		content = rest
	}
	r.close(-1, 0)
	return r.list
}

// outdented returns a content in which each line is as far indented as in another one, of which blanks have taken the place of some words.
func outdented(content, indented []byte) []byte {
	var lines []byte
	for row := range bytes.Lines(content) {
		was := indented[:len(row)]
		indented = indented[len(row):]
		lines = append(lines, was[:len(was)-len(bytes.TrimLeft(was, " \t"))]...)
		lines = append(lines, bytes.TrimLeft(row, " \t")...)
	}
	return lines
}

type lexicalReader struct {
	language  language
	syntax    *syntax
	braces    bool // bodies end with braces, not with the indentation
	list      []declaration
	open      []openDeclaration // outer to inner, of increasing indentation
	filled    int               // the last line that was not blank
	comments  int               // first line of the comment lines that end on the line before, or 0
	inside    bool              // in a block comment
	continues int               // the declaration whose macro goes on on the next line, + 1
	typed     int               // the last line that may be the type of what the next line declares, such as "static int"
}

type openDeclaration struct {
	index, indent int
	container     bool
}

func (r *lexicalReader) read(line int, text []byte) {
	text = bytes.TrimRight(text, " \t\r")
	if r.continues > 0 {
		r.list[r.continues-1].end = line
		if !bytes.HasSuffix(text, []byte{'\\'}) {
			r.continues = 0
		}
		r.filled = line
		return
	}
	body := bytes.TrimLeft(text, " \t")
	if len(body) == 0 {
		r.comments = 0
		return
	}
	before := r.filled
	r.filled = line
	if r.comment(line, body) {
		return
	}
	doc := line
	if r.comments > 0 {
		doc = r.comments
	}
	r.comments = 0
	indent := len(text) - len(body)
	name, what := r.declared(body, indent)
	if name == nil && what == untyped && r.typed > 0 && r.typed == before {
		name, what = firstOnly(body), functionLike
	}
	if indent == 0 && r.syntax.family == "c" && isType(body) {
		r.typed = line
	}
	switch {
	case body[0] == '}' || body[0] == ')' && r.braces || !r.braces && string(body) == "end":
		r.close(indent+1, before)
		r.close(indent, line)
		return
	case name != nil:
		r.close(indent, min(before, doc-1))
	case !r.braces && body[0] != ')' && body[0] != ']':
		r.close(indent, before)
	case indent == 0 && (body[0] == '{' || body[0] == '#' || body[len(body)-1] == ':'):
		return // a body, a condition or a label at the left margin
	default:
		r.close(indent+1, before)
	}
	if name != nil {
		r.declare(name, what, indent, doc, line, text)
	}
}

// comment reads a line that is only comment or attribute, and reports whether
// it was one.
func (r *lexicalReader) comment(line int, body []byte) bool {
	is := r.inside || body[0] == '@' && r.syntax.family != "" || bytes.HasPrefix(body, []byte("#["))
	for _, mark := range r.syntax.Line {
		is = is || bytes.HasPrefix(body, []byte(mark))
	}
	for _, marks := range r.syntax.Block {
		opens := bytes.HasPrefix(body, []byte(marks[0]))
		if opens || r.inside {
			is, r.inside = true, !bytes.Contains(body, []byte(marks[1]))
		}
	}
	if is && r.comments == 0 {
		r.comments = line
	}
	return is
}

// close ends the open declarations of at least this indentation.
func (r *lexicalReader) close(indent, line int) {
	if indent < 0 {
		indent, line = 0, r.filled
	}
	for len(r.open) > 0 && r.open[len(r.open)-1].indent >= indent {
		d := &r.list[r.open[len(r.open)-1].index]
		d.end = max(d.end, line)
		r.open = r.open[:len(r.open)-1]
	}
}

func (r *lexicalReader) declare(name []byte, what declared, indent, doc, line int, text []byte) {
	d := declaration{symbol: string(name), doc: doc, start: line, end: line, at: line, unit: len(r.open) == 0}
	if r.syntax.family != "" && what != implementation {
		d.name = lastName(d.symbol)
	}
	if len(r.open) > 0 {
		around := r.open[len(r.open)-1]
		d.symbol = r.list[around.index].symbol + r.syntax.separate + d.symbol
		d.member = around.container
	}
	r.list = append(r.list, d)
	switch {
	case what == macro:
		if bytes.HasSuffix(text, []byte{'\\'}) {
			r.continues = len(r.list)
		}
	case what == prototype, r.braces && bytes.HasSuffix(text, []byte{';'}):
	case r.braces && bytes.HasSuffix(text, []byte{'}'}) && bytes.Count(text, []byte{'{'}) == bytes.Count(text, []byte{'}'}):
	default:
		r.open = append(r.open, openDeclaration{len(r.list) - 1, indent, what == classLike || what == implementation})
	}
}

// declared says what a line declares.
type declared uint8

const (
	functionLike declared = iota
	classLike
	prototype      // all of it on this line
	macro          // goes on after a backslash
	implementation // like a class, but the name is another's
	untyped        // nothing, unless the line before is a type
)

var modifiers = map[string]bool{
	"public": true, "private": true, "protected": true, "internal": true, "static": true, "final": true,
	"abstract": true, "async": true, "export": true, "default": true, "extern": true, "inline": true,
	"unsafe": true, "pub": true, "virtual": true, "override": true, "sealed": true, "partial": true,
	"open": true, "declare": true, "readonly": true, "typedef": true, "local": true,
}

var keywords = map[string]declared{
	"def": functionLike, "fn": functionLike, "func": functionLike, "function": functionLike, "sub": functionLike,
	"class": classLike, "struct": classLike, "union": classLike, "enum": classLike, "interface": classLike,
	"trait": classLike, "impl": implementation, "module": classLike, "record": classLike, "protocol": classLike,
}

var notNames = map[string]bool{
	"if": true, "for": true, "while": true, "switch": true, "return": true, "else": true, "do": true, "case": true,
	"catch": true, "foreach": true, "using": true, "lock": true, "new": true, "throw": true, "sizeof": true,
	"with": true, "try": true, "when": true, "until": true, "unless": true, "elif": true, "goto": true, "await": true,
	"yield": true, "delete": true, "typeof": true, "in": true, "not": true, "and": true, "or": true, "__attribute__": true,
}

// declared returns the name that a line declares, or nil.
func (r *lexicalReader) declared(body []byte, indent int) ([]byte, declared) {
	c := body[0]
	switch {
	case c == '#':
		return defined(body), macro
	case r.language == toml && c == '[':
		return bytes.Trim(body, "[] "), classLike
	case r.language == yaml && indent == 0:
		if name, _, ok := bytes.Cut(body, []byte{':'}); ok && c != '-' {
			return bytes.Trim(name, `"'`), classLike
		}
		return nil, 0
	case r.language == css && indent == 0 && body[len(body)-1] == '{':
		return bytes.TrimSpace(body[:len(body)-1]), classLike
	case !isLetter(c) || r.syntax.family == "":
		return nil, 0
	}
	rest, words := body, 0
	for {
		word, after := firstWord(rest)
		if word == nil {
			return nil, 0
		}
		if notNames[string(word)] {
			return nil, 0
		}
		what, ok := keywords[string(word)]
		switch {
		case ok:
			return r.keyword(what, after)
		case modifiers[string(word)]:
			rest = after
			words++
			continue
		case r.syntax.family == "javascript" && bindingKeywords[string(word)] && (bytes.Contains(after, []byte("=>")) || bytes.Contains(after, []byte("= function"))):
			name, _ := firstWord(after)
			return name, functionLike
		}
		return r.function(body, rest, indent, words)
	}
}

// keyword reads the name behind "class", "def" and their like.
func (r *lexicalReader) keyword(what declared, rest []byte) ([]byte, declared) {
	if i := bytes.IndexByte(rest, '>'); what == implementation && len(rest) > 0 && rest[0] == '<' && i > 0 { // impl<T>
		rest = bytes.TrimLeft(rest[i+1:], " ")
	}
	if bytes.HasPrefix(rest, []byte("self.")) { // of Ruby
		rest = rest[len("self."):]
	}
	if r.language == golang && len(rest) > 0 && rest[0] == '(' { // a receiver
		rest = bytes.TrimLeft(rest[bytes.IndexByte(rest, ')')+1:], " ")
	}
	if _, implementor, ok := bytes.Cut(rest, []byte(" for ")); ok && what == implementation {
		rest = implementor
	}
	name, after := firstWord(rest)
	if name == nil {
		return nil, 0
	}
	if what == classLike && r.syntax.family == "c" {
		// "struct a *f(" and "struct a x;" mention a; "struct a {" declares it.
		if open := bytes.IndexByte(after, '{'); open != 0 && !(len(after) == 0) && !(r.language == cpp && after[0] == ':') {
			return r.function(rest, rest, 0, 1)
		}
	}
	return name, what
}

// function reads "type name(...": the name is what stands before the first
// parenthesis. At the left margin in the C family, or with a body's brace.
func (r *lexicalReader) function(body, rest []byte, indent, words int) ([]byte, declared) {
	open := bytes.IndexByte(rest, '(')
	if open <= 0 {
		return nil, 0
	}
	head := bytes.TrimRight(rest[:open], " ")
	if bytes.IndexByte(head, '=') >= 0 || bytes.IndexByte(head, '"') >= 0 {
		return nil, 0
	}
	start := len(head)
	for start > 0 && wordByte(head[start-1]) {
		start--
	}
	name := head[start:]
	if len(name) == 0 || !isLetter(name[0]) || notNames[string(name)] || start > 0 && head[start-1] == '.' {
		return nil, 0
	}
	words += len(bytes.Fields(head[:start]))
	last := body[len(body)-1]
	switch {
	case r.language == bash:
		if bytes.HasPrefix(rest[open:], []byte("()")) && words == 0 {
			return name, functionLike
		}
	case r.syntax.family == "c" && indent == 0:
		if last == ';' {
			if words == 0 || bytes.IndexByte(rest, '{') >= 0 {
				return nil, 0 // a macro's call
			}
			return name, prototype
		}
		if words > 0 || last == '{' || last == ',' { // the type may stand on the line before
			return name, functionLike
		}
		return nil, untyped
	case last == '{' && r.braces && r.language != rust:
		return name, functionLike
	case last == ';' && r.braces && words > 0 && indent > 0 && (r.language == java || r.language == csharp) && bytes.IndexByte(rest[:open], '.') < 0 && modifiers[string(firstOnly(body))]:
		return name, prototype // abstract
	}
	return nil, 0
}

// isType reports whether a line has nothing but words and asterisks.
func isType(body []byte) bool {
	for i, c := range body {
		if !wordByte(c) && c != '*' && c != ' ' || i == 0 && !isLetter(c) {
			return false
		}
	}
	return !notNames[string(firstOnly(body))]
}

func firstOnly(text []byte) []byte {
	word, _ := firstWord(text)
	return word
}

// firstWord returns the identifier at the start of text, and the text behind
// it and its blanks.
func firstWord(text []byte) (word, after []byte) {
	i := 0
	for i < len(text) && (isLetter(text[i]) || i > 0 && isDigit(text[i])) {
		i++
	}
	if i == 0 {
		return nil, text
	}
	return text[:i], bytes.TrimLeft(text[i:], " \t")
}

// defined returns X of "#define X".
func defined(line []byte) []byte {
	rest := bytes.TrimLeft(line[1:], " \t")
	rest, ok := bytes.CutPrefix(rest, []byte("define "))
	if !ok {
		return nil
	}
	word, _ := firstWord(bytes.TrimLeft(rest, " \t"))
	return word
}
