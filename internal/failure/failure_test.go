package failure

import (
	"fmt"
	"strings"
	"testing"
)

// outputs of a failing end, of the passing end, and of other runs that fail.
var failures = []struct {
	name          string
	passing, end  string
	same, another []string
}{
	{
		name:    "a value, and what a build prints",
		passing: "cc -c a.c\ncc -c b.c\nok\n",
		end:     "cc -c a.c\nFAIL: 33\nmake: *** [Makefile:2: test] Error 1\n",
		same: []string{
			"FAIL: 12\nmake: *** [Makefile:2: test] Error 1\n",
			"cc -c c.c\nc.c:3:2: warning: unused variable 'i' [-Wunused-variable]\nFAIL: -1\nmake: *** [Makefile:3: test] Error 1\n",
			"", // it says nothing
		},
		another: []string{
			"cc -c a.c\na.c:7:3: error: expected ';' before '}' token\n    7 |   }\n      |   ^\nmake: *** [Makefile:2: a.o] Error 1\n",
			"cc -c a.c\na.c: In function 'f':\na.c:7:3: error: 'x' undeclared (first use in this function)\nmake: *** [Makefile:2: test] Error 1\n",
		},
	},
	{
		name:    "an assertion of C, below which a shell names the signal",
		passing: "",
		end:     "check: test.cpp:8: int main(): Assertion `out == want' failed.\nAborted (core dumped)\n",
		same: []string{
			"check: /tmp/test.cpp:9: int main(): Assertion `out == want' failed.\nsh: line 3: 4711 Aborted                 ./check\n",
		},
		another: []string{
			"check: src/pugixml.cpp:5613: void pugi::xml_document::_destroy(): Assertion `root_page && !root_page->memory' failed.\nAborted (core dumped)\n",
			"check: src/pugixml.cpp:5613: void pugi::xml_document::destroy(): Assertion `page' failed.\nAborted (core dumped)\n",
			"free(): invalid pointer\nAborted\n",
			"Aborted\n",
		},
	},
	{
		name:    "Lua, whose stacks name what fails",
		passing: "",
		end:     "./lua: t.lua:5: assertion failed!\nstack traceback:\n\t[C]: in function 'assert'\n\tt.lua:5: in main chunk\n\t[C]: in ?\n",
		same: []string{
			"./lua: t.lua:7: assertion failed!\nstack traceback:\n\t[C]: in function 'assert'\n\tt.lua:3: in local 'check'\n\tt.lua:7: in main chunk\n\t[C]: in ?\n",
		},
		another: []string{
			"./lua: t.lua:5: attempt to perform bitwise operation on a boolean value\nstack traceback:\n\t[C]: in function 'assert'\n\tt.lua:5: in main chunk\n\t[C]: in ?\n",
			"./lua: t.lua:5: attempt to call a nil value (global 'f')\nstack traceback:\n\tt.lua:5: in main chunk\n\t[C]: in ?\n",
		},
	},
	{
		name:    "sentences without a word of error",
		passing: "",
		end:     "./lua: /home/me/t.lua:3: attempt to assign to const variable 'i'\n",
		same: []string{
			"./lua: /home/me/t.lua:7: attempt to assign to const variable 'count'\n",
			"42\n",
			"a.c:1:2: warning: the left operand of a comparison has no effect\n",
		},
		another: []string{
			"./lua: attempt to index a nil value\n",
			"./lua: attempt to index a userdata value\n",
			"./lua: /hom\x0c\x01 near 'local'\n",
			"./lua: /home/me/t.lua:3: attempt to call a table value (local 'x')\n",
			"In file included from onelua.c:94:\nlparser.c: In function ‘check_readonly’:\nlparser.c:311:5: error: too many arguments to function ‘luaK_semerror’\n" +
				"  311 |     luaK_semerror(ls, \"attempt to assign to const variable '%s'\",\n      |     ^~~~~~~~~~~~~\n",
			"lparser.c:311:5: error: too many arguments\n    luaK_semerror(ls, \"attempt to assign to const variable '%s'\",\n    ^~~~~~~~~~~~~\n",
			"Parser.java:311: error: cannot find symbol\n    error(\"attempt to assign to const variable\" + name);\n    ^\n  symbol:   method error(String)\n",
		},
	},
	{
		name:    "Python's assertions",
		passing: "",
		end:     "Traceback (most recent call last):\n  File \"/tmp/1/t.py\", line 2, in <module>\n    assert f() == 4, \"f is %d\" % f()\n           ^^^^^^^^\nAssertionError: f is 6\n",
		same: []string{
			"Traceback (most recent call last):\n  File \"/tmp/2/t.py\", line 7, in <module>\n    assert f() == 4, \"f is %d\" % f()\n           ^^^^^^^^\nAssertionError: f is 14\n",
		},
		another: []string{
			"Traceback (most recent call last):\n  File \"/tmp/1/t.py\", line 1, in <module>\n    from m import f\nImportError: cannot import name 'f' from 'm' (/tmp/1/m.py)\n",
			"  File \"/tmp/1/t.py\", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n",
		},
	},
	{
		name:    "tests with names",
		passing: "--- FAIL: TestKnown (0.00s)\nFAIL\nFAIL\texample.com/x\t0.003s\n",
		end:     "--- FAIL: TestKnown (0.00s)\n--- FAIL: TestA (0.00s)\n    a_test.go:8: A() = 7, want 4\n--- FAIL: TestB (0.01s)\nFAIL\nFAIL\texample.com/x\t0.003s\n",
		same: []string{
			"--- FAIL: TestKnown (0.00s)\n--- FAIL: TestB (0.07s)\nFAIL\nFAIL\texample.com/x\t0.005s\n",
			"--- FAIL: TestA (0.00s)\n    a_test.go:9: A() fails: none\nFAIL\nFAIL\texample.com/x\t0.005s\n",
		},
		another: []string{
			"--- FAIL: TestC (0.00s)\n    a_test.go:8: C() = 7, want 4\nFAIL\nFAIL\texample.com/x\t0.003s\n",
			"# example.com/x [example.com/x.test]\n./lex.go:5:14: undefined: thing\nFAIL\texample.com/x [build failed]\nFAIL\n",
			"# example.com/x [example.com/x.test]\n./lex.go:5:2: \"path/filepath\" imported and not used\nFAIL\texample.com/x [build failed]\nFAIL\n",
		},
	},
	{
		name:    "a value without a word of error",
		passing: "3\n",
		end:     "got bar\n",
		same:    []string{"got baz\n", "something\n", "a.c:1:2: warning: the error of a comparison\ngot 7\n"},
		another: []string{"sh: 1: Syntax error: \"then\" unexpected\n", "prog: not found\n"},
	},
	{
		name:    "values with escapes",
		passing: "",
		end:     "Error: got \"foo\\nbar\", at C:\\work\\1\\t.js\n",
		same:    []string{"Error: got \"foo\\nbar\", at C:\\work\\two\\t.js\n"},
	},
	{
		name:    "errors of a compiler, with their places",
		passing: "",
		end:     "# example.com/m\n./main.go:8:4: f.Skip undefined (type *flags.Set has no field or method Skip)\n./main.go:9:10: undefined: flags.Skip\n",
		same: []string{
			"# example.com/m\n./main.go:18:4: f.Skip undefined (type *flags.Set has no field or method Skip)\n",
			"# example.com/m\ncmd/run.go:8:4: f.Skip undefined (type *flags.Set has no field or method Skip)\ncmd/run.go:9:10: undefined: flags.Skip\n",
		},
		another: []string{
			"# example.com/flags\nflags/set.go:30:4: f.Skip undefined (type *Set has no field or method Skip)\nflags/set.go:40:4: f.Skip undefined (type *Set has no field or method Skip)\n",
			"# example.com/flags\nflags/set.go:7:2: undefined: Skip\n",
		},
	},
	{
		name:    "a sanitizer",
		passing: "",
		end:     asan("heap-use-after-free on address 0x602000000013 at pc 0x55ba2d9bb28c bp 0x7fffeef15fe0 sp 0x7fffeef15fd8\nREAD of size 1 at 0x602000000013 thread T0"),
		same: []string{
			asan("heap-use-after-free on address 0x6020000000f3 at pc 0x55ba2d9bb28c bp 0x7fffeef15fe0 sp 0x7fffeef15fd8\nWRITE of size 8 at 0x6020000000f3 thread T0"),
		},
		another: []string{
			asan("SEGV on unknown address 0x000000000001 (pc 0x55a92d1ff1ec bp 0x7ffc05a49a00 sp 0x7ffc05a499e0 T0)\n==412==Hint: address points to the zero page."),
			asan("heap-buffer-overflow on address 0x60200000001b at pc 0x55e820b1823a bp 0x7ffc795dc7d0 sp 0x7ffc795dc7c8\nWRITE of size 1 at 0x60200000001b thread T0"),
		},
	},
	{
		name:    "silence",
		passing: "checking\n",
		end:     "checking\n",
		same:    []string{"", "checking\ndone\n"},
		another: []string{"checking\nImportError: no module\n"},
	},
	{
		name:    "the test runner of node, which names files of tests by their paths",
		passing: nodeTest("/tmp/gitdd-ab-1/test.js", ""),
		end:     nodeTest("/tmp/gitdd-ab-1/test.js", "node:assert:90\n  throw new AssertionError(obj);\n  ^\nAssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n33 !== 32\n    at Object.<anonymous> (/tmp/gitdd-ab-1/test.js:1:69) {\n  code: 'ERR_ASSERTION',\n  actual: 33,\n  expected: 32,\n}"),
		same: []string{
			nodeTest("/tmp/gitdd-ab-2/test.js", "node:assert:90\n  throw new AssertionError(obj);\n  ^\nAssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n34 !== 32\n    at Object.<anonymous> (/tmp/gitdd-ab-2/test.js:1:69) {\n  code: 'ERR_ASSERTION',\n  actual: 34,\n  expected: 32,\n}"),
		},
		another: []string{
			nodeTest("/tmp/gitdd-ab-1/test.js", "/tmp/gitdd-ab-1/calc.js:5\nSyntaxError: Unexpected end of input\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n    at Module._compile (node:internal/modules/cjs/loader:1495:20)"),
			nodeTest("/tmp/gitdd-ab-2/test.js", "/tmp/gitdd-ab-2/calc.js:5\nSyntaxError: Unexpected end of input\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n    at Module._compile (node:internal/modules/cjs/loader:1495:20)"),
		},
	},
	{
		name:    "tests that are named by their files, in other workspaces",
		passing: "",
		end:     "FAILED /tmp/gitdd-ab-1/t.py::test_a\n",
		same:    []string{"FAILED /tmp/gitdd-ab-2/t.py::test_a\n"},
		another: []string{"FAILED /tmp/gitdd-ab-2/t.py::test_b\n"},
	},
	{
		name:    "an error that is worded otherwise now and then",
		passing: "",
		end:     "node:assert:126\n  throw new AssertionError(obj);\n  ^\n\nAssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n6 !== 4\n\n    at Object.<anonymous> (/tmp/t.js:3:8)\n    at Module._compile (node:internal/modules/cjs/loader:1256:14)\n  generatedMessage: true,\n  code: 'ERR_ASSERTION',\n  actual: 6,\n  expected: 4,\n",
		same:    []string{"node:assert:126\n  throw new AssertionError(obj);\n  ^\n\nAssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n'a' !== 4\n\n    at Object.<anonymous> (/tmp/t.js:3:8)\n    at Module._compile (node:internal/modules/cjs/loader:1256:14)\n  generatedMessage: true,\n  code: 'ERR_ASSERTION',\n  actual: 'a',\n  expected: 4,\n"},
		another: []string{"/tmp/l.js:2\nnoise.missing.call();\n              ^\n\nTypeError: Cannot read properties of undefined (reading 'call')\n    at Object.<anonymous> (/tmp/l.js:2:15)\n    at Module._compile (node:internal/modules/cjs/loader:1256:14)\n"},
	},
}

