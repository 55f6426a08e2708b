package lexical

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

func TestScanner(t *testing.T) {
	kinds := []string{"end", "word", "number", "string", "operator", "comment", "open", "close", "space"}
	for _, test := range []struct {
		file, text string
		mode       Mode
		want       string
	}{
		{"a.c", "a->b /* c", Exact, "word:a|operator:->|word:b|space: |operator:/|operator:*|space: |word:c"},
		{"a.c", "a->b /* c", Fragment, "word:a|operator:->|word:b|space: |comment:/* c"},
		{"a.c", "\"a", Fragment, "operator:\"|word:a"},
		{"a.c", "\"a\nb", Names, "string:\"a|space:\n|word:b"},
		{"a.c", "#if 1'000", Fragment, "word:#if|space: |number:1'000"},
		{"a.js", "`a${b}c`/d/", Exact, "string:`a${b}c`|operator:/|word:d|operator:/"},
		{"a.js", "`a${b}c`=/d/", Names, "string:`a${|word:b|string:}c`|operator:=|string:/d/"},
		{"a.rs", `'a 'b' '\n'`, Exact, `operator:'|word:a|space: |string:'b'|space: |string:'\n'`},
		{"a.rs", "\"a\nb\"", Exact, "string:\"a\nb\""},
		{"a.js", "f(/[/'\\]]\\//);return /'/", Names, "word:f|open:(|string:/[/'\\]]\\//|close:)|operator:;|word:return|space: |string:/'/"},
		{"a.js", "a=/b\n/c", Names, "word:a|operator:=|string:/b|space:\n|operator:/|word:c"},
		{"a.sh", "a#b #c", Names, "word:a|operator:#|word:b|space: |comment:#c"},
		{"a.sh", `"$a" '$b'`, Names, `operator:"|operator:$|word:a|operator:"|space: |string:'$b'`},
		{"a.rb", "a\n=begin\nb\n=end", Exact, "word:a|space:\n|comment:=begin\nb\n=end"},
		{"a.lua", "--[[a\nb]]c--d", Exact, "comment:--[[a\nb]]|word:c|comment:--d"},
		{"a.lisp", `(a-b 'c #\( 1)`, Exact, `open:(|word:a-b|space: |operator:'|word:c|space: |word:#\(|space: |number:1|close:)`},
		{"a.sql", `'a''b\'`, Exact, `string:'a'|string:'b\'`},
	} {
		var got []string
		s := NewScanner([]byte(test.text), RulesOf(test.file), test.mode)
		for kind, from, to := s.Next(); kind != None; kind, from, to = s.Next() {
			got = append(got, kinds[kind]+":"+test.text[from:to])
		}
		if got := strings.Join(got, "|"); got != test.want {
			t.Errorf("%s: %q is cut into\n%q, want\n%q", test.file, test.text, got, test.want)
		}
	}
}

// Whatever the text is, its tokens make it up, in every language and mode.
func TestTokensAreTheText(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	parts := append(strings.Fields(`" ' \ /* */ // # -- <!-- --> """ ''' a if 0x1f 1e+5 .5 é → $ ${ ( } {- -} [[ ; =begin | @ /`), "`", "\xff", "\x00", " ", "\t", "\n", "\r\n")
	for range 100 {
		var b strings.Builder
		for range random.IntN(40) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		checkTokens(t, b.String())
	}
}

// What is opened again and again and never closed takes linear time: with a cost that
// grows as the square of the length, this would take hours.
func TestHostile(t *testing.T) {
	for _, part := range []string{"/*", "`\\", `'\`, `"\`, "<!--", "#|", "{-", "'''", `""`, "`${", "''", "0'", "(*", "<#", "--[["} {
		checkTokens(t, "x"+strings.Repeat(part, 10_000))
	}
}

func checkTokens(t *testing.T, text string) {
	t.Helper()
	seen := map[*Rules]bool{}
	for name, rules := range table() {
		if seen[rules] {
			continue
		}
		seen[rules] = true
		for mode := Exact; mode <= Names; mode++ {
			s := NewScanner([]byte(text), rules, mode)
			at := 0
			for kind, from, to := s.Next(); kind != None; kind, from, to = s.Next() {
				if from != at || to <= from {
					t.Fatalf("%s, mode %d, of %.50q: token %d..%d behind %d", name, mode, text, from, to, at)
				}
				at = to
			}
			if at != len(text) {
				t.Fatalf("%s, mode %d, of %.50q: cut up to %d of %d", name, mode, text, at, len(text))
			}
		}
	}
}

func TestRulesOf(t *testing.T) {
	for name, like := range map[string]string{"d/a.GO": ".go", "Makefile.in": "makefile", "x/Dockerfile": "dockerfile", "Dockerfile.dev": "dockerfile", "a.hpp": ".c"} {
		if RulesOf(name) != table()[like] {
			t.Errorf("%s is not read as %s", name, like)
		}
	}
	for _, name := range []string{"", "notes.txt", "a.unknown", "c"} {
		if RulesOf(name) != nil {
			t.Errorf("%q has rules", name)
		}
	}
}
