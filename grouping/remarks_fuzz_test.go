package grouping

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRemarks reads any output as remarks: what is read is bounded, valid text, and the
// same twice.
func FuzzRemarks(f *testing.F) {
	for _, seed := range []string{
		"a.go:4:10: undefined: fresh\n", "In file included from b.h:1,\n                 from a.c:2:\na.c:4:5: error: 'x' undeclared\n",
		"  File \"a.py\", line 3\n    x\n    ^\nSyntaxError: bad input\n", "error: a b\n --> a.rs:4:1\n  |\n4 | x\nnote: c d\n --> b.rs:1:1\n",
		"/p/a.js:3\nx\n^\n\nTypeError: a b\n    at f (/p/a.js:3:4)\n    at eval (eval at g (/p/a.js:1:1), <anonymous>:1:1)\n",
		"panic: a b\n\ngoroutine 1 [running]:\nmain.f(...)\n\t/p/a.go:4 +0x1d\n", "a.rb:1:in 'f': a b\n\tfrom b.rb:2:in 'g'\n",
		"E   x y\n\na.py:3: x\n_________\nwarning: z\nx.o:/a.c:1: 0\n- a b\n\r\xff:1\x00\x1b[", "Error: x in a.php on line 4\n#0 b.php(3): f()\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		list := remarks(output)
		if len(list) > maxRemarks {
			t.Errorf("%d remarks", len(list))
		}
		if !reflect.DeepEqual(list, remarks(slices.Clone(output))) {
			t.Error("not the same twice")
		}
		for _, r := range list {
			if len(r.spots) > maxSpots || len(r.more) > maxMore {
				t.Errorf("%d places and %d lines of %q", len(r.spots), len(r.more), r.text)
			}
			if text := r.text + strings.Join(r.more, ""); !utf8.ValidString(text) || strings.ContainsAny(text, "\n\x1b") || r.text == "" {
				t.Errorf("%q", text)
			}
			for k, s := range r.spots {
				if s.path == "" || s.line < 0 || slices.Contains(r.spots[:k], s) {
					t.Errorf("place %d is %v of %v", k, s, r.spots)
				}
			}
		}
	})
}
