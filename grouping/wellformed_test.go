package grouping_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/seed"
)

// A shape is how a block of a language begins and ends, and a statement in it.
type shape struct{ head, foot, open, close, statement string }

var shapes = map[string]shape{
	"a.go": {"package p\n\nfunc f() {\n", "}\n", "for {\n", "}\n", "println(%d)\n"},
	"a.py": {"def f():\n", "", "g(\n", "),\n", "%d,\n"},
	"a.js": {"function f() {\n", "}\n", "while (g(1)) {\n", "}\n", "console.log([%d, ')']);\n"},
	"a.c":  {"int f(int x)\n{\n", "\treturn 0;\n}\n", "if (x) { /* ( */\n", "}\n", "g(%d);\n"},
}

// nested returns both sides of a file: runs of statements, some of which the bad side has
// in a block, or otherwise.
func nested(random *rand.Rand, s shape) (old, new string) {
	var a, b strings.Builder
	a.WriteString(s.head)
	b.WriteString(s.head)
	depth, filled := 0, true // filled: the innermost block has a statement
	tabs := func(n int) string { return strings.Repeat("    ", n) }
	for line := range 8 + random.IntN(12) {
		switch {
		case random.IntN(4) == 0 && depth < 3:
			b.WriteString(tabs(depth+1) + s.open)
			depth, filled = depth+1, false
		case depth > 0 && filled && random.IntN(3) == 0:
			depth--
			if s.close != "" {
				b.WriteString(tabs(depth+1) + s.close)
			}
		}
		text := fmt.Sprintf(s.statement, line)
		a.WriteString(tabs(1) + text)
		if random.IntN(6) == 0 {
			text = fmt.Sprintf(s.statement, line+100)
		}
		b.WriteString(tabs(1+depth) + text)
		filled = true
		if random.IntN(2) == 0 { // what keeps hunks apart: a comment that stays
			for _, w := range []*strings.Builder{&a, &b} {
				mark := "//"
				if s.head[0] == 'd' {
					mark = "#"
				}
				fmt.Fprintf(w, "%s statement %d\n", mark, line)
			}
		}
	}
	for ; depth > 0 && s.close != ""; depth-- {
		b.WriteString(tabs(depth) + s.close)
	}
	a.WriteString(s.foot)
	b.WriteString(s.foot)
	return a.String(), b.String()
}

// For random subsets of the hunks of files in several languages, Check says something
// exactly when the composed file does not parse; and it says nothing of the ends.
func TestWellformedAgainstComposedFiles(t *testing.T) {
	seed.SkipLong(t, 4)
	random := rand.New(rand.NewPCG(seed.New(t), 1))
	for _, name := range []string{"a.go", "a.py", "a.js", "a.c"} {
		t.Run(path.Ext(name)[1:], func(t *testing.T) {
			said, silent := 0, 0
			for range 6 {
				old, new := nested(random, shapes[name])
				s := between(t, repository(t, edit{"good", map[string]string{name: old}}, edit{"bad", map[string]string{name: new}}), "r0", "r1")
				if s.Len() < 2 {
					continue
				}
				for _, side := range []string{old, new} {
					if clean, ok := grouping.Parses(name, []byte(side)); ok && !clean {
						t.Fatalf("an end does not parse:\n%s", side)
					}
				}
				w := plan(t, s).Wellformed()
				defer w.Close()
				for _, end := range [][]int{nil, upTo(s.Len())} {
					if got := w.Check(slices.Values(end)); got != nil {
						t.Errorf("of an end: %v", got)
					}
				}
				for range 20 {
					applied := subset(random, s.Len())
					text := composed(t, s, old, applied...)
					clean, ok := grouping.Parses(name, []byte(text))
					if !ok {
						t.Skip("no parser of this language")
					}
					got := w.Check(slices.Values(applied))
					checkMessages(t, s.Len(), applied, got)
					if (len(got) == 0) != clean {
						t.Errorf("it parses: %v, but %d messages:\n%s", clean, len(got), text)
					}
					if again := w.Check(slices.Values(applied)); !slices.EqualFunc(got, again, func(a, b grouping.Message) bool {
						return a.Key == b.Key && slices.Equal(a.Explanations, b.Explanations)
					}) {
						t.Error("not the same twice")
					}
					if clean {
						silent++
					} else {
						said++
					}
				}
			}
			if said == 0 || silent == 0 {
				t.Errorf("%d mixtures with a fault and %d without: not both were tried", said, silent)
			}
		})
	}
}