// nodeTest is what the test runner of node prints of one file whose program says something; "" = it passes.
func nodeTest(file, says string) string {
	if says == "" {
		return "TAP version 13\n# Subtest: " + file + "\nok 1 - " + file + "\n  ---\n  duration_ms: 92.7\n  ...\n1..1\n# tests 1\n# pass 1\n# fail 0\n# duration_ms 105.8\n"
	}
	return "TAP version 13\n# " + strings.ReplaceAll(says, "\n", "\n# ") + "\n# Node.js v20.20.2\n# Subtest: " + file + "\nnot ok 1 - " + file +
		"\n  ---\n  duration_ms: 127.9\n  location: '" + file + ":1:1'\n  failureType: 'testCodeFailure'\n  exitCode: 1\n  signal: ~\n  error: 'test failed'\n  code: 'ERR_TEST_FAILURE'\n  ...\n" +
		"1..1\n# tests 1\n# pass 0\n# fail 1\n# duration_ms 143.9\n"
}

// asan is what a program prints in which gcc's AddressSanitizer has found something.
func asan(found string) string {
	return "=================================================================\n==410==ERROR: AddressSanitizer: " + found + `
    #0 0x55ba2d9bb28b in main /src/a.c:7
    #1 0x7f6b4b445249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

SUMMARY: AddressSanitizer: ` + strings.Fields(found)[0] + ` /src/a.c:7 in main
Shadow bytes around the buggy address:
  0x0c047fff7ff0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
=>0x0c047fff8000: fa fa[fd]fd fa fa fa fa fa fa fa fa fa fa fa fa
  0x0c047fff8010: fa fa fa fa fa fa fa fa fa fa fa fa fa fa fa fa
Shadow byte legend (one shadow byte represents 8 application bytes):
  Addressable:           00
  Partially addressable: 01 02 03 04 05 06 07
  Heap left redzone:       fa
  Right alloca redzone:    cb
==410==ABORTING
`
}

