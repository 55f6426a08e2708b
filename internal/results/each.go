package results

import (
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/suite"
	"github.com/gitdd/gitdd/trial"
)

// OfEach returns the results of a search for several tests, without its status and its causes.
func OfEach(session *trial.Session, runner *trial.Runner, set *changes.Set, found search.EachFound, s *settings.Search) report.Results {
	stats := runner.Stats()
	r := report.Results{
		Schema: report.ResultsSchema, Session: session.Name(), Good: report.RevisionOf(set.Good), Bad: report.RevisionOf(set.Bad),
		Command: s.Command, Format: s.Each, Fixed: s.Fixed,
		Tests: report.Suites{Good: tally(found.Good), Bad: tally(found.Bad)},
		Open:  found.Open, Both: found.Both, New: found.New, Gone: found.Gone, Repeated: found.Repeated,
		Trials:  report.Trials{Run: stats.Run, Cached: stats.Cached, Pass: stats.Pass, Fail: stats.Fail, Unresolved: stats.Unresolved},
		Seconds: report.Seconds{Total: stats.Total.Seconds(), Testing: stats.Testing.Seconds()},
		Jobs:    s.Jobs,
	}
	for _, u := range found.Unanswered {
		r.Unanswered = append(r.Unanswered, report.UnansweredTest{Name: u.Test, Reason: u.Err.Error()})
	}
	return r
}

// mostBuild is how many bytes of what a build printed a result has.
const mostBuild = 2000

// tally counts the tests of a report, and says what it lacks.
func tally(r suite.Report) report.SuiteTally {
	n := r.Count()
	t := report.SuiteTally{Pass: n.Pass, Fail: n.Fail, Unresolved: n.Unresolved, Incomplete: r.Incomplete}
	if t.Incomplete != "" {
		t.Build = strings.ToValidUTF8(r.Build[:min(len(r.Build), mostBuild)], "\uFFFD")
	}
	return t
}

// Failing returns what is said of the failures of some tests.
func Failing(found search.EachFound, tests []string) (list []report.FailingTest) {
	_, failing := found.Reports()
	for _, name := range tests {
		t := failing.Find(name)
		list = append(list, report.FailingTest{Name: name, Message: t.Message, File: t.File, Line: t.Line})
	}
	return list
}
