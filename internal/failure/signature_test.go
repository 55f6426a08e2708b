package failure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSignature(t *testing.T) {
	long := strings.Repeat("x", 2*LineBytes)
	tests := []struct{ name, text, out, err, want string }{
		{"whole match", `FAIL \w+`, "ok\nFAIL one\nFAIL two\n", "", "FAIL one"},
		{"group", `FAIL: (\w+)`, "FAIL: one\n", "", "one"},
		{"groups", `(\w+) at \d+ in (\w+)`, "overflow at 12 in f\n", "", "overflow f"},
		{"group that takes no part", `a(b)?c(d)`, "acd", "", "d"},
		{"only such groups", `a(b)?c`, "ac", "", ""},
		{"line ends", `^b$`, "a\nb\nc\n", "", "b"},
		{"out before err", `E\d`, "E2\n", "E1\n", "E2"},
		{"only err", `E\d`, "fine\n", "E1\n", "E1"},
		{"none", `E\d`, "fine\n", "", ""},
		{"behind bytes that are no text", `E\d`, "\xff\xfe\x00 é E7\n", "", "E7"},
		{"of bytes that are no text", `E.*`, "E \xff\\xfe é \uFFFD\n", "", `E \xff\xfe é ` + "\uFFFD"},
		{"over lines", `(?s)begin(.*)end`, "begin\n  a\n  b\nend", "", "a b"},
		{"cut", `x+`, long, "", long[:LineBytes] + "..."},
		{"behind much else", `E\d`, strings.Repeat("line of output\n", 100_000) + "E3\n", "", "E3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := NewSignature(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			for name, text := range map[string]string{"out": tt.out, "err": tt.err} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.In(filepath.Join(dir, "out"), filepath.Join(dir, "err"), filepath.Join(dir, "absent"))
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
	if _, err := NewSignature("a(b"); err == nil || !strings.HasSuffix(err.Error(), "`a(b`") {
		t.Errorf("a broken expression: %v", err)
	}
}

// The output of each tool is what it prints, but for its length.
func TestSignatureOfTools(t *testing.T) {
	tests := []struct{ name, output, want string }{
		{"go test", "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/sub (0.00s)\n        a_test.go:9: 3\nFAIL\n", "go test: TestA"},
		{"go test, verbose", "=== RUN   TestA\n    --- FAIL: TestA/sub (0.00s)\nFAIL\n", "go test: TestA/sub"},
		{"go test that panics", "--- FAIL: TestB (0.00s)\npanic: boom [recovered]\n\tpanic: boom\n\ngoroutine 7 [running]:\n", "go test: TestB"},
		{"go", "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n", "go: assignment to entry in nil map"},
		{"cargo test", "running 2 tests\ntest tests::b ... ok\ntest tests::a ... FAILED\n\nfailures:\n\nthread 'tests::a' panicked at src/lib.rs:4:9:\n", "cargo test: tests::a"},
		{"cargo doc test", "test src/lib.rs - add (line 12) ... FAILED\n", "cargo test: src/lib.rs - add"},
		{"rust", "thread 'tests::a' panicked at src/lib.rs:4:9:\nindex out of bounds\n", "rust: tests::a"},
		{"rust, no test", "\nthread 'main' (4711) panicked at src/main.rs:2:5:\nindex out of bounds\nnote: run with\n", "rust: index out of bounds"},
		{"rust before 1.73, no test", "thread 'main' panicked at 'it''s empty', src/main.rs:2:5\n", "rust: it''s empty"},
		{"rust, a thread without a name", "thread '<unnamed>' panicked at src/main.rs:2:5:\nboom\n", "rust: boom"},
		{"pytest", "E   assert 1 == 2\n=== short test summary info ===\nFAILED tests/test_a.py::test_b[x] - assert 1 == 2\n=== 1 failed in 0.03s ===\n", "pytest: tests/test_a.py::test_b[x]"},
		{"pytest, import error", "ERROR tests/test_a.py - ImportError: no\n", "pytest: tests/test_a.py"},
		{"unittest", "======\nFAIL: test_a (tests.test_x.T.test_a)\n------\nTraceback (most recent call last):\n  File \"x.py\", line 3, in test_a\n    self.fail()\nAssertionError: None\n", "unittest: test_a (tests.test_x.T.test_a)"},
		{"python", "Traceback (most recent call last):\n  File \"a.py\", line 9, in <module>\n    f(1)\n    ~^^^\n  File \"a.py\", line 3, in f\n    return {}[x]\nKeyError: 1\n", "python: KeyError in f"},
		{"python, a bare error", "Traceback (most recent call last):\n  File \"a.py\", line 9, in <module>\n    exit\nmy.own.Trouble\n", "python: my.own.Trouble in <module>"},
		{"googletest", "[ RUN      ] Foo.Bar\na.cc:3: Failure\n[  FAILED  ] Foo.Bar (0 ms)\n[  FAILED  ] 1 test, listed below:\n", "googletest: Foo.Bar"},
		{"surefire", "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! - in a.FooTest\n[ERROR] testBar(a.FooTest)  Time elapsed: 0.01 s  <<< FAILURE!\n", "junit: testBar(a.FooTest)"},
		{"surefire 3", "[ERROR] a.FooTest.testBar -- Time elapsed: 0.012 s <<< ERROR!\n", "junit: a.FooTest.testBar"},
		{"gradle", "FooTest > testBar() FAILED\n    java.lang.AssertionError at FooTest.java:9\n", "gradle: FooTest > testBar()"},
		{"jest", "FAIL ./a.test.js\n  ● sums › adds 1 + 2\n\n    expect(received)\n", "jest: sums › adds 1 + 2"},
		{"tap", "TAP version 13\nok 1 - a\nnot ok 2 - b c # time=3ms\n", "tap: b c"},
		{"ctest", "The following tests FAILED:\n\t  3 - parser (Failed)\n", "ctest: parser"},
		{"assert of glibc", "prog: a.c:17: main: Assertion `x > 0' failed.\n", "assert: x > 0"},
		{"assert of musl", "Assertion failed: x > 0 (a.c: main: 17)\n", "assert: x > 0"},
		{"assert of macOS", "Assertion failed: (x > 0), function main, file a.c, line 17.\n", "assert: (x > 0)"},
		{"address sanitizer", "==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x602\n    #0 0x4f in use /src/a.c:10:5\nSUMMARY: AddressSanitizer: heap-use-after-free /src/a.c:10:5 in use\n", "sanitizer: AddressSanitizer: heap-use-after-free use"},
		{"sanitizer before the test that it broke", "[  FAILED  ] Foo.Bar (0 ms)\nSUMMARY: ThreadSanitizer: data-race a.c:1 in f\n", "sanitizer: ThreadSanitizer: data-race f"},
		{"a stack frame", "#0  0x0000 in std::terminate () from lib\n#1 x\n", "frame: std::terminate"},
		{"node", "a.js:3\n  x()\n  ^\n\nTypeError: x is not a function\n    at f (a.js:3:3)\n", "node: TypeError: x is not a function"},
		{"nothing known", "Error: something\nwent wrong: 3\nFAILED\n", ""},
	}
	s, err := NewSignature(AutoSignature)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "err")
			if err := os.WriteFile(file, []byte(tt.output), 0o666); err != nil {
				t.Fatal(err)
			}
			got, err := s.In(file)
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
			name, _, _ := strings.Cut(got, ": ")
			seen[name] = true
		})
	}
	for _, tool := range tools {
		if !seen[tool.name] {
			t.Errorf("no output of %s is tested", tool.name)
		}
	}
}

func TestSignatureOf(t *testing.T) {
	auto, err := NewSignature(AutoSignature)
	if err != nil {
		t.Fatal(err)
	}
	group, err := NewSignature(`^differ: (\w+)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		s        *Signature
		out, err string
		want     string
	}{
		{auto, "sat\n", "solver: node.c:12: f: Assertion `a < b' failed.\n", "assert: a < b"},
		{auto, "Assertion 'c' failed\n", "SUMMARY: AddressSanitizer: heap-use-after-free x.c:1 in f\n", "sanitizer: AddressSanitizer: heap-use-after-free f"},
		{auto, "sat\n", "", ""},
		{group, "unsat\ndiffer: one\n", "differ: two\n", "one"},
		{group, "", "differ: two\n", "two"},
	} {
		if got := test.s.Of([]byte(test.out), []byte(test.err)); got != test.want {
			t.Errorf("%s of %q and %q: %q, want %q", test.s, test.out, test.err, got, test.want)
		}
	}
}
