package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/lexical"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

func TestTokens(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"a.go", `x := f("a // b") // c`, `x := f:f ( s:"a // b" ) c:// c`},
		{"a.go", "a := `one\ntwo` + 0x1F", "a :=  s:`one\ns:two`  +  n:0x1F"},
		{"a.c", "#include <x> /* a\nb */ int main(", "k:#include  <x>  c:/* a\nc:b */   k:int   f:main ("},
		{"a.py", "def f(): # x\n    '''doc\n    '''", "k:def   f:f (): c:# x\n     s:'''doc\ns:    '''"},
		{"a.sh", `echo "$#" a#b # c`, `k:echo   s:"$#"  a#b  c:# c`},
		{"x/Makefile.in", "ifeq ($(A),b)", "k:ifeq  ($(A),b)"},
		{"a.sql", "SELECT a FROM b -- c", "k:SELECT  a  k:FROM  b  c:-- c"},
		{"a.rs", "fn f<'a>() { 'x' }", "k:fn  f<'a>() {  s:'x'  }"},
		{"a.erl", "f() -> ok. % x", "f:f () -> ok.  c:% x"},
		{"a.py", "x#c", "x c:#c"},
		{"a.go", "f(\"open", "f:f (\"open"},
		{"a.c", "char c = '\\''; // it's", "k:char  c =  s:'\\'' ;  c:// it's"},
		{"a.html", "<p class=\"x\"> <!-- it\nis --> y", "<p class= s:\"x\" >  c:<!-- it\nc:is -->  y"},
	} {
		var got []string
		for _, line := range tokens(lexical.RulesOf(test.file), strings.Split(test.text, "\n")) {
			var parts []string
			for _, tok := range line {
				if tok.class != "" {
					tok.class += ":"
				}
				parts = append(parts, tok.class+tok.text)
			}
			got = append(got, strings.Join(parts, " "))
		}
		if diff := cmp.Diff(squeezed(test.want), squeezed(strings.Join(got, "\n"))); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", test.file, test.text, diff)
		}
	}
	if l := lexical.RulesOf("notes.txt"); l != nil {
		t.Errorf("a text has a language: %v", l)
	}
}

// squeezed lets a test write one space where the text has its own beside it.
func squeezed(s string) string { return strings.Join(strings.Fields(s), " ") }

// Whatever the text is, its tokens make it up, in every language.
func TestTokensAreTheText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed.New(t), 1))
	parts := []string{"\"", "'", "`", "\\", "/*", "*/", "//", "#", "--", "<!--", "-->", "\"\"\"", "'''", "a", "if", "0x1f", "é", "\xff", "\x00", " ", "\t", "$", "(", "{-", "-}", "[[", ";"}
	for range 300 {
		var lines []string
		for range rnd.IntN(5) {
			var b strings.Builder
			for range rnd.IntN(12) {
				b.WriteString(parts[rnd.IntN(len(parts))])
			}
			lines = append(lines, b.String())
		}
		for _, name := range []string{"a.go", "a.c", "a.py", "a.sh", "a.sql", "a.lisp", "a.rs", "a.js", "a.rb", "a.lua", "a.yml", "a.tex", "a.xml", "a.hs"} {
			for i, line := range tokens(lexical.RulesOf(name), lines) {
				var b strings.Builder
				for _, tok := range line {
					b.WriteString(tok.text)
				}
				if b.String() != lines[i] {
					t.Fatalf("%s: tokens of %q make up %q", name, lines[i], b.String())
				}
			}
		}
	}
}

