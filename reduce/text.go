package reduce

import (
	"bytes"
	"context"
	"slices"

	"github.com/gitdd/gitdd/internal/lexical"
)

// A text is the content of one file, cut into pieces for a pass. Its search is
// over a flat tree with a node for each piece.
type text struct {
	*search
	file   int // its number in the input
	rules  *lexical.Rules
	source []byte
	pieces []piece
	nodes  []*Node

	real     []int // the numbers of the pieces that are neither space nor comment
	partner  []int // of each bracket: the number of the piece that it belongs to; -1 = none
	balanced bool  // all brackets have one

	words []name         // see names; nil = they have not been looked for
	lists []argumentList // see argumentLists; the same
}

// open cuts a file of the best input.
func (r *reduction) open(file int, l *lexical.Rules) *text {
	t := &text{search: &search{reduction: r}, file: file, rules: l}
	t.reopen()
	return t
}

// reopen cuts the file as it is now.
func (t *text) reopen() {
	t.source = t.best.Files[t.file].Content
	t.pieces = cutPieces(t.source, t.rules)
	t.real, t.words, t.lists = nil, nil, nil
	nodes := make([]Node, len(t.pieces))
	t.nodes = make([]*Node, len(t.pieces))
	for i, p := range t.pieces {
		nodes[i] = Node{From: p.from, To: p.to}
		t.nodes[i] = &nodes[i]
		if p.kind != lexical.Space && p.kind != lexical.Comment {
			t.real = append(t.real, i)
		}
	}
	t.match()
	t.search.tree = wholeTree(t.source, t.nodes)
	t.search.made = Edits{}
	t.search.into = t.inFile(t.file, t.search.tree)
}

// make makes as many of some edits as it finds can be made together, and reads the text anew if there are any.
func (t *text) make(ctx context.Context, ps []Proposal) error {
	made, err := t.minimise(ctx, ps)
	if err == nil && slices.Contains(made, true) {
		t.reopen()
	}
	return err
}

// bytes returns a piece.
func (t *text) bytes(i int) []byte { return t.source[t.pieces[i].from:t.pieces[i].to] }

// is reports whether piece i is these characters.
func (t *text) is(i int, s string) bool {
	return 0 <= i && i < len(t.pieces) && string(t.bytes(i)) == s
}

// isName reports whether piece i is a word that is no keyword, and no directive behind its sign, as include is
// behind #.
func (t *text) isName(i int) bool {
	word := string(t.bytes(i))
	return t.pieces[i].kind == lexical.Word && !t.rules.IsKeyword(word) && (i == 0 || !t.rules.IsKeyword(string(t.bytes(i-1))+word))
}

// next returns the piece before (-1) or behind (1) piece i that is neither space nor comment, -1 if there is none.
func (t *text) next(i, step int) int {
	for i += step; 0 <= i && i < len(t.pieces); i += step {
		if kind := t.pieces[i].kind; kind != lexical.Space && kind != lexical.Comment {
			return i
		}
	}
	return -1
}

// glue reports whether what stands before piece i and behind piece j would grow
// together to another piece if nothing were between.
func (t *text) glue(i, j int) bool {
	if i == 0 || j+1 >= len(t.pieces) {
		return false
	}
	a, b := t.bytes(i-1), t.bytes(j+1)
	return glues(a, b)
}

// glues reports whether two texts are cut in another way when they touch.
func glues(a, b []byte) bool {
	last, first := a[len(a)-1], b[0]
	if isWord(last) && isWord(first) {
		return true
	}
	return !isSpace(last) && !isSpace(first) && lexical.OperatorLength(append([]byte{last}, b...)) > 1
}

// cutting proposes to take the pieces from i up to and with j out, and one of the
// white spaces beside them, if both sides can do without.
func (t *text) cutting(i, j int) Proposal {
	var p Proposal
	if i > 0 && t.pieces[i-1].kind == lexical.Space && (j+1 >= len(t.pieces) || !t.joins(i-2, j+1)) {
		if !bytes.Contains(t.bytes(i-1), []byte("\n")) || j+1 < len(t.pieces) && t.pieces[j+1].kind == lexical.Space {
			i--
		}
	}
	if t.beginsLine(i) && j+1 < len(t.pieces) && t.pieces[j+1].kind == lexical.Space && bytes.IndexByte(t.bytes(j+1), '\n') < 0 {
		j++ // what is behind is indented no more than what goes
	}
	for ; i <= j; i++ {
		p.Edits = append(p.Edits, NodeEdit{t.nodes[i], Edit{}})
	}
	return p
}

// beginsLine reports whether nothing but white space stands before piece i on its line.
func (t *text) beginsLine(i int) bool {
	return i == 0 || t.pieces[i-1].kind == lexical.Space && (i == 1 || bytes.IndexByte(t.bytes(i-1), '\n') >= 0)
}

// joins reports whether pieces i and j, of which one may not be there, would
// grow together.
func (t *text) joins(i, j int) bool {
	return i >= 0 && j < len(t.pieces) && glues(t.bytes(i), t.bytes(j))
}

// walk is that of the search. What is proposed is asked for again, of the text as
// it is then, whenever one was made.
func (t *text) walk(ctx context.Context, n int, propose func(i int) (Proposal, bool)) error {
	return t.search.walk(ctx, n, propose, t.reopen)
}

// match finds for each bracket the one that it belongs to.
func (t *text) match() {
	t.partner = make([]int, len(t.pieces))
	t.balanced = true
	var open []int
	for i, p := range t.pieces {
		t.partner[i] = -1
		switch p.kind {
		case lexical.Opener:
			open = append(open, i)
		case lexical.Closer:
			if len(open) > 0 && bracketsMatch(t.bytes(open[len(open)-1])[0], t.bytes(i)[0]) {
				t.partner[i], t.partner[open[len(open)-1]] = open[len(open)-1], i
				open = open[:len(open)-1]
			} else {
				t.balanced = false
			}
		}
	}
	t.balanced = t.balanced && len(open) == 0
}

func bracketsMatch(a, b byte) bool {
	return a == '(' && b == ')' || a == '[' && b == ']' || a == '{' && b == '}'
}
