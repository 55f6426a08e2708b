package reduce

import (
	"context"
	"slices"
	"strings"
)

// passResults takes out what a function says that it returns, together with the statements that return
// something. It is for languages with a grammar, which calls them so.
func passResults(ctx context.Context, t *text) error {
	return t.rewrite(ctx, func(s *search) (ps []Proposal) {
		var functions []*Node
		returns := map[*Node][]*Node{}
		var walk func(n, function, statement *Node)
		walk = func(n, function, statement *Node) {
			if statement == nil || n.From > statement.From || !removable(statement) {
				statement = n // else it is the outermost that begins here
			}
			switch {
			case strings.HasPrefix(n.Kind, "return_") && function != nil && len(n.Children) > 0:
				returns[function] = append(returns[function], statement)
				return
			case isFunction(n.Kind):
				function = n
				functions = append(functions, n)
			}
			for _, c := range n.Children {
				walk(c, function, statement)
			}
		}
		walk(s.tree.Root, nil, nil)
		for _, f := range functions {
			of := returns[f]
			if len(of) == 0 {
				continue
			}
			for _, c := range f.Children {
				if c.From < of[0].From && of[0].To <= c.To {
					break // the body
				}
				if removable(c) && !slices.ContainsFunc([]string{"(", "{"}, func(open string) bool { return strings.HasPrefix(string(s.tree.source(c)), open) }) {
					ps = append(ps, removing(append([]*Node{c}, of...)...))
				}
			}
		}
		return ps
	})
}

// isFunction reports whether a grammar calls a node so that it is a function with a body, or may be one.
func isFunction(kind string) bool {
	return slices.ContainsFunc([]string{"function", "func_", "method", "lambda", "closure"}, func(word string) bool { return strings.Contains(kind, word) })
}
