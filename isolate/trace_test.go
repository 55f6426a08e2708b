package isolate_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/isolate"
)

var update = flag.Bool("update", false, "rewrite the golden traces in testdata")

// A script is the head of a trace file. As in the papers, elements are
// numbered from 1; fail and unresolved are Go expressions over them, true when
// the element is in the configuration. The empty configuration passes. Where
// unresolved is "otherwise", nothing else does.
type script struct {
	Algorithm        string           `json:"algorithm"`
	N                int              `json:"n"`
	Goal             string           `json:"goal"`
	Fail             string           `json:"fail"`
	Unresolved       string           `json:"unresolved"`
	Order            []int            `json:"order"`
	Weights          []int            `json:"weights"`
	Groups           [][]int          `json:"groups"`
	Requires         map[string][]int `json:"requires"`
	Predicted        map[string][]int `json:"predicted"`
	fail, unresolved func(isolate.Configuration) bool
}

// TestTraces runs the behaviours in testdata and compares every trial with the
// golden one. To add one, write its line of JSON and run the test with -update.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.trace")
	if err != nil || len(files) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".trace"), func(t *testing.T) {
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, line := splitHead(string(golden))
			got := head + trace(t, parseScript(t, line))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(golden), got); diff != "" {
				t.Errorf("trace differs (- golden, + got):\n%s", diff)
			}
		})
	}
}

// splitHead returns the comments and the line of JSON at the head of a file.
func splitHead(file string) (head, line string) {
	for l := range strings.Lines(file) {
		head += l
		if !strings.HasPrefix(l, "#") {
			return head, l
		}
	}
	return head, ""
}

// trace returns one line per trial, as the tables of the papers have it: the
// members of the configuration, a dot for what is not in it, and the outcome.
// The two ends, which are always tested first, have no number.
func trace(t *testing.T, s script) string {
	t.Helper()
	var b strings.Builder
	row := func(name string, c isolate.Configuration, outcome string) {
		fmt.Fprintf(&b, "%-7s", name)
		for i := range s.N {
			if c.Has(i) {
				fmt.Fprintf(&b, " %2d", i+1)
			} else {
				b.WriteString("  .")
			}
		}
		fmt.Fprintf(&b, "  %s\n", outcome)
	}
	behaviour := &behaviour{Problem: s.problem(t), outcome: s.outcome}
	opts := isolate.Options{Algorithm: s.Algorithm, Goal: s.goal(t)}
	check(t, behaviour, opts)
	opts.Observe = func(step isolate.Step) {
		name := strconv.Itoa(step.Trial - 2)
		if step.Trial <= 2 {
			name = "end"
		}
		if !step.Known {
			row(name, step.Config, step.Outcome.String())
		}
	}
	r, err := isolate.Search(t.Context(), behaviour.Problem, behaviour.test, opts)
	if err != nil {
		t.Fatal(err)
	}
	row("passing", r.Passing, "")
	row("failing", r.Failing, "")
	row("cause", r.Cause, fmt.Sprintf("minimal=%v", r.Minimal))
	if !r.Unproven.IsEmpty() {
		row("unproven", r.Unproven, "")
	}
	if !r.Context.IsEmpty() {
		row("context", r.Context, "")
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func parseScript(t *testing.T, line string) script {
	t.Helper()
	var s script
	if err := json.Unmarshal([]byte(line), &s); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	s.fail, s.unresolved = expression(t, s.Fail), expression(t, s.Unresolved)
	return s
}

func (s script) outcome(c isolate.Configuration) isolate.Outcome {
	switch {
	case c.IsEmpty():
		return isolate.Pass
	case s.Unresolved == "otherwise" && !s.fail(c), s.Unresolved != "" && s.unresolved(c):
		return isolate.Unresolved
	case s.fail(c):
		return isolate.Fail
	}
	return isolate.Pass
}

func (s script) problem(t *testing.T) isolate.Problem {
	rows := func(edges map[string][]int) [][]int {
		if edges == nil {
			return nil
		}
		out := make([][]int, s.N)
		for from, to := range edges {
			i, err := strconv.Atoi(from)
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range to {
				out[i-1] = append(out[i-1], j-1)
			}
		}
		return out
	}
	var order []int
	for _, e := range s.Order {
		order = append(order, e-1)
	}
	return isolate.Problem{N: s.N, Order: order, Weights: s.Weights, Groups: s.Groups, Requires: rows(s.Requires), Predicted: rows(s.Predicted)}
}

func (s script) goal(t *testing.T) isolate.Goal {
	for _, g := range goals {
		if s.Goal == g.String() || s.Goal == "" {
			return g
		}
	}
	t.Fatalf("no goal %q", s.Goal)
	return 0
}

// expression returns the value of a Go expression of numbers, !, &&, ||, ==, != and parentheses.
func expression(t *testing.T, text string) func(isolate.Configuration) bool {
	t.Helper()
	if text == "" || text == "otherwise" {
		return func(isolate.Configuration) bool { return false }
	}
	tree, err := parser.ParseExpr(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var compile func(ast.Expr) func(isolate.Configuration) bool
	compile = func(e ast.Expr) func(isolate.Configuration) bool {
		switch e := e.(type) {
		case *ast.ParenExpr:
			return compile(e.X)
		case *ast.BasicLit:
			element, err := strconv.Atoi(e.Value)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			return func(c isolate.Configuration) bool { return c.Has(element - 1) }
		case *ast.UnaryExpr:
			x := compile(e.X)
			if e.Op == token.NOT {
				return func(c isolate.Configuration) bool { return !x(c) }
			}
		case *ast.BinaryExpr:
			x, y := compile(e.X), compile(e.Y)
			switch e.Op {
			case token.LAND:
				return func(c isolate.Configuration) bool { return x(c) && y(c) }
			case token.LOR:
				return func(c isolate.Configuration) bool { return x(c) || y(c) }
			case token.EQL:
				return func(c isolate.Configuration) bool { return x(c) == y(c) }
			case token.NEQ:
				return func(c isolate.Configuration) bool { return x(c) != y(c) }
			}
		}
		t.Fatalf("%q: no boolean expression of elements", text)
		return nil
	}
	return compile(tree)
}
