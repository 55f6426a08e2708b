package grouping

import (
	"fmt"
	"strings"
	"testing"
)

// checkTokens compares the identifiers of a content with want: "name" per
// token, with "." before a member, "=" after a binding, and "@line" where the
// line is not the one of the token before.
func checkTokens(t *testing.T, l language, content, want string) {
	t.Helper()
	var got []string
	line := 1
	for s := newScanner([]byte(content), l, 1); ; {
		tok, ok := s.next()
		if !ok {
			break
		}
		word := string(tok.text)
		if tok.member {
			word = "." + word
		}
		if tok.binds {
			word += "="
		}
		if tok.line != line {
			line = tok.line
			word += fmt.Sprintf("@%d", line)
		}
		got = append(got, word)
	}
	if g := strings.Join(got, " "); g != want {
		t.Errorf("tokens of %q:\n got %s\nwant %s", content, g, want)
	}
}

func TestTokens(t *testing.T) {
	tests := []struct {
		language language
		content  string
		want     string
	}{
		{cLanguage, "a b1 _c 2d 0x1f", "a b1 _c"},
		{cLanguage, "a /* b\nc */ d // e\nf", "a d@2 f@3"},
		{cLanguage, "p->x.y a > b", "p .x .y a b"},
		{cLanguage, `a("b \" c", 'd', L"e") f`, "a f"},
		{cLanguage, "a = \"open\nb", "a b@2"},
		{cLanguage, "/* open", ""},
		{cpp, "A::b c ? d : e", "A .b c d e"},
		{python, "a = f'{x}' # c\nb", "a= b@2"},
		{python, "f(key=value, a == b)", "f key= value a b"},
		{python, "\"\"\"doc\nmore\"\"\"\nx.y", "x@3 .y"},
		{python, "'''open\nx", ""},
		{python, "def f(a) -> Any: b.c", "def f= a Any b .c"},
		{javascript, "let a = `b ${c.d({e: 1})} f` + g", "let a= c .d e g"},
		{javascript, "`a ${`b ${c}`} d` e", "c e"},
		{javascript, "x = /a\\/b/.test(y) / z", "x .test y z"},
		{javascript, "function f(a) {}", "function f= a"},
		{rust, "fn f<'a>(x: &'a str) { 'b'; '\\n'; \"c\nd\"; y }", "fn f= a x a str y@2"},
		{rust, "fn f() -> T {}", "fn f= T"},
		{ruby, "a\n=begin\nb\n=end\nc 'd\ne' f", "a c@5 f@6"},
		{php, "$a->b::c // d\n# e\n$f", "a .b .c f@3"},
		{bash, "a \"$b ${c}\" 'd' # e\n$# f#g", "a b c f@2 g"},
		{bash, "echo \\\"a\\' b", "echo a b"},
		{css, "a { b: url(\"c\") /* d */ }", "a b url"},
		{makefile, "a: b.o # c", "a b .o"},
		{cpp, "a = 1'000; b('c'); d = 2'000'000; e", "a b d e"},
		{yaml, "a: b#c # d", "a b c"},
		{jsonText, "{a: b} // c", "a b"},
		{plainText, "it's a \"b", "it s a b"},
		{golang, "a `b\nc` d", "a d@2"},
		{cLanguage, "größe µ", "größe µ"},
		{cLanguage, "\x00\xff a\\", "\xff a"},
	}
	for _, test := range tests {
		checkTokens(t, test.language, test.content, test.want)
	}
}

func TestLanguageOf(t *testing.T) {
	tests := []struct {
		name, content string
		want          language
	}{
		{"a.go", "", golang}, {"x/go.mod", "", goModule}, {"go.sum", "", goSums},
		{"a.C", "", cLanguage}, {"a.h", "int x;", cLanguage}, {"a.h", "\nclass X {", cpp},
		{"run", "#!/bin/sh\n", bash}, {"run", "#!/usr/bin/env python3 -u\n", python}, {"run", "#!", plainText},
		{"README", "text", plainText}, {"a.unknown", "", plainText}, {"d/Makefile", "", makefile}, {"", "", plainText},
	}
	for _, test := range tests {
		if got := languageOf(test.name, []byte(test.content)); got != test.want {
			t.Errorf("languageOf(%q, %q) = %d, want %d", test.name, test.content, got, test.want)
		}
	}
}