// scoped returns two versions of a function of C. Each statement of a version declares a variable in its block, uses one, or
// leaves a loop, as C allows it.
func scoped(random *rand.Rand) (sides [2]string) {
	blocks := make([]int, 4) // how many statements each has
	for k := range blocks {
		blocks[k] = 2 + random.IntN(4)
	}
	for which := range sides {
		var b strings.Builder
		b.WriteString("int g(int);\nint f(int x)\n{\n")
		var outer []string
		for k, n := range blocks {
			loop := random.IntN(2) == 0
			fmt.Fprintf(&b, "\t%s (g(%d)) {\n", map[bool]string{true: "while", false: "if"}[loop], k)
			var inner []string
			for line := range n {
				fmt.Fprintf(&b, "\t\t/* %d.%d */\n", k, line)
				own := fmt.Sprintf("own%d", random.IntN(2))
				switch names := append(slices.Clone(outer), inner...); {
				case random.IntN(3) == 0 && !slices.Contains(inner, own):
					inner = append(inner, own)
					fmt.Fprintf(&b, "\t\tint %s = %d;\n", own, line)
				case random.IntN(4) == 0 && loop:
					b.WriteString("\t\tif (g(x))\n\t\t\tbreak;\n")
				case len(names) > 0 && random.IntN(2) == 0:
					fmt.Fprintf(&b, "\t\tg(%s);\n", names[random.IntN(len(names))])
				default:
					fmt.Fprintf(&b, "\t\tg(x + %d);\n", line)
				}
			}
			fmt.Fprintf(&b, "\t}\n\t/* %d */\n", k)
			if random.IntN(2) == 0 {
				outer = append(outer, fmt.Sprintf("outer%d", k))
				fmt.Fprintf(&b, "\tint outer%d = g(x);\n", k)
			}
		}
		b.WriteString("\treturn 0;\n}\n")
		sides[which] = b.String()
	}
	return sides
}

// What Check says of names and jumps of C, gcc refuses. It says so of most files that gcc refuses.
func TestWellformedAgainstCompiler(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc")
	}
	seed.SkipLong(t, 6)
	random := rand.New(rand.NewPCG(seed.New(t), 1))
	said, refused := 0, 0
	for range 20 {
		sides := scoped(random)
		s := between(t, repository(t, edit{"good", map[string]string{"a.c": sides[0]}}, edit{"bad", map[string]string{"a.c": sides[1]}}), "r0", "r1")
		w := plan(t, s).Wellformed()
		defer w.Close()
		for k, applied := range [][]int{nil, upTo(s.Len()), subset(random, s.Len()), subset(random, s.Len()), subset(random, s.Len()), subset(random, s.Len())} {
			text := composed(t, s, sides[0], applied...)
			compile := exec.Command(gcc, "-w", "-fsyntax-only", "-x", "c", "-")
			compile.Stdin = strings.NewReader(text)
			output, err := compile.CombinedOutput()
			if k < 2 && err != nil {
				t.Fatalf("an end does not compile:\n%s\n%s", text, output)
			}
			got := w.Check(slices.Values(applied))
			checkMessages(t, s.Len(), applied, got)
			if len(got) > 0 && err == nil {
				t.Errorf("%q is said of a file that gcc compiles:\n%s", got[0].Text, text)
			}
			if err != nil {
				refused++
				said += min(1, len(got))
			}
		}
	}
	if t.Logf("%d of %d refused files are found", said, refused); said < refused/2 || refused < 10 {
		t.Errorf("%d of %d files that gcc refuses were found, want half of at least 10", said, refused)
	}
}

