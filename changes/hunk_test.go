package changes

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/internal/sequence"
)

// show gives hunks as git diff -U0 heads them, with their texts.
func show(hunks []hunk, old, new string) []string {
	var out []string
	for _, h := range hunks {
		c := h.change([]byte(old), []byte(new))
		out = append(out, fmt.Sprintf("-%d,%d +%d,%d %q %q", c.OldStart, c.OldLines, c.NewStart, c.NewLines, c.Old, c.New))
	}
	return out
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"equal", "a\nb\n", "a\nb\n", nil},
		{"both empty", "", "", nil},
		{"from empty", "", "a\nb\n", []string{`-0,0 +1,2 "" "a\nb\n"`}},
		{"to empty", "a\nb\n", "", []string{`-1,2 +0,0 "a\nb\n" ""`}},
		{"replaced", "a\nb\nc\n", "a\nB\nc\n", []string{`-2,1 +2,1 "b\n" "B\n"`}},
		{"inserted", "a\nc\n", "a\nb\nc\n", []string{`-1,0 +2,1 "" "b\n"`}},
		{"removed", "a\nb\nc\n", "a\nc\n", []string{`-2,1 +1,0 "b\n" ""`}},
		{"two", "a\nb\nc\nd\n", "A\nb\nc\nD\n", []string{`-1,1 +1,1 "a\n" "A\n"`, `-4,1 +4,1 "d\n" "D\n"`}},
		{"final newline comes", "a\nb", "a\nb\n", []string{`-2,1 +2,1 "b" "b\n"`}},
		{"final newline goes", "a\nb\n", "a\nb", []string{`-2,1 +2,1 "b\n" "b"`}},
		{"appended after no final newline", "a", "a\nb", []string{`-1,1 +1,2 "a" "a\nb"`}},
		{"line without newline is not its prefix", "xay", "xby", []string{`-1,1 +1,1 "xay" "xby"`}},
		{"common tail within a line", "1 tail\nz\n", "2 tail\nz\n", []string{`-1,1 +1,1 "1 tail\n" "2 tail\n"`}},
		{"tail overlaps head", "a\na\na\n", "a\na\n", []string{`-3,1 +2,0 "a\n" ""`}},
		{"carriage return alone ends no line", "a\rb\n", "a\rc\n", []string{`-1,1 +1,1 "a\rb\n" "a\rc\n"`}},
		{"carriage return comes", "a\nb\n", "a\r\nb\n", []string{`-1,1 +1,1 "a\n" "a\r\n"`}},
		{"bytes in no encoding", "\xff\n\x00\n", "\xfe\n\x00\n", []string{`-1,1 +1,1 "\xff\n" "\xfe\n"`}},
		{"replacement rune is not what it stands for", "\xef\xbf\xbd\n", "\xff\n", []string{`-1,1 +1,1 "�\n" "\xff\n"`}},
		{"touching blocks are one", "a\nb\n", "c\nd\ne\n", []string{`-1,2 +1,3 "a\nb\n" "c\nd\ne\n"`}},

		{"a function is inserted whole", "func a() {\n\tx\n}\n\nfunc c() {\n\tx\n}\n", "func a() {\n\tx\n}\n\nfunc b() {\n\tx\n}\n\nfunc c() {\n\tx\n}\n",
			[]string{`-4,0 +5,4 "" "func b() {\n\tx\n}\n\n"`}},
		{"a function is removed whole", "func a() {\n\tx\n}\n\nfunc b() {\n\tx\n}\n\nfunc c() {\n\tx\n}\n", "func a() {\n\tx\n}\n\nfunc c() {\n\tx\n}\n",
			[]string{`-5,4 +4,0 "func b() {\n\tx\n}\n\n" ""`}},
		{"a function is appended with the blank line", "def a\n  x\nend\n", "def a\n  x\nend\n\ndef b\n  x\nend\n",
			[]string{`-3,0 +4,4 "" "\ndef b\n  x\nend\n"`}},
		{"outer before inner", "  if a {\n    x\n  }\n  y\n", "  if b {\n    x\n  }\n  if a {\n    x\n  }\n  y\n",
			[]string{`-0,0 +1,3 "" "  if b {\n    x\n  }\n"`}},
		{"slides keep hunks apart", "x\nm\nx\nz\n", "x\nx\nm\nx\nx\nm\nz\n", []string{`-1,0 +2,1 "" "x\n"`, `-3,0 +5,2 "" "x\nm\n"`}},
		{"an insertion joins the replacement below", "\ta()\n\tif x {\n\t\tb()\n\t}\n\tc()\n", "\ta()\n\tif y {\n\t\td()\n\t}\n\tif z {\n\t\tb()\n\t}\n\tc()\n",
			[]string{`-2,1 +2,4 "\tif x {\n" "\tif y {\n\t\td()\n\t}\n\tif z {\n"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := cut([]byte(c.old), []byte(c.new))
			if diff := cmp.Diff(c.want, show(got, c.old, c.new)); diff != "" {
				t.Errorf("cut (-want +got):\n%s", diff)
			}
			checkCut(t, c.old, c.new)
		})
	}
}

// checkCut holds cut against its guarantees: any subset of the hunks applies, all
// give new, none gives old, an equal line stands between two, and within the
// limits of the minimal engine no edit script is shorter. They hold, too, if the hunks are placed by some constructs.
func checkCut(t testing.TB, old, new string) {
	t.Helper()
	hunks := cut([]byte(old), []byte(new))
	checkHunks(t, hunks, old, new)
	a, b := newLineText("", []byte(old), someConstructs), newLineText("", []byte(new), someConstructs)
	checkHunks(t, placeByConstructs(hunks, a, b), old, new)
}

func checkHunks(t testing.TB, hunks []hunk, old, new string) {
	t.Helper()
	apply := func(applied bool) string {
		var b strings.Builder
		at := 0
		for _, h := range hunks {
			b.WriteString(old[at:h.oldOff])
			if applied {
				b.WriteString(new[h.newOff:h.newEnd])
			} else {
				b.WriteString(old[h.oldOff:h.oldEnd])
			}
			at = h.oldEnd
		}
		return b.String() + old[at:]
	}
	if got := apply(true); got != new {
		t.Errorf("cut(%q, %q): all applied give %q", old, new, got)
	}
	if got := apply(false); got != old {
		t.Errorf("cut(%q, %q): none applied give %q", old, new, got)
	}
	edits := 0
	for i, h := range hunks {
		edits += h.oldLines + h.newLines
		if h.oldLines+h.newLines == 0 {
			t.Errorf("cut(%q, %q): hunk %d is empty", old, new, i)
		}
		if i > 0 && h.oldOff <= hunks[i-1].oldEnd {
			t.Errorf("cut(%q, %q): no equal line between hunks %d and %d", old, new, i-1, i)
		}
		if n := bytes.Count([]byte(old[:h.oldOff]), []byte("\n")); n != h.oldLine {
			t.Errorf("cut(%q, %q): hunk %d is at line %d, not %d", old, new, i, n, h.oldLine)
		}
		if n := bytes.Count([]byte(new[:h.newOff]), []byte("\n")); n != h.newLine {
			t.Errorf("cut(%q, %q): hunk %d is at new line %d, not %d", old, new, i, n, h.newLine)
		}
		if h.oldLines != len(lines([]byte(old[h.oldOff:h.oldEnd]))) || h.newLines != len(lines([]byte(new[h.newOff:h.newEnd]))) {
			t.Errorf("cut(%q, %q): hunk %d counts its lines wrongly", old, new, i)
		}
	}
	a, b := lines([]byte(old)), lines([]byte(new))
	if len(a)*len(b) < 10000 {
		if want := len(a) + len(b) - 2*common(a, b); edits != want {
			t.Errorf("cut(%q, %q) removes and inserts %d lines, %d would do", old, new, edits, want)
		}
	}
}

// common returns the length of the longest common subsequence, by the table.
func common(a, b [][]byte) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			next := row[j+1]
			if bytes.Equal(x, y) {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = next
		}
	}
	return row[len(b)]
}

// randomTexts gives two texts over few distinct lines, with or without a final
// newline.
func randomTexts(rng *rand.Rand, most, alphabet int) (string, string) {
	one := func() string {
		var b strings.Builder
		for range rng.IntN(most) {
			b.WriteString(strings.Repeat(" ", rng.IntN(3)))
			b.WriteByte("abcdefghijklmnop"[rng.IntN(alphabet)])
			b.WriteString([]string{"\n", "\n", "\r\n", "\n\n"}[rng.IntN(4)])
		}
		return strings.TrimSuffix(b.String(), []string{"", "\n"}[rng.IntN(2)])
	}
	return one(), one()
}

func TestCutRandom(t *testing.T) {
	seed.SkipLong(t, 4)
	rng := seeded(t)
	for range 3000 {
		old, new := randomTexts(rng, 14, 1+rng.IntN(5))
		checkCut(t, old, new)
	}
	for range 30 { // past sequence.Small, to the other engine
		old, new := randomTexts(rng, 3*sequence.Small, 16)
		checkCut(t, old, new)
	}
}

// distinct gives n lines that no other start gives.
func distinct(start, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%x\n", start+i)
	}
	return b.String()
}

// More distinct lines than there are code points: go-diff would panic.
func TestCutManyLines(t *testing.T) {
	seed.SkipLong(t, 4)
	old, new := distinct(0, 600_000), distinct(600_000, 600_000)
	hunks := cut([]byte("a\n"+old+"m\n"+"z\n"), []byte("a\n"+new+"m\n"+"y\n"))
	if len(hunks) != 2 || hunks[0].oldLines != 600_000 || hunks[0].newLines != 600_000 {
		t.Errorf("%d hunks, want 2, the first of 600,000 lines each", len(hunks))
	}
	big := distinct(0, 1_200_000)
	if hunks := cut([]byte(big), []byte(strings.Replace(big, "\nabc\n", "\nABC\n", 1))); len(hunks) != 1 || hunks[0].oldLines != 1 {
		t.Errorf("one line in 1.2 million: %d hunks", len(hunks))
	}
}

// In a long text that was rewritten, code is compared with that of the same function, though
// the code of the second function is now in the first one.
func TestCutAtHeadings(t *testing.T) {
	function := func(name, body string) string {
		return "int " + name + "()\n{\n" + strings.Repeat("    "+body+";\n", 400) + "}\n"
	}
	old := function("a", "x") + function("b", "y")
	new := function("a", "y") + function("b", "z")
	for _, h := range cut([]byte(old), []byte(new)) {
		if c := h.change([]byte(old), []byte(new)); bytes.Contains(c.Old, []byte("int")) || bytes.Contains(c.New, []byte("int")) {
			t.Errorf("a hunk of %d and %d lines has a heading that both texts have", c.OldLines, c.NewLines)
		}
	}
}

// In a long text, a function that was rewritten ends where it did, also where new functions follow it.
func TestCutAtEnds(t *testing.T) {
	function := func(name, body string, lines int) string {
		return "func " + name + "() {\n" + strings.Repeat(body, lines) + "\treturn " + name + "\n}\n\n"
	}
	last := function("z", "\tif z {\n\t}\n", 3)
	old := function("a", "\tif x {\n\t}\n", 3) + last
	new := function("a", "\ty {\n", 4)
	for i := range 200 {
		new += function(fmt.Sprint("new", i), "\tif n {\n\t}\n", 2)
	}
	new += last
	for _, h := range cut([]byte(old), []byte(new)) {
		if c := h.change([]byte(old), []byte(new)); bytes.Contains(c.New, []byte("y {")) == bytes.Contains(c.New, []byte("func")) {
			t.Errorf("a hunk has %d lines for %d lines, of the function that was rewritten and of others: %.60q", c.NewLines, c.OldLines, c.New)
		}
	}
}

// The code of a function is compared with the code of the function of the same name, though its first line is another one.
func TestCutAtDeclaredNames(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"a method of JavaScript", "  one(a) {\n    x;\n    y;\n    z;\n  }\n\n  two(a, b) {\n    u;\n  }\n", "  one(a) {\n    v;\n  }\n\n  two(a) {\n    x;\n    y;\n    z;\n  }\n",
			[]string{`-2,3 +2,1 "    x;\n    y;\n    z;\n" "    v;\n"`, `-7,2 +5,4 "  two(a, b) {\n    u;\n" "  two(a) {\n    x;\n    y;\n    z;\n"`}},
		{"a function of Python", "def one(a):\n    x\n    y\n    z\n\ndef two(a, b):\n    u\n", "def one(a):\n    v\n\ndef two(a):\n    x\n    y\n    z\n",
			[]string{`-2,3 +2,1 "    x\n    y\n    z\n" "    v\n"`, `-6,2 +4,4 "def two(a, b):\n    u\n" "def two(a):\n    x\n    y\n    z\n"`}},
	} {
		if diff := cmp.Diff(c.want, show(cut([]byte(c.old), []byte(c.new)), c.old, c.new)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestDeclaredName(t *testing.T) {
	for line, want := range map[string]string{
		"  inlineTokens(src, tokens = []) {\n":     "inlineTokens",
		"int main(int argc, char **argv)\n":        "main",
		"static void\tf (a,\n":                     "f",
		"func (l *lexer) next(n int) token {\n":    "next",
		"func next[T any](n T) T {\n":              "",
		"    def f(self):\n":                       "f",
		"class A(B):\n":                            "A",
		"  $f: function(a) {\n":                    "",
		"const $f = g(() => {\n":                   "",
		"\tif err := space.done(); err != nil {\n": "",
		"} else if f(a) {\n":                       "",
		"  a.each(function(x) {\n":                 "",
		"function M.f(a) {\n":                      "f",
		"A::f(int a) {\n":                          "f",
		"  if (a) {\n":                             "",
		"} else if (a) {\n":                        "",
		"  f(a);\n":                                "",
		"f(a);\n":                                  "",
		"class A {\n":                              "",
		"\n":                                       "",
		"  größe(a) {\n":                           "größe",
	} {
		if got := declaredName([]byte(line)); got != want {
			t.Errorf("%q declares %q, want %q", line, got, want)
		}
	}
}

// TestSlide moves hunks as an engine might put them. What meets is one.
func TestSlide(t *testing.T) {
	at := func(text string, line, lines int) (off, end int) {
		each := strings.SplitAfter(text, "\n")
		off = len(strings.Join(each[:line], ""))
		return off, off + len(strings.Join(each[line:line+lines], ""))
	}
	for _, c := range []struct {
		name, old, new string
		hunks          [][4]int // line and lines of old, of new, from 0
		want           []string
	}{
		{"up to the hunk above", "x\nend\n", "a\nx\n  y\nx\nend\n", [][4]int{{0, 0, 0, 1}, {1, 0, 2, 2}},
			[]string{`-0,0 +1,3 "" "a\nx\n  y\n"`}},
		{"down to the hunk below", "  q\nz\n", "  q\n  q\na\nz\n", [][4]int{{0, 0, 0, 1}, {1, 0, 2, 1}},
			[]string{`-1,0 +2,2 "" "  q\na\n"`}},
		{"removed, up", "a\nx\n  y\nx\nend\n", "x\nend\n", [][4]int{{0, 1, 0, 0}, {2, 2, 1, 0}},
			[]string{`-1,3 +0,0 "a\nx\n  y\n" ""`}},
		{"once joined, further", "p\n  r\nz\n", "p\nq\n  r\np\n  r\nz\n", [][4]int{{1, 0, 1, 1}, {2, 0, 3, 2}},
			[]string{`-0,0 +1,3 "" "p\nq\n  r\n"`}},
		{"to what is removed", "x\nb\nr\nz\n", "x\nb\nb\nz\n", [][4]int{{1, 0, 1, 1}, {2, 1, 3, 0}},
			[]string{`-3,1 +3,1 "r\n" "b\n"`}},
		{"from one replacement to the next", "r\nb\ns\nz\n", "b\nb\nt\nz\n", [][4]int{{0, 1, 0, 1}, {2, 1, 2, 1}},
			[]string{`-1,1 +0,0 "r\n" ""`, `-3,1 +2,2 "s\n" "b\nt\n"`}},
		{"not past another line", "r\nb\nz\n", "r\nb\nb\nz\ny\n", [][4]int{{1, 0, 1, 1}, {3, 0, 4, 1}},
			[]string{`-2,0 +3,1 "" "b\n"`, `-3,0 +5,1 "" "y\n"`}},
		{"no final newline", "b\nb", "b\nb\nb", [][4]int{{0, 0, 0, 1}}, []string{`-1,0 +2,1 "" "b\n"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var hunks []hunk
			for _, n := range c.hunks {
				h := hunk{oldLine: n[0], oldLines: n[1], newLine: n[2], newLines: n[3]}
				h.oldOff, h.oldEnd = at(c.old, n[0], n[1])
				h.newOff, h.newEnd = at(c.new, n[2], n[3])
				hunks = append(hunks, h)
			}
			if !exact(hunks, []byte(c.old), []byte(c.new), true) {
				t.Fatalf("the hunks of the test are wrong: %q", show(hunks, c.old, c.new))
			}
			got := slide(hunks, []byte(c.old), []byte(c.new))
			if diff := cmp.Diff(c.want, show(got, c.old, c.new)); diff != "" || !exact(got, []byte(c.old), []byte(c.new), true) {
				t.Errorf("slid to (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSlideRandom slides what is far from a shortest script: hunks at random
// between the lines that an engine found equal.
func TestSlideRandom(t *testing.T) {
	rng := seeded(t)
	for range 2000 {
		x, y := randomTexts(rng, 14, 1+rng.IntN(3))
		old, new := []byte(x), []byte(y)
		a, b := lines(old), lines(new)
		var hunks []hunk
		h := hunk{}
		for _, k := range append(sequence.Blocks(a, b), sequence.Block{A0: len(a), A1: len(a), B0: len(b), B1: len(b)}) {
			for h.oldLine+h.oldLines < k.A0 { // an equal line
				if rng.IntN(3) == 0 { // is taken away and put back
					h.oldLines, h.newLines = h.oldLines+1, h.newLines+1
					continue
				}
				if h.oldLines+h.newLines > 0 {
					hunks = append(hunks, h)
				}
				h = hunk{oldLine: h.oldLine + h.oldLines + 1, newLine: h.newLine + h.newLines + 1}
			}
			h.oldLines, h.newLines = k.A1-h.oldLine, k.B1-h.newLine
		}
		if h.oldLines+h.newLines > 0 {
			hunks = append(hunks, h)
		}
		lines := 0
		for i := range hunks {
			h := &hunks[i]
			h.oldOff, h.newOff = size(a[:h.oldLine]), size(b[:h.newLine])
			h.oldEnd, h.newEnd = size(a[:h.oldLine+h.oldLines]), size(b[:h.newLine+h.newLines])
			lines += h.oldLines + h.newLines
		}
		if !exact(hunks, old, new, true) {
			t.Fatalf("the hunks of the test are wrong: %q for %q and %q", show(hunks, x, y), x, y)
		}
		before := show(hunks, x, y)
		got := slide(hunks, old, new)
		for _, h := range got {
			lines -= h.oldLines + h.newLines
		}
		if len(got) > len(before) || lines != 0 || !exact(got, old, new, true) {
			t.Fatalf("%q slid to %q", before, show(got, x, y))
		}
	}
}

// A wrong answer of an engine must not get through.
func TestExact(t *testing.T) {
	old, new := []byte("a\nb\nc\nd\n"), []byte("a\nB\nc\nD\n")
	good := []hunk{{oldOff: 2, oldEnd: 4, newOff: 2, newEnd: 4}, {oldOff: 6, oldEnd: 8, newOff: 6, newEnd: 8}}
	if !exact(good, old, new, true) || !exact([]hunk{whole(old, new)}, old, new, true) || !exact(nil, old, old, true) {
		t.Error("right hunks are refused")
	}
	for name, hunks := range map[string][]hunk{
		"one is missing":     good[:1],
		"out of order":       {good[1], good[0]},
		"twice":              {good[0], good[0], good[1]},
		"within a line":      {{oldOff: 2, oldEnd: 3, newOff: 2, newEnd: 3}, good[1]},
		"beyond the end":     {good[0], {oldOff: 6, oldEnd: 9, newOff: 6, newEnd: 8}},
		"touching":           {{oldOff: 2, oldEnd: 4, newOff: 2, newEnd: 4}, {oldOff: 4, oldEnd: 8, newOff: 4, newEnd: 8}},
		"wrong text between": {{oldOff: 0, oldEnd: 2, newOff: 0, newEnd: 2}, good[1]},
	} {
		if exact(hunks, old, new, true) {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nc\nd")
	f.Add("\r\n\x00\n\xff", "\xff\n\n\n")
	f.Fuzz(func(t *testing.T, old, new string) { checkCut(t, old, new) })
}

// Two files with nothing in common are the worst case of every engine.
func BenchmarkCutDissimilar(b *testing.B) {
	for _, n := range []int{sequence.Small / 2, 5000, 40_000} {
		rng := rand.New(rand.NewPCG(1, 0))
		random := func() []byte {
			var t bytes.Buffer
			for range n {
				fmt.Fprintf(&t, "%d\n", rng.IntN(n))
			}
			return t.Bytes()
		}
		old, new := random(), random()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				cut(old, new)
			}
		})
	}
}
