package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// ResultsSchema names the shape of [Results]. Fields are only ever added to it.
const ResultsSchema = "gitdd.results/1"

// Results are what a search for several tests of a suite found out: a [Result] for each cause, and what became of the
// other tests. No array of it is null in JSON.
type Results struct {
	Schema     string           `json:"schema"`
	Session    string           `json:"session"`
	Status     Status           `json:"status"` // Isolated: each test that was searched for is of a cause, or is in Unanswered
	Reason     string           `json:"reason"` // why it is not Isolated; "" when it is
	Good       Revision         `json:"good"`
	Bad        Revision         `json:"bad"`
	Command    []string         `json:"command"`    // of the suite, argv
	Format     string           `json:"format"`     // of its reports, as --each names it
	Fixed      bool             `json:"fixed"`      // searched for tests that fail at Good and pass at Bad
	Tests      Suites           `json:"tests"`      // how many the suite has
	Causes     []Cause          `json:"causes"`     // those with most tests first
	Unanswered []UnansweredTest `json:"unanswered"` // tests that were searched for without an answer
	Open       []string         `json:"open"`       // tests that were not searched for: the search was cut short before
	Both       []string         `json:"both"`       // tests that fail at both ends
	New        []string         `json:"new"`        // tests that fail at the failing end, and have no outcome at the other one
	Gone       []string         `json:"gone"`       // tests that have an outcome at the passing end, and none at the other one
	Repeated   []string         `json:"repeated"`   // tests that fail, and have several results in one run, of which the worst counts
	Trials     Trials           `json:"trials"`     // of the suite, for all tests together
	Seconds    Seconds          `json:"seconds"`
	Jobs       int              `json:"jobs"`
	Hints      []string         `json:"hints"`
}

// Suites count the tests that the suite has at both ends.
type Suites struct {
	Good SuiteTally `json:"good"`
	Bad  SuiteTally `json:"bad"`
}

// A SuiteTally counts the tests of one run of a suite by their outcomes.
type SuiteTally struct {
	Pass       int `json:"pass"`
	Fail       int `json:"fail"`
	Unresolved int `json:"unresolved"` // skipped, or cut short

	Incomplete string `json:"incomplete"` // why tests may be missing in the report of this run; "" if none is
	Build      string `json:"build"`      // the beginning of what a build printed, if the report is incomplete and has it
}

// A Cause is what makes some tests of a suite fail.
type Cause struct {
	Number  int           `json:"number"` // from 1, as --cause takes it
	Tests   []FailingTest `json:"tests"`  // that it makes fail, sorted by their names
	Session string        `json:"session"`
	Result  Result        `json:"result"` // right and minimal for all of these tests
}

// A FailingTest is a test, and what is said of its failure.
type FailingTest struct {
	Name    string `json:"name"`
	Message string `json:"message"` // at the failing end; "" = nothing is said
	File    string `json:"file"`    // where that places the failure; "" if it does not
	Line    int    `json:"line"`
}

// An UnansweredTest is a test that was searched for without an answer.
type UnansweredTest struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// ResultsJSON writes r indented, with a final newline. Equal results give equal bytes.
func ResultsJSON(w io.Writer, r Results) error {
	r.complete()
	return writeJSON(w, r)
}

// ReadResults reads what [ResultsJSON] writes, of this or any later version: fields it does not know are ignored.
func ReadResults(r io.Reader) (Results, error) {
	var res Results
	if err := readJSON(r, "result", &res, &res.Schema, ResultsSchema); err != nil {
		return Results{}, err
	}
	res.complete()
	return res, nil
}

// complete makes no array null, and tells the result of each cause its tests and its number.
func (r *Results) complete() {
	fillArrays(r) // the caller's causes stay as they are
	for i := range r.Causes {
		c := &r.Causes[i]
		c.Result.Tests, c.Result.Number = c.Names(), c.Number
	}
}

