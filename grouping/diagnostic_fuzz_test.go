package grouping

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzDiagnostics reads any output as the messages of a build: what is read is
// bounded, valid text, and the same twice.
func FuzzDiagnostics(f *testing.F) {
	for _, seed := range []string{
		"a.go:4:10: undefined: fresh\n", "In file included from b.h:1,\n                 from a.c:2:\na.c:4:5: error: 'x' undeclared\n",
		"/usr/bin/ld: a.o: in function `f':\na.c:(.text+0x1): undefined reference to `g'\n", "make: *** No rule to make target 'x', needed by 'all'.  Stop.\n",
		"E   ImportError: cannot import name 'x' from 'y' (/a/y.py)\n", "\x1b[31merror\x1b[0m[E0425]: cannot find value `x` in this scope\n --> src/a.rs:4:1\n",
		"a.java:4: error: cannot find symbol\n  symbol:   method f(int)\n  location: class B\n", "a.ts(4,1): error TS2554: Expected 1 arguments, but got 2.\n",
		"make[1]: Entering directory '/x'\n\r\xff: 'declared here\n", "TypeError: f() got an unexpected keyword argument 'x'\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		list := diagnostics(output)
		if len(list) > maxDiagnostics {
			t.Errorf("%d diagnostics", len(list))
		}
		if !reflect.DeepEqual(list, diagnostics(slices.Clone(output))) {
			t.Error("not the same twice")
		}
		for _, d := range list {
			if text := d.of + d.target + strings.Join(d.names, ""); !utf8.ValidString(text) || strings.ContainsAny(text, "\n\x1b") {
				t.Errorf("%q", text)
			}
		}
		for _, line := range logLines(output) {
			if d, ok := readMessage(line); !ok && !reflect.DeepEqual(d, diagnostic{}) {
				t.Errorf("%q is no message, and says %+v", line, d)
			}
		}
	})
}
