package grouping

import (
	"slices"
	"strings"
	"testing"
)

// Names in "<>" are declared by a type or an assignment, and no others.
func TestLocalNames(t *testing.T) {
	for _, c := range []struct {
		l    language
		text string
	}{
		{cLanguage, "void f(void) { l_mem <stepresult>; stepresult = 1; }"},
		{cLanguage, "{ const char *<s> = x, **<t>, <u>[10]; unsigned <n>; struct dev <d>; struct dev *<e> = &d; }"},
		{cLanguage, "{ int <i> = f(a, b), <j> = i * 2; x = a * b; y = p & q; g(a * b, c < d, e > h); }"},
		{cLanguage, "for (int <i> = 0, <n> = 5; i < n; i++) a[i] = b;"},
		{cLanguage, "{ return x; goto out; (unsigned char)c; sizeof(struct dev); else y = 1; z: w = 2; case A: v = 3; }"},
		{cLanguage, "int add(int <a>, unsigned <b>);\nint neg(int <a>)\n"},
		{cLanguage, "#define N x\n#undef y\nint <z>;\n#if a == \\\nint b;\nint <c>;"},
		{cLanguage, "{ f(x) ; f((T) x); if (a) b = c; while (a) c; }"},
		{cpp, "for (const auto &x : list) { std::vector<int> <v>; std::map<K, V> *<m> = f(); a < b; }"},
		{cpp, "try { } catch (const Error& e) { } catch (Error <e>) { }"},
		{java, "List<String> <names> = new ArrayList<>(); int[] <a> = {1, b}; for (String <s> : names) { f(s); } return a;"},
		{java, "void f(final Map<K, V> m, int <n>) throws E { var <x> = n; @A T <y> = a ? b : c; }"},
		{php, "function <f>($a) { $<x> = $a; $this->y = $x; return [$x => $n] + ['k' => 1]; if ($x == 1) { $<c>=2; } }"},
		{ruby, "<s> = f(1)\nself.t = s\nif s == 2 or s =~ /x/\n  <u> = { s => 3 }\nend\n"},
		{csharp, "foreach (var <x> in xs) { string <s> = x; await t; throw e; }"},
	} {
		var want []string
		text := c.text
		for _, name := range []string{"stepresult", "s", "t", "u", "n", "d", "e", "i", "j", "a", "b", "z", "c", "v", "m", "names", "x", "y", "f"} {
			for strings.Contains(text, "<"+name+">") {
				text = strings.Replace(text, "<"+name+">", name, 1)
				want = append(want, name)
			}
		}
		var got []string
		for token := range tokens([]byte(text), c.l, 1) {
			if token.binds {
				got = append(got, string(token.text))
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: declares %q, want %q", text, got, want)
		}
	}
}
