package grouping

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/gitdd/gitdd/internal/lexical"
)

// A scopes says where the names of one version of a file are declared and used, as far as that can be told
// without a grammar: by function, and by the block of a declaration. Members are names with dots; see chains.
type scopes struct {
	used  map[boundName]bool // names that are used
	free  map[boundName]int  // names that are used, and nothing declares them or gives them a value: the line of the first use
	twice map[boundName]int  // names that one block declares twice: the line of the second declaration
	stray int                // the line of the first "break" or "continue" outside of loops, or "try" without "catch"; 0 = there is none
}

// readScopes reads the names of a file. Cost: four scans.
func readScopes(l language, path string, content []byte) scopes {
	blocks := blocksOf(l, content)
	s := scopes{map[boundName]bool{}, map[boundName]int{}, map[boundName]int{}, blocks.stray}
	declarations := outline(nil, path, content, false)
	side := newBoundSide(l, content, declarations)
	type place struct{ block, offset int }
	bound := map[boundName][]place{} // by name: the blocks in which the declarations hold, -1 = everywhere, and where they do
	type declared struct {
		boundName
		block int
	}
	inBlock := map[declared]bool{}
	script := seesOuter(l)
	side.each(func(t token, _ int, symbol string, head bool) {
		if p, ok := side.binding(t, symbol, head); ok {
			block := blocks.at(t.end)
			from := place{-1, 0}
			if t.once && block >= 0 && (script || l == cLanguage) { // elsewhere a class has members that its methods see
				from.block = block
				if blocks.list[block].kind == roundBlock { // of a loop
					from.block = blocks.list[block].parent
				}
				if !script && symbol != "" {
					from.offset = t.end
				}
			}
			bound[p] = append(bound[p], from)
			switch d := (declared{p, block}); {
			case !t.once || block < 0 || blocks.list[block].kind == roundBlock:
			case !inBlock[d]:
				inBlock[d] = true
			case s.twice[p] == 0:
				s.twice[p] = t.line
			}
		}
	})
	side.each(func(t token, _ int, symbol string, head bool) {
		if t.binds || script && bytes.HasPrefix(bytes.TrimLeft(content[t.end:], " \t"), []byte(":")) { // the key of an object
			return
		}
		p := boundName{symbol, string(t.text)}
		s.used[p] = true
		within := func(from place) bool { return from.offset <= t.end && blocks.within(t.end, from.block) }
		for at := symbol; !slices.ContainsFunc(bound[boundName{at, p.name}], within); at = side.outer[at] {
			if at == "" {
				if s.free[p] == 0 {
					s.free[p] = t.line
				}
				break
			}
			if !script && at == symbol {
				at = "" // others see what the file declares
			}
		}
	})
	read, given := chains(l, content, declarations)
	for chain, line := range read {
		p := boundName{"", chain} // no other name has a dot
		s.used[p] = true
		if given[chain] == 0 {
			s.free[p] = line
		}
	}
	return s
}

// scopeFault returns a check of mixtures of two versions of a file: whether a name is used where it is not declared, or has no
// value, although it is declared wherever a version uses it; whether a name is declared twice in a block, as in none of the
// versions; and whether a "break" or "continue" is outside of loops, or a "try" has no "catch". The check returns the first
// fault, by line.
func scopeFault(l language, path string, old, new []byte) func(language, []byte) fault {
	sides := [2]scopes{readScopes(l, path, old), readScopes(l, path, new)}
	return func(l language, text []byte) (first fault) {
		s := readScopes(l, path, text)
		if sides[good].stray == 0 && sides[bad].stray == 0 && s.stray > 0 {
			first = fault{line: s.stray, text: "break, continue or try at the wrong place"}
		}
		found := func(p boundName, line int, what string) { // the first one does not depend on the order of calls
			f := fault{line, lastName(p.name), p.name + what}
			if first.line == 0 || cmp.Or(f.line-first.line, cmp.Compare(f.text, first.text)) < 0 {
				first = f
			}
		}
		for p, line := range s.free {
			if (sides[good].used[p] || sides[bad].used[p]) && sides[good].free[p] == 0 && sides[bad].free[p] == 0 {
				found(p, line, " is not declared")
			}
		}
		for p, line := range s.twice {
			if sides[good].twice[p] == 0 && sides[bad].twice[p] == 0 {
				found(p, line, " is declared twice")
			}
		}
		return first
	}
}

// A blockKind says what a jump does in a block.
type blockKind uint8

