package reduce

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	for _, c := range []struct{ style, text, want string }{
		{"c", "a+=b1 /* c\n*/ // d\r\nx", "word:a|other:+=|word:b1|space: |comment:/* c\n*/|space: |comment:// d|space:\r\n|word:x"},
		{"c", `"a\"b" 'c' 'it`, `quoted:"a\"b"|space: |quoted:'c'|space: |other:'|word:it`},
		{"c", "1.5e-3f 0xFFul 1..2 /*", "number:1.5e-3f|space: |number:0xFFul|space: |number:1|other:..|number:2|space: |other:/|other:*"},
		{"py", "x = '''a\nb''' # c", "word:x|space: |other:=|space: |quoted:'''a\nb'''|space: |comment:# c"},
		{"sql", "a--b\n", "word:a|comment:--b|space:\n"},
		{"xml", "<a><!-- b --></a>", "other:<|word:a|other:>|comment:<!-- b -->|other:</|word:a|other:>"},
		{"txt", "{\"a\": -1}\x00\xff", "opening:{|quoted:\"a\"|other::|space: |other:-|number:1|closing:}|other:\x00|other:\xff"},
		{"sh", "${a#b} # c", "word:$|opening:{|word:a|other:#|word:b|closing:}|space: |comment:# c"},
		{"py", "b'c'", "word:b|quoted:'c'"},
		{"cc", "1'000 '", "number:1'000|space: |other:'"},
		{"lisp", "(a-b + 1)", "opening:(|word:a-b|space: |other:+|space: |number:1|closing:)"},
		{"c", "", ""},
	} {
		kinds := []string{"", "word", "number", "quoted", "other", "comment", "opening", "closing", "space"}
		var got []string
		for _, p := range cutPieces([]byte(c.text), rulesOfFormat("", "x."+c.style)) {
			got = append(got, kinds[p.kind]+":"+c.text[p.from:p.to])
		}
		if got := strings.Join(got, "|"); got != c.want {
			t.Errorf("%q is cut into\n%q, not\n%q", c.text, got, c.want)
		}
	}
}

func TestShorterNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"7":      "",
		"12":     "1 2",
		"123456": "123 12345 23456",
		"1.25":   "1 1.2",
		"10e30":  "10 1 0",
		"0x1F":   "31 0x1 0xF",
		"42ul":   "42 4 2",
		"1e5":    "1",
		"0b":     "0",
	} {
		if got := strings.Join(shorterNumbers(text), " "); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}

// TestPasses shows each pass alone: what it leaves, and what that takes.
func TestPasses(t *testing.T) {
	need := func(words ...string) func(string) bool {
		return func(content string) bool {
			for _, w := range words {
				if !strings.Contains(content, w) {
					return false
				}
			}
			return true
		}
	}
	for _, c := range []struct {
		pass, file, text string
		fails            func(string) bool
		want             string
		trials           int
	}{
		{"comments", "a.c", "int a;/* 1 */ // 2\nint/* 3 */b;", need("int a", "int b"), "int a; \nint b;", 1},
		{"comments", "a.py", "# one\nx # two\n", need("x", "two"), "\nx # two\n", 3},
		{"spaces", "a.py", "if x:\n\n    y   = 1  \n    if z:\n        w\n", regexp.MustCompile(`^if x:\n+ +y *= *1\s*\n +if z:\n  +w`).MatchString, "if x:\n y=1\n if z:\n  w", 0},
		{"strings", "a.js", `f("abcdef", 'ghi', "")`, need("d", "f("), `f("d", '', "")`, 0},
		{"strings", "a.c", "/* one two */ // three\nint a;", need("/*", "two", "*/", "//", "int a;"), "/*two*/ //\nint a;", 0},
		{"numbers", "a.c", "a = 1234 + 77 + 0x1F;", func(s string) bool {
			return need("a = 1", "+")(s) && !strings.Contains(s, "+ 0 +") && !strings.Contains(s, "+ 1 +")
		}, "a = 1 + 7 + 0;", 0},
		{"names", "a.c", "int counter(int value) { return value + counter(other); }", need("other", "int"), "int c(int b) { return b + c(other); }", 0},
		{"arguments", "a.c", "void f(int a, int b, int c) {}\nvoid g() { f(1, 2, 3); f(4, (5, 6), 7); }", func(s string) bool {
			return need("void f(", "int b", "f(", "2")(s) && strings.Count(s, ",") >= 1 || strings.Contains(s, "f(int b) {}\nvoid g() { f( 2); f( (5, 6)); }")
		}, "void f( int b) {}\nvoid g() { f( 2); f( (5, 6)); }", 0},
		{"unwrap", "a.c", "int f() { x; if (a > b(c)) { while (d) { y; } } }", func(s string) bool {
			return need("int f() {", "x;", "y;")(s) && strings.Count(s, "{") == strings.Count(s, "}")
		}, "int f() { x; y;   }", 0},
		{"runs", "a.c", "a b c d e f g", need("a", "d", "g"), "a d g", 19},
		{"merge", "a.c", "first = second + third;", func(s string) bool { return s == "first = second + third;" || s == "first = first + third;" }, "first = first + third;", 0},
		{"pairs", "a.txt", "declare x\nkeep\nuse x\n", func(s string) bool {
			return strings.Contains(s, "keep") && strings.Contains(s, "declare") == strings.Contains(s, "use")
		}, "keep\n", 0},
	} {
		format := ""
		if strings.HasSuffix(c.file, ".txt") {
			format = "lines"
		}
		result, err := Reduce(t.Context(), oneFile(c.file, c.text), contentFails(c.fails), Options{Passes: []string{c.pass}, Format: format})
		if err != nil {
			t.Fatal(c.pass, err)
		}
		if got := string(result.Output.Files[0].Content); got != c.want {
			t.Errorf("%s: %q becomes\n%q, not\n%q", c.pass, c.text, got, c.want)
		}
		if c.trials > 0 && result.Trials != c.trials+1 { // one for the empty file
			t.Errorf("%s: %d trials, not %d", c.pass, result.Trials-1, c.trials)
		}
	}
	if got := Passes(); !slices.Contains(got, "files") || !slices.Contains(got, "structure") {
		t.Errorf("passes: %s", fmt.Sprint(got))
	}
}
