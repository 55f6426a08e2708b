package grouping

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuote(t *testing.T) {
	many := "make: Entering directory '/x'\n"
	var first []string
	for i := range 40 {
		line := fmt.Sprintf("a.c:%d:3: error: 'n%d' undeclared (first use in this function)", i+1, i)
		many += "cc -c a.c\n" + line + "\n   12 | code\n"
		first = append(first, line)
	}
	for _, test := range []struct {
		name, output string
		want         []string
	}{
		{"nothing", "\n  \n", nil},
		{"go", "# example.com/x\n./a.go:3:5: undefined: Parse\n./b.go:9:2: \"os\" imported and not used\n",
			[]string{"./a.go:3:5: undefined: Parse", "./b.go:9:2: \"os\" imported and not used"}},
		{"rust", "   Compiling x\nerror[E0425]: cannot find function `f` in this scope\n --> src/main.rs:2:5\n  |\n2 |     f();\n  |     ^ not found in this scope\n\nerror: aborting due to 1 previous error\n",
			[]string{"error[E0425]: cannot find function 'f' in this scope", " --> src/main.rs:2:5"}},
		{"gcc, ten of many", many, first[:10]},
		{"coloured", "\x1b[1ma.c:1:2: \x1b[31merror: \x1b[0m'x' undeclared\r\n", []string{"a.c:1:2: error: 'x' undeclared"}},
		{"a tool that is not known", "step 1\nFATAL: the frobnicator broke\nstep 2\nstep 3\n", []string{"FATAL: the frobnicator broke"}},
		{"only words", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n\n12\n", strings.Fields("3 4 5 6 7 8 9 10 11 12")},
		{"no text", "a\xff\xfeb\n", []string{"a?b"}},
	} {
		got := Quote([]byte(test.output), 10)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: quoted\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
		for _, line := range got {
			if !utf8.ValidString(line) || strings.ContainsAny(line, "\x1b\r\n") {
				t.Errorf("%s: quoted %q", test.name, line)
			}
		}
	}
}
