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
	if word == "nego" {
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
