package report_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
)

// A junitSuite is what a CI service reads.
type junitSuite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Cases    []struct {
		Name    string     `xml:"name,attr"`
		Class   string     `xml:"classname,attr"`
		Failure *junitSaid `xml:"failure"`
		Error   *junitSaid `xml:"error"`
		Skipped *junitSaid `xml:"skipped"`
		Output  string     `xml:"system-out"`
	} `xml:"testcase"`
}

type junitSaid struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func junitText(t *testing.T, r report.Results) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.JUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func junit(t *testing.T, r report.Results) junitSuite {
	t.Helper()
	var read struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(junitText(t, r)), &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Suites) != 1 {
		t.Fatalf("%d suites", len(read.Suites))
	}
	return read.Suites[0]
}

func TestJUnitGolden(t *testing.T) {
	for _, name := range []string{"results_several", "results_fixed", "results_budget", "results_hostile"} {
		golden(t, "testdata/"+name+".junit.xml", junitText(t, resultsCases()[name]))
	}
}

// Each test is there once, by its name, and the numbers are those of the tests.
func TestJUnit(t *testing.T) {
	for name, r := range resultsCases() {
		s := junit(t, r)
		var want, got []string
		for _, c := range r.Causes {
			how := "failure"
			if r.Fixed {
				how = "pass"
			}
			for _, name := range c.Names() {
				want = append(want, fmt.Sprintf("%s gitdd.cause-%d %s", how, c.Number, prose.Printable(name)))
			}
		}
		for _, u := range r.Unanswered {
			want = append(want, "error gitdd.unanswered "+prose.Printable(u.Name))
		}
		for _, l := range []struct {
			class string
			names []string
		}{{"open", r.Open}, {"both", r.Both}, {"new", r.New}} {
			for _, name := range l.names {
				want = append(want, "skipped gitdd."+l.class+" "+prose.Printable(name))
			}
		}
		count := map[string]int{}
		for _, c := range s.Cases {
			how, said := "pass", &junitSaid{Message: c.Output}
			switch {
			case c.Failure != nil:
				how, said = "failure", c.Failure
			case c.Error != nil:
				how, said = "error", c.Error
			case c.Skipped != nil:
				how, said = "skipped", c.Skipped
			}
			count[how]++
			got = append(got, how+" "+c.Class+" "+c.Name)
			if said.Message == "" {
				t.Errorf("%s: nothing is said of %s", name, c.Name)
			}
			for _, text := range []string{c.Name, c.Output, said.Message, said.Text} {
				if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }); i >= 0 {
					t.Errorf("%s: %q is not printable", name, text)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: tests (-want +got):\n%s", name, diff)
		}
		if s.Tests != len(want) || s.Failures != count["failure"] || s.Errors != count["error"] || s.Skipped != count["skipped"] {
			t.Errorf("%s: %d tests, %d failures, %d errors, %d skipped, but %v", name, s.Tests, s.Failures, s.Errors, s.Skipped, count)
		}
	}
}

// A failure names the cause, its commit and where it is, and has its lines and what the test said.
func TestJUnitFailure(t *testing.T) {
	s := junit(t, resultsOf(causeOf(one(), "TestA")))
	want := junitSaid{
		Message: `Cause 1: The failure comes from 1 of 120 changes. Commit 3f2a91c7e "Parse: accept empty keys". Change: config/parse.go:11.`,
		Text: "--- a/config/parse.go\n+++ b/config/parse.go\n@@ -10,2 +11,3 @@ Parse\n-\tif key == \"\" {\n-\t\treturn nil\n" +
			"+\tif key == \"\" && !strict {\n+\t\treturn lookup(def)\n+\t}\n\ngot 0, want \"\"\n\tparse_test.go:10: in <TestA> & others\n",
	}
	if diff := cmp.Diff(&want, s.Cases[0].Failure); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The same diff is not repeated until the report is too long to be read.
func TestJUnitMany(t *testing.T) {
	long := resultsOf(causeOf(many(5000, report.Isolated), "TestFirst"))
	for i := range 10_000 {
		long.Causes[0].Tests = append(long.Causes[0].Tests, report.FailingTest{Name: fmt.Sprint("Test", i)})
	}
	long.Causes = append(long.Causes, causeOf(one(), "TestOther"))
	long.Causes[1].Number = 2
	text, s := junitText(t, long), junit(t, long)
	if len(text) > 16<<20 {
		t.Errorf("%d bytes", len(text))
	}
	first, last, other := s.Cases[0].Failure.Text, s.Cases[10_000].Failure.Text, s.Cases[10_001].Failure.Text
	if !strings.Contains(first, "@@") || !strings.Contains(first, "--cause 1 --patch FILE writes it whole") || last != "The diff is that of TestFirst.\n" || !strings.Contains(other, "@@ -10,2") {
		t.Errorf("the first test has %d bytes, the last one %q, that of another cause %q", len(first), last, other)
	}
}

// FuzzJUnit puts any bytes wherever a suite or a repository can put them.
func FuzzJUnit(f *testing.F) {
	f.Add("a\x1b[2J\nb", "]]>\x00\xff\ufffe\n", "\u202e\r\n\U0001F600")
	f.Fuzz(func(t *testing.T, name, message, reason string) {
		r := base(hunk("f", name, reason, 1, message, reason, "f0"))
		r.Commits = []report.Commit{{ID: name, Subject: message}}
		all := resultsOf(causeOf(r, name, message))
		all.Causes[0].Tests[0].Message, all.Causes[0].Tests[0].File = message, reason
		all.Reason, all.Command, all.Good.Rev = reason, []string{name, message}, message
		all.Unanswered = []report.UnansweredTest{{Name: name, Reason: reason}}
		all.Open, all.Both = []string{name}, []string{message}
		if s := junit(t, all); s.Tests != 5 || s.Cases[0].Name != prose.Printable(name) || s.Cases[1].Name != prose.Printable(message) {
			t.Errorf("%+v", s)
		}
	})
}
