package reduce

import (
	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// btorLeaf is how a BTOR file begins, behind comments: with a node that needs no
// other.
var btorLeaf = lazyregexp.New(`^(?:[ \t]*(?:;[^\n]*)?\n)*[ \t]*[1-9][0-9]*[ \t]+(?:var|array|constd?|consth|zero|ones?)[ \t]+[1-9][0-9]*(?:[ \t\n;]|$)`)

func looksBTOR(content []byte) bool {
	return btorLeaf().Match(content)
}

// readBTOR reads a graph with one root. A text of the format version 2 stays one.
func readBTOR(content []byte) (*digraph, error) {
	f, err := btor.Read(content)
	if err != nil {
		return nil, err
	}
	if err := btor.SingleRoot(f.Graph); err != nil {
		return nil, err
	}
	d := &digraph{g: f.Graph.Canonical(), language: btor.Language, widths: btor.NewWidths, notes: f.Warnings}
	d.text = func(g *graph.Graph) ([]byte, bool) { return btor.Text(g), true }
	if f.Version == 2 {
		d.text = func(g *graph.Graph) ([]byte, bool) {
			text, err := btor.Write(g, 2)
			return text, err == nil
		}
	}
	return d, nil
}
