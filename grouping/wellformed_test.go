package grouping_test

import (
	"fmt"
	"math/rand/v2"
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

	// Nor when the budget is spent, but what was found out stays known.
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