const (
	plainBlock    blockKind = iota // goes to the block around it
	loopBlock                      // ends or continues it
	switchBlock                    // "break" ends it
	functionBlock                  // is an error
	roundBlock                     // between round brackets
	tryBlock                       // goes to the block around it; "catch" or "finally" must follow
)

// A block is what stands between brackets. Its parent is the innermost one around it, or -1.
type block struct {
	parent int
	kind   blockKind
}

// A blockTree has the blocks of a text. starts and ids say where which block is the innermost one.
type blockTree struct {
	list   []block
	starts []int // offsets, increasing
	ids    []int // likewise: the block from there on, or -1
	stray  int   // see scopes
}

// blocksOf reads the blocks of a text.
func blocksOf(l language, text []byte) *blockTree {
	b := &blockTree{starts: []int{0}, ids: []int{-1}}
	top := -1
	var heads []string // the words before the round brackets that are open
	var word, head string
	last, before := byte(0), byte(0) // of the code so far
	tried := false                   // the code so far ends with a block of "try"
	misplaced := func(at int) {
		if b.stray == 0 {
			b.stray = 1 + bytes.Count(text[:at], []byte{'\n'})
		}
	}
	s := lexical.NewScanner(text, syntaxOf(l).Rules, lexical.Names)
	enter := func(kind blockKind, at int) {
		b.list = append(b.list, block{top, kind})
		top = len(b.list) - 1
		b.starts, b.ids = append(b.starts, at), append(b.ids, top)
	}
	for {
		kind, from, to := s.Next()
		switch kind {
		case lexical.None:
			return b
		case lexical.Space, lexical.Comment:
			continue
		}
		if tried && (kind != lexical.Word || !isHandler[string(text[from:to])]) {
			misplaced(from)
		}
		tried = false
		switch kind {
		case lexical.Word:
			word = string(text[from:to])
			if last != '.' && isJump(word, text[to:]) && !(last == ')' && isLoop[head]) && !b.jumps(top, word) {
				misplaced(from)
			}
			before, last = last, 'a'
			continue
		case lexical.Opener:
			switch text[from] {
			case '(':
				heads = append(heads, word)
				enter(roundBlock, to)
			case '{':
				enter(kindOf(word, head, last, before), to)
			}
		case lexical.Closer:
			if c := text[from]; top >= 0 && (c == '}' || c == ')' && b.list[top].kind == roundBlock) {
				tried = b.list[top].kind == tryBlock
				top = b.list[top].parent
				b.starts, b.ids = append(b.starts, to), append(b.ids, top)
			}
			if n := len(heads); text[from] == ')' && n > 0 {
				head, heads = heads[n-1], heads[:n-1]
			}
		}
		before, last, word = last, text[from], ""
	}
}

// kindOf returns what a block is: word is the word before it or "", head that before the round brackets that end with last.
func kindOf(word, head string, last, before byte) blockKind {
	switch {
	case last == '>' && (before == '=' || before == '-'):
		return functionBlock
	case word == "do" || last == ')' && isLoop[head]:
		return loopBlock
	case word == "try":
		return tryBlock
	case last == ')' && head == "switch":
		return switchBlock
	case last == ')' && !isCondition[head]:
		return functionBlock
	}
	return plainBlock
}

var (
	isLoop    = setOf("for", "while", "foreach")
	isHandler = setOf("catch", "finally", "except", "rescue", "__except", "__finally")
	// isCondition has words before round brackets whose block is none of a function.
	isCondition = setOf("if", "catch", "with", "using", "lock", "synchronized", "fixed", "try")
)

// isJump reports whether a word, behind which rest comes, is a "break" or "continue" without a label.
func isJump(word string, rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r")
	return (word == "break" || word == "continue") && (len(rest) == 0 || rest[0] == ';' || rest[0] == '\n' || rest[0] == '}')
}

// at returns the innermost block around an offset, or -1.
func (b *blockTree) at(offset int) int {
	n, found := slices.BinarySearch(b.starts, offset)
	if !found {
		n--
	}
	return b.ids[n]
}

// within reports whether an offset is in a block; all are in block -1.
func (b *blockTree) within(offset, block int) bool {
	if block < 0 {
		return true
	}
	for at := b.at(offset); at >= block; at = b.list[at].parent { // a block comes after those around it
		if at == block {
			return true
		}
	}
	return false
}

// jumps reports whether a "break" or "continue" in a block has something to leave or to continue.
func (b *blockTree) jumps(in int, word string) bool {
	for ; in >= 0; in = b.list[in].parent {
		switch b.list[in].kind {
		case loopBlock:
			return true
		case switchBlock:
			if word == "break" {
				return true
			}
		case functionBlock:
			return false
		}
	}
	return false
}
