package grouping

import (
	"cmp"
	"go/ast"
	"slices"
)

// Constructs returns the lines of the declarations of a file, with the comments before them, and of the other nodes
// of its syntax tree that go over several lines, each once: from [0] to before [1], counted from 0. Nil when this
// build has no parser of the language, or the content does not read as one. Cost: one parse. Its type is changes.Constructs.
func Constructs(path string, content []byte) (list [][2]int) {
	l := languageOf(path, content)
	if len(content) > parseFileBytes {
		return nil
	}
	var declared []declaration
	if l == golang {
		list, declared = goConstructs(path, content)
	} else {
		p := newParsers()
		defer p.close()
		list, declared = p.constructs(l, content)
	}
	for _, d := range declared {
		if d.end > d.doc {
			list = append(list, [2]int{d.doc - 1, d.end})
		}
	}
	slices.SortFunc(list, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	return slices.Compact(list)
}

func goConstructs(path string, content []byte) (list [][2]int, declared []declaration) {
	r, ok := readGo(path, content, true)
	if !ok {
		return nil, nil
	}
	ast.Inspect(r.tree, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if start, end := r.line(n.Pos()), r.line(n.End()); start < end {
			list = append(list, [2]int{start - 1, end})
		}
		return true
	})
	return list, r.declarations
}
