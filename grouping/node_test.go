package grouping_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/seed"
)

// cutWithin returns the pieces of a file's hunks within their lines.
func cutWithin(t *testing.T, name, old, new string) *changes.Set {
	t.Helper()
	s := between(t, repository(t, edit{"good", map[string]string{name: old}}, edit{"bad", map[string]string{name: new}}), "r0", "r1")
	s.Nodes = grouping.Nodes
	finer, _, _ := s.Split(upTo(s.Len()), changes.WithinLines)
	return finer
}

// What a line is cut into by its nodes, with and without grammars.
func TestNodes(t *testing.T) {
	for _, c := range []struct {
		name, file, old, new string
		want                 []string
	}{
		{"Go", "a.go", "package p\n\nvar x = f(a, \"b c\", 1.5) // one two\n", "package p\n\nvar x = f(z, \"d e\", 2.5) // one three\n",
			[]string{`a -> z`, `"b c" -> "d e"`, `1.5 -> 2.5`, `// one two -> // one three`}},
		{"Python", "a.py", "total = rate * price(item, 'net')\n", "total = rate * price(item, 'gross', 2) + tax\n",
			[]string{`'net' -> 'gross'`, ` -> , 2`, ` ->  + tax`}},
		{"a call around an expression", "a.py", "x = a + b\ny = 1\n", "x = round(a + b)\ny = 2\n",
			[]string{`a + b -> round(a + b)`, "1 -> 2"}},
		{"JSON", "a.json", `{"name": "x", "retries": 3, "timeout": 10}`, `{"name": "y", "retries": 3, "timeout": 20, "debug": true, "log": [1, 2]}`,
			[]string{`"x" -> "y"`, `10 -> 20`, ` -> , "debug": true`, ` -> , "log": [1, 2]`}},
		{"YAML", "a.yaml", "limits: {cpu: 2, memory: 4Gi}\n", "limits: {cpu: 3, memory: 8Gi}\n", []string{`2 -> 3`, `4Gi -> 8Gi`}},
		{"TOML", "a.toml", "point = { x = 1, y = 2 }\n", "point = { x = 3, y = 4 }\n", []string{`1 -> 3`, `2 -> 4`}},
		{"CSV", "a.csv", "1,Ann Lee,2024-01-02,3.5\n", "1,Bob,2024-01-03,3.5\n", []string{`Ann Lee -> Bob`, `2024-01-02 -> 2024-01-03`}},
		{"CSV with a quote mark in a cell", "a.csv", "5\" nail,2,x\n", "5\" nail,3,y\n", []string{`2 -> 3`, `x -> y`}},
		{"CSV with quotes", "a.csv", "\"a, b\",2\n", "\"c, d\",3\n", []string{`"a, b" -> "c, d"`, `2 -> 3`}},
		{"TSV", "a.tsv", "a,b\tc\n", "a,d\te\n", []string{`a,b -> a,d`, `c -> e`}},
		{"a text", "notes", "see version 1.2.3 of bread\n", "see version 1.3.0 of rice\n", []string{`1.2.3 -> 1.3.0`, `bread -> rice`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, c := range cutWithin(t, c.file, c.old, c.new).Changes {
				p := c.Part
				got = append(got, fmt.Sprintf("%s -> %s", c.Old[p.OldFrom:p.OldTo], c.New[p.NewFrom:p.NewTo]))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("pieces (-want +got):\n%s", diff)
			}
		})
	}
}

// Parts of one line are one hunk, in a plan that says nothing of the names in the line.
func TestHunkLevelWithinLines(t *testing.T) {
	s := cutWithin(t, "a.go", "package p\n\nvar x = f(1, 2)\n\nvar z = 1\n", "package p\n\nvar x = g(1, y)\n\nvar z, y = 2, 3\n")
	p := plan(t, s, grouping.Hunk, grouping.Line)
	if got, want := p.Names, [][]string{{"a.go:3:9", "a.go:5:6"}, {"a.go:3:9", "a.go:3:14", "a.go:5:6", "a.go:5:12", "a.go:5:13"}}; !cmp.Equal(got, want) {
		t.Errorf("groups %q, want %q", got, want)
	}
	for i, row := range p.Predicted {
		if len(row) > 0 {
			t.Errorf("%v is predicted to require %v", &s.Changes[i], row)
		}
	}
}

// Of the pieces within lines of several languages, Broken refuses exactly the mixtures that do
// not parse, and no end.
func TestBroken(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 2))
	for _, c := range []struct{ name, old, new string }{
		{"a.go", "package p\n\nvar x, y = f(1, 2), g\n", "package p\n\nvar x = f(1)\n"},
		{"a.json", `{"a": [1, 2], "b": {"c": 3}, "d": 4}`, `{"a": [1], "e": "b", "d": {"f": 4}}`},
		{"a.json", `{"a": 1, "b": [2, 3]}`, `{"b": [4], "c": 3}`},
		{"a.py", "for x in y: f(x)\n", "if x: f(y)\n"},
		{"a.yaml", "a: [1, 2]\nb: {c: 3}\n", "a: {c: 1}\nb: [3, 2]\n"},
		{"notes", "a (b) c\n", "a) b (c\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := cutWithin(t, c.name, c.old, c.new)
			w := plan(t, s).Wellformed()
			defer w.Close()
			for _, end := range [][]int{nil, upTo(s.Len())} {
				if w.Broken(slices.Values(end)) {
					t.Error("an end is refused")
				}
			}
			if s.Len() < 2 {
				t.Fatalf("%d pieces", s.Len())
			}
			for range 40 {
				applied := subset(random, s.Len())
				text := mixed(s, c.old, applied)
				clean, ok := grouping.Parses(c.name, []byte(text))
				if !ok && strings.HasSuffix(c.name, "json") {
					continue // another parser knows it
				}
				if got, want := w.Broken(slices.Values(applied)), ok && !clean; got != want {
					t.Errorf("refused: %v, want %v: %q", got, want, text)
				}
			}
		})
	}
}

// mixed applies pieces within the lines of a file by their lines and bytes.
func mixed(s *changes.Set, old string, applied []int) string {
	lines := strings.SplitAfter(old, "\n")
	slices.Sort(applied)
	for _, i := range slices.Backward(applied) {
		c := &s.Changes[i]
		p := c.Part
		if p == (changes.Part{}) {
			p = changes.Part{OldTo: len(c.Old), NewTo: len(c.New)}
		}
		line := &lines[c.OldStart-1]
		*line = (*line)[:p.OldFrom] + string(c.New[p.NewFrom:p.NewTo]) + (*line)[p.OldTo:]
	}
	return strings.Join(lines, "")
}
