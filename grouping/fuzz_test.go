package grouping

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/changes"
	parse "github.com/gitdd/gitdd/internal/syntax"
)

// FuzzFacts reads any contents with any hunks in them, these need not even
// fit: nothing may panic, and what a file's syntax requires stays in the file.
func FuzzFacts(f *testing.F) {
	f.Add("a.go", []byte("package a\nfunc f(x int) { g(x) }\n"), []byte("package a\nfunc f(x, y int) (any, error) {\nfor range 3 {\n}\ng(x,\n y) }\n"), uint8(1), uint8(1), uint8(2), uint8(1))
	f.Add("go.mod", []byte("module m\n\ngo 1.17\n\nrequire a.b/c v1.0.0\n"), []byte("module m\n\ngo 1.21\n\nrequire a.b/c v1.2.0\n"), uint8(2), uint8(1), uint8(1), uint8(1))
	f.Add("a.c", []byte("int f(int a)\n{\n\treturn f(1);\n}\n"), []byte("int f(int a, ...)\n{\n\treturn f(1,\n"), uint8(0), uint8(1), uint8(1), uint8(1))
	f.Add("package.json", []byte("{\n\"aaa\": \"1\",\n}"), []byte("{\n\"aaa\": \"2\",\n"), uint8(1), uint8(1), uint8(0), uint8(1))
	f.Add("Cargo.toml", []byte("aaa = \"1\"\n[\n"), []byte("aaa = \"2\"\n\"\n"), uint8(0), uint8(1), uint8(0), uint8(2))
	f.Add("a.py", []byte("def fff(x):\n  return fff(1)\n"), []byte("def fff(x, y):\n  return fff(1, '\n"), uint8(0), uint8(1), uint8(0), uint8(1))
	f.Add("a.php", []byte("<?php\nfunction fff() {}\n"), []byte("<?php\nfunction fff() {\n"), uint8(1), uint8(1), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, name string, old, new []byte, first, lines, gap, more uint8) {
		for _, c := range Constructs(name, old) {
			if n := bytes.Count(old, []byte("\n")) + 1; c[0] < 0 || c[1] < c[0]+2 || c[1] > n {
				t.Errorf("lines %v of %d", c, n)
			}
		}
		var list []changes.Change
		at := int(first)
		for _, n := range []int{int(lines), int(more)} {
			list = append(list, changes.Change{
				Kind: changes.Text, Path: name, OldPath: name, OldStart: at + 1, NewStart: at + 1, OldLines: n, NewLines: n,
				Old: cutLines(old, at, n), New: cutLines(new, at, n),
			})
			at += n + int(gap)
		}
		r := newReader()
		defer r.parsers.close()
		v := survey{facts: make([]facts, len(list)), packages: map[string]string{}, members: map[string]int{}}
		all := files(list)
		if len(all) != 1 {
			t.Fatalf("%d files", len(all))
		}
		all[0].allowed = syntaxLeast
		r.facts(v.facts, list, &all[0], parsed, old, new)
		for i, f := range v.facts {
			if slices.ContainsFunc(f.requires, func(j int) bool { return j < 0 || j >= len(list) || j == i }) {
				t.Errorf("change %d requires %v", i, f.requires)
			}
		}
		v.unite([]*reader{r})
		s := &changes.Set{Changes: list}
		v.predict(s)
		// The same hunks as those of a lock beside the manifest.
		for _, lock := range parse.Manifests[name] {
			s.Changes = append(slices.Clone(list), list...)
			for i := range list {
				s.Changes[i].Path = lock
			}
			pairs(s, nil, &edges{rows: make([][]int, len(s.Changes)), known: make([][]int, len(s.Changes))})
		}
	})
}

func cutLines(text []byte, first, n int) []byte {
	all := bytes.SplitAfter(text, []byte("\n"))
	first = min(first, len(all))
	return bytes.Join(all[first:min(first+n, len(all))], nil)
}
