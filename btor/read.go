package btor

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// A File is what a text says.
type File struct {
	Graph    *graph.Graph // a node for each line, in their order; see [Read]
	Version  int          // 2, 3, or 4 for one with next or anext, as read
	Warnings []string     // what is read, though no solver makes sense of it
	IDs      []int        // by node: its number in the text, 0 where it has none of its own
}

// An Error says what in a text is not BTOR. Where something is missing at the end
// of a line, Line is the one behind it, as solvers have it; Message names the line.
type Error struct {
	Line    int // from 1 on
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Read reads a text of version 2, 3 or 4 of the format. The graph has the words of
// version 3 (and next and anext of 4), whatever the text's: a cond of arrays is an
// acond, write and acond know the width of their index, and nego x is eq x 10..0,
// for one bit x itself. Nothing else is changed: lines that no root needs are there,
// equal ones twice.
//
// It rejects what a solver rejects, and in its words, as an [*Error]; operands that
// complement an array are read with a warning, since solvers fail on them, and such
// failures are to be reduced. It takes time and memory linear in the text.
func Read(text []byte) (*File, error) {
	r := newReader(text)
	for r.begin() {
		if !r.definition() || !r.end() {
			break
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	r.file.Graph = &graph.Graph{Nodes: r.nodes, Roots: r.roots}
	if r.file.Version == 0 {
		r.file.Version = 3
	}
	return &r.file, nil
}

// A reader reads a text from its begin. What returns a bool returns false when it
// has set err, or at the end of the text.
type reader struct {
	text string
	at   int // in text
	line int // of at
	err  *Error

	file   File
	nodes  []graph.Node
	rater  rater
	roots  []int
	ids    map[int]definition // by the numbers of the text
	nextOf map[int]bool       // nodes that next or anext is about
	negos  map[int]int        // by width, the node 10..0
	refs   []graph.Ref        // room for Args

	decided  int    // line that says which version the text is of
	decisive string // by what

	// The line that is being read.
	op       string // "" = not known yet
	rule     *rule
	id       int
	literals []int // its operands
	short    bool  // it is a write without the width of its index
}

// A definition is what a number of the text stands for.
type definition struct {
	node, line int32
	not        bool // its complement: only of a nego that is no node
}

func newReader(text []byte) *reader {
	r := &reader{text: string(text), line: 1, ids: map[int]definition{}, nextOf: map[int]bool{}, negos: map[int]int{}}
	// A node takes eight bytes of text and more. Texts of empty lines have none.
	most := min(strings.Count(r.text, "\n"), len(text)/8)
	r.nodes, r.file.IDs = make([]graph.Node, 0, most), make([]int, 0, most)
	return r
}

// next is the byte that is read next, -1 at the end.
func (r *reader) next() int {
	if r.at == len(r.text) {
		return -1
	}
	return int(r.text[r.at])
}

// fail sets the error.
func (r *reader) fail(format string, args ...any) bool {
	r.err = &Error{Line: r.line, Message: fmt.Sprintf(format, args...)}
	return false
}

// form is how the line that is read is to be.
func (r *reader) form() string {
	switch {
	case r.op == "":
		return "ID OPERATOR WIDTH ..."
	case r.short:
		return "ID " + r.op + " E A i v"
	}
	return "ID " + r.op + " " + r.rule.form
}

// expected fails because something else stands at the place that is read.
func (r *reader) expected(what string) bool {
	form := "a line is " + r.form()
	switch c := r.next(); c {
	case -1:
		return r.fail("%s: the text ends too early: %s, and a newline", what, form)
	case '\n':
		r.fail("%s: line %d ends too early: %s", what, r.line, form)
		r.err.Line++
		return false
	case '\r':
		return r.fail("%s, saw a carriage return: convert the line ends to those of Unix", what)
	case ' ', '\t':
		return r.fail("%s, saw a blank: %s", what, form)
	}
	return r.fail("%s, saw %s: %s", what, brief(r.word()), form)
}

// word is what stands up to the next blank.
func (r *reader) word() string {
	rest := r.text[r.at:]
	for i := range len(rest) {
		if isSpace(rest[i]) {
			return rest[:i]
		}
	}
	return rest
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isDigit(c int) bool { return '0' <= c && c <= '9' }

// begin goes to the number of the next definition.
func (r *reader) begin() bool {
	for {
		switch c := r.next(); {
		case c == -1:
			return false
		case c == '\n':
			r.at++
			r.line++
		case c == ';':
			r.comment()
		case c != '\r' && isSpace(byte(c)):
			r.at++
		case isDigit(c):
			return true
		default:
			r.op = ""
			return r.expected("expected ';' or digit")
		}
	}
}

// comment goes to the end of the line.
func (r *reader) comment() {
	if i := strings.IndexByte(r.text[r.at:], '\n'); i >= 0 {
		r.at += i
	} else {
		r.at = len(r.text)
	}
}

// end reads what may stand behind a definition.
func (r *reader) end() bool {
	r.blanks()
	switch c := r.next(); c {
	case ';':
		r.comment()
		return true
	case '\n':
		return true
	case -1:
		return r.fail("expected new line: end the last line with one")
	case '\r':
		return r.expected("expected new line")
	}
	why := "a line is " + r.form()
	if n := r.nodes; r.rule.text == symbolText && strings.HasPrefix(n[len(n)-1].Text, ";") {
		why = "behind " + r.op + " a ';' begins its symbol: put a symbol before the comment"
	}
	return r.fail("expected new line, saw %s: %s", brief(r.word()), why)
}

func (r *reader) blanks() {
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
}

// gap reads what separates two words.
func (r *reader) gap() bool {
	if c := r.next(); c != ' ' && c != '\t' {
		return r.expected("expected space or tab")
	}
	r.blanks()
	return true
}

// digits reads a number that begins here, without a sign.
func (r *reader) digits(what string) (int, bool) {
	begin, x := r.at, int64(0)
	for isDigit(r.next()) {
		if x = 10*x + int64(r.next()-'0'); x > maxNumber {
			r.at = begin
			return 0, r.fail("%s is too large: %s is at most %d", brief(r.word()), what, maxNumber)
		}
		r.at++
	}
	return int(x), true
}

// positive reads a number above zero.
func (r *reader) positive(what string) (int, bool) {
	switch c := r.next(); {
	case !isDigit(c):
		return 0, r.expected("expected digit")
	case c == '0':
		return 0, r.fail("expected non zero digit, saw %s: %s is 1 or more, without leading zeros", brief(r.word()), what)
	}
	return r.digits(what)
}

// natural reads a number that may be zero.
func (r *reader) natural() (int, bool) {
	switch c := r.next(); {
	case !isDigit(c):
		return 0, r.expected("expected digit")
	case c == '0':
		r.at++
		if isDigit(r.next()) {
			r.at--
			return 0, r.fail("digit after '0', saw %s: write numbers without leading zeros", brief(r.word()))
		}
		return 0, true
	}
	return r.digits("a number")
}

// operand reads an operand of a node, and what it refers to.
func (r *reader) operand() (graph.Ref, bool) {
	negative := r.next() == '-'
	what := "expected non zero digit or '-'"
	if negative {
		r.at++
		what = "expected non zero digit after '-'"
	}
	if c := r.next(); !isDigit(c) || c == '0' {
		return graph.Ref{}, r.expected(what)
	}
	id, ok := r.digits("an operand")
	if !ok {
		return graph.Ref{}, false
	}
	literal := id
	if negative {
		literal = -id
	}
	d, ok := r.ids[id]
	if !ok && (r.rule == nextRule || r.rule == anextRule) && len(r.literals) == 0 {
		return graph.Ref{}, r.fail("invalid next index %d: it is the number of a line before", literal)
	}
	if !ok {
		return graph.Ref{}, r.fail("literal '%d' undefined: operands are numbers of lines before", literal)
	}
	r.literals = append(r.literals, literal)
	return graph.Ref{To: int(d.node), Not: d.not != negative}, true
}

// definition reads a node up to the end of what belongs to it.
func (r *reader) definition() bool {
	r.op, r.literals, r.short = "", r.literals[:0], false
	var ok bool
	if r.id, ok = r.positive("a node number"); !ok {
		return false
	}
	if d, twice := r.ids[r.id]; twice {
		return r.fail("'%d' defined twice: first on line %d", r.id, d.line)
	}
	if !r.gap() || !r.operator() || !r.gap() {
		return false
	}
	r.nodes = append(r.nodes, graph.Node{Op: r.op})
	n := &r.nodes[len(r.nodes)-1]
	if n.Sort.Width, ok = r.positive("a width"); !ok {
		return false
	}
	switch r.rule {
	case writeRule:
		return r.write(n) && r.define()
	case negoRule:
		return r.rest(n, false) && r.judge(n) && r.nego(n)
	}
	return r.rest(n, r.rule.index) && r.judge(n) && r.define()
}

// operator reads the word of an operator.
func (r *reader) operator() bool {
	word := r.word()
	kind := operators[word]
	if word == opNego {
		kind = negoRule
	}
	if kind == nil {
		if word == "" {
			return r.expected("expected space or tab")
		}
		dialect, known := newer[word]
		lower := strings.ToLower(word)
		switch {
		case known:
			return r.fail("unsupported operator %s: it is of %s, and gitdd reads versions 2 to 4 of BTOR", brief(word), dialect)
		case word == "zeros":
			return r.fail("invalid operator 'zeros': it is called zero")
		case operators[lower] != nil:
			return r.fail("invalid operator %s: it is written in lower case, %s", brief(word), lower)
		}
		return r.fail("invalid operator %s: versions 2 to 4 of BTOR have none of that name", brief(word))
	}
	r.at += len(word)
	r.op, r.rule = word, kind
	switch kind {
	case negoRule:
		return r.is(2, word)
	case choiceRule:
		return r.is(3, word)
	case nextRule, anextRule:
		return r.is(4, word)
	}
	return true
}

// is notes that the text is of a version, by what the line has. Version 4 is 3 with
// more operators.
func (r *reader) is(version int, by string) bool {
	switch before := r.file.Version; {
	case before == 0:
		r.file.Version, r.decided, r.decisive = version, r.line, by
	case (before == 2) != (version == 2):
		return r.fail("%s is of version %d of the format, but %s on line %d of version %d: a text is of one", by, version, r.decisive, r.decided, before)
	case before < version:
		r.file.Version, r.decided, r.decisive = version, r.line, by
	}
	return true
}

// rest reads what stands behind the width of n; with index, its index first.
func (r *reader) rest(n *graph.Node, index bool) bool {
	var ok bool
	if index {
		if !r.gap() {
			return false
		}
		if n.Sort.Index, ok = r.positive("an index width"); !ok {
			return false
		}
	}
	n.Args = r.room(r.rule.args)
	for i := range n.Args {
		if !r.gap() {
			return false
		}
		if n.Args[i], ok = r.operand(); !ok {
			return false
		}
	}
	if r.rule.numbers > 0 {
		n.Numbers = make([]int, r.rule.numbers)
	}
	for i := range n.Numbers {
		if !r.gap() {
			return false
		}
		if n.Numbers[i], ok = r.natural(); !ok {
			return false
		}
	}
	switch r.rule.text {
	case noText:
		return true
	case symbolText:
		return r.symbol(n)
	}
	return r.gap() && r.constant(n)
}

// room returns refs that nobody else has.
func (r *reader) room(n int) []graph.Ref {
	if n == 0 {
		return nil
	}
	if cap(r.refs)-len(r.refs) < n {
		r.refs = make([]graph.Ref, 0, 1024)
	}
	from := len(r.refs)
	r.refs = r.refs[:from+n]
	return r.refs[from : from+n : from+n]
}

// symbol reads the name of a leaf: the next word, whatever it is. Between it and the
// width no blank is needed.
func (r *reader) symbol(n *graph.Node) bool {
	r.blanks()
	n.Text = r.word()
	r.at += len(n.Text)
	switch {
	case r.next() == -1:
		return r.fail("unexpected EOF: end the last line with a newline")
	case strings.IndexByte(n.Text, 0) >= 0:
		return r.fail("unexpected character in symbol %s: none has a NUL", brief(n.Text))
	}
	return true
}

// constant reads the digits of a constant.
func (r *reader) constant(n *graph.Node) bool {
	word := r.word()
	if i := strings.IndexByte(word, ';'); i >= 0 {
		word = word[:i]
	}
	if r.rule.text == decimalText {
		i := 0
		for i < len(word) && isDigit(int(word[i])) {
			i++
		}
		word = word[:i] // what else there is, is no end of a line
	}
	if word == "" && r.rule.text != binaryText {
		if r.rule.text == decimalText {
			return r.expected("expected digit")
		}
		return r.expected("expected hexadecimal digit")
	}
	n.Text = word
	r.at += len(word)
	return true
}

// write reads one of version 2, which does not say the width of its index, or 3. A
// first one tells by the number of its words which it is.
func (r *reader) write(n *graph.Node) bool {
	version := r.file.Version
	at, words := r.at, r.words()
	r.short = version == 2 || version == 0 && words == 3
	if version == 0 && words == 3 {
		if r.rest(n, false) && r.inner(n) && r.judge(n) {
			return r.is(2, "write without an index width")
		}
		two := r.err.Message
		r.at, r.err, r.literals, r.short = at, nil, r.literals[:0], false
		if r.rest(n, true) {
			panic("btor: three words became four")
		}
		if three := r.err; three.Line > r.line {
			three.Message += "; and as of version 2, " + two
		}
		return false
	}
	if version == 2 && words > 3 {
		return r.is(3, "write with an index width") // which fails
	}
	if version == 2 {
		return r.rest(n, false) && r.inner(n) && r.judge(n)
	}
	return r.rest(n, true) && r.judge(n) && r.is(3, "write with an index width")
}

// inner gives a write of version 2 the width of its array's index.
func (r *reader) inner(n *graph.Node) bool {
	n.Sort.Index = r.nodes[n.Args[0].To].Sort.Index
	return true
}

// words counts what stands between here and the end of the line.
func (r *reader) words() int {
	n := 0
	for i, blank := r.at, false; i < len(r.text) && r.text[i] != '\n' && r.text[i] != ';'; i++ {
		is := isSpace(r.text[i])
		if blank && !is {
			n++
		}
		blank = is
	}
	return n
}

// judge holds a node to its rule, and warns.
func (r *reader) judge(n *graph.Node) bool {
	if r.rule == conditionalRule && !r.arrays(n) {
		return false
	}
	r.rater.nodes, r.rater.literals = r.nodes, r.literals
	if fault := r.rule.fault(&r.rater, n); fault != "" {
		if !strings.Contains(fault, ": ") {
			fault += ": a line is " + r.form()
		}
		return r.fail("%s", fault)
	}
	for i, a := range n.Args {
		if a.Not && r.nodes[a.To].Sort.Array() {
			r.file.Warnings = append(r.file.Warnings, fmt.Sprintf("line %d: operand '%d' complements an array, which means nothing and breaks solvers", r.line, r.literals[i]))
		}
	}
	if r.rule == nextRule || r.rule == anextRule {
		of := n.Args[0].To
		if r.nextOf[of] {
			return r.fail("next index %d already used: it has one next value", r.literals[0])
		}
		r.nextOf[of] = true
	}
	return true
}

// arrays makes the cond of arrays of version 2 an acond.
func (r *reader) arrays(n *graph.Node) bool {
	index := max(r.nodes[n.Args[1].To].Sort.Index, r.nodes[n.Args[2].To].Sort.Index)
	if index == 0 {
		return true
	}
	if !r.is(2, "cond of arrays") {
		return false
	}
	r.rule, n.Op, n.Sort.Index = choiceRule, "acond", index
	return true
}

// define gives the last node the number of its line.
func (r *reader) define() bool {
	i := len(r.nodes) - 1
	r.file.IDs = append(r.file.IDs, r.id)
	r.ids[r.id] = definition{node: int32(i), line: int32(r.line)}
	if IsRoot(r.nodes[i]) {
		r.roots = append(r.roots, i)
	}
	return true
}
