//go:build cgo

package reduce

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/internal/syntax"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// TestGrammarEdits: what single edits must be there, and what hoisting.
func TestGrammarEdits(t *testing.T) {
	for _, c := range []struct {
		format, text string
		edits        []string // texts after a single edit
		hoists       []string // texts after one node took the place of another around it
	}{
		{"json", `{"a": [1, {"bc": null}]}`, []string{`{}`, `0`, `{"a": 0}`, `{"a": [{"bc": null}]}`, `{"a": [1]}`, `{"a": [1, {}]}`, `{"a": [1, {"": null}]}`, `{"a": [1, {"bc": 0}]}`},
			[]string{`[1, {"bc": null}]`, `{"a": {"bc": null}}`, `{"bc": null}`}},
		{"xml", `<a x="1"><b><c/>text</b></a>`, []string{`<a/>`, `<a><b><c/>text</b></a>`, `<a x="1"></a>`, `<a x="1"><b>text</b></a>`, `<a x="1"><b><c/></b></a>`, `<a x=""><b><c/>text</b></a>`},
			[]string{`<b><c/>text</b>`, `<a x="1"><c/></a>`, `<a x="1"><c/>text</a>`}},
		{"yaml", "a:\n  - b: 1\n    c: 22\n  - d\n", []string{"a:\n  - b: 1\n    c: 22\n", "a:\n  - d\n", "a:\n  - c: 22\n  - d\n", "a:\n  - b: 1\n    c:\n  - d\n"}, nil},
		{"toml", "[a]\nb = [1, 22]\n[c]\n", []string{"[c]\n", "[a]\n\n[c]\n", "[a]\nb = 0\n[c]\n", "[a]\nb = [22]\n[c]\n"}, nil},
		{"c", "int f(int a) { if (a) return 1 + a; else { g(a, 2); h(); } }\n",
			[]string{"\n", "int f() { if (a) return 1 + a; else { g(a, 2); h(); } }\n", "int f(int a) { if (a) return 1 + a; }\n", "int f(int a) { if (a) return a; else { g(a, 2); h(); } }\n", "int f(int a) { if (a) ; else { g(a, 2); h(); } }\n", "int f(int a) { if (a) return 1 + a; else { g(2); h(); } }\n"},
			[]string{"int f(int a) { return 1 + a; }\n", "int f(int a) { { g(a, 2); h(); } }\n", "int f(int a) { g(a, 2); h(); }\n", "int f(int a) { if (a) return 1 + a; else { 2; h(); } }\n"}},
		{"python", "def f(a, b=1):\n    if a:\n        return g(a)\n    else:\n        pass\n    b = 2\n",
			[]string{"def f(a, b=1):\n    b = 2\n", "def f(a, b=1):\n    if a:\n        return g(a)\n    b = 2\n", "def f(b=1):\n    if a:\n        return g(a)\n    else:\n        pass\n    b = 2\n", "def f(a, b=1):\n    0\n", "def f(a, b=1):\n    if a:\n        0\n    else:\n        pass\n    b = 2\n"},
			[]string{"def f(a, b=1):\n    return g(a)\n    b = 2\n", "def f(a, b=1):\n    if a:\n        return a\n    else:\n        pass\n    b = 2\n"}},
		{"go", "package a\n\nfunc f(x, y int) int {\n\tif x > 1 {\n\t\treturn x\n\t}\n\treturn y\n}\n",
			[]string{"package a\n\nfunc f(x, y int) int {\n\treturn y\n}\n", "package a\n\nfunc f(x, y int) {\n\tif x > 1 {\n\t\treturn x\n\t}\n\treturn y\n}\n"}, nil},
		{"javascript", "f(a, ...b)\nlet [, x] = y\n", []string{"f(...b)\nlet [, x] = y\n", "f(a)\nlet [, x] = y\n", "let [, x] = y\n", "f(a, ...b)\n"}, nil},
		{"c", "int a[] = {1, /* two */ 2, 3};\n", []string{"int a[] = {1, 2, 3};\n", "int a[] = {1 /* two */ , 3};\n", "int a[] = {1, /* two */ 2};\n"}, nil},
	} {
		tree, _, notes, err := kinds(nil).parseText("a", []byte(c.text), c.format)
		if err != nil || len(notes) > 0 {
			t.Fatalf("%s: %v %q", c.text, err, notes)
		}
		var edits, hoists []string
		var walk func(n *Node, above []*Node)
		walk = func(n *Node, above []*Node) {
			for _, outer := range above {
				if n.Sort != "" && outer.Sort == n.Sort && !outer.Fixed {
					text, _ := tree.Render(Edits{outer: Edit{By: n}})
					hoists = append(hoists, string(text))
				}
			}
			for _, child := range n.Children {
				walk(child, append(above, n))
			}
		}
		walk(tree.Root, nil)
		for _, n := range grammarElements(tree.Root) {
			if text, formed := tree.Render(Edits{n: Removal(n)}); formed {
				edits = append(edits, string(text))
			}
		}
		for _, want := range c.edits {
			if !slices.Contains(edits, want) {
				t.Errorf("no single edit of\n%s\ngives\n%s\nbut\n%s", c.text, want, strings.Join(edits, "\n"))
			}
		}
		for _, want := range c.hoists {
			if !slices.Contains(hoists, want) {
				t.Errorf("no node of\n%s\nin the place of another gives\n%s\nbut\n%s", c.text, want, strings.Join(hoists, "\n"))
			}
		}
	}
}

