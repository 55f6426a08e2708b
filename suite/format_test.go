package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/gitdd/gitdd/isolate"
	"github.com/google/go-cmp/cmp"
)

func TestParseFormat(t *testing.T) {
	for _, c := range []struct{ text, want string }{ // want: what it is printed as, or behind "error " what its error contains
		{"go", "go"},
		{"junit", "junit"},
		{"junit:./build/**/*.xml", "junit:build/**/*.xml"},
		{"tap:{a,b}.tap", "tap:{a,b}.tap"},
		{"jest:report:1.json", "jest:report:1.json"},
		{`lines:^(?P<status>\w+): (?<test>.+)$`, `lines:^(?P<status>\w+): (?<test>.+)$`},
		{"", `error there is no format ""; gitdd reads auto, cargo, go, jest, junit, lines, pytest, tap and unittest`},
		{"Go", `error there is no format "Go"; gitdd reads `},
		{"junit:", "error no file is named behind the colon"},
		{"junit:[a", "error the pattern of file names is not closed"},
		{"junit:/a.xml", "error name files below the directory that the command runs in"},
		{"junit:b/../../a.xml", "error name files below the directory that the command runs in"},
		{"lines", "error a regular expression belongs behind lines:, such as lines:^(?P<status>"},
		{"lines:(", "error error parsing regexp: missing closing ): `(`"},
		{"lines:(?P<test>.*)", "error has no group (?P<status>...)"},
		{"lines:(?P<status>.*)", "error has no group (?P<test>...)"},
	} {
		f, err := ParseFormat(c.text)
		if want, failing := strings.CutPrefix(c.want, "error "); failing {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error %v, want %s", c.text, err, want)
			}
			continue
		}
		if err != nil || f.String() != c.want || f.ReadsFiles() != (strings.Contains(c.text, ":") && !strings.HasPrefix(c.text, "lines")) {
			t.Errorf("%q: %q, reads files: %v, error %v", c.text, f, f.ReadsFiles(), err)
		}
	}
	if _, err := (Format{}).Read(strings.NewReader("x"), ""); err == nil {
		t.Error("the zero format reads something")
	}
}

func TestReadFiles(t *testing.T) {
	suite := func(inner string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("<testsuite>" + inner)}
	}
	files := fstest.MapFS{
		"build/a.xml":     suite(`<testcase classname="a" name="one"/><testcase classname="b" name="two"/></testsuite>`),
		"build/x/y/b.xml": suite(`<testcase classname="b" name="two"><failure message="no"/></testcase></testsuite>`),
		"build/x/c.xml":   suite(`<testcase classname="c" name="three"/>`),
		"build/x/c.txt":   suite(""),
		"build/d.xml/e":   suite(""),
		"odd/a.xml":       suite(`<testcase classname="odd" name="four"/></testsuite>`),
		"odd/pipe.xml":    &fstest.MapFile{Mode: fs.ModeNamedPipe},
		"old/a.xml":       suite(`<testcase classname="old" name="five"/></testsuite>`),
	}
	for _, c := range []struct {
		pattern string
		files   []string
		want    string
	}{
		{"build/**/*.xml", []string{"build/a.xml", "build/x/c.xml", "build/x/y/b.xml"},
			"pass       a.one\nfail       b.two\n  > no\npass       c.three\nincomplete build/x/c.xml: line 1: XML syntax error on line 1: unexpected EOF\n"},
		{"build/*.xml", []string{"build/a.xml"}, "pass       a.one\npass       b.two\n"},
		{"reports/*.xml", nil, "incomplete there is no file reports/*.xml\n"},
		{"odd/*.xml", []string{"odd/a.xml", "odd/pipe.xml"}, "pass       odd.four\nincomplete odd/pipe.xml is no regular file\n"},
		{"old/*.xml", []string{"old/a.xml"}, "incomplete there is no file old/*.xml\n"},
	} {
		f, err := ParseFormat("junit:" + c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		names, err := f.Files(files)
		if err != nil || !cmp.Equal(names, c.files) {
			t.Errorf("%s: files %q, error %v", c.pattern, names, err)
		}
		r := f.ReadFiles(files, "", func(name string, _ fs.FileInfo) bool { return strings.HasPrefix(name, "old/") })
		if got := string(golden(r)); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.pattern, got, c.want)
		}
	}
}

