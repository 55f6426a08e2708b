//go:build cgo

package reduce

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/internal/syntax"
)

// A grammarSample is a text of a language. Which share of what can be taken out
// of it alone leaves a text of the language is measured, and held: tree-sitter
// judges, and what reads the language elsewhere.
type grammarSample struct {
	language syntax.Language
	name     string
	content  []byte
}

func grammarSamples(t testing.TB) (list []grammarSample) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "grammar.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		name := strings.TrimSuffix(f.Name, ".txt")
		list = append(list, grammarSample{syntax.Of(name, nil), name, f.Data})
	}
	if len(list) != len(grammars) {
		t.Fatalf("%d samples of %d languages", len(list), len(grammars))
	}
	return list
}

func parseSample(t *testing.T, s grammarSample) *Tree {
	tree, err := parseLanguage(s.language, s.content)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	if text, formed := tree.Render(nil); !formed || !bytes.Equal(text, s.content) {
		t.Fatalf("%s without edits is\n%s", s.name, text)
	}
	return tree
}

// faults counts what tree-sitter cannot read.
func faults(t *testing.T, l syntax.Language, content []byte) int {
	tree, err := syntax.Parse(l, content)
	if err != nil {
		t.Fatal(err)
	}
	unread, missing := tree.Faults()
	if len(tree.Nodes) > 0 && tree.Nodes[0].Error {
		unread++
	}
	return unread + missing
}

// grammarElements returns the elements of a tree, from the first.
func grammarElements(n *Node) (list []*Node) {
	for _, c := range n.Children {
		if !c.Fixed && !c.Separator {
			list = append(list, c)
		}
		list = append(list, grammarElements(c)...)
	}
	return list
}

// otherJudges say whether a text is of a language, as something else than
// tree-sitter sees it.
var otherJudges = map[syntax.Language]func([]byte) error{
	syntax.Go: func(text []byte) error {
		_, err := parser.ParseFile(token.NewFileSet(), "a.go", text, parser.SkipObjectResolution)
		return err
	},
	syntax.JSON: func(text []byte) error {
		if !json.Valid(text) {
			return errors.New("not valid")
		}
		return nil
	},
	syntax.XML: func(text []byte) error {
		d := xml.NewDecoder(bytes.NewReader(text))
		d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
		d.Entity = map[string]string{"a": ""} // the shortest reference
		for {
			if _, err := d.Token(); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	},
}

// TestGrammarSingles takes out, or replaces, each element alone.
func TestGrammarSingles(t *testing.T) {
	seed.SkipLong(t, 4)
	// The shares that are held are those measured, rounded down. What is missing:
	// in Go, a file begins with a package; in TypeScript, a decorator with a name;
	// in Python, "raise from" wants what is raised.
	least := map[syntax.Language]float64{syntax.Go: 0.98, syntax.TypeScript: 0.98, syntax.TSX: 0.97, syntax.Python: 0.99, syntax.Rust: 0.99}
	for _, s := range grammarSamples(t) {
		tree := parseSample(t, s)
		before := faults(t, s.language, s.content)
		if before > 0 {
			t.Errorf("%s: tree-sitter does not read %d bytes of it", s.name, before)
		}
		tried, read, readElsewhere := 0, 0, 0
		judge := otherJudges[s.language]
		var wrong []string
		var outs [][]byte
		for _, n := range grammarElements(tree.Root) {
			texts := append([][]byte{n.Least}, n.Or...)
			for _, text := range texts {
				out, formed := tree.Render(Edits{n: Edit{Text: text}})
				if !formed {
					continue
				}
				if len(out) >= len(s.content) {
					t.Errorf("%s: %q in place of %q saves nothing", s.name, text, s.content[n.From:n.To])
				}
				tried++
				outs = append(outs, out)
				ok := faults(t, s.language, out) == 0
				if ok {
					read++
				}
				if judge != nil {
					if err := judge(out); err == nil {
						readElsewhere++
					} else {
						ok = false
					}
				}
				if !ok {
					wrong = append(wrong, fmt.Sprintf("%s: %q for %q", n.Kind, text, s.content[n.From:n.To]))
				}
			}
		}
		want := 1.0
		if w, ok := least[s.language]; ok {
			want = w
		}
		share := float64(read) / float64(tried)
		t.Logf("%s: %d bytes, %d single edits, %.1f %% read", s.name, len(s.content), tried, 100*share)
		if judge != nil {
			elsewhere := float64(readElsewhere) / float64(tried)
			t.Logf("%s: %.1f %% read elsewhere", s.name, 100*elsewhere)
			share = min(share, elsewhere)
		}
		if s.language == syntax.Python {
			if refused := refusedByPython(t, outs); len(refused) > 0 {
				share = min(share, 1-float64(len(refused))/float64(tried))
				wrong = append(wrong, refused...)
			}
		}
		if share < want {
			t.Errorf("%s: %.1f %% of %d single edits leave a text of the language, %.1f %% are wanted\n%s", s.name, 100*share, tried, 100*want, strings.Join(wrong, "\n"))
		}
		if tried < 20 {
			t.Errorf("%s: %d elements only", s.name, tried)
		}
	}
}

// TestGrammarSubsets takes out some elements at once.
func TestGrammarSubsets(t *testing.T) {
	seed.SkipLong(t, 4)
	rng := rand.New(rand.NewPCG(seed.New(t), 1))
	for _, s := range grammarSamples(t) {
		tree := parseSample(t, s)
		elements := grammarElements(tree.Root)
		tried, read := 0, 0
		for tried < 40 {
			edits := Edits{}
			for range 1 + rng.IntN(8) {
				n := elements[rng.IntN(len(elements))]
				edits[n] = Removal(n)
			}
			out, formed := tree.Render(edits)
			if !formed {
				continue
			}
			tried++
			if faults(t, s.language, out) == 0 {
				read++
			}
		}
		t.Logf("%s: %d of %d read", s.name, read, tried)
		if read < tried*3/4 {
			t.Errorf("%s: %d of %d random sets leave a text of the language", s.name, read, tried)
		}
	}
}

// refusedByPython returns what python3, if there is one, has to say of texts that
// it does not parse.
func refusedByPython(t *testing.T, texts [][]byte) (refused []string) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("there is no python3 to ask")
		return nil
	}
	var list []string
	for _, text := range texts {
		list = append(list, string(text))
	}
	in, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-W", "ignore", "-c", `
