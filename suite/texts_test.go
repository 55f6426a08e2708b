package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/google/go-cmp/cmp"
)

// A text of a format, and its report as golden prints it.
func TestTexts(t *testing.T) {
	event := func(action, test, rest string) string {
		if test != "" {
			test = `,"Test":"` + test + `"`
		}
		return `{"Action":"` + action + `","Package":"p"` + test + rest + "}\n"
	}
	output := func(test, text string) string { return event("output", test, `,"Output":"`+text+`"`) }
	ran := func(n int) string { return fmt.Sprintf("%s\nRan %d tests in 0.001s\n", unittestSingle, n) }
	failed := func(status, test, message string) string {
		head := unittestDouble + "\n" + status + ": " + test + "\n" + unittestSingle + "\n"
		if strings.Contains(test, unittestLoader) {
			head += "ImportError: Failed to import test module: m\n"
		}
		return head + "Traceback (most recent call last):\n  File \"/lib/m.py\", line 1, in x\n" + message + "\n\n"
	}
	const words = `lines:^(?P<status>\S+)\t(?P<test>[^\t]*)(\t(?P<message>.*))?$`
	for _, c := range []struct{ name, format, text, want string }{
		{"one name, worst outcome", words, "ok\ta\nskip\ta\nok\tb\nFAIL\tb\tfirst\nFAIL\tb\tsecond\nskip\tb\nok\tc\nok\tc\n",
			"unresolved a\nfail       b\n  > first\npass       c\n"},
		{"odd bytes", words, "ok\t\x00\nok\t\xff\nok\té\u202e\nok\t \nok\t\x1b[31mred\x1b[m\n",
			"pass       \\x00\npass       \\xff\npass       red\npass       unnamed\npass       é\\u202e\n"},
		{"a long message", words, "FAIL\ta\t" + strings.Repeat("é", 2000), "fail       a\n  > " + strings.Repeat("é", mostMessage/2) + "\n"},
		{"no line", words, "ok a\n", "incomplete no line matches the regular expression\n"},

		{"a crash while one test runs", "go", event("start", "", "") + event("run", "TestA", "") + event("run", "TestA/x", "") + event("fail", "", ""),
			"fail       p\nfail       p.TestA [part of p]\nfail       p.TestA/x [part of p.TestA]\nnot run    p\nincomplete p did not run all of its tests\n"},
		{"a crash while several run", "go", event("run", "TestA", "") + event("run", "TestB", "") + event("fail", "", ""),
			"fail       p\nunresolved p.TestA [part of p]\nunresolved p.TestB [part of p]\nnot run    p\nincomplete p did not run all of its tests\n"},
		{"a crash while others are paused", "go", event("run", "TestA", "") + event("pause", "TestA", "") + event("run", "TestB", "") + output("", "fatal error: stack overflow\\n") + event("fail", "", ""),
			"fail       p\n  > fatal error: stack overflow\nunresolved p.TestA [part of p]\nfail       p.TestB [part of p]\n  > fatal error: stack overflow\nnot run    p\nincomplete p did not run all of its tests\n"},
		{"a panic while others run", "go", event("run", "TestA", "") + event("run", "TestB", "") + output("TestB", "panic: no\\n") + event("fail", "TestB", "") + event("fail", "", ""),
			"fail       p\nunresolved p.TestA [part of p]\nfail       p.TestB [part of p]\n  > panic: no\nnot run    p\nincomplete p did not run all of its tests\n"},
		{"not built, before Go 1.24", "go", "# p\np.go:1:1: no\n" + output("", "FAIL\\tp [build failed]\\n") + event("fail", "", ""), "not run    p\nincomplete p did not run all of its tests\n"},
		{"not set up", "go", output("", "FAIL\\tp [setup failed]\\n") + event("fail", "", ""), "not run    p\nincomplete p did not run all of its tests\n"},
		{"run twice", "go", event("run", "TestA", "") + event("pass", "TestA", "") + event("run", "TestA", "") + event("fail", "TestA", "") + event("fail", "", ""),
			"fail       p\nfail       p.TestA [part of p]\n"},
		{"no test files", "go", event("start", "", "") + event("skip", "", ""), ""},
		{"no event", "go", "go: go.mod file not found\n{}\n", "incomplete no event of go test -json is in it\n"},

		{"titles, as tape writes them", "tap", "TAP version 13\n# sum\nok 1 should be equal\nok 2 should be equal\n# difference\nok 3 should be equal\nnot ok 4 should be equal\n  ---\n    operator: equal\n  ...\n# product\nok 5 should be equal\n\n1..5\n# tests 5\n# pass  4\n# fail  1\n",
			"fail       difference > should be equal [part of difference]\n  >   operator: equal\npass       product > should be equal [part of product]\npass       sum > should be equal [part of sum]\n"},
		{"comments that are no titles", "tap", "TAP version 13\nok 1 - a\n# a note\nnot ok 2 - b\n# got 1\n1..2\n", "pass       a\nfail       b\n  >  got 1\n"},
		{"comments before subtests", "tap", "TAP version 13\n# printed\n# Subtest: a\n    ok 1 - b\n    1..1\nok 1 - a\n# printed\nok 2 - c\n1..2\n", "pass       a\npass       a > b [part of a]\npass       c\n"},
		{"a comment behind a failure", "tap", "TAP version 13\n# sum\nnot ok 1 a\n# got 1\nok 2 b\n1..2\n", "fail       sum > a [part of sum]\n  >  got 1\npass       sum > b [part of sum]\n"},

		{"entities are not expanded", "junit", `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>
<testsuite><testcase classname="a" name="1"/><testcase classname="a" name="&b;"/></testsuite>`,
			"pass       a.1\nincomplete line 2: XML syntax error on line 2: invalid character entity &b;\n"},
		{"deep elements", "junit", strings.Repeat("<testsuite>", 1_000_000), "incomplete line 1: elements are nested more than 100 deep\n"},
		{"a long tag", "junit", "<testsuite><testcase classname='a' name='1'/><testcase name='" + strings.Repeat("a", mostText+1), "pass       a.1\nincomplete line 1: a text has more than 32.0 MiB\n"},
		{"a long text", "junit", "<testsuite><testcase classname='a' name='1'/><testcase name='2'><failure>" + strings.Repeat("a", mostText+1), "pass       a.1\nincomplete line 1: a text has more than 32.0 MiB\n"},
		{"no XML", "junit", "ok\n", "incomplete no JUnit XML is in it\n"},
		{"bytes that XML does not allow", "junit", "\uFEFF<?xml version='1.0' encoding='ISO-8859-1'?><testsuite><testcase classname='a' name='\x00\xe9é\uFFFF'/></testsuite>", `pass       a.\x00\xe9é\uffff` + "\n"},
		{"several documents", "junit", "1\n<testsuites/>\n2 & 3\n  <testsuite><testcase name='a'/></testsuite><testsuite name='s'><testcase name='b'/></testsuite>\n", "pass       a\npass       s > b\n"},
		{"a suite fails", "junit", "<testsuite name='s'><error message='no'/></testsuite>", "not run    s\nincomplete s did not run all of its tests\n"},
		{"a skipped one that failed", "junit", "<testsuite><testcase name='a' classname='a'><failure/><skipped/></testcase></testsuite>", "unresolved a\n"},

		{"bail out", "tap", "1..2\nok 1 - a\nBail out! No disk.\n", "pass       a\nincomplete Bail out! No disk.\n"},
		{"all skipped", "tap", "1..0 # SKIP no network\n", ""},
		{"no plan", "tap", "ok 1 - a\n", "pass       a\nincomplete it has no plan\n"},
		{"fewer than planned", "tap", "1..2\nok 1 - a\n", "pass       a\nincomplete 2 tests were planned, and it has 1\n"},
		{"no TAP", "tap", "okay\n", "incomplete no TAP is in it\n"},
		{"no names", "tap", "1..3\nok\nok 1\nnot ok 2 # todo\nok # skip\n", "pass       1\npass       2\nunresolved 3\n"},
		{"a cut subtest", "tap", "1..1\n    ok 1 - a\n    1..1\n", "pass       a\nincomplete it ends within a subtest\n"},
		{"deep subtests", "tap", strings.Repeat(" ", 4*(mostNested+1)) + "ok 1 - a\nok 1 - b\n1..1\n", "pass       b\nincomplete its subtests are nested more than 100 deep\n"},

		{"messages and brackets", "pytest", "=== short test summary info ===\nFAILED a.py::t[a - b] - assert 1 - [2] - 3\nFAILED a.py::t - x[1] - y\nERROR a.py::t2 - e\nXPASS a.py::t3 - why\n1 failed in 0.1s\n",
			"fail       a.py::t [a.py]\n  > x[1] - y\nfail       a.py::t2 [a.py]\n  > e\npass       a.py::t3\nfail       a.py::t[a - b] [a.py]\n  > assert 1 - [2] - 3\n"},
		{"a stop", "pytest", "=== short test summary info ===\nFAILED a.py::t\n!!! stopping after 1 failures !!!\n=== 1 failed in 0.1s ===\n", "fail       a.py::t [a.py]\nincomplete pytest says: stopping after 1 failures\n"},
		{"a test that is not there", "pytest", "\nno tests ran in 0.00s\n\nERROR: not found: /ws/a.py::t\n(no name '/ws/a.py::t' in any of [<Module a.py>])\n", "incomplete pytest does not find a.py::t, and runs no test\n"},
		{"no tests", "pytest", "=== no tests ran in 0.01s ===\n", ""},
		{"nothing", "pytest", "usage: pytest\n", "incomplete the last line of pytest, which counts the tests, is not in it\n"},

		{"two runs", "unittest", "test_a (m.T) ... ok\n\n" + ran(1) + "\nOK\ntest_b (m.T) ... ERROR\n\n" + failed("ERROR", "test_b (m.T)", "KeyError: 1") + ran(1), "pass       m.T.test_a\nfail       m.T.test_b\n  > KeyError: 1\n"},
		{"a second run without an end", "unittest", "test_a (m.T) ... ok\n\n" + ran(1) + "test_b (m.T) ... ", "pass       m.T.test_a\nunresolved m.T.test_b\nincomplete the line of unittest that counts the tests is not in it\n"},
		{"no -v, all pass", "unittest", "..\n" + ran(2), "incomplete it names 0 of the 2 tests that ran; give unittest -v\n"},
		{"a test without a line", "unittest", "test_a (m.T) ... ok\n\n" + ran(2), "pass       m.T.test_a\nincomplete it names 1 of the 2 tests that ran; give unittest -v\n"},
		{"no -v in a second run", "unittest", "test_a (m.T) ... ok\n\n" + ran(1) + ".\n" + ran(1), "pass       m.T.test_a\nincomplete it names 0 of the 1 tests that ran; give unittest -v\n"},
		{"no -v, the first of two runs fails", "unittest", "F\n" + failed("FAIL", "test_a (m.T)", "AssertionError") + ran(1) + ".\n" + ran(1), "fail       m.T.test_a\n  > AssertionError\nincomplete it names 0 of the 1 tests that ran; give unittest -v\n"},
		{"a module that fails as a name that is not there does", "unittest", failed("ERROR", "m (unittest.loader._FailedTest)", "AttributeError: no x") + ran(1), "not run    m\nincomplete m did not run all of its tests\n"},
		{"no tests", "unittest", "\n" + ran(0) + "\nNO TESTS RAN\n", ""},
		{"nothing", "unittest", "No module named unittest\nRan 1 test in 0.1s\n", "incomplete the line of unittest that counts the tests is not in it\n"},
		{"words that a test prints", "unittest", "test_a (m.T.test_a) ... ok\nFAIL\ntest_b (m.T.test_b) ... FAIL\nI skipped 'it'\nok\ntest_c (m.T.test_c) ... broken\nfoo (bar)\nskipped 'no'\n\n" + ran(3), "pass       m.T.test_a\npass       m.T.test_b\nunresolved m.T.test_c\n"},
		{"the same words, cut", "unittest", "test_a (m.T.test_a) ... ok\nFAIL\ntest_b (m.T.test_b) ... FAIL\nok\ntest_c (m.T.test_c) ... not ok", "pass       m.T.test_a\nfail       m.T.test_b\nunresolved m.T.test_c\nincomplete the line of unittest that counts the tests is not in it\n"},
		{"a runner without blocks", "unittest", "test_a (m.T.test_a) ... FAIL\n\n" + ran(1), "fail       m.T.test_a\n"},
		{"one test in two modules", "unittest", "test_a (m.T.test_a) ... ok\ntest_a (m.T.test_a) ... FAIL\n" + failed("FAIL", "test_a (m.T.test_a)", "AssertionError") + ran(2), "fail       m.T.test_a\n  > AssertionError\n"},
		{"a test of documentation", "unittest", "add (shop)\nDoctest: shop.add ... ok\n\n" + ran(1), "pass       shop.add\n"},
		{"lines as of unittest in what a test prints", "unittest", "test_a (m.T.test_a) ... foo (bar)\nprinted (m.T)\nok\n" + unittestDouble + "\n" + unittestSingle + "\n\n" + ran(1), "pass       m.T.test_a\n"},

		{"no JSON", "jest", "PASS a.js\n", "incomplete no JSON of jest is in it\n"},
		{"another JSON", "jest", "{}\n", "incomplete no JSON of jest is in it\n"},
		{"other JSON before", "jest", "{ x: 1 }\n{\"level\":30}\n{\n  \"numTotalTests\": 1, \"testResults\": [{\"name\":\"/ws/a.js\",\"assertionResults\":[{\"title\":\"t\",\"status\":\"passed\"}]}]}\n", "pass       a.js > t\n"},
		{"no results", "jest", `{"success":true}`, "incomplete the JSON has no testResults of jest\n"},
		{"deep JSON", "jest", `{"success":` + strings.Repeat("[", 20_000), "incomplete the JSON of jest: invalid character '[' exceeded max depth\n"},
		{"a long JSON", "jest", `{"success":"` + strings.Repeat("a", mostText+mostLine), "incomplete the JSON of jest: a value has more than 32.0 MiB\n"},
		{"an interruption", "jest", `{"testResults":[],"wasInterrupted":true}`, "incomplete jest was interrupted\n"},
		{"a place", "jest", `{"testResults":[{"name":"/ws/a.js","assertionResults":[{"title":"t","status":"failed","location":{"line":3},"failureMessages":["no"]}]}]}`,
			"fail       a.js > t [a.js:3]\n  > no\n"},

		{"on Windows", "cargo", "     Running unittests src\\main.rs (target\\debug\\deps\\shop-0123456789abcdef.exe)\nrunning 1 test\ntest a ... ok\ntest result: ok. \n",
			"pass       shop src/main.rs > a\n"},
		{"too few", "cargo", "running 2 tests\ntest a ... ok\ntest result: ok. \n", "pass       a\nnot run    a binary\nincomplete a binary did not run all of its tests\n"},
		{"binaries that are named later", "cargo", "running 1 test\ntest a ... ok\ntest result: ok. \nrunning 1 test\ntest a ... FAILED\n---- a stdout ----\nno\ntest result: FAILED. \nrunning 0 tests\ntest result: ok. \nrunning 1 test\ntest src/lib.rs - f (line 1) ... ok\ntest result: ok. \n" +
			"     Running unittests src/lib.rs (target/debug/deps/shop-0123456789abcdef)\n     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)\n   Doc-tests shop\n",
			"fail       it tests/it.rs > a\n  > no\npass       shop doc > src/lib.rs - f\npass       shop src/lib.rs > a\n"},
		{"fewer binaries than are named later", "cargo", "running 1 test\ntest a ... ok\ntest result: ok. \n     Running unittests src/lib.rs (target/debug/deps/shop-0123456789abcdef)\n     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)\n", "pass       a\n"},
		{"nothing", "cargo", "    Finished\n", "incomplete no tests of cargo are in it\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, string(golden(read(t, c.format, c.text, "/ws")))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// A report of more than what is kept ends there.
func TestBounded(t *testing.T) {
	name := strings.Repeat("a", 1000)
	for format, line := range map[string]string{
		`lines:^(?P<status>\S+) (?P<test>.*)$`: "ok %s%d\n",
		"tap":                                  "ok 1 - %s%d\n",
		"go":                                   `{"Action":"run","Package":"p","Test":"%s%d"}` + "\n",
		"cargo":                                "running 1 test\ntest %s%d ... FAILED\n",
		"unittest":                             "test_%s%d (m.T) ... ok\n",
		"pytest":                               "=== test session starts ===\na.py::%s%d PASSED\n",
		"junit":                                "<testsuite><testcase name='%s%d'/></testsuite>\n",
	} {
		f, err := ParseFormat(format)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&text, line, name, i)
		}
		b := newBuilder("")
		b.room = 100_000
		if err := f.readAll(b, strings.NewReader(text.String())); err != nil {
			t.Fatal(err)
		}
		if r := b.report(); r.Incomplete != "its tests take more than 100 MiB" || len(r.Tests) > 100 {
			t.Errorf("%s: %d tests, incomplete %q", format, len(r.Tests), r.Incomplete)
		}
	}
}

// What stands behind the beginning of a very long line is left out.
func TestLongLine(t *testing.T) {
	text := strings.Repeat("ok a\n", 3) + "ok " + strings.Repeat("b", 10*mostLine) + "\nok c"
	r := read(t, `lines:^(?P<status>\S+) (?P<test>.*)$`, text, "")
	if len(r.Tests) != 3 || len(r.Tests[1].Name) != mostLine-len("ok ") {
		t.Errorf("%d tests, the second one has %d bytes", len(r.Tests), len(r.Tests[1].Name))
	}
}

func TestStatus(t *testing.T) {
	for want, words := range map[isolate.Outcome]string{
		isolate.Pass:       "ok OK pass PASSED Success ✓ ✔ true",
		isolate.Fail:       "FAIL failed Failure error ERROR ✗ not_ok False TIMEOUT",
		isolate.Unresolved: "skip SKIPPED ignored pending maybe 0",
	} {
		for word := range strings.FieldsSeq(words) {
			if got := statusOf(strings.ReplaceAll(word, "_", " ")); got != want {
				t.Errorf("%s is %v, want %v", word, got, want)
			}
		}
	}
	seen := map[string]bool{}
	for _, words := range statuses {
		for _, word := range words {
			if seen[word] || strings.ToLower(word) != word {
				t.Errorf("the word %q stands twice, or is not in lower case", word)
			}
			seen[word] = true
		}
	}
}

func TestInnermost(t *testing.T) {
	const pass, fail, none = isolate.Pass, isolate.Fail, isolate.Unresolved
	for _, c := range []struct {
		results []Result
		want    []string
	}{
		{nil, nil},
		{[]Result{{Name: "p"}, {Name: "p.A", Parent: "p"}, {Name: "p.A/x", Parent: "p.A"}, {Name: "p.B", Parent: "p"}, {Name: "q"}}, []string{"p.A/x", "p.B", "q"}},
		{[]Result{{Name: "p", Outcome: fail}, {Name: "p.A", Parent: "p", Outcome: fail}, {Name: "p.A/x", Parent: "p.A", Outcome: fail}}, []string{"p.A/x"}},
		{[]Result{{Name: "p", Outcome: fail}, {Name: "p.A", Parent: "p", Outcome: fail}, {Name: "p.A/x", Parent: "p.A", Outcome: pass}}, []string{"p.A", "p.A/x"}},
		{[]Result{{Name: "p", Outcome: fail}, {Name: "p.A", Parent: "p", Outcome: none}, {Name: "p.B", Parent: "p", Outcome: pass}}, []string{"p", "p.A", "p.B"}},
		{[]Result{{Name: "p", Outcome: pass}, {Name: "p.A", Parent: "p", Outcome: pass}}, []string{"p.A"}},
	} {
		var names []string
		for _, r := range Innermost(c.results) {
			names = append(names, r.Name)
		}
		if !cmp.Equal(names, c.want) {
			t.Errorf("%v: got %q", c.results, names)
		}
	}
}