// What was read before an error is returned with it.
func TestReadError(t *testing.T) {
	broken := errors.New("broken pipe")
	for format, text := range reports {
		f, err := ParseFormat(format)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), "")
		if !errors.Is(err, broken) || r.Incomplete == "" && format != "junit" || len(r.Tests) == 0 {
			t.Errorf("%s: %d tests, incomplete %q, error %v", format, len(r.Tests), r.Incomplete, err)
		}
	}
}

// reports are texts of every format, with a test that passes and one that fails.
var reports = map[string]string{
	"go": `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:3: no\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\n"}
{"Action":"fail","Package":"p"}
`,
	"junit":  "<testsuite>\n<testcase classname='p' name='A'/>\n<testcase classname='p' name='B'><failure>no</failure></testcase>\n</testsuite>\n",
	"tap":    "TAP version 13\nok 1 - A\nnot ok 2 - B\n1..2\n",
	"pytest": "=== test session starts ===\np.py::A PASSED [ 50%]\np.py::B FAILED [100%]\n=== 1 failed, 1 passed in 0.01s ===\n",
	"jest":   `{"numTotalTestSuites":1,"testResults":[{"name":"p.js","status":"failed","assertionResults":[{"title":"A","status":"passed"},{"title":"B","status":"failed"}]}]}`,
	"cargo": `running 2 tests
test A ... ok
test B ... FAILED

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`,
	"unittest": `test_a (p.T.test_a) ... ok
test_b (p.T.test_b) ... FAIL

` + unittestDouble + `
FAIL: test_b (p.T.test_b)
` + unittestSingle + `
Traceback (most recent call last):
  File "/ws/p.py", line 5, in test_b
    self.fail("no")
AssertionError: no

` + unittestSingle + `
Ran 2 tests in 0.001s

FAILED (failures=1)
`,
	`lines:^(?P<status>ok|FAIL) (?P<test>.+)$`: "ok A\nFAIL B\n",
}

func TestDetect(t *testing.T) {
	for format, text := range reports {
		before := "$ make test\nok  \tp\t0.1s\nPASS\n\x1b[1mdone 3 of 4 {\n"
		f, ok := Detect([]byte(before + text))
		if strings.HasPrefix(format, "lines") {
			format = ""
		}
		if f.String() != format || ok != (format != "") {
			t.Errorf("%s: detected %q", format, f)
		}
	}
	for _, text := range []string{"", "ok\n", "not ok\n", "=== RUN TestA\n--- PASS: TestA\n", `{"Action":1}`, `{"x":2}`, "<?xml version='1.0'?><html/>", "collected 3 items",
		"FAIL: test_a\n", "ERROR: connection (refused)", "Preparing metadata (setup.py) ... done", "setup (a.b) ... done", "compile (shop) ... ok", "Ran 3 tests across 1 file. [12.00ms]"} {
		if f, ok := Detect([]byte(text)); ok {
			t.Errorf("%q is taken for %v", text, f)
		}
	}
}

// A report that is cut has what stands before the cut, and is incomplete. The last line end and what is said behind
// the last test can be missing.
func TestTruncated(t *testing.T) {
	for format, text := range reports {
		whole := read(t, format, text, "")
		if whole.Incomplete != "" || len(whole.Repeated) > 0 {
			t.Errorf("%s: incomplete %q, repeated %q", format, whole.Incomplete, whole.Repeated)
		}
		for end := range len(text) {
			r := read(t, format, text[:end], "")
			for _, test := range r.Tests {
				if test.Outcome == isolate.Pass && whole.Outcome(test.Name) == isolate.Fail {
					t.Errorf("%s: cut at %d, test %q passes", format, end, test.Name)
				}
			}
			if r.Incomplete == "" && len(r.Tests) < len(whole.Tests) && !strings.HasPrefix(format, "lines") {
				t.Errorf("%s: cut at %d, it has %d tests and is whole", format, end, len(r.Tests))
			}
		}
	}
}

// What stands between the lines of a report, ends of lines of Windows and colours are left out.
func TestNoise(t *testing.T) {
	for format, text := range reports {
		want := golden(read(t, format, text, ""))
		noisy := strings.ReplaceAll(text, "\n", "\r\n")
		if format != "junit" && format != "jest" && format != "go" {
			noisy = strings.NewReplacer("ok", "\x1b[32mok\x1b[0m", "FAIL", "\x1b]0;title\x07\x1b[31;1mFAIL\x1b[m", "PASSED", "\x1b[32mPASSED\x1b[m").Replace(noisy)
		}
		if got := golden(read(t, format, "loading\r\n"+noisy+"bye\n", "")); !bytes.Equal(got, want) {
			t.Errorf("%s: got\n%swant\n%s", format, got, want)
		}
	}
}

