package reduce

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// stanzas is a format of the test's own: what stands between empty lines.
var stanzas = Format{
	Name: "stanzas",
	Fits: func(name string, _ []byte) bool { return strings.HasSuffix(name, ".poem") },
	Parse: func(content []byte) (*Tree, error) {
		if strings.Contains(string(content), "prose") {
			return nil, errors.New("line 1: prose")
		}
		t := &Tree{Source: content, Root: &Node{To: len(content)}}
		for at := 0; at < len(content); {
			end := len(content)
			if i := strings.Index(string(content[at:]), "\n\n"); i >= 0 {
				end = at + i + 2
			}
			t.Root.Children = append(t.Root.Children, &Node{From: at, To: end})
			at = end
		}
		return t, nil
	},
}

func poem(text string) testcase.Input {
	return testcase.Input{Files: []testcase.File{{Path: "a.poem", Content: []byte(text)}}}
}

func TestOwnFormat(t *testing.T) {
	const text = "roses\nred\n\nviolets\nblue\n\nsugar\nsweet\n"
	fails := func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
		if strings.Contains(string(in.Files[0].Content), "blue") {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	for _, c := range []struct {
		name   string
		format string
		text   string
		left   string
		took   string
		notes  string
	}{
		{"guessed by its name", "", text, "violets\nblue\n\n", "stanzas", ""},
		{"named", "stanzas", text, "violets\nblue\n\n", "stanzas", ""},
		{"another is named", "lines", text, "blue\n", "lines", ""},
		{"does not parse", "", "prose\n\nblue\n", "blue\n", "indent", "a.poem does not parse as stanzas (line 1: prose): taken as blocks by indentation, lines and words"},
	} {
		result, err := Reduce(t.Context(), poem(c.text), fails, Options{Format: c.format, Formats: []Format{stanzas}, Passes: []string{"structure"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(result.Output.Files[0].Content); got != c.left || result.Formats[0] != c.took || strings.Join(result.Notes, "; ") != c.notes {
			t.Errorf("%s: %q as %v, notes %q", c.name, got, result.Formats, result.Notes)
		}
	}
	d, err := Isolate(t.Context(), poem("roses\n\nwhite\n"), poem("roses\n\nblue\n\nsugar\n"), fails, DifferenceOptions{Formats: []Format{stanzas}})
	if err != nil || d.Left != 1 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestOwnFormatRefused(t *testing.T) {
	asked := func(context.Context, testcase.Input) (isolate.Outcome, error) {
		t.Error("a trial was run")
		return isolate.Fail, nil
	}
	for _, c := range []struct {
		formats []Format
		want    string
	}{
		{[]Format{{Name: "json", Parse: stanzas.Parse}}, `format "json" of Options.Formats: there is one of this name already`},
		{[]Format{stanzas, stanzas}, `format "stanzas" of Options.Formats: there is one of this name already`},
		{[]Format{{Name: "x"}}, `format "x" of Options.Formats: it needs a name and a function to parse with`},
		{[]Format{{Parse: stanzas.Parse}}, `format "" of Options.Formats: it needs a name and a function to parse with`},
	} {
		if _, err := Reduce(t.Context(), poem("a"), asked, Options{Formats: c.formats}); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
		if _, err := Isolate(t.Context(), poem("a"), poem("b"), asked, DifferenceOptions{Formats: c.formats}); err == nil || err.Error() != c.want {
			t.Errorf("isolate: %v, want %s", err, c.want)
		}
	}
}

// A tree that breaks the rules is refused, not followed out of the text.
func TestOwnFormatWrong(t *testing.T) {
	twice := &Node{From: 0, To: 1}
	for _, c := range []struct {
		tree *Tree
		want string
	}{
		{nil, "its tree is not one of the whole text"},
		{&Tree{Source: []byte("ab")}, "its tree is not one of the whole text"},
		{&Tree{Source: []byte("ab"), Root: &Node{To: 1}}, "its tree is not one of the whole text"},
		{&Tree{Source: []byte("xx"), Root: &Node{To: 2}}, "its tree is not one of the whole text"},
		{&Tree{Source: []byte("ab"), Root: &Node{To: 2, Children: []*Node{{From: 0, To: 3}}}}, "the node of bytes 0 to 3 does not lie within that of 0 to 2, behind its sister"},
		{&Tree{Source: []byte("ab"), Root: &Node{To: 2, Children: []*Node{{From: 1, To: 2}, {From: 0, To: 1}}}}, "the node of bytes 0 to 1 does not lie within that of 0 to 2, behind its sister"},
		{&Tree{Source: []byte("ab"), Root: &Node{To: 2, Children: []*Node{nil}}}, "a child of the node of bytes 0 to 2 is nil"},
		{&Tree{Source: []byte("ab"), Root: &Node{To: 2, Children: []*Node{{To: 0, Children: []*Node{}}, twice, {From: 1, To: 1, Children: nil}}}, Together: [][]*Node{{{}}}}, "a node that goes together with others is not in the tree"},
	} {
		f := Format{Name: "wrong", Parse: func([]byte) (*Tree, error) { return c.tree, nil }}
		fails := func(context.Context, testcase.Input) (isolate.Outcome, error) { return isolate.Fail, nil }
		result, err := Reduce(t.Context(), poem("ab"), fails, Options{Format: "wrong", Formats: []Format{f}})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Notes) == 0 || !strings.Contains(result.Notes[0], "does not parse as wrong ("+c.want+")") {
			t.Errorf("%q, want %s", result.Notes, c.want)
		}
	}
	if err := (&Tree{Source: []byte("ab"), Root: &Node{To: 2, Children: []*Node{{To: 1, Children: []*Node{twice}}, {From: 1, To: 2}}}}).check([]byte("ab")); err != nil {
		t.Error(err)
	}
}
