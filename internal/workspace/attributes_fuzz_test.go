package workspace

import (
	"slices"
	"strings"
	"testing"
)

func FuzzParseAttributes(f *testing.F) {
	answer := func(path, value string) string {
		var b strings.Builder
		for _, attribute := range conversions {
			b.WriteString(path + "\x00" + attribute + "\x00" + value + "\x00")
		}
		return b.String()
	}
	f.Add(answer("a", "set")+answer("b\n", "crlf"), "a\x00b\n")
	f.Add(answer("a", "set"), "b")
	f.Add(answer("a", "set")+"x", "a")
	f.Fuzz(func(t *testing.T, out, names string) {
		paths := strings.Split(names, "\x00")
		values, err := parseAttributes([]byte(out), paths)
		if err != nil {
			return
		}
		var again strings.Builder
		for i, path := range paths {
			for j, attribute := range conversions {
				again.WriteString(path + "\x00" + attribute + "\x00" + values[i][j] + "\x00")
			}
		}
		if again.String() != out {
			t.Errorf("%q of %q: %q", out, paths, values)
		}
	})
}

// FuzzOtherConversions: versions that agree ask for no second look, one that has a
// line with a conversion more than the others does, and their order is no matter.
func FuzzOtherConversions(f *testing.F) {
	f.Add("* text\n", "* text\n*.c eol=crlf\n")
	f.Add("[attr]x text\n* x\n", "[attr]x text\n* y\n")
	f.Add("a b\nc d", "c d\na b")
	f.Fuzz(func(t *testing.T, a, b string) {
		other := otherConversions([]string{a, b})
		if other != otherConversions([]string{b, a}) || other && a == b || otherConversions([]string{a, a, a}) {
			t.Errorf("%q and %q: %v", a, b, other)
		}
		more := a + "\n* eol=crlf " + b
		if !slices.Contains(strings.Split(a, "\n"), "* eol=crlf "+strings.SplitN(b, "\n", 2)[0]) && !otherConversions([]string{a, more}) {
			t.Errorf("%q and %q: no other conversions", a, more)
		}
	})
}
