package reduce

import (
	"bytes"
	"unicode/utf8"
)

// wholeTree is a tree whose root is the whole text.
func wholeTree(content []byte, children []*Node) *Tree {
	return &Tree{Source: content, Root: &Node{To: len(content), Children: children}}
}

// parseLines makes each line, with its end, an element. A text is lines however
// it ends them; a CR belongs to its line.
func parseLines(content []byte) (*Tree, error) {
	nodes := make([]Node, bytes.Count(content, []byte("\n"))+1)
	lines := make([]*Node, 0, len(nodes))
	for at := 0; at < len(content); {
		end := lineEnd(content, at)
		n := &nodes[len(lines)]
		n.Kind, n.From, n.To = "line", at, end
		lines = append(lines, n)
		at = end
	}
	return wholeTree(content, lines), nil
}

// lineEnd returns where the line that begins at an offset ends, its newline
// included.
func lineEnd(content []byte, at int) int {
	if i := bytes.IndexByte(content[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(content)
}

// byteElements is how many elements a text of bytes has at most: a larger one is
// cut into blocks of a power of two. They get smaller as the text does.
const byteElements = 1 << 20

// parseBytes makes each byte an element.
func parseBytes(content []byte) (*Tree, error) {
	unit := 1
	for len(content)/unit > byteElements {
		unit *= 2
	}
	count := (len(content) + unit - 1) / unit
	nodes := make([]Node, count)
	list := make([]*Node, count)
	for i := range list {
		nodes[i] = Node{Kind: "byte", From: i * unit, To: min((i+1)*unit, len(content))}
		list[i] = &nodes[i]
	}
	return wholeTree(content, list), nil
}

// looksBinary: a NUL, or mostly no UTF-8, in the first 8 kB.
func looksBinary(content []byte) bool {
	head := content[:min(len(content), 8<<10)]
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	bad := 0
	for rest := head; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			bad++
		}
		rest = rest[size:]
	}
	return bad > len(head)/4
}
