package btor

import (
	"fmt"
	"strconv"

	"github.com/gitdd/gitdd/graph"
)

// Write returns g as a text of version 2 or 3 of the format, nodes numbered 1..n
// in their order. The graph satisfies [Check]. Version 4 is version 3 with next and
// anext, and written for 3, too; in version 2, which has neither, they are an error.
func Write(g *graph.Graph, version int) ([]byte, error) {
	switch version {
	case 2:
		for i := range g.Nodes {
			if n := g.Nodes[i]; isNext(n) {
				return nil, fmt.Errorf("node %d: version 2 has no %s: write version 3", i+1, n.Op)
			}
		}
	case 3, 4:
	default:
		return nil, fmt.Errorf("there is no format version %d to write: choose 2 or 3", version)
	}
	return render(g, version), nil
}

// Text returns g as a text of version 3, as [Write] does. What it prints of a
// canonical graph is read again as that graph.
func Text(g *graph.Graph) []byte { return render(g, 3) }

func render(g *graph.Graph, version int) []byte {
	text := make([]byte, 0, 20*len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		kind, op, index := operators[n.Op], n.Op, false
		if kind != nil {
			index = kind.index
		}
		if version == 2 && (kind == choiceRule || kind == writeRule) {
			index = false
			if kind == choiceRule {
				op = "cond"
			}
		}
		text = strconv.AppendInt(text, int64(i)+1, 10)
		text = append(text, ' ')
		text = append(text, op...)
		text = appendNumber(text, n.Sort.Width)
		if index {
			text = appendNumber(text, n.Sort.Index)
		}
		for _, a := range n.Args {
			if a.Not {
				text = appendNumber(text, -a.To-1)
			} else {
				text = appendNumber(text, a.To+1)
			}
		}
		for _, x := range n.Numbers {
			text = appendNumber(text, x)
		}
		if n.Text != "" {
			text = append(text, ' ')
			text = append(text, n.Text...)
		}
		text = append(text, '\n')
	}
	return text
}

func appendNumber(text []byte, x int) []byte {
	return strconv.AppendInt(append(text, ' '), int64(x), 10)
}