// What Check says of a name is explained by the hunks that have the name.
func TestWellformedNames(t *testing.T) {
	old := "function f(a) {\n  let b = a;\n  // 1\n  g(1);\n  // 2\n  g(b);\n  // 3\n  g(3);\n  return a;\n}\n"
	new := "function f(a) {\n  let c = a;\n  // 1\n  g(c);\n  // 2\n  let d = c;\n  // 3\n  g(d);\n  return a;\n}\n"
	s := between(t, repository(t, edit{"good", map[string]string{"a.js": old}}, edit{"bad", map[string]string{"a.js": new}}), "r0", "r1")
	w := plan(t, s).Wellformed()
	defer w.Close()
	for _, c := range []struct {
		applied []int
		text    string
		first   grouping.Requirement
	}{
		{[]int{0, 1}, "b is not declared", grouping.Requirement{Change: 0, Requires: 2}},
		{[]int{0, 1, 2}, "", grouping.Requirement{}},
		{[]int{2}, "c is not declared", grouping.Requirement{Change: 2, Requires: 0}},
		{[]int{0, 1, 3}, "b is not declared", grouping.Requirement{Change: 0, Requires: 2}},
	} {
		got := w.Check(slices.Values(c.applied))
		switch {
		case c.text == "" && len(got) > 0:
			t.Errorf("%v: %v", c.applied, got)
		case c.text != "" && (len(got) != 1 || got[0].Text != c.text || got[0].Explanations[0].Requirement != c.first):
			t.Errorf("%v: got %v, want %q, first explained by %v", c.applied, got, c.text, c.first)
		}
	}
}

// subset draws some of n changes.
func subset(random *rand.Rand, n int) (list []int) {
	for i := range n {
		if random.IntN(2) == 0 {
			list = append(list, i)
		}
	}
	return list
}

// opened is a file in which one hunk opens a block and another one closes it.
func opened(t *testing.T, foot string) (*changes.Set, *grouping.Plan) {
	body := strings.Repeat("\tprintln()\n", 12)
	old := "package p\n\nfunc f() {\n" + body + "}\n" + foot
	new := "package p\n\nfunc f() {\n\tfor {\n" + body + "\t}\n}\n" + foot
	s := between(t, repository(t, edit{"good", map[string]string{"a.go": old}}, edit{"bad", map[string]string{"a.go": new}}), "r0", "r1")
	if s.Len() != 2 {
		t.Fatalf("%d changes", s.Len())
	}
	return s, plan(t, s)
}

func TestWellformed(t *testing.T) {
	_, p := opened(t, "")
	w := p.Wellformed()
	defer w.Close()
	got := w.Check(slices.Values([]int{0}))
	if len(got) != 1 || got[0].Explanations[0].Requirement != (grouping.Requirement{Change: 0, Requires: 1}) {
		t.Errorf("of a block that stays open: %v", got)
	}
	got = w.Check(slices.Values([]int{1}))
	if len(got) != 1 || got[0].Explanations[0].Requirement != (grouping.Requirement{Change: 1, Requires: 0}) {
		t.Errorf("of a bracket that closes nothing: %v", got)
	}

	// Where an end has a fault of each kind that is looked for, no mixture is judged.
	_, broken := opened(t, "func g() { (\n")
	w = broken.Wellformed()
	defer w.Close()
	if got := w.Check(slices.Values([]int{0})); got != nil {
		t.Errorf("of a file that parses on no side: %v", got)
	}

	// Where there is no budget for parsing any more, brackets are still compared.
	w = p.Wellformed()
	defer w.Close()
	grouping.SpendParsing(w)
	if got := w.Check(slices.Values([]int{1})); len(got) != 1 {
		t.Errorf("of a bracket that closes nothing, without a parser: %v", got)
	}

	// No mixture is judged when the whole budget is spent, but what was found out stays known.
	w = p.Wellformed()
	defer w.Close()
	known := w.Check(slices.Values([]int{0}))
	grouping.Spend(w)
	if got := w.Check(slices.Values([]int{1})); got != nil {
		t.Errorf("beyond the budget: %v", got)
	}
	if got := w.Check(slices.Values([]int{0})); len(got) != len(known) {
		t.Errorf("of what was known before the budget was spent: %v", got)
	}

	var none grouping.Plan
	if w := none.Wellformed(); w.Check(slices.Values([]int{0})) != nil {
		t.Error("a plan of nothing says something")
	} else {
		w.Close()
	}
}
