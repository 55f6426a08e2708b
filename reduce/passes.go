package reduce

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A pass proposes edits of one kind to a text, or to a tree.
type pass struct {
	name  string
	about string // a few words for the help
	run   func(ctx context.Context, t *text) error
	tree  func(ctx context.Context, s *search) error // nil = run is not
	graph func(ctx context.Context, d *dag) error    // then it is for graphs alone, and tree and run are nil
	last  bool                                       // it makes room for no other: its turn is when nothing else goes
	whole func(t *text) []Proposal                   // what to ask about all of a text before the first turn of any pass; one at most is made
}

// passes lists what there is beside the structure, in the order of their first
// run.
func passes() []pass {
	return []pass{
		{name: "columns", about: "take out what goes together, such as a column", tree: passColumns},
		{name: structurePass, about: "take out what the format calls elements"},
		{name: "comments", about: "take comments out", run: passComments},
		{name: "constants", about: "put the shortest there is of a sort", tree: passConstants},
		{name: "arguments", about: "take an argument out of all lists of a name", run: passArguments},
		{name: "inline", about: "put what defines a name in the place of the name", run: passInline},
		{name: "beside", about: "take out what stands beside a name wherever it does", run: passBeside},
		{name: "members", about: "put the one member of a structure in its place", run: passMembers},
		{name: "results", about: "let functions return nothing", run: passResults},
		{name: "join", about: "make one of two elements that begin and end alike", run: passJoin},
		{name: "unwrap", about: "take brackets out, or what is inside", run: passUnwrap},
		{name: "runs", about: "take runs of tokens out", run: passRuns},
		{name: "pairs", about: "take two elements out at once", tree: passPairs},
		{name: "merge", about: "give two things one name", run: passMerge},
		{name: "substitute", about: "put what stands elsewhere in the place of what is longer", tree: passSubstitute},
		{name: "strings", about: "make strings and comments shorter", run: passStrings, last: true},
		{name: "numbers", about: "make numbers smaller", run: passNumbers, last: true, whole: allNumbers},
		{name: "names", about: "make names shorter", run: passNames, last: true},
		{name: "spaces", about: "take white space out", run: passSpaces, last: true},
		{name: nodesPass, about: "replace nodes of a graph, and lead edges elsewhere", graph: passNodes},
		{name: "widths", about: "make the bit-vectors and arrays of a graph narrower", graph: passWidths},
		{name: "negations", about: "take signs off the edges of a graph", graph: passNegations},
	}
}

const (
	structurePass = "structure"
	nodesPass     = "nodes"
	filesPass     = "files"
	closuresPass  = "closures"
)

// Passes names what Options.Passes may be, in the order of their first run.
func Passes() []string {
	names := []string{closuresPass, filesPass}
	for _, p := range passes() {
		names = append(names, p.name)
	}
	return names
}

// choose takes the passes of the names, in their order, and all for nil.
func (r *reduction) choose(names []string) error {
	all := passes()
	if names == nil {
		r.chosen, r.closures, r.wholeFiles = all, true, true
		return nil
	}
	for _, name := range names {
		switch i := slices.IndexFunc(all, func(p pass) bool { return p.name == name }); {
		case name == closuresPass:
			r.closures = true
		case name == filesPass:
			r.wholeFiles = true
		case i < 0:
			return fmt.Errorf("there is no pass %q; there are %s", name, strings.Join(Passes(), ", "))
		default:
			r.chosen = append(r.chosen, all[i])
		}
	}
	return nil
}