// TestGrammarRefuses: what is not of a language is read by what takes any text.
func TestGrammarRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"a.c":  strings.Repeat(")( } else ]]\n", 20),
		"a.py": "x = (\n" + strings.Repeat("$ ? !\n", 20),
		"a.rs": "<html><p>text</p></html>\n",
	} {
		_, took, notes, err := kinds(nil).parseText(name, []byte(text), "")
		if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "does not parse as") || slices.ContainsFunc(grammars, func(l struct {
			language    syntax.Language
			name, about string
		}) bool {
			return l.name == took
		}) {
			t.Errorf("%s is taken for %s, %q, %v", name, took, notes, err)
		}
	}
	// A little that cannot be read does no harm, and can be taken out.
	text := "int f(void) { return 1; }\n@\n" + strings.Repeat("int g(void) { return 2; }\n", 10)
	tree, took, _, _ := kinds(nil).parseText("a.c", []byte(text), "")
	if took != "c" {
		t.Fatalf("taken for %s", took)
	}
	without := strings.Replace(text, "@\n", "", 1)
	if !slices.ContainsFunc(grammarElements(tree.Root), func(n *Node) bool {
		out, _ := tree.Render(Edits{n: Removal(n)})
		return string(out) == without
	}) {
		t.Error("the @ cannot be taken out")
	}
}

// TestGrammarReduces: what is left of the samples where some words have to stay
// in a text of the language, and after how many trials. The bounds are those
// measured, and a half more.
func TestGrammarReduces(t *testing.T) {
	bounds := map[string]struct {
		words         []string
		bytes, trials int
	}{
		"a.json": {[]string{`"d"`, "false"}, 11, 54},
		"a.xml":  {[]string{"<include", "&amp;"}, 23, 140},
		"a.yaml": {[]string{"deep", "two"}, 12, 81},
		"a.toml": {[]string{"1979", "y = 2"}, 28, 265},
		"a.c":    {[]string{"sizeof(", "add("}, 21, 115},
		"a.py":   {[]string{"raise", "finally"}, 22, 102},
		"a.js":   {[]string{"yield", "super("}, 26, 147},
	}
	for _, s := range grammarSamples(t) {
		b, ok := bounds[s.name]
		if !ok {
			continue
		}
		test := func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
			for _, word := range b.words {
				if !strings.Contains(string(in.Files[0].Content), word) {
					return isolate.Pass, nil
				}
			}
			if faults(t, s.language, in.Files[0].Content) > 0 {
				return isolate.Pass, nil
			}
			return isolate.Fail, nil
		}
		r, err := Reduce(t.Context(), testcase.Input{Files: []testcase.File{{Path: s.name, Content: s.content}}}, test, Options{})
		if err != nil {
			t.Fatal(err)
		}
		left := r.Output.Files[0].Content
		t.Logf("%s: %d bytes to %d in %d trials: %q", s.name, len(s.content), len(left), r.Trials, left)
		if len(left) > b.bytes || r.Trials > b.trials || !r.Minimal {
			t.Errorf("%s: %d bytes are left after %d trials, not %d after %d: %q", s.name, len(left), r.Trials, b.bytes, b.trials, left)
		}
	}
}

// TestGrammarRealFiles takes single elements out of sources of the Go
// distribution, and of the files that GITDD_GRAMMAR_FILES names (words), and
// prints which share is read.
func TestGrammarRealFiles(t *testing.T) {
	seed.SkipLong(t, 4)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(os.Getenv("GITDD_GRAMMAR_FILES"))
	for _, pattern := range []string{"src/sort/*.go", "src/strings/*.go", "src/runtime/cgo/*.c", "lib/wasm/*.js", "doc/*.html", "misc/*/*.js"} {
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found[:min(len(found), 8)]...)
	}
	type sum struct{ files, bytes, elements, tried, read int }
	sums := map[syntax.Language]*sum{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l := syntax.Of(file, content)
		if !syntax.Parses(l) || len(content) > 50_000 {
			continue
		}
		tree, err := parseLanguage(l, content)
		if err != nil {
			t.Logf("%s: %v", file, err)
			continue
		}
		if text, formed := tree.Render(nil); !formed || string(text) != string(content) {
			t.Errorf("%s without edits is another", file)
		}
		before := faults(t, l, content)
		if sums[l] == nil {
			sums[l] = &sum{}
		}
		s, list := sums[l], grammarElements(tree.Root)
		s.files, s.bytes, s.elements = s.files+1, s.bytes+len(content), s.elements+len(list)
		for i := range 8 {
			if len(list) == 0 {
				break
			}
			n := list[(i*len(list)/8+i)%len(list)]
			if text, formed := tree.Render(Edits{n: Removal(n)}); formed {
				s.tried++
				if faults(t, l, text) <= before {
					s.read++
				}
			}
		}
	}
	for l, s := range sums {
		t.Logf("%s: %d files, %d bytes, %d elements, %d of %d single edits are read", grammarName(l), s.files, s.bytes, s.elements, s.read, s.tried)
		if s.read*100 < s.tried*95 {
			t.Errorf("%s: %d of %d single edits are read", grammarName(l), s.read, s.tried)
		}
	}
}

func grammarName(l syntax.Language) string {
	for _, g := range grammars {
		if g.language == l {
			return g.name
		}
	}
	return ""
}
