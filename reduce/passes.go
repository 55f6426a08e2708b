package reduce

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A pass proposes edits of one kind to a text.
type pass struct {
	name  string
	about string // a few words for the help
	run   func(ctx context.Context, t *text) error
}

// passes lists what follows after the structure, in the order of their first run.
func passes() []pass {
	return []pass{
		{name: "comments", about: "take comments out", run: passComments},
		{name: "arguments", about: "take an argument out of all lists of a name", run: passArguments},
		{name: "unwrap", about: "take brackets out, or what is inside", run: passUnwrap},
		{name: "strings", about: "make strings shorter", run: passStrings},
		{name: "numbers", about: "make numbers smaller", run: passNumbers},
		{name: "names", about: "make names shorter", run: passNames},
		{name: "spaces", about: "take white space out", run: passSpaces},
		{name: "runs", about: "take runs of tokens out", run: passRuns},
		{name: "merge", about: "give two things one name", run: passMerge},
	}
}

// Passes names what Options.Passes may be, in the order of their first run.
func Passes() []string {
	names := []string{"files", "structure"}
	for _, p := range passes() {
		names = append(names, p.name)
	}
	return names
}

// chosenPasses returns the passes of the names, in their order, all for nil, and
// whether files and structure are among them.
func chosenPasses(names []string) (chosen []pass, files, structure bool, err error) {
	all := passes()
	if names == nil {
		return all, true, true, nil
	}
	for _, name := range names {
		switch i := slices.IndexFunc(all, func(p pass) bool { return p.name == name }); {
		case name == "files":
			files = true
		case name == "structure":
			structure = true
		case i < 0:
			return nil, false, false, fmt.Errorf("there is no pass %q; there are %s", name, strings.Join(Passes(), ", "))
		default:
			chosen = append(chosen, all[i])
		}
	}
	return chosen, files, structure, nil
}
