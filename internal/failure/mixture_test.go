package failure

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
		{
			"source that python quotes", "ok\n", "Traceback (most recent call last):\n  File \"t.py\", line 3, in <module>\n    assert f()\nAssertionError\n",
			"Traceback (most recent call last):\n  File \"t.py\", line 3, in <module>\n    assert f()\n           ^^^\n  File \"a.py\", line 9, in f\n    raise VisitError(tree)\nAssertionError\n", "",
		},
		{"another value of the same assertion", "ok\n", "AssertionError: 'a b' != 'c d'\n", "AssertionError: 'a b' != 'e f'\n", ""},
		{"an exception of an end, with other words", "ok\n", "TypeError: f is not a function\n", "TypeError: g is not a function\n", ""},
		{"node", "ok\n", "AssertionError [ERR_ASSERTION]: 1 == 2\n", "(node:7) Warning: Accessing non-existent property 'x' of module exports inside circular dependency\nAssertionError [ERR_ASSERTION]: 1 == 2\n",
			"(node:7) Warning: Accessing non-existent property 'x' of module exports inside circular dependency"},
		{"make, of the clock", "ok\n", "FAIL: 33\n", "make: Warning: File 'all' has modification time 2306798973 s in the future\nmake: warning:  Clock skew detected.  Your build may be incomplete.\nFAIL: 33\n", ""},
		{"linker", "ok\n", "FAIL: 33\n", "./prog: symbol lookup error: ./lib.so: undefined symbol: rate\nFAIL: 33\n", "./prog: symbol lookup error: ./lib.so: undefined symbol: rate"},
		{"python 3.8 warns of what is called", "ok\n", "FAIL: 33\n", "t.py:1: SyntaxWarning: 'int' object is not callable; perhaps you missed a comma?\nFAIL: 33\n", "t.py:1: SyntaxWarning: 'int' object is not callable; perhaps you missed a comma?"},
	} {
		known := Baseline{}
		known.Add(Lines([]byte(c.passing)))
		known.Add(Lines([]byte(c.failing)))
		if got := known.FirstNew(Lines([]byte(c.mixture))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := known.FirstNew(Lines([]byte(c.failing + c.passing))); got != "" {
			t.Errorf("%s: %q is new, but an end prints it", c.name, got)
		}
	}
}

func TestTellsPass(t *testing.T) {
	for text, want := range map[string]bool{
		"--- PASS: TestParseError (0.00s)": true, "test_raises_ValueError PASSED [ 3%]": true, "ok 3 - throws TypeError": true, "test_KeyError (t.T) ... ok": true,
		"✔ throws RangeError (0.1ms)": true, "=== RUN   TestParseError": true, "KeyError: 'separator'": false, "Traceback of ValueError": false, "not ok 3 - TypeError": false,
	} {
		if got := LineOf(text).TellsPass(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestFailureLines(t *testing.T) {
	const long = "Traceback (most recent call last):\n  File \"t.py\", line 3\n    assert got == [7, 8]\nAssertionError: [\n    7, 8,\n    ,# Line 4\n]\n"
	for _, c := range []struct{ name, passing, failing, mixture, got, want string }{
		{"the same", "ok\n", "FAIL: 33\n", "FAIL: 34\n", "", ""},
		{"another value", "ok\n", "AssertionError: ['*', '', '*']\n", "AssertionError: ['*', 'a_', '*']\n", "AssertionError: ['*', 'a_', '*']", "AssertionError: ['*', '', '*']"},
		{"other signs in a value", "ok\n", `AssertionError: got '[\n    1, # Line 1\n    ,# Line 4\n]'` + "\n", `AssertionError: got '[\n    1, # Line\n]'` + "\n", `AssertionError: got '[\n    1, # Line\n]'`, `AssertionError: got '[\n    1, # Line 1\n    ,# Line 4\n]'`},
		{"other numbers, directories and blanks", "ok\n", "AssertionError: at /tmp/a/t.py:3: got 17, 0x7f3a\n", "AssertionError:  at /tmp/b/t.py:14: got 8, 0x55\n", "", ""},
		{"another error", "ok\n", "AssertionError: not equal\n", "TypeError: f is no function\n", "TypeError: f is no function", "AssertionError: not equal"},
		{"no error", "ok\n", "error: unknown option '--debug'\n", "Usage: test [options]\n", "Usage: test [options]", "error: unknown option '--debug'"},
		{"nothing", "ok\n", "error: unknown option\n", "ok\n", "nothing that the passing end does not print", "error: unknown option"},
		{"another message of the same error", "ok\n", long, "  File \"t.py\", line 4\n    assert got == [7, 8]\nAssertionError: [\n    7, 8\n]\n", "AssertionError: [", ",# Line 4"},
		{"the same words with other signs behind an error", "ok\n", "got\n<a>\n  <b />text<c x=\"1\" />\n</a>\n", "got\n<a>\n  <b />\n  text\n  <c x=\"1\" />\n</a>\n", "text", `<b />text<c x="1" />`},
		{"the same message", "ok\n", long, "note: x\n" + long, "", ""},
		{"a stack trace is no message", "ok\n", "Error: a\n    at f (a.js:1)\n    at g (b.js:2)\n", "Error: a\n    at h (c.js:3)\n", "", ""},
		{"another kind of what a sanitizer finds", "ok\n", asan("heap-use-after-free on address 0x602000000013 at pc 0x55"), asan("SEGV on unknown address 0x01"),
			"==410==ERROR: AddressSanitizer: SEGV on unknown address 0x01", "==410==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000013 at pc 0x55"},
		{"one of two errors", "ok\n", "--- FAIL: TestA\n a failed: x\n--- FAIL: TestB\n b failed: y\n", "--- FAIL: TestA\n a failed: x\n", "", ""},
		{"another value without a word of error", "ok\n", "wrong output: <p>**<em>Hello</em></p>\n", "wrong output:\n", "wrong output:", "wrong output: <p>**<em>Hello</em></p>"},
		{"other signs without a word of error", "ok\n", "wrong output: '**'\n", "wrong output: '__'\n", "wrong output: '__'", "wrong output: '**'"},
		{"the same value below a colon", "ok\n", "wrong output:\n**\n# foo\n", "wrong output:\n**\n# foo\n", "", ""},
		{"another number without a word of error", "ok\n", "total 33\n", "total 34\n", "", ""},
		{"the same value below other lines", "ok\n", "compiling a.c\nwrong output: '**'\n", "compiling b.c\nwrong output: '**'\n", "", ""},
		{"an error that the passing end has, too", "error: deprecated\n", "error: deprecated\nFAIL: total\n", "error: deprecated\nFAIL: total\n", "", ""},
	} {
		lines := func(output string) []Line { return Lines([]byte(output)) }
		commits := map[string]bool{}
		for _, l := range append(lines(c.passing), lines(c.failing)...) {
			commits[l.ID()] = true
		}
		f := Comparison{Failing: lines(c.failing), Usual: lines(c.passing), Commits: commits, Mixture: [][]Line{lines(c.mixture), lines(c.mixture)}}
		if got, want := f.Compare(); got != c.got || want != c.want {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, got, want, c.got, c.want)
		}
	}
}
