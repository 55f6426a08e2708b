package grouping

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
)

// TestSkim: a hunk below its heading says what symbol it is in, and what it
// defines and uses.
func TestSkim(t *testing.T) {
	hunk := func(path, heading, old, new string) changes.Change {
		return changes.Change{Kind: changes.Text, Path: path, OldPath: path, Heading: heading,
			OldStart: 7, OldLines: strings.Count(old, "\n"), NewStart: 8, NewLines: strings.Count(new, "\n"), Old: []byte(old), New: []byte(new)}
	}
	for _, tt := range []struct {
		name          string
		change        changes.Change
		symbol        string
		defines, uses string // names, in order
	}{
		{"in a function", hunk("a.c", "static int probe(struct device *dev,", "\told();\n", "\thelp(dev);\n"), "probe", "", "help dev"},
		{"its end and another", hunk("a.c", "int one(void)", "", "}\n\nint two(int arg)\n{\n"), "two", "two", "int two"},
		{"another alone", hunk("a.c", "int one(void)", "", "int two(int arg)\n{\n}\n"), "two", "two", "int two"},
		{"in no function", hunk("a.c", "MODULE_LICENSE(\"GPL\");", "", "MODULE_ALIAS(\"x\");\n"), "", "", "MODULE_ALIAS"},
		{"no heading", hunk("a.c", "", "", "#define LIMIT 3\n"), "LIMIT", "LIMIT", "define LIMIT"},
		{"in a structure", hunk("a.h", "struct state {", "", "\tlong field;\n"), "state", "", "long"},
		{"only removed", hunk("a.c", "int one(void)", "\told();\n", ""), "one", "", ""},
		{"a method", hunk("a.py", "class Thing(Base):", "", "    def method(self):\n        pass\n"), "Thing.method", "method a.method thing.method", "def self pass"},
		{"in Go", hunk("a.go", "func (t *T) Method() int {", "", "\treturn helper()\n"), "Method", "", ""},
		{"no language", hunk("notes", "Chapter", "", " text\n"), "", "", ""},
		{"a module", hunk("go.mod", "require (", "", "\texample.org/m v1.2.0\n"), "", "example.org/m", "example.org/m v1.2.0 example.org/m v1.2.0/go.mod"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newReader()
			defer r.parsers.close()
			list := []changes.Change{tt.change}
			all := make([]facts, 1)
			r.facts(all, list, &files(list)[0], skimmed, nil, nil)
			if all[0].symbol != tt.symbol {
				t.Errorf("symbol %q, want %q", all[0].symbol, tt.symbol)
			}
			names := func(list []key) string {
				seen := map[string]bool{}
				var out []string
				for _, k := range list {
					if k.space != symbolSpace && !seen[k.name] {
						seen[k.name] = true
						out = append(out, k.name)
					}
				}
				return fmt.Sprint(out)
			}
			if diff := cmp.Diff("["+tt.defines+"]", names(all[0].defines[bad])); diff != "" {
				t.Errorf("defines (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff("["+tt.uses+"]", names(all[0].uses[bad])); diff != "" {
				t.Errorf("uses (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSkimPieces: pieces that Split made adjoin, and each keeps its own heading.
func TestSkimPieces(t *testing.T) {
	piece := func(line int, heading, text string) changes.Change {
		return changes.Change{Kind: changes.Text, Path: "a.c", OldPath: "a.c", Heading: heading, NewStart: line, NewLines: 1, New: []byte(text)}
	}
	list := []changes.Change{
		piece(5, "int one(void)", "\tx();\n"), piece(6, "int one(void)", "}\n"),
		piece(7, "", "int two(void)\n"), piece(8, "int two(void)", "{\n"), piece(9, "int two(void)", "\ty();\n"),
	}
	r := newReader()
	defer r.parsers.close()
	all := make([]facts, len(list))
	r.facts(all, list, &files(list)[0], skimmed, nil, nil)
	var symbols []string
	defines := 0
	for i := range all {
		symbols = append(symbols, all[i].symbol)
		for _, k := range all[i].defines[bad] {
			if k.space == symbolSpace {
				defines++
			}
		}
	}
	if diff := cmp.Diff([]string{"one", "one", "two", "two", "two"}, symbols); diff != "" {
		t.Errorf("symbols (-want +got):\n%s", diff)
	}
	for key, n := range r.declared[bad] {
		if n != 1 {
			t.Errorf("symbol %x is declared %d times", key, n)
		}
	}
	if defines != 1 || len(r.declared[bad]) != 1 {
		t.Errorf("%d changes define %d symbols, want one", defines, len(r.declared[bad]))
	}
}
