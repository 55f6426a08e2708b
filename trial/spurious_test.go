package trial

import "testing"

func TestNewDiagnostics(t *testing.T) {
	for _, c := range []struct{ name, passing, failing, mixture, want string }{
		{
			"gcc", "a.c:3:5: warning: unused variable 'x' [-Wunused-variable]\n", "FAIL: 33\n",
			"src/a.c:18:48: warning: passing argument 2 of 'item' makes pointer from integer without a cast [-Wint-conversion]\nFAIL: 33\n",
			"src/a.c:18:48: warning: passing argument 2 of 'item' makes pointer from integer without a cast [-Wint-conversion]",
		},
		{
			"gcc warns so at an end, too, on another line",
			"src/a.c:11:2: warning: comparison of integer expressions of different signedness: 'int' and 'size_t' [-Wsign-compare]\n", "FAIL: 33\n",
			"src/a.c:19:4: warning: comparison of integer expressions of different signedness: 'int' and 'size_t' [-Wsign-compare]\nFAIL: 33\n", "",
		},
		{"what is not used does nothing", "ok\n", "FAIL: 33\n", "a.c:3:12: warning: 'flush' defined but not used [-Wunused-function]\nwarning: unused variable: `n`\nFAIL: 33\n", ""},
		{"rustc", "ok\n", "assertion `left == right` failed\n", "warning: unreachable expression\n --> src/lib.rs:4:5\nassertion `left == right` failed\n", "warning: unreachable expression"},
		{"python", "ok\n", "FAIL: test_total\nAssertionError: 3 != 4\n", "FAIL: test_total\nAttributeError: 'Shop' object has no attribute 'rate'\nAssertionError: 3 != 5\n", "AttributeError: 'Shop' object has no attribute 'rate'"},
		{"another value of the same assertion", "ok\n", "AssertionError: 'a b' != 'c d'\n", "AssertionError: 'a b' != 'e f'\n", ""},
		{"an exception of an end, with other words", "ok\n", "TypeError: f is not a function\n", "TypeError: g is not a function\n", ""},
		{"node", "ok\n", "AssertionError [ERR_ASSERTION]: 1 == 2\n", "(node:7) Warning: Accessing non-existent property 'x' of module exports inside circular dependency\nAssertionError [ERR_ASSERTION]: 1 == 2\n",
			"(node:7) Warning: Accessing non-existent property 'x' of module exports inside circular dependency"},
		{"make, of the clock", "ok\n", "FAIL: 33\n", "make: Warning: File 'all' has modification time 2306798973 s in the future\nmake: warning:  Clock skew detected.  Your build may be incomplete.\nFAIL: 33\n", ""},
		{"linker", "ok\n", "FAIL: 33\n", "./prog: symbol lookup error: ./lib.so: undefined symbol: rate\nFAIL: 33\n", "./prog: symbol lookup error: ./lib.so: undefined symbol: rate"},
		{"python 3.8 warns of what is called", "ok\n", "FAIL: 33\n", "t.py:1: SyntaxWarning: 'int' object is not callable; perhaps you missed a comma?\nFAIL: 33\n", "t.py:1: SyntaxWarning: 'int' object is not callable; perhaps you missed a comma?"},
	} {
		known := baseline{}
		known.add(outputLines([]byte(c.passing)))
		known.add(outputLines([]byte(c.failing)))
		if got := known.firstNew(outputLines([]byte(c.mixture))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := known.firstNew(outputLines([]byte(c.failing + c.passing))); got != "" {
			t.Errorf("%s: %q is new, but an end prints it", c.name, got)
		}
	}
}
