package reduce

import (
	"bytes"

	"github.com/gitdd/gitdd/internal/lexical"
	"github.com/gitdd/gitdd/internal/syntax"
)

// parseIndent makes blocks of lines: a line and those behind it that stand further
// in. A line that only closes a bracket, or says end, closes the block before it.
func parseIndent(content []byte, l *lexical.Rules) *Tree { return indentTree(content, l, false) }

// parseYAML is for builds without grammars: blocks of lines, where an item of a
// sequence belongs to the key before it even if it does not stand further in.
func parseYAML(content []byte) (*Tree, error) {
	return indentTree(content, lexical.RulesOf(".yaml"), true), nil
}

// An indented line of the stack, with what belongs to it.
type indented struct {
	column int
	line   *Node
	body   []*Node
}

func indentTree(content []byte, l *lexical.Rules, dashes bool) *Tree {
	in := indents{b: brackets{text: content, Rules: l}}
	in.stack = append(in.stack, indented{column: -1})
	for at := 0; at < len(content); {
		end := lineEnd(content, at)
		column, text := syntax.Indentation(content[at:end])
		if dashes {
			column *= 2
			if bytes.HasPrefix(text, []byte("- ")) || bytes.Equal(bytes.TrimSpace(text), []byte("-")) {
				column++
			}
		}
		line := in.line(at, end)
		at = end
		if len(bytes.TrimSpace(text)) == 0 { // belongs to what is open
			top := &in.stack[len(in.stack)-1]
			top.body = append(top.body, line)
			continue
		}
		var closed *Node
		for in.stack[len(in.stack)-1].column >= column {
			same := in.stack[len(in.stack)-1].column == column
			if closed = in.pop(); !same {
				closed = nil
			}
		}
		if closed != nil && closed.Kind == "block" && closes(text) {
			// What stands behind it are blank lines.
			down := &in.stack[len(in.stack)-1]
			i := len(down.body) - 1
			for down.body[i] != closed {
				i--
			}
			line.Fixed = true
			closed.Children = append(append(closed.Children, down.body[i+1:]...), line)
			closed.To = line.To
			down.body = down.body[:i+1]
			continue
		}
		in.stack = append(in.stack, indented{column: column, line: line})
	}
	for len(in.stack) > 1 {
		in.pop()
	}
	return wholeTree(content, in.stack[0].body)
}

type indents struct {
	b     brackets
	stack []indented
}

// pop ends the innermost line and puts it, as a block if it has a body, into the
// one around it.
func (in *indents) pop() *Node {
	top := in.stack[len(in.stack)-1]
	in.stack = in.stack[:len(in.stack)-1]
	down := &in.stack[len(in.stack)-1]
	n := top.line
	// Blank lines at the end are not of the block.
	body := top.body
	for len(body) > 0 && body[len(body)-1].Kind == "blank" {
		body = body[:len(body)-1]
	}
	if len(body) > 0 {
		n = in.b.node("block", top.line.From, body[len(body)-1].To)
		n.Sort = "block"
		n.Children = append(append(make([]*Node, 0, len(body)+1), top.line), body...)
		top.line.Fixed = true
	}
	down.body = append(append(down.body, n), top.body[len(body):]...)
	return n
}

// line is a node for a line with its end; what is in it is arranged by brackets.
// What belongs to an empty line does not.
func (in *indents) line(from, to int) *Node {
	n := in.b.node("line", from, to)
	n.Children = in.b.read(from, to)
	if len(n.Children) == 0 {
		n.Kind = "blank"
	} else {
		n.Sort = "block"
	}
	return n
}

var closings = wordSet("end end; fi done esac endif endwhile endforeach endfor endfunction endmacro endmodule endcase")

// closes reports whether a line is the end of a block and nothing else.
func closes(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(bytes.Trim(text, ")]};, \t")) == 0 {
		return true
	}
	return closings[string(text)] || bytes.HasPrefix(text, []byte("</"))
}