import ast, json, sys
for text in json.load(sys.stdin):
    try:
        ast.parse(text)
    except SyntaxError as e:
        print(repr(e))
`)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}

// TestGrammarLarge cuts a quarter of a megabyte, 200,000 levels of brackets and
// a sum of 20,001. A cost that is not linear would not come to an end here.
func TestGrammarLarge(t *testing.T) {
	seed.SkipLong(t, 4)
	for _, s := range grammarSamples(t) {
		if s.language == syntax.C {
			parseSample(t, grammarSample{s.language, s.name, bytes.Repeat(s.content, 1<<18/len(s.content))})
		}
	}
	deep := append(bytes.Repeat([]byte("["), 200_000), bytes.Repeat([]byte("]"), 200_000)...)
	tree, err := parseLanguage(syntax.JSON, deep)
	if err != nil {
		t.Fatal(err)
	}
	levels := 0
	for n := tree.Root; len(n.Children) > 0; n = n.Children[0] {
		levels++
	}
	if levels < 200_000-1 {
		t.Errorf("%d levels", levels)
	}
	long := []byte("x = 1" + strings.Repeat(" + 1", 20_000) + ";\n")
	if tree, err = parseLanguage(syntax.JavaScript, long); err != nil {
		t.Fatal(err)
	}
	widest := 0
	var walk func(*Node)
	walk = func(n *Node) {
		widest = max(widest, len(n.Children))
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(tree.Root)
	if widest != 40_001 {
		t.Errorf("a sum of 20,001 is a list of %d", widest)
	}
}

// BenchmarkGrammar cuts a megabyte of C.
func BenchmarkGrammar(b *testing.B) {
	for _, s := range grammarSamples(b) {
		if s.language != syntax.C {
			continue
		}
		big := bytes.Repeat(s.content, 1<<20/len(s.content))
		b.SetBytes(int64(len(big)))
		for b.Loop() {
			if _, err := parseLanguage(s.language, big); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestSubstitute puts a variable, which alone is not the shortest text of an
// expression, in the place of another expression; what only that one needed can
// go then.
func TestSubstitute(t *testing.T) {
	const text = "struct s { int t; }; int f(int b) { int x; struct s s = { b }; x += s.t / b; return x; }"
	fails := contentFails(func(content string) bool {
		if strings.Contains(content, "s.t") && !(strings.Contains(content, "struct s s") && strings.Contains(content, "int t")) {
			return false
		}
		return strings.Contains(content, "int x;") && strings.Contains(content, "return x;") && (strings.Contains(content, "x += x / b;") || strings.Contains(content, "x += s.t / b;"))
	})
	for _, c := range []struct {
		passes []string
		want   string
		trials int
	}{
		{[]string{"substitute"}, "int x; int s = { b }; x += x / b;", 17},
		{[]string{"structure", "constants", "substitute"}, "int x; x += x / b;", 91},
	} {
		for _, jobs := range []int{1, 4} {
			result, err := Reduce(t.Context(), oneFile("a.c", text), fails, Options{Passes: c.passes, Jobs: jobs})
			if err != nil {
				t.Fatal(err)
			}
			got := string(result.Output.Files[0].Content)
			if !strings.Contains(got, c.want) || result.Trials != c.trials || len(c.passes) > 1 && strings.Contains(got, "struct") {
				t.Errorf("%s, %d jobs: %q in %d trials, not %d", c.passes, jobs, got, result.Trials, c.trials)
			}
		}
	}
}