// frame is a result that has what r says of its search, and no cause.
func (r *Results) frame() *Result {
	return &Result{Session: r.Session, Status: r.Status, Reason: r.Reason, Good: r.Good, Bad: r.Bad, Command: r.Command, Trials: r.Trials, Hints: r.Hints}
}

// Cause returns the cause of a number.
func (r *Results) Cause(number int) (Cause, error) {
	if number < 1 || number > len(r.Causes) {
		return Cause{}, fmt.Errorf("there is no cause %d: session %s has %s", number, r.Session, prose.Count(len(r.Causes), "cause"))
	}
	return r.Causes[number-1], nil
}

// Names are those of the tests of a cause.
func (c *Cause) Names() []string {
	var names []string
	for _, t := range c.Tests {
		names = append(names, t.Name)
	}
	return names
}

// ResultsText writes r for a reader: how many tests fail for how many reasons, and for each cause its tests and its
// lines, as Text does.
func ResultsText(w io.Writer, r Results, o TextOptions) error {
	r.complete()
	p := &page{sheet: newSheet(o), told: map[string]bool{}}
	p.paragraph(prose.Headline, p.called(resultsHeadline(&r)))
	if r.Tests != (Suites{}) {
		p.paragraph(prose.Plain, suiteEnds(&r))
	}
	for i := range r.Causes {
		c := &r.Causes[i]
		p.r = &c.Result
		p.blank()
		p.paragraph(prose.Headline, fmt.Sprintf("Cause %d, of %s: %s", c.Number, prose.Count(len(c.Tests), "test"), p.tests(c.Names())))
		p.paragraph(prose.Plain, headline(p.r))
		p.suspicions()
		if p.r.Commit != nil {
			p.blank()
			p.commit(*p.r.Commit)
		}
		if !p.suspectCommits() || p.full {
			p.causeAndParts()
		}
		p.blank()
		p.place()
		p.certainty()
		p.flaky()
	}
	p.blank()
	for _, u := range r.Unanswered {
		p.item("no answer", u.Name+": "+u.Reason)
	}
	for _, end := range []struct {
		rev string
		SuiteTally
	}{{r.Good.Rev, r.Tests.Good}, {r.Bad.Rev, r.Tests.Bad}} {
		if end.Incomplete == "" {
			continue
		}
		text := "tests may be missing at " + end.rev + ": " + end.Incomplete
		if line := errorLineOf(end.Build); line != "" {
			text += "; the build says: " + line
		}
		p.item("report", text)
	}
	for _, l := range r.lists() {
		if len(l.names) > 0 {
			p.item(l.label, fmt.Sprintf("%s %s: %s", prose.Count(len(l.names), "test"), verb(len(l.names), l.one, l.many), p.tests(l.names)))
		}
	}
	p.resultsCost(&r)
	p.resultsNext(&r)
	return p.writeTo(w)
}

