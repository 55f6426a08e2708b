package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// junitDiffs is how many bytes the diffs of all tests may have together: those of tests with one cause are the same.
const junitDiffs = 4 << 20

// JUnit writes r as a test report in JUnit XML, which CI services can show: a test suite with a test for each
// test that was searched for. A test with a cause is a failure. Its message names the cause, its commits and the places
// of its changes; its text is the diff of these changes and what the test itself says. With Fixed it is a test that
// passes, with this text as its output. The class of a test is named after the cause, so that tests of one cause are shown
// together. If a cause has many tests, only the first ones have the diff, and the others name a test that has it. A test
// without an answer is an error. A test that was not searched for is skipped, because the search was cut short, or because
// the test fails at both ends or is new.
//
// Characters that XML does not allow are written out, as for a terminal. Equal results give equal bytes.
func JUnit(w io.Writer, r Results) error {
	r.complete()
	s := junitSuite{Name: prose.Printable(prose.Words(r.Command)), Seconds: fmt.Sprintf("%.3f", r.Seconds.Total)}
	for _, p := range [][2]string{
		{"gitdd.session", r.Session}, {"gitdd.status", string(r.Status)}, {"gitdd.reason", r.Reason}, {"gitdd.good", end(r.Good)}, {"gitdd.bad", end(r.Bad)},
	} {
		s.Properties = append(s.Properties, junitProperty{p[0], prose.Printable(p[1])})
	}
	room := junitDiffs
	for i := range r.Causes {
		s.cause(&r.Causes[i], r.Fixed, &room)
	}
	for _, u := range r.Unanswered {
		s.Tests = append(s.Tests, junitTest{Name: prose.Printable(u.Name), Class: "gitdd.unanswered", Error: &junitSaid{Message: "No answer: " + prose.Printable(u.Reason), Type: "gitdd.unanswered"}})
	}
	for _, l := range r.lists() {
		reason := map[string]string{
			"open": "The test was not searched for: " + strings.TrimSuffix(stopped(r.frame()), "."),
			"both": "The test fails at both ends", "new": "The test fails, and has no outcome at the other end",
		}[l.label]
		if reason == "" {
			continue // a test that is gone does not fail
		}
		for _, name := range l.names {
			s.Tests = append(s.Tests, junitTest{Name: prose.Printable(name), Class: "gitdd." + l.label, Skipped: &junitSaid{Message: reason}})
		}
	}
	for i := range s.Tests {
		switch t := &s.Tests[i]; {
		case t.Failure != nil:
			s.Failures++
		case t.Error != nil:
			s.Errors++
		case t.Skipped != nil:
			s.Skipped++
		}
	}
	s.Count = len(s.Tests)
	text, err := xml.MarshalIndent(junitSuites{Suite: s}, "", " ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	if err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	return nil
}

type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Count      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Seconds    string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Tests      []junitTest     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitTest struct {
	Name    string     `xml:"name,attr"`
	Class   string     `xml:"classname,attr"`
	File    string     `xml:"file,attr,omitempty"`
	Line    int        `xml:"line,attr,omitempty"`
	Failure *junitSaid `xml:"failure"`
	Error   *junitSaid `xml:"error"`
	Skipped *junitSaid `xml:"skipped"`
	Output  string     `xml:"system-out,omitempty"`
}

// A junitSaid is why a test did not pass.
type junitSaid struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// cause adds the tests of a cause. Bytes of their diffs come off room.
func (s *junitSuite) cause(c *Cause, fixed bool, room *int) {
	message := junitMessage(c)
	diff, whole := patchText(c.Result.Cause)
	if !whole {
		diff += fmt.Sprintf("… gitdd show --cause %d --patch FILE writes it whole.\n", c.Number)
	}
	for i := range c.Tests {
		t := &c.Tests[i]
		text := diff
		if i > 0 && len(diff) > *room {
			text = fmt.Sprintf("The diff is that of %s.\n", prose.Printable(c.Tests[0].Name))
		}
		*room -= len(text)
		if t.Message != "" {
			text += "\n" + printableLines(t.Message)
		}
		test := junitTest{Name: prose.Printable(t.Name), Class: fmt.Sprintf("gitdd.cause-%d", c.Number), File: prose.Printable(t.File), Line: t.Line}
		if fixed {
			test.Output = message + "\n\n" + text
		} else {
			test.Failure = &junitSaid{Message: message, Type: "gitdd.cause", Text: text}
		}
		s.Tests = append(s.Tests, test)
	}
}

// junitMessage names a cause: the headline, its commits, and where its changes are.
func junitMessage(c *Cause) string {
	const most = 5
	r := &c.Result
	text := fmt.Sprintf("Cause %d: %s", c.Number, prose.Printable(headline(r)))
	commits := r.Commits
	if r.Commit != nil {
		commits = []Commit{*r.Commit}
	}
	var named, places []string
	for _, c := range commits[:min(len(commits), most)] {
		named = append(named, short(prose.Printable(c.ID))+" \""+prose.Printable(c.Subject)+"\"")
	}
	if n := len(commits); n > 0 {
		text += fmt.Sprintf(" %s %s.", verb(n, "Commit", "Commits"), prose.List(named, n))
	}
	for i := range r.Cause[:min(len(r.Cause), most)] {
		places = append(places, (&annotation{r: r, c: &r.Cause[i]}).at())
	}
	if n := len(r.Cause); n > 0 {
		text += fmt.Sprintf(" %s: %s.", verb(n, "Change", "Changes"), prose.List(places, n))
	}
	return text
}

// printableLines are the lines of a text, each made printable but for tabs.
func printableLines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		for i, part := range strings.Split(strings.TrimSuffix(line, "\n"), "\t") {
			if i > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(prose.Printable(part))
		}
		out.WriteByte('\n')
	}
	return out.String()
}