func TestAlign(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, new []string
		want     [][2]int
	}{
		{"a line in front", []string{"return decode(v, opts)"}, []string{"if err != nil {", "return decode(v, keys, opts)"}, [][2]int{{-1, 0}, {0, 1}}},
		{"nothing alike", []string{"abc"}, []string{"xyz", "uvw"}, [][2]int{{0, 0}, {-1, 1}}},
		{"one out", []string{"first line", "second thing", "third one here"}, []string{"first line!", "third one there"}, [][2]int{{0, 0}, {1, -1}, {2, 1}}},
		{"shifted", []string{"alpha beta", "gamma delta"}, []string{"zzzz", "alpha beta 2"}, [][2]int{{-1, 0}, {0, 1}, {1, -1}}},
	} {
		if diff := cmp.Diff(test.want, align(test.old, test.new)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// Each line is in one row, in its order, also where there are too many to compare.
func TestAlignKeepsLines(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed.New(t), 2))
	lines := func(n int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = strings.Repeat(string(rune('a'+rnd.IntN(3))), rnd.IntN(4))
		}
		return list
	}
	check := func(a, b []string) {
		t.Helper()
		var left, right []int
		for _, row := range align(a, b) {
			if row == [2]int{-1, -1} {
				t.Fatalf("an empty row for %q and %q", a, b)
			}
			if row[0] >= 0 {
				left = append(left, row[0])
			}
			if row[1] >= 0 {
				right = append(right, row[1])
			}
		}
		for _, side := range []struct {
			got []int
			n   int
		}{{left, len(a)}, {right, len(b)}} {
			want := make([]int, side.n)
			for i := range want {
				want[i] = i
			}
			if !slices.Equal(side.got, want) {
				t.Fatalf("rows of %q and %q have %v", a, b, side.got)
			}
		}
	}
	for range 200 {
		check(lines(rnd.IntN(8)), lines(rnd.IntN(8)))
	}
	check(lines(300), lines(200))
}

func TestDifferences(t *testing.T) {
	mark := func(line string, marks []bool) string {
		var b strings.Builder
		for i := range line {
			if marks != nil && marks[i] && (i == 0 || !marks[i-1]) {
				b.WriteByte('[')
			}
			b.WriteByte(line[i])
			if marks != nil && marks[i] && (i == len(line)-1 || !marks[i+1]) {
				b.WriteByte(']')
			}
		}
		return b.String()
	}
	for _, test := range [][4]string{
		{"return env(key)", "return env(key, c.prefix)", "return env(key)", "return env(key[, c.prefix])"},
		{"a = lookup(x, y)", "b = lookup(x, z)", "[a] = lookup(x, [y])", "[b] = lookup(x, [z])"},
		{"nothing", "in common at all", "nothing", "in common at all"},
		{"same", "same", "same", "same"},
		{strings.Repeat("a ", 300) + "1", strings.Repeat("a ", 300) + "2", strings.Repeat("a ", 300) + "[1]", strings.Repeat("a ", 300) + "[2]"},
	} {
		a, b := differences(test[0], test[1])
		if got := mark(test[0], a); got != test[2] {
			t.Errorf("%q: %q, want %q", test[0], got, test[2])
		}
		if got := mark(test[1], b); got != test[3] {
			t.Errorf("%q: %q, want %q", test[1], got, test[3])
		}
	}
}

// What a step says of its suspects is read as isolate writes it.
func TestParseRuns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed.New(t), 3))
	for range 200 {
		n := 1 + rnd.IntN(40)
		var members []int
		for i := range n {
			if rnd.IntN(3) > 0 {
				members = append(members, i)
			}
		}
		c := isolate.Of(n, members...)
		var got []int
		for _, r := range parseRuns(c.String(), n) {
			for i := r.From; i < r.To; i++ {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, members) {
			t.Fatalf("%s of %d is %v", c, n, got)
		}
	}
	for _, text := range []string{"x", "3-1", "5", "-", "1,0", "0-99999999999999999999", ","} {
		if got := parseRuns(text, 4); len(got) > 1 {
			t.Errorf("%q gives %v", text, got)
		}
	}
}