func TestFailures(t *testing.T) {
	for _, tt := range failures {
		end := TextOf(1, []byte(tt.end), PassingOf([]byte(tt.passing)))
		if end.Differs(end) {
			t.Errorf("%s: another failure than itself", tt.name)
		}
		for want, texts := range map[bool][]string{false: tt.same, true: tt.another} {
			for _, text := range texts {
				if got := TextOf(1, []byte(text), PassingOf([]byte(tt.passing))).Differs(end); got != want {
					t.Errorf("%s: another failure: %v, want %v\n%s", tt.name, got, want, text)
				}
			}
		}
	}
}

// TestHostileFailure: of an output of ten thousand different lines that all tell of errors
// in names of tests, 25 times as many as are compared, a bounded part is compared.
func TestHostileFailure(t *testing.T) {
	var text []byte
	for i := range 25 * mostLines {
		word := []byte{'a' + byte(i%26), 'a' + byte(i/26%26), 'a' + byte(i/676%26), 'a' + byte(i/17576%26)}
		text = fmt.Appendf(text, "--- FAIL: Test%s error %s \x1b[31m%s\xff\n", word, word, word)
	}
	f := TextOf(1, text, PassingOf(text[:len(text)/2]))
	if len(f.tests) > mostLines || len(f.errors) > mostLines || len(f.All) > mostLines {
		t.Errorf("%d tests, %d errors, %d lines", len(f.tests), len(f.errors), len(f.All))
	}
	if f.Differs(f) {
		t.Error("another failure than itself")
	}
}

