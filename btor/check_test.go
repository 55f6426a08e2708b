package btor

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/graph"
)

// Graphs in memory that no text could be read as.
func TestCheck(t *testing.T) {
	bits := func(w int) graph.Sort { return graph.Sort{Width: w} }
	to := func(nodes ...int) []graph.Ref {
		var refs []graph.Ref
		for _, n := range nodes {
			refs = append(refs, graph.Ref{To: n})
		}
		return refs
	}
	x := graph.Node{Op: "var", Sort: bits(4)}
	for _, row := range []struct {
		nodes []graph.Node
		roots []int
		want  string // "" = none
	}{
		{nil, nil, ""},
		{[]graph.Node{x, {Op: "root", Sort: bits(4), Args: to(0)}}, []int{1}, ""},
		{[]graph.Node{x, {Op: "not", Sort: bits(3), Args: to(0)}}, nil, "node 2 (not): literal '1' has length '4' but expected '3'"},
		{[]graph.Node{x, {Op: "not", Sort: bits(3), Args: []graph.Ref{{To: 0, Not: true}}}}, nil, "node 2 (not): literal '-1' has length '4' but expected '3'"},
		{[]graph.Node{{Op: "nego", Sort: bits(1)}}, nil, "node 1 (nego): invalid operator"},
		{[]graph.Node{{Op: "a\x1bb", Sort: bits(1)}}, nil, `node 1 (a\x1bb): invalid operator`},
		{[]graph.Node{{Op: "var"}}, nil, "node 1 (var): width 0 is not between 1 and 2147483647"},
		{[]graph.Node{{Op: "var", Sort: bits(-3)}}, nil, "node 1 (var): width -3 is not between"},
		{[]graph.Node{{Op: "var", Sort: graph.Sort{Width: 1, Index: 2}}}, nil, "node 1 (var): index width 2 does not fit the operator"},
		{[]graph.Node{{Op: "array", Sort: bits(1)}}, nil, "node 1 (array): index width 0 does not fit the operator"},
		{[]graph.Node{{Op: "array", Sort: graph.Sort{Width: 1, Index: -1}}}, nil, "node 1 (array): index width -1 is not between"},
		{[]graph.Node{x, {Op: "add", Sort: bits(4), Args: to(0)}}, nil, "node 2 (add): 1 operands instead of 2"},
		{[]graph.Node{x, {Op: "slice", Sort: bits(4), Args: to(0), Numbers: []int{3}}}, nil, "node 2 (slice): 1 numbers instead of 2"},
		{[]graph.Node{x, {Op: "slice", Sort: bits(6), Args: to(0), Numbers: []int{3, -2}}}, nil, "node 2 (slice): number -2 is not between"},
		{[]graph.Node{x, {Op: "not", Sort: bits(4), Args: to(1)}}, nil, "node 2 (not): literal '2' undefined: operands stand before"},
		{[]graph.Node{x, {Op: "not", Sort: bits(4), Args: to(-1)}}, nil, "node 2 (not): literal '0' undefined"},
		{[]graph.Node{{Op: "var", Sort: bits(4), Text: "a b"}}, nil, "node 1 (var): symbol 'a b' has characters that none has"},
		{[]graph.Node{{Op: "array", Sort: graph.Sort{Width: 1, Index: 1}, Text: "a\n"}}, nil, `node 1 (array): symbol 'a\n' has characters that none has`},
		{[]graph.Node{{Op: "var", Sort: bits(4), Text: "a\x00"}}, nil, `node 1 (var): symbol 'a\x00' has`},
		{[]graph.Node{{Op: "zero", Sort: bits(4), Text: "a"}}, nil, "node 1 (zero): unexpected text 'a'"},
		{[]graph.Node{{Op: "const", Sort: bits(2), Text: "1;"}}, nil, "node 1 (const): expected '0' or '1', saw ';'"},
		{[]graph.Node{{Op: "constd", Sort: bits(2)}}, nil, "node 1 (constd): expected digit"},
		{[]graph.Node{{Op: "constd", Sort: bits(9), Text: "1 2"}}, nil, "node 1 (constd): expected digit, saw ' '"},
		{[]graph.Node{{Op: "consth", Sort: bits(2), Text: ""}}, nil, "node 1 (consth): expected hexadecimal digit"},
		{[]graph.Node{x, {Op: "root", Sort: bits(4), Args: to(0)}}, nil, "node 2 (root): it is not in its place among the roots"},
		{[]graph.Node{x, {Op: "root", Sort: bits(4), Args: to(0)}}, []int{1, 1}, "the graph counts node 2 among its roots"},
		{[]graph.Node{x, {Op: "root", Sort: bits(4), Args: to(0)}}, []int{0, 1}, "node 2 (root): it is not in its place among the roots"},
		{[]graph.Node{x}, []int{0}, "the graph counts node 1 among its roots"},
		{[]graph.Node{x, {Op: "next", Sort: bits(4), Args: to(0, 0)}, {Op: "next", Sort: bits(4), Args: to(0, 0)}}, []int{1, 2}, "node 3 (next): next index 1 already used"},
		{[]graph.Node{x, {Op: "next", Sort: bits(4), Args: []graph.Ref{{To: 0, Not: true}, {To: 0}}}}, []int{1}, "node 2 (next): next index -1 is not a variable"},
	} {
		g := &graph.Graph{Nodes: row.nodes, Roots: row.roots}
		err := Check(g)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.HasPrefix(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %s", Text(g), err, row.want)
		}
	}
}