// errorLineOf returns the first line of what a build printed that is no heading of a package.
func errorLineOf(build string) string {
	for line := range strings.Lines(build) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// resultsCost says what the answer cost.
func (p *page) resultsCost(r *Results) {
	if t := r.Trials; t.Run+t.Cached > 0 {
		text := prose.Number(t.Run) + " run of the suite"
		if t.Cached > 0 && t.Run == 0 {
			text += ", " + prose.Number(t.Cached) + " cached"
		}
		p.trials(text, r.Seconds, r.Jobs)
	}
	if r.Reason != "" && (r.Status == Budget || r.Status == Interrupted) {
		p.item("stopped", p.called(r.Reason))
	}
}

// resultsNext says how to look further.
func (p *page) resultsNext(r *Results) {
	if !p.gone {
		p.steps(new("next"), p.resultsCommands(r))
	}
	p.hints(r.Hints)
	if r.Session != "" && !p.gone {
		p.item("session", r.Session)
	}
}

// resultsHeadline says how many tests fail, and for how many reasons.
func resultsHeadline(r *Results) string {
	all, explained, n := len(r.Unanswered)+len(r.Open), 0, 0
	for _, c := range r.Causes {
		all += len(c.Tests)
		if s := c.Result.Status; s != Budget && s != Interrupted { // those have what is known so far
			explained += len(c.Tests)
			n++
		}
	}
	what, reasons, by := verb(all, "fails", "fail"), prose.Count(n, "reason"), "for"
	if r.Fixed {
		what, reasons, by = verb(all, "was mended", "were mended"), prose.Number(n)+" "+verb(n, "fix", "fixes"), "by"
	}
	switch {
	case r.Status == Failed:
		return "Stopped: " + strings.TrimSuffix(r.Reason, ".") + "."
	case r.Status == NotIsolated:
		return "Not isolated: " + strings.TrimSuffix(r.Reason, ".") + "."
	case explained == 0:
		return fmt.Sprintf("%s %s, and no cause was found.", prose.Count(all, "test"), what)
	case explained < all:
		return fmt.Sprintf("%s %s, and %s %s found for %s of them.", prose.Count(all, "test"), what, reasons, verb(n, "was", "were"), prose.Number(explained))
	}
	return fmt.Sprintf("%s %s %s %s.", prose.Count(all, "test"), what, by, reasons)
}

// suiteEnds says what the suite did at both ends.
func suiteEnds(r *Results) string {
	at := func(rev Revision, t SuiteTally) string {
		return fmt.Sprintf("at %s %s of %s %s", revision(rev), prose.Number(t.Fail), prose.Count(t.Pass+t.Fail+t.Unresolved, "test"), verb(t.Fail, "fails", "fail"))
	}
	return fmt.Sprintf("Of %s, %s, %s.", commandLine(r.Command), at(r.Good, r.Tests.Good), at(r.Bad, r.Tests.Bad))
}

// mostNamed is how many tests of a list a reader sees.
const mostNamed = 6

// tests lists names of tests, the first ones if they are many.
func (p *page) tests(names []string) string {
	if most := mostNamed; len(names) > most && !p.full {
		p.shortened = true
		return fmt.Sprintf("%s and %s", strings.Join(names[:most], ", "), prose.Count(len(names)-most, "other"))
	}
	return strings.Join(names, ", ")
}

// A testList has tests of which one thing is said.
type testList struct {
	label     string
	one, many string // what one test does, and what many do
	title     string
	names     []string
}

// lists are those of all tests that were not searched for, and of those that are told apart badly.
func (r *Results) lists() []testList {
	return []testList{
		{"open", "was not searched for", "were not searched for", "Tests that were not searched for", r.Open},
		{"both", "fails at both ends", "fail at both ends", "Tests that fail at both ends", r.Both},
		{"new", "fails, and has no outcome at the other end", "fail, and have no outcome at the other end", "Tests that fail, and are new", r.New},
		{"gone", "has an outcome at the passing end only", "have an outcome at the passing end only", "Tests that are gone", r.Gone},
		{"repeated", "that fails has several results in one run, of which the worst counts", "that fail have several results in one run, of which the worst counts", "Tests with several results in one run, of which the worst counts", r.Repeated},
	}
}

// resultsCommands says what gitdd can do with the session.
func (p *page) resultsCommands(r *Results) (commands [][2]string) {
	add := func(command, effect string) { commands = append(commands, [2]string{p.called(command), effect}) }
	switch {
	case r.Status == NotIsolated:
		add("gitdd log", "the runs of the suite; with --trial N all that one of them printed")
	case r.Status != Isolated:
		add("gitdd resume", "go on from here")
	}
	if len(r.Causes) > 0 {
		add("gitdd show --cause 1", "all that is known of a cause")
		if first := &r.Causes[0].Result; !r.Fixed && first.Status == Isolated && first.Apply != Conflicts && first.Apply != Elsewhere && !first.unrepaired() {
			add("gitdd apply --revert --cause 1", "take it off your working tree")
		}
	}
	if p.shortened {
		add("gitdd show --full", "show all that was left out here")
	}
	return commands
}
