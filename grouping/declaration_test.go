package grouping

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	parse "github.com/gitdd/gitdd/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the golden files; then read the difference")

// grammars are built in when cgo is.
var withGrammars = func() bool {
	p := newParsers()
	defer p.close()
	_, ok := p.declarations(python, []byte("x = 1\n"))
	return ok
}()

// show lists declarations: "doc/start-end kind symbol", the kind telling what
// other code can do with it.
func show(list []declaration) string {
	var b strings.Builder
	for _, d := range list {
		kind := "symbol"
		switch {
		case d.name != "" && d.member:
			kind = "member"
		case d.name != "":
			kind = "name"
		case d.symbol == "":
			kind = "group"
		}
		if d.unit {
			kind += " unit"
		}
		fmt.Fprintf(&b, "%d/%d-%d %s %s", d.doc, d.start, d.end, kind, d.symbol)
		if d.at != d.start {
			fmt.Fprintf(&b, " at %d", d.at)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestDeclarationsOfLanguages(t *testing.T) {
	files, err := filepath.Glob("testdata/symbols/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txt") // Go sources are not built
		for _, way := range []string{"grammar", "lexical"} {
			if way == "grammar" && !withGrammars && languageOf(name, content) != golang {
				continue
			}
			t.Run(name+" "+way, func(t *testing.T) {
				p := newParsers()
				defer p.close()
				list := outline(p, name, content, true)
				if way == "lexical" {
					list = lexicalDeclarations(languageOf(name, content), content)
				}
				golden(t, file+"."+way+".golden", show(list))
			})
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestDeclarations(t *testing.T) {
	source := "package a\n\nimport \"fmt\"\n\n// F is.\nfunc F() {\n\tfmt.Println()\n}\n\ntype (\n\tA int\n\tB int\n)\nvar x = 1\n"
	if diff := cmp.Diff([]int{3, 5, 10, 14}, Declarations("a.go", []byte(source))); diff != "" {
		t.Errorf("Declarations (-want +got):\n%s", diff)
	}
	for _, name := range []string{"a.go", "a.py", "a.txt", "README", "a.json"} {
		if got := Declarations(name, nil); got != nil {
			t.Errorf("Declarations(%q, nil) = %v, want nil", name, got)
		}
	}
}

func TestSymbolAt(t *testing.T) {
	list := []declaration{
		{symbol: "T", doc: 1, start: 3, end: 20},
		{symbol: "T.f", doc: 5, start: 6, end: 10},
		{symbol: "T.g", doc: 12, start: 12, end: 18},
		{symbol: "after", doc: 25, start: 25, end: 30},
		{symbol: "", doc: 40, start: 40, end: 50},
	}
	tests := []struct {
		first, last int
		want        string
	}{
		{1, 1, "T"}, {5, 5, "T.f"}, {6, 10, "T.f"}, {10, 12, "T"}, {14, 14, "T.g"}, {22, 23, ""},
		{22, 31, "after"}, {29, 31, ""}, {2, 30, "T"}, {4, 30, "T.f"}, {2, 2, "T"}, {1, 20, "T"}, {45, 45, ""}, {60, 70, ""},
	}
	for _, test := range tests {
		if got := symbolAt(list, test.first, test.last); got != test.want {
			t.Errorf("symbolAt(%d, %d) = %q, want %q", test.first, test.last, got, test.want)
		}
	}
}

// No content stops a parser or a scanner, and what is found lies in it.
func FuzzDeclarations(f *testing.F) {
	files, _ := filepath.Glob("testdata/symbols/*")
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, ".golden") {
			l := languageOf(strings.TrimSuffix(file, ".txt"), content)
			f.Add(uint8(l), content)
		}
	}
	names := make([]string, languages)
	for l := range languages {
		if list := parse.Extensions(l); len(list) > 0 {
			names[l] = "a" + list[0]
		}
	}
	names[goModule], names[goSums], names[makefile], names[plainText] = "go.mod", "go.sum", "Makefile", "a"
	f.Fuzz(func(t *testing.T, l uint8, content []byte) {
		if len(content) > 1<<16 {
			return
		}
		name := names[int(l)%len(names)]
		p := newParsers()
		defer p.close()
		lines := strings.Count(string(content), "\n") + 1
		for _, list := range [][]declaration{outline(p, name, content, true), lexicalDeclarations(languageOf(name, content), content)} {
			for _, d := range list {
				if d.doc < 1 || d.doc > d.start || d.start > d.end || d.end > lines || d.at < 1 || d.at > lines {
					t.Fatalf("declaration %+v does not lie in %d lines", d, lines)
				}
			}
		}
		if starts := Declarations(name, content); !slices.IsSorted(starts) {
			t.Fatalf("starts %v are not sorted", starts)
		}
		spans := []span{{1, lines, 0}}
		r := newReader()
		defer r.parsers.close()
		for _, how := range []reach{parsed, scanned, skimmed} {
			s := r.read(bad, name, content, spans, how)
			importLines(name, content, 1, spans, &s)
			for _, o := range slices.Concat(s.defines, s.uses) {
				if o.line < 1 || o.line > lines {
					t.Fatalf("%v on line %d of %d", o.key, o.line, lines)
				}
			}
		}
	})
}
