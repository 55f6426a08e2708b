// Package graph is directed acyclic graphs whose nodes have sorts, and what can be
// done to them whatever their language: a node replaced, an edge laid to another
// node, what is out of reach dropped.
//
// It knows no operators. What it has to know of a language, a [Language] says; package
// btor has one.
//
// Read graph.go for the words. Each operation is a plan, which leads edges elsewhere,
// and then builds a graph of what the roots need (canonical.go):
//
//	Language.Replace       nodes become zeros or fresh leaves      replace.go
//	Graph.Rewrite          all edges to a node lead to another     rewrite.go
//	Graph.Redirect         one edge does                           rewrite.go
//	Graph.Affirm           edges lose their signs                  negations.go
//	Graph.Without          a root goes                             canonical.go
//
// Classes says which nodes are the same (classes.go), Depths which edges close no
// circle (depths.go), and Measure that a reduction ends (measure.go).
//
// Invariants: a graph is not changed once it is made. What an operation returns is
// canonical, and canonical graphs that differ in numbers alone are deeply equal. A
// replacement is less by [Measure] and has no more nodes. No edge closes a circle: that
// would be a panic. Everything takes time linear in nodes and edges, and no recursion:
// paths may be as long as a graph.
package graph
