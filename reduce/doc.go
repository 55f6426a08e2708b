// Package reduce minimises a failing input. It runs nothing itself: a [Test] says
// whether an input still fails in the same way, and [Reduce] calls it with smaller
// and smaller inputs. [Isolate] takes a failing and a passing input, and finds the
// part of their difference that matters (difference.go).
//
// # How an input is processed
//
//	input ── unpack ──> files ── byFiles ──> fewer files             archive*.go, files.go
//	file  ── parseText ──> Tree                                      format*.go, grammar*.go
//	Tree  ── tree algorithm ──> lists of Proposals                   algorithms.go, hdd.go, hoist.go, perses.go
//	file  ── cut ──> text of pieces ── pass ──> lists of Proposals   scanner.go, text.go, pass_*.go
//	Proposals ── isolate.Minimize ──> Edits that are made together   search.go
//	Edits ── Render ──> candidate ── Test ──> outcome                node.go, state.go
//
// A [Tree] is a text and its [Node]s. An [Edit] replaces a node by something else,
// usually by nothing. Passes and tree algorithms only propose edits; only a search
// (search.go) runs tests. Each input that it accepts is strictly smaller than the
// one before, in one total order (see smaller), so a reduction cannot repeat itself,
// whatever the passes do. The reduction remembers every outcome, and accepts an
// input if it fails.
//
// schedule.go has the order in which passes run, and passes.go the list of passes.
// In the end certify.go tries to remove each remaining element by itself.
//
// # Graphs
//
// A format of graphs, such as btor, turns a file into a [graph.Graph] instead of a
// Tree. A dag does for a graph what a search does for a tree:
//
//	file  ── digraph ──> graph.Graph                                 format_btor.go, dag_text.go
//	Graph ── graph algorithm, pass ──> lists of Graphs               dag_algorithms.go, dag_auto.go, pass_graph.go, pass_widths.go
//	Graphs ── offers, lists ──> candidates                           dag.go, offers.go
//
// Graph algorithms know a [graph.Language], but no operator. The algorithm auto edits a
// workspace (dag_workspace.go), in which nodes keep their numbers; dag_hoist.go chooses
// the replacements of a node that auto tests. Algorithms that visit each node once
// (dag_single.go, dag_changeref.go) use dag_follow.go to find the nodes that they have
// visited in the new graph. In the end dag_certify.go tries to replace each single node.
//
// # Formats
//
// A format is a function from a content to a Tree, and defines what the elements are. For
// a language with a grammar, a grower makes this function from the rules of the grammar
// (grammar.go, grammar_grow.go). The other formats (format_NAME.go) read only as much as is
// needed to know which parts may be removed. They use the scanner of package
// internal/lexical (scanner.go), which has the rules of the languages. Passes know no format: they replace
// text by text, and work on pieces, which are the same tokens with the white space between them.
//
// # Guarantees
//
// If the test gives an input the same outcome each time, then:
//
//   - [Result.Output] was tested and fails, or is the original input.
//   - Each input that was accepted is smaller than the one before; a graph has no more
//     nodes than the one before.
//   - If Result.Minimal is true, each single element was tried and cannot be removed.
//   - The trials, their order and the result are the same for every [Options.Jobs]. A trial
//     that was run ahead counts when the path asks for it.
//
// Making one candidate takes time linear in the size of the input.
package reduce
