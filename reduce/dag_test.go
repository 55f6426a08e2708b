package reduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// graphFails is a test that fails for the inputs of one BTOR file that hold a graph
// that a function finds interesting. What is no graph with one root of the width of
// the original does not fail, and is an error of the test.
func graphFails(t testing.TB, original string, interesting func(g *graph.Graph) bool) Test {
	first, err := btor.Read([]byte(original))
	if err != nil {
		t.Fatal(err)
	}
	return func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
		text := in.Files[0].Content
		f, err := btor.Read(text)
		if err == nil {
			err = errors.Join(btor.Check(f.Graph), btor.SingleRoot(f.Graph))
		}
		if err == nil && rootOf(f.Graph).Sort != rootOf(first.Graph).Sort {
			err = fmt.Errorf("its root has the sort %v", rootOf(f.Graph).Sort)
		}
		if err == nil && string(text) != original && string(btor.Text(f.Graph.Canonical())) != string(text) {
			err = errors.New("it is not canonical")
		}
		if err != nil {
			t.Errorf("asked about\n%s%v", text, err)
			return isolate.Pass, nil
		}
		if interesting(f.Graph) {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
}

func rootOf(g *graph.Graph) graph.Node {
	for _, r := range g.Roots {
		if g.Nodes[r].Op == "root" {
			return g.Nodes[r]
		}
	}
	return graph.Node{}
}

// has reports whether a graph has a node with an operator.
func has(g *graph.Graph, op string) bool {
	return slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return n.Op == op })
}

const small = `1 var 4 a
2 var 4
3 constd 4 7
4 mul 4 1 2
5 add 4 -4 3
6 udiv 4 5 4
7 ult 1 6 3
8 eq 1 1 2
9 and 1 -7 8
10 root 1 9
`

// A graph that cannot be written again as all candidates are is reduced as lines, and
// the reason is told.
func TestGraphAsLines(t *testing.T) {
	const begin = "a.btor is reduced as lines: "
	for _, c := range []struct {
		text, needs, keep, note string
	}{
		{small + "; seed 7\n", "seed", "", begin + "it fails only as it is, not when it is written again"},
		{small + "; seed 7\n", "mul", "seed", begin + "written again, without comments and what no root needs, it would lose text that is to be kept"},
		{small, "mul", "var 4 a", ""},
	} {
		test := func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
			if bytes.Contains(in.Files[0].Content, []byte(c.needs)) {
				return isolate.Fail, nil
			}
			return isolate.Pass, nil
		}
		opts := Options{}
		if c.keep != "" {
			opts.Keep = regexp.MustCompile(c.keep)
		}
		result, err := Reduce(t.Context(), oneFile("a.btor", c.text), test, opts)
		if err != nil || strings.Join(result.Notes, "; ") != c.note || (result.Formats[0] == "lines") != (c.note != "") {
			t.Errorf("%q, keep %q: %v, taken for %q, notes %q, want %q", c.needs, c.keep, err, result.Formats, result.Notes, c.note)
		}
	}
}

// That a constant alone fails, too, is said: what a command fails on is elsewhere then.
func TestBareGraph(t *testing.T) {
	const note = "the command fails the same way on a graph of a single constant: what it fails on is not in the input"
	for _, c := range []struct {
		needs string
		notes []string
	}{
		{"root", []string{note}},
		{"mul", nil},
		{"var", nil},
	} {
		test := graphFails(t, small, func(g *graph.Graph) bool { return has(g, c.needs) })
		result, err := Reduce(t.Context(), oneFile("a.btor", small), test, Options{})
		if err != nil || !result.Minimal || !slices.Equal(result.Notes, c.notes) {
			t.Errorf("%s is needed: %v, minimal %v, notes %q, want %q", c.needs, err, result.Minimal, result.Notes, c.notes)
		}
	}
}

// What a BTOR file is taken for, by name and content and option.
func TestBTORFormat(t *testing.T) {
	roots := small + "11 root 1 8\n"
	for _, c := range []struct {
		name, content, format string
		took, note, err       string
	}{
		{name: "a.btor", content: small, took: "btor"},
		{name: "a", content: small, took: "btor"},
		{name: "a", content: "; seed 1\n\n " + small, took: "btor"},
		{name: "a", content: "1 sort bitvec 4\n", took: "indent"},
		{name: "a.txt", content: small, format: "btor", took: "btor"},
		{name: "a.btor", content: "1 var 4\n2 root 1 1\n", took: "lines", note: "a.btor does not parse as btor (line 2: "},
		{name: "a.btor", content: roots, took: "lines", note: "a.btor does not parse as btor (there are 2 root lines"},
		{name: "a.btor", content: "1 var 4\n2 root 1 1\n", format: "btor", err: "a.btor does not parse as btor: line 2: "},
		{name: "a.txt", content: roots, format: "btor", err: "a.txt does not parse as btor: there are 2 root lines"},
		{name: "a.txt", content: "", format: "btor", err: "a.txt does not parse as btor: "},
	} {
		asked := 0
		test := func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
			if asked++; asked == 1 && in.Size() > 0 {
				return isolate.Fail, nil // it may be written again
			}
			return isolate.Pass, nil
		}
		result, err := Reduce(t.Context(), oneFile(c.name, c.content), test, Options{Format: c.format, MaxTrials: 2})
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.err) || asked > 0 {
				t.Errorf("%s %q: after %d trials %v, want at once %q", c.name, c.content, asked, err, c.err)
			}
			continue
		}
		if err != nil && !errors.Is(err, isolate.ErrBudget) || !slices.Equal(result.Formats, []string{c.took}) && result.Formats[0] != "" {
			t.Errorf("%s %q: %v, taken for %q, want %s", c.name, c.content, err, result.Formats, c.took)
		}
		if !strings.HasPrefix(strings.Join(result.Notes, "; "), c.note) || c.note == "" && len(result.Notes) > 0 {
			t.Errorf("%s %q: notes %q, want %q", c.name, c.content, result.Notes, c.note)
		}
	}
}