func TestBarPath(t *testing.T) {
	for _, test := range []struct {
		runs string
		n    int
		want string
	}{
		{"", 10, ""},
		{"0-9", 10, "M0 5h1000"},
		{"0,9", 10, "M0 5h100m800 0h100"},
		{"9999", 10000, "M996 5h4"}, // never too thin
		{"0-1,2,9", 10, "M0 5h300m600 0h100"},
	} {
		if got := barPath(parseRuns(test.runs, test.n), test.n); got != test.want {
			t.Errorf("%s of %d: %s, want %s", test.runs, test.n, got, test.want)
		}
	}
	var odd []run
	for i := 1; i < 100000; i += 2 {
		odd = append(odd, run{i, i + 1})
	}
	if got := barPath(odd, 100000); len(got) > 1000 {
		t.Errorf("a path of %d bytes", len(got))
	}
}

// Fates are what looking at each element in each step gives.
func TestFates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed.New(t), 4))
	for range 200 {
		s := &Stage{Elements: 1 + rnd.IntN(20)}
		for range rnd.IntN(6) {
			var members []int
			for i := range s.Elements {
				if rnd.IntN(2) == 0 {
					members = append(members, i)
				}
			}
			s.Steps = append(s.Steps, Step{Suspects: isolate.Of(s.Elements, members...).String()})
		}
		want := make([]int, s.Elements)
		for i := range want {
			for k := range s.Steps {
				for _, r := range parseRuns(s.Steps[k].Suspects, s.Elements) {
					if r.From <= i && i < r.To {
						want[i] = k + 1
					}
				}
			}
		}
		if got := fates(s); !slices.Equal(got, want) {
			t.Fatalf("fates %v, want %v of %+v", got, want, s.Steps)
		}
	}
}

// The tree shows each element once: the sizes of its leaves add up.
func TestGroupTree(t *testing.T) {
	s := &Stage{Of: "changes", Elements: 12, Groups: []Group{
		{"file", "a.go", 0, 4}, {"symbol", "A", 0, 2},
		{"file", "b.go", 4, 8}, {"symbol", "B", 4, 6}, {"symbol", "C", 6, 8},
		{"file", "c.go", 8, 9}, {"file", "d.go", 9, 10}, {"file", "e.go", 10, 11}, {"file", "f.go", 11, 12},
	}, Steps: []Step{
		{Trial: 3, Outcome: "pass", Suspects: "4-11", Count: 8},
		{Trial: 4, Outcome: "fail", Suspects: "4-7", Count: 4},
		{Outcome: "pass", Suspects: "6-7", Count: 2},
		{Trial: 5, Outcome: "fail", Suspects: "7", Count: 1},
	}}
	var lines []string
	var print func(nodes []htmlNode, indent string)
	print = func(nodes []htmlNode, indent string) {
		for _, n := range nodes {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("%s%s %s, %s: %s %s", indent, n.Level, n.Name, n.Size, n.Outcome, n.Fate), " "))
			print(n.Nodes, indent+"  ")
		}
	}
	print(groupTree(s, "in the cause"), "")
	want := strings.Split(strings.TrimSpace(`
file a.go, 4 changes: pass cleared by trial 3
file b.go, 1 of 4 changes in the cause:
  symbol B, 2 changes: pass cleared by what was known
  symbol C, 1 of 2 changes in the cause:
     1 change, : fail cleared by trial 5
     1 change, :  in the cause
 c.go … f.go, 4 files: fail cleared by trial 4`), "\n")
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