// largeReports are reports of n tests of each format, of which every tenth fails.
func largeReports(n int) map[string]string {
	writers := map[string]func(w *bytes.Buffer, i int, fails bool){
		"go": func(w *bytes.Buffer, i int, fails bool) {
			outcome := map[bool]string{false: "pass", true: "fail"}[fails]
			fmt.Fprintf(w, `{"Action":"run","Package":"p","Test":"Test%[1]d"}
{"Action":"output","Package":"p","Test":"Test%[1]d","Output":"=== RUN Test%[1]d\n"}
{"Action":"output","Package":"p","Test":"Test%[1]d","Output":"    p_test.go:1: a line of %[1]d\n"}
{"Action":"%[2]s","Package":"p","Test":"Test%[1]d"}
`, i, outcome)
		},
		"junit": func(w *bytes.Buffer, i int, fails bool) {
			inner := map[bool]string{true: "<failure message='no'>the\nstack</failure>"}[fails]
			fmt.Fprintf(w, "<testcase classname='p.C' name='test%d' time='0.1'>%s</testcase>\n", i, inner)
		},
		"tap": func(w *bytes.Buffer, i int, fails bool) {
			fmt.Fprintf(w, "%s %d - test %d\n", map[bool]string{false: "ok", true: "not ok"}[fails], i+1, i)
		},
		"pytest": func(w *bytes.Buffer, i int, fails bool) {
			fmt.Fprintf(w, "p.py::test[%d] %s\n", i, map[bool]string{false: "PASSED", true: "FAILED"}[fails])
		},
		"jest": func(w *bytes.Buffer, i int, fails bool) {
			fmt.Fprintf(w, `{"name":"f%d.js","assertionResults":[{"title":"t","status":"%s"}]}`, i, map[bool]string{false: "passed", true: "failed"}[fails])
			if i < n-1 {
				w.WriteString(",")
			}
		},
		"cargo": func(w *bytes.Buffer, i int, fails bool) {
			fmt.Fprintf(w, "test m::t%d ... %s\n", i, map[bool]string{false: "ok", true: "FAILED"}[fails])
		},
		"unittest": func(w *bytes.Buffer, i int, fails bool) {
			fmt.Fprintf(w, "test_%[1]d (p.T.test_%[1]d) ... %[2]s\n", i, map[bool]string{false: "ok", true: "FAIL"}[fails])
		},
		`lines:^(?P<status>ok|FAIL) (?P<test>.+)$`: func(w *bytes.Buffer, i int, fails bool) {
			fmt.Fprintf(w, "%s test%d\n", map[bool]string{false: "ok", true: "FAIL"}[fails], i)
		},
	}
	frames := map[string][2]string{
		"go":       {"", `{"Action":"pass","Package":"p"}` + "\n"},
		"junit":    {"<testsuite>", "</testsuite>"},
		"tap":      {fmt.Sprintf("1..%d\n", n), ""},
		"pytest":   {"=== test session starts ===\n", fmt.Sprintf("=== %d failed, %d passed in 1.0s ===\n", n/10, n-n/10)},
		"jest":     {`{"numTotalTestSuites":1,"testResults":[`, "]}"},
		"cargo":    {fmt.Sprintf("running %d tests\n", n), "test result: FAILED. \n"},
		"unittest": {"", fmt.Sprintf("\n%s\nRan %d tests in 1.000s\n", unittestSingle, n)},
	}
	texts := map[string]string{}
	for format, write := range writers {
		var w bytes.Buffer
		w.WriteString(frames[format][0])
		for i := range n {
			write(&w, i, i%10 == 0)
		}
		w.WriteString(frames[format][1])
		texts[format] = w.String()
	}
	return texts
}

func TestLarge(t *testing.T) {
	const n = 100_000
	for format, text := range largeReports(n) {
		r := read(t, format, text, "/ws")
		fails := 0
		for _, test := range r.Tests {
			if test.Outcome == isolate.Fail {
				fails++
			}
		}
		want := n
		if format == "go" { // and the package
			want++
		}
		if len(r.Tests) != want || fails != n/10 || r.Incomplete != "" {
			t.Errorf("%s: %d tests, %d fail, incomplete %q", format, len(r.Tests), fails, r.Incomplete)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for format, text := range largeReports(10_000) {
		name, _, _ := strings.Cut(format, ":")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				read(b, format, text, "/ws")
			}
		})
	}
}