// TestSameStack compares stacks of several tools with that of a failing end.
func TestSameStack(t *testing.T) {
	const end = `==3934==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000030 at pc 0x7f29c024a731
    #0 0x7f29c024a730 in strlen interceptors.inc:389
    #1 0x55732fff4a96 in get_cell ../parson.c:555
    #2 0x55732fffe234 in set_value /src/1/parson.c:2076
freed by thread T0 here:
    #0 0x7f29c02b76a8 in free malloc.cpp:52`
	for _, row := range []struct {
		name, a, b string
		want       bool
	}{
		{"other lines and addresses", end, strings.NewReplacer("555", "537", "0x55732fff4a96", "0x55c559272a61", "/src/1/", "/src/2/").Replace(end), true},
		{"a warning before it", end, "parson.c:3: warning: discards const\n" + end, true},
		{"another caller", end, strings.ReplaceAll(end, "set_value", "remove"), false},
		{"one call less", end, strings.Replace(end, "    #2 0x55732fffe234 in set_value /src/1/parson.c:2076\n", "", 1), false},
		{"one call more", end, end + "\n    #1 0x55732fffeebb in clear ../parson.c:2276", false},
		{"Go", "panic: x\nmain.a()\n\t/w/1/lex.go:12 +0x1d\nmain.b()\n\t/w/1/parse.go:1 +0x2f\nmain.c()\n\t/w/1/load.go:1 +0x2f", "panic: x\nmain.a()\n\t/w/lex.go:14 +0x1f\nmain.b()\n\t/w/parse.go:2 +0x2f\nmain.c()\n\t/w/load.go:1 +0x2f", true},
		{"Python", "File \"a.py\", line 3, in f\nFile \"b.py\", line 3, in g\nFile \"c.py\", line 3, in h", "File \"a.py\", line 5, in f\nFile \"b.py\", line 3, in g\nFile \"c.py\", line 3, in k", false},
		{"too few", "x failed\n    at f (a.js:3:4)\n    at g (b.js:5:6)", "x failed\n    at f (a.js:3:4)\n    at g (b.js:5:6)", false},
		{"none", "FAIL: got 3\n", "FAIL: got 3\n", false},
	} {
		u := PassingOf([]byte("ok\n"))
		if got := TextOf(1, []byte(row.b), u).SameStack(TextOf(1, []byte(row.a), u)); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

// TestEscapes: a backslash in a value parts no directories, but behind the letter of a drive it does.
func TestEscapes(t *testing.T) {
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{`got "foo\nbar"`, `got "baz\nbar"`, false},
		{`got "aQQ\\ b"`, `got "a\\! b"`, false},
		{`open C:\work\one\t.js`, `open C:\work\two\t.js`, true},
		{`open "C:\\work\\one\\t.js"`, `open "C:\\work\\two\\t.js"`, true},
		{`open /src/one/t.js`, `open /src/two/t.js`, true},
	} {
		if got := LineOf(row.a).Key() == LineOf(row.b).Key(); got != row.same {
			t.Errorf("%s and %s: %q and %q", row.a, row.b, LineOf(row.a).Key(), LineOf(row.b).Key())
		}
	}
}

// TestForeign: a failure whose words vary is told from one with a diagnostic that it never has.
func TestForeign(t *testing.T) {
	const syntax = "  File \"/w/calc.py\", line 3\n    def broken(:\n               ^\nSyntaxError: invalid syntax\n"
	for _, row := range []struct {
		name, text string
		runs       []string
		want       bool
	}{
		{"random words", syntax, []string{"Error: kappa lambda\n", "Error: alpha beta\n"}, true},
		{"no word in common", syntax, []string{"kappa lambda\n", "alpha beta\n"}, true},
		{"an error of a compiler", "a.c:7:3: error: expected ';'\n", []string{"kappa lambda\n", "alpha beta\n"}, true},
		{"other random words", "Error: delta epsilon\n", []string{"Error: kappa lambda\n", "Error: alpha beta\n"}, false},
		{"an exception at all times", syntax, []string{"ValueError: kappa lambda\n", "ValueError: alpha beta\n"}, true},
		{"that exception", "ValueError: delta\n", []string{"ValueError: kappa lambda\n", "ValueError: alpha beta\n"}, false},
		{"exceptions that vary", syntax, []string{"TimeoutError: kappa\n", "BrokenPipeError: alpha\n"}, false},
		{"exceptions that vary below the same word", syntax, []string{"test: TimeoutError: kappa\n", "test: BrokenPipeError: alpha\n"}, true},
		{"silence", "", []string{"Error: kappa lambda\n", "Error: alpha beta\n"}, false},
	} {
		var runs []Text
		for _, r := range row.runs {
			runs = append(runs, TextOf(1, []byte(r), PassingOf(nil)))
		}
		if got := TextOf(1, []byte(row.text), PassingOf(nil)).IsForeign(runs...); got != row.want {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}