// Requirements are drawn from left to right, each change once, none upon another,
// and circles do no harm.
func TestRequiresDrawn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed.New(t), 5))
	for round := range 200 {
		n := 2 + rnd.IntN(10)
		ref := func(i int) Reference {
			return Reference{ID: fmt.Sprint("c", i), Path: fmt.Sprint("f", i, ".go"), Line: i}
		}
		var s Story
		var stage Stage
		acyclic := round%2 == 0
		for range 1 + rnd.IntN(14) {
			i, j := rnd.IntN(n), rnd.IntN(n)
			if acyclic && i > j {
				i, j = j, i
			}
			stage.Requires = append(stage.Requires, Edge{ref(i), ref(j), "structural"})
		}
		s.Stages = []Stage{stage}
		h := newHTMLRequires(&Result{}, &s)
		if h == nil { // each required itself
			continue
		}
		box := map[string]htmlRequiresNode{}
		for i, a := range h.Nodes {
			box[a.Whole] = a
			for _, b := range h.Nodes[:i] {
				if a.X < b.X+b.Width && b.X < a.X+a.Width && a.Y < b.Y+b.Height && b.Y < a.Y+a.Height {
					t.Fatalf("%s lies on %s", a.Whole, b.Whole)
				}
			}
			if a.X < 0 || a.Y < 0 || a.X+a.Width > h.Width || a.Y+a.Height > h.Height {
				t.Fatalf("%s lies outside of %d x %d: %+v", a.Whole, h.Width, h.Height, a)
			}
		}
		if len(box) != len(h.Nodes) {
			t.Fatalf("%d boxes for %d changes", len(h.Nodes), len(box))
		}
		for _, row := range h.Rows {
			if acyclic && box[row.From].X >= box[row.To].X {
				t.Fatalf("%s does not stand left of %s", row.From, row.To)
			}
		}
	}
	// What goes over a layer goes around what stands there.
	ref := func(name string) Reference { return Reference{ID: name, Path: name} }
	over := newHTMLRequires(&Result{}, &Story{Stages: []Stage{{Requires: []Edge{
		{ref("a"), ref("b"), "predicted"}, {ref("b"), ref("c"), "predicted"}, {ref("a"), ref("c"), "predicted"},
	}}}})
	if over.Nodes[1].X <= over.Nodes[0].X || over.Nodes[2].X <= over.Nodes[1].X {
		t.Fatalf("not in three layers: %+v", over.Nodes)
	}
	var y int
	if _, err := fmt.Sscanf(over.Edges[2].Path[strings.Index(over.Edges[2].Path, "C"):], "C%d %d %d %d", new(int), new(int), new(int), &y); err != nil {
		t.Fatal(err, over.Edges[2].Path)
	}
	if b := over.Nodes[1]; b.Y <= y && y <= b.Y+b.Height {
		t.Errorf("a to c goes through b at %d: %+v", y, b)
	}
	var s Story
	for i := range drawnNodes {
		s.Stages = append(s.Stages, Stage{Requires: []Edge{{Reference{ID: fmt.Sprint(i), Path: "a"}, Reference{ID: fmt.Sprint(i, "x"), Path: "b"}, "learned"}}})
	}
	if h := newHTMLRequires(&Result{}, &s); h.Width != 0 || len(h.Rows) != drawnNodes {
		t.Errorf("too many are drawn: %d of %d", len(h.Nodes), len(h.Rows))
	}
}

// Long searches are folded, and every row is in one block.
func TestFold(t *testing.T) {
	for _, n := range []int{0, 1, seenRows, seenRows + 1, 400, 5000} {
		for _, moving := range []int{1, 20, 1 << 30} { // every how many rows something is cleared
			var rows []htmlRow
			for i := range n {
				row := htmlRow{Number: i + 1, Outcome: "pass", count: n - i}
				if i%moving == 0 {
					row.Before = "M0 5h1"
				}
				rows = append(rows, row)
			}
			seen, at := 0, 0
			for i, b := range fold(rows, true) {
				if b.First != (i == 0) {
					t.Errorf("%d rows: block %d is First %v", n, i, b.First)
				}
				if b.Summary == "" {
					seen += len(b.Rows)
				}
				for _, row := range b.Rows {
					if at++; row.Number != at {
						t.Fatalf("%d rows: %d is at %d", n, row.Number, at)
					}
				}
			}
			if at != n || seen > 2*seenRows {
				t.Errorf("%d rows, every %d clears: %d in blocks, %d seen", n, moving, at, seen)
			}
		}
	}
}
