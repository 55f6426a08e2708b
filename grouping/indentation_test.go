package grouping_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/seed"
)

func TestMisindented(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		line       int
	}{
		{"nothing", "", 0},
		{"nested", "if a:\n    if b:\n        c\nd\n", 0},
		{"too far", "a\n    b\n", 2},
		{"not far enough", "if a:\nb\n", 2},
		{"between two blocks", "if a:\n        b\n    c\n", 3},
		{"blank lines and comments", "if a:\n\n# c\n      # d\n    b\n", 0},
		{"in brackets", "a = [\n        1,\n  2]\nb\n", 0},
		{"a colon in brackets", "a = {\n  1:\n  2}\nb\n", 0},
		{"behind a backslash", "a = \\\n      1\nb\n", 0},
		{"in a string of several lines", "a = '''\n    if b:\n  '''\nc\n", 0},
		{"a bracket in a string", "a = '('\nb\n", 0},
		{"a colon in a comment", "a # b:\nc\n", 0},
		{"a colon before a comment", "if a: # b\n    c\n", 0},
		{"a block on one line", "if a: b\nc\n", 0},
		{"tabs, as Python 2 takes them", "if a:\n\tb\n        c\n", 0},
		{"a part of a file", "    def f():\n        a\n    b\nc\n", 0},
		{"a block without lines", "a\nif b:\n# c\n", 2},
		{"no line feed at the end", "a\n b", 2},
		{"behind a string with an empty line", "'''a\n\nb'''\nc\n    d\n", 5},
		{"behind brackets", "a = [\n  1]\n  b\n", 3},
		{"behind a backslash and its line", "a = \\\n  1\n  b\n", 3},
		{"two blocks at once", "if a:\n    if b:\n        c\nd\n", 0},
		{"an escaped quote", "a = '\\'('\nb\n", 0},
		{"a form feed", "if a:\n    b\n\f\nc\n", 0},
		{"a part of a file, between two blocks", "        a\n    b\n      c\n", 3},
		{"a return in a function", "async def f():\n    if a:\n        return b\n    yield c\n", 0},
		{"a return outside of functions", "def f():\n    a\nb\nreturn c\n", 4},
		{"a return in a class", "class A:\n    if b:\n        return\n", 3},
		{"a loop", "for a in b:\n    if c:\n        break\n    else:\n        continue\n", 0},
		{"a break behind a loop", "while a:\n    b\nif c:\n    break\n", 4},
		{"a loop around a function", "for a in b:\n    def f():\n        continue\n", 3},
		{"a break behind a loop's else", "for a in b:\n    c\nelse:\n    break\n", 4},
		{"names that begin like keywords", "returned = 1\nbreak_ = 2\n", 0},
		{"a part of a function", "    a\n    return b\n", 0},
		{"carriage returns", "if a:\r\n    b\r\nc\r\n", 0},
	} {
		if got := grouping.Misindented(tt.text); got != tt.line {
			t.Errorf("%s: line %d, want %d", tt.name, got, tt.line)
		}
	}
}

// part is a text whose first line with code is indented, as in a part of a file.
var part = regexp.MustCompile(`^(?:[ ]*(?:#.*)?\n)* +[^ #\n]`)

// Of random texts, misindented refuses those that Python refuses for their indentation, and takes
// those that Python takes. Parts of files are left out: Python refuses them.
func TestMisindentedAgainstPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	random := rand.New(rand.NewPCG(seed.New(t), 1))
	lines := []string{"a", "if a:", "while a: # b", "a = [1,", "2]", "# a:", "", "a = '''b:", "c'''", "a = \\", "'(', b", "if a: b"}
	const texts = 400
	script := "import sys\nfor text in sys.stdin.buffer.read().decode().split('\\x00')[:-1]:\n" +
		"  try:\n    compile(text, 'a', 'exec'); print(0)\n" +
		"  except IndentationError as e: print(e.lineno if 'unexpected' in e.msg or 'unindent' in e.msg else 'block')\n" +
		"  except SyntaxError: print('syntax')\n"
	var all []string
	for range texts {
		var b strings.Builder
		for range 1 + random.IntN(7) {
			fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", random.IntN(4)*random.IntN(2)), lines[random.IntN(len(lines))])
		}
		all = append(all, b.String())
	}
	cmd := exec.CommandContext(t.Context(), python, "-W", "ignore", "-c", script)
	cmd.Stdin = strings.NewReader(strings.Join(all, "\x00") + "\x00")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	refused, taken := 0, 0
	for k, word := range bytes.Fields(out) {
		said := string(word) // the line, or what the fault is of
		if part.MatchString(all[k]) || said == "syntax" {
			continue
		}
		got := strconv.Itoa(grouping.Misindented(all[k]))
		if said == "0" {
			taken++
		} else {
			refused++
		}
		if got != said && (said != "block" || got == "0") {
			t.Errorf("line %s, and Python says %s, of\n%s", got, said, all[k])
		}
	}
	if refused < 5 || taken < 5 {
		t.Errorf("%d texts were refused and %d taken", refused, taken)
	}
}

// A hunk that opens a block of Python and one that indents what is in it need each other.
func TestWellformedIndentation(t *testing.T) {
	body := strings.Repeat("# a comment that stays\n", 8)
	old := "def f():\n    a()\n" + body + "    b()\n"
	new := "def f():\n    if a():\n        c()\n" + body + "        b()\n"
	s := between(t, repository(t, edit{"good", map[string]string{"a.py": old}}, edit{"bad", map[string]string{"a.py": new}}), "r0", "r1")
	if s.Len() != 2 {
		t.Fatalf("%d changes", s.Len())
	}
	p := plan(t, s)
	if withGrammars() && (!slices.Equal(p.Predicted[1], []int{0}) || len(p.Predicted[0]) > 0) { // by the tree alone
		t.Errorf("predicted %v", p.Predicted)
	}
	w := p.Wellformed()
	defer w.Close()
	if got := w.Check(slices.Values([]int{1})); len(got) != 1 || got[0].Explanations[0].Requirement != (grouping.Requirement{Change: 1, Requires: 0}) {
		t.Errorf("with the second hunk alone, which is indented too far: %v", got)
	}
	if got := w.Check(slices.Values([]int{0})); got != nil {
		t.Errorf("with the first hunk alone, which is valid: %v", got)
	}
}
