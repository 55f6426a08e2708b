// Package reduce minimises a failing input; it runs nothing itself. A [Test] says
// of an input whether it fails the same way, and [Reduce] asks it about smaller
// and smaller ones. [Isolate] is for two inputs, of which one passes: what of
// their difference matters (difference.go).
//
// # The way of an input
//
//	input ── unpack ──> files ── byFiles ──> fewer files             archive*.go, files.go
//	file  ── parseText ──> Tree                                      format*.go, grammar*.go
//	Tree  ── tree algorithm ──> lists of Proposals                   algorithms.go, hdd.go, hoist.go, perses.go
//	file  ── cut ──> text of pieces ── pass ──> lists of Proposals   scanner.go, text.go, pass_*.go
//	Proposals ── isolate.Minimize ──> Edits that are made together   search.go
//	Edits ── Render ──> candidate ── Test ──> outcome                node.go, state.go
//
// A [Tree] is a text and its [Node]s; an [Edit] puts something else, mostly
// nothing, in the place of a node. Passes and tree algorithms only propose edits;
// a search is the one place that asks, and what it makes is strictly smaller in
// one order (see smaller): so nothing goes round in circles, whatever the passes
// do. The reduction remembers every outcome, and accepts what fails.
//
// schedule.go says when it is the turn of which pass, and passes.go what there is.
// In the end certify.go asks for each element that is left alone.
//
// # Graphs
//
// A format of graphs, such as btor, makes of a file a [graph.Graph] in place of a
// Tree, and a dag is to it what a search is to a tree:
//
//	file  ── digraph ──> graph.Graph                                 format_btor.go, dag_text.go
//	Graph ── graph algorithm, pass ──> lists of Graphs               dag_algorithms.go, dag_auto.go, pass_graph.go, pass_widths.go
//	Graphs ── offers, lists ──> candidates                           dag.go, offers.go
//
// Graph algorithms know a [graph.Language], and no operator. auto edits a workspace
// (dag_workspace.go), in which nodes keep their numbers, and dag_hoist.go chooses what
// it asks about in the place of one. Those that come to each node once (dag_single.go,
// dag_changeref.go) ask dag_follow.go which nodes of the graph that was made are those
// that they came to. In the end dag_certify.go asks for each single node.
//
// # Formats
//
// What an element is, a format says: a function from a content to a Tree. Those of
// languages with a grammar are made of the grammar's rules by a grower (grammar.go,
// grammar_grow.go); the others, format_NAME.go, read as much as it takes to know
// what may go, and scan by the rules of the language (scanner.go), which the package
// internal/lexical has. Passes know no format: they work on pieces, which are the same
// tokens with the white space between them, for they put text in the place of text.
//
// # Guarantees
//
// For a test that gives an input the same outcome each time: [Result.Output] was
// tested and fails, or is the input given; each input that was accepted is smaller
// than the one before, or of a graph has no more nodes; with Minimal each single
// element was asked about and cannot go; and the trials, their order and the result
// are the same for every [Options.Jobs]. What is looked at ahead of the path counts
// when the path comes there. Making one candidate takes time linear in the input.
package reduce
