// Package btor is the language of bit-vector graphs with arrays that the solver
// Boolector reads, BTOR: it reads, writes, checks and generates its graphs, says what
// a reduction may do to them, draws them, and translates them to SMT-LIB 2. It starts
// no solver, and is pure.
//
// # The way of a graph
//
//	text    ── Read ──> File, its graph.Graph            read.go, scan.go, version.go
//	Options ── Generate ──> Graph, text                  generate*.go, random.go
//	Graph   ── Check ──> what breaks a rule              check.go
//	Graph   ── Language, Simplify, Widths ──> Graph      language.go, simplify.go, widths.go
//	Graph   ── Write, Text ──> text                      write.go
//	Graph   ── SMT2 ──> text                             smt2.go
//	File    ── Draw, Compare ──> Drawing                 draw.go, draw_match.go
//	Drawing ── SVG, DOT ──> picture                      layout*.go, svg.go, dot.go
//
// To begin with, read ops.go: a table of the operators, each with a rule that says how
// its lines are written and which widths fit each other. Reader and Check hold nodes to
// the same rules (faults.go, constants.go). What else is to be known of an operator
// stands where it is needed: simplify.go, widths.go (which widths have to agree),
// generate_groups.go, smt2.go.
//
// In memory all graphs speak version 3 of the format: a cond of arrays is an acond, a
// write knows the width of its index, and there is no nego.
//
// # Guarantees
//
// What Text prints of a canonical graph is read as that graph. What is made of a
// well-formed graph is well-formed and a solver reads it, and no array gets a sign that
// it had not: signs of arrays mean nothing, and break solvers. Simplify keeps values; a
// replacement, a simplification or a narrowing is less by the measure of [Language]. A
// seed gives the same bytes everywhere. All takes time linear in the text or the graph,
// but for sorting and where it says so, and no recursion is as deep as a graph.
package btor
