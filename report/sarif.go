package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/gitdd/gitdd/internal/prose"
)

// SARIF writes r in the Static Analysis Results Interchange Format 2.1.0 (OASIS
// standard, with errata 01): one run of one tool, with a result for each change of
// the cause, and then for each change of the further causes. Equal arguments give equal
// bytes.
//
// A result has:
//
//   - a message, which says what the change does to the test, which commit made the
//     change, and how sure that is;
//   - a location, with the lines at r.Bad. A deletion is at the line before it. A change
//     of a whole file has no lines, and neither has a change whose lines were changed by
//     later commits;
//   - the symbol in which the change is;
//   - as related locations, the changes that go together with it, and its context;
//   - as the property "evidence", the trials that it rests on, from s, which may be empty;
//   - a fix that reverts the change, if it is text and is still there at r.Bad.
//
// versionControlProvenance names r.Bad, if the place of the repository is known.
//
// If a search was cut short, its suspects are results of level note, if they are few, and a
// notification says why it was cut short. A search without an answer has no results.
//
// GitHub's code scanning (GitHub Docs, "SARIF support for code scanning") accepts at most 5,000
// results of a run, 1,000 locations of a result, and 10 MB compressed. It requires a location
// for each result, with the start and the end of lines and columns. It recognises an alert
// again only by partialFingerprints.primaryLocationLineHash. Here this is the id of the change,
// which survives a rebase; the action upload-sarif computes another hash from the lines, and
// says so in its log. Results beyond these limits are counted in a notification.
func SARIF(w io.Writer, r Result, s Story) error {
	fillArrays(&r)
	return writeSARIF(w, newSARIFRun(&r, &s).run())
}

// ResultsSARIF writes r as [SARIF] writes a result: one run, with the results of all causes. Each says which tests the
// change makes fail. story returns the story of the search for a cause by its number, and for 0 that of the whole.
func ResultsSARIF(w io.Writer, r Results, story func(number int) Story) error {
	r.complete()
	s := story(0)
	frame := r.frame()
	for i := range r.Causes {
		frame.Suspicions = append(frame.Suspicions, r.Causes[i].Result.Suspicions...)
	}
	l := newSARIFRun(frame, &s)
	l.headline = resultsHeadline(&r) + r.unsolved()
	run, invocation := l.frame()
	if r.Status == Isolated && r.unsolved() != "" {
		notify(invocation, "gitdd/unanswered", sarif.LevelNote, l.headline, nil)
	}
	of := map[int]*sarifRun{} // by the number of the cause
	l.add(run, invocation, r.annotations(sarifSuspects), func(a *annotation) *sarifRun {
		number := a.r.Number
		if of[number] == nil {
			s := story(number)
			of[number] = newSARIFRun(a.r, &s)
		}
		return of[number]
	})
	run.Properties = bag(
		"session", r.Session, "status", string(r.Status), "reason", r.Reason, "good", r.Good, "bad", r.Bad, "command", r.Command,
		"format", r.Format, "fixed", r.Fixed, "tests", r.Tests, "causes", len(r.Causes), "unanswered", r.Unanswered, "open", r.Open, "trials", r.Trials,
	)
	return writeSARIF(w, run)
}

func writeSARIF(w io.Writer, run *sarif.Run) error {
	log := sarif.NewReport()
	log.Schema = sarifSchema
	log.AddRun(run)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(log); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	return nil
}

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	home        = "https://github.com/gitdd/gitdd"

	sarifResults  = 5000     // of a run
	sarifSuspects = 100      // of a search that was cut short: more would bury the reader
	sarifRelated  = 20       // locations of a result, of each sort
	sarifRelating = 200      // changes of a cause at most, where results have any
	sarifText     = 16 << 10 // bytes of a snippet or a fix
	sarifTexts    = 2 << 20  // of all of them
	sarifTrials   = 20       // that one result names
	columnKind    = "utf16CodeUnits"
	srcroot       = "%SRCROOT%"
)

// A sarifRun makes the run of one log.
type sarifRun struct {
	r *Result
	s *Story

	headline string // the answer in words

	needed map[string][]int    // numbers of trials, by the change that they show to be needed
	trials map[int]*Trial      // by number
	trees  map[string][]*Trial // by their tree, in their order
	texts  int                 // bytes of snippets and fixes so far
}

func newSARIFRun(r *Result, s *Story) *sarifRun {
	s = r.byNumber(s)
	l := &sarifRun{r: r, s: s, headline: headline(r), needed: map[string][]int{}, trials: map[int]*Trial{}, trees: map[string][]*Trial{}}
	for _, n := range s.Needed {
		l.needed[n.Change] = append(l.needed[n.Change], n.Trials...)
	}
	for i := range s.Trials {
		t := &s.Trials[i]
		l.trials[t.Number] = t
		if t.Tree != "" {
			l.trees[t.Tree] = append(l.trees[t.Tree], t)
		}
	}
	return l
}

func (l *sarifRun) run() *sarif.Run {
	r := l.r
	run, invocation := l.frame()
	l.add(run, invocation, answered(r, sarifSuspects), func(*annotation) *sarifRun { return l })
	run.Properties = bag(
		"session", r.Session, "status", string(r.Status), "reason", r.Reason, "direction", string(r.Direction), "goal", r.Goal,
		"good", r.Good, "bad", r.Bad, "changes", r.Changes, "passing", r.Passing, "failing", r.Failing,
		"minimal", r.Minimal, "verified", r.Verified, "confidence", r.Confidence,
		"command", r.Command, "algorithm", r.Algorithm, "trials", r.Trials,
	)
	return run
}

// add adds a result for each annotation, as far as a run may have so many. of returns what makes the result of one:
// it shares the room for texts with l.
func (l *sarifRun) add(run *sarif.Run, invocation *sarif.Invocation, list []annotation, of func(*annotation) *sarifRun) {
	if left := len(list) - sarifResults; left > 0 {
		list = list[:sarifResults]
		notify(invocation, "gitdd/more", sarif.LevelWarning, prose.Count(left, "more change")+" of the cause "+verb(left, "is", "are")+" not in this log.", nil)
	}
	for i := range list {
		maker := of(&list[i])
		maker.texts = l.texts
		run.Results = append(run.Results, maker.result(&list[i]))
		l.texts = maker.texts
	}
}

// frame is a run without results, and its invocation.
func (l *sarifRun) frame() (*sarif.Run, *sarif.Invocation) {
	r := l.r
	run := sarif.NewRun()
	run.Tool = sarif.NewTool()
	run.Tool.Extensions = []*sarif.ToolComponent{}
	run.Tool.Driver = l.driver()
	run.ColumnKind = new(columnKind)
	run.OriginalUriBaseIds = map[string]sarif.ArtifactLocation{srcroot: {
		Description: sarif.NewTextMessage("The top of the repository."), Index: -1,
	}}
	if r.Session != "" {
		run.AutomationDetails = sarif.NewRunAutomationDetails()
		run.AutomationDetails.ID = new("gitdd/" + prose.Printable(r.Session))
	}
	// The format wants to know where the repository is, too; not all have such a place.
	if at := l.s.Environment.Repository; at != "" && r.Bad.Commit != "" {
		from := sarif.NewVersionControlDetails()
		from.RepositoryURI, from.RevisionID = new(at), new(cmp.Or(r.Bad.Base, r.Bad.Commit))
		from.MappedTo = sarif.NewArtifactLocation()
		from.MappedTo.URIBaseID = new(srcroot)
		run.VersionControlProvenance = append(run.VersionControlProvenance, from)
	}
	invocation := l.invocation()
	run.Invocations = append(run.Invocations, invocation)
	return run, invocation
}

// The rules.
const (
	causeRule = iota
	fixRule
	suspectRule
)

var sarifRules = []struct{ id, name, level, severity, precision, short, full, help string }{
	{"gitdd/cause", "CauseOfFailure", sarif.LevelError, "error", "very-high",
		"A change that makes a command fail",
		"A command passes on one revision and fails on another. Of all changes between the two this one is among those that make the difference.",
		"gitdd ran the command with some of the changes and without others until those that make it fail stood alone. The trials are the property `evidence` of each result.\n\nTo see the failure run `gitdd checkout failing DIR`, to undo the cause `gitdd apply --revert`."},
	{"gitdd/fix", "FixOfFailure", sarif.LevelNote, "recommendation", "very-high",
		"A change that makes a command pass",
		"A command fails on one revision and passes on another. Of all changes between the two this one is among those that make the difference.",
		"gitdd ran the command with some of the changes and without others until those that mend it stood alone. The trials are the property `evidence` of each result.\n\nTo put the fix on a working tree run `gitdd apply`."},
	{"gitdd/suspect", "SuspectOfFailure", sarif.LevelNote, "recommendation", "low",
		"A change that may make a command fail or pass",
		"A search for the change that makes a command fail, or pass, was cut short. This one was not cleared.",
		"Run `gitdd resume` to go on: no trial is repeated."},
}

func (l *sarifRun) driver() *sarif.ToolComponent {
	d := sarif.NewToolComponent()
	d.Name, d.InformationURI = new("gitdd"), new(home)
	d.ShortDescription = said("Names the changes that make a command fail")
	if v := l.s.Environment.Gitdd; v != "" {
		d.Version = new(prose.Printable(v))
	}
	for _, rule := range sarifRules {
		descriptor := sarif.NewReportingDescriptor()
		descriptor.ID, descriptor.Name, descriptor.HelpURI = new(rule.id), new(rule.name), new(home)
		descriptor.ShortDescription, descriptor.FullDescription = said(rule.short), said(rule.full)
		descriptor.Help = said(strings.ReplaceAll(rule.help, "`", ""))
		descriptor.Help.Markdown = new(rule.help)
		descriptor.DefaultConfiguration = sarif.NewReportingConfiguration()
		descriptor.DefaultConfiguration.Level = rule.level
		descriptor.Properties = bag("precision", rule.precision, "problem.severity", rule.severity)
		descriptor.Properties.Tags = []string{"regression", "delta-debugging"}
		d.Rules = append(d.Rules, descriptor)
	}
	return d
}

// invocation says how gitdd ran, and what a reader has to know of that.
func (l *sarifRun) invocation() *sarif.Invocation {
	r := l.r
	i := sarif.NewInvocation()
	i.ExecutionSuccessful = new(r.Status == Isolated || r.Status == NotIsolated)
	switch r.Status {
	case Isolated:
		i.ExitCode = new(0)
	case NotIsolated:
		i.ExitCode = new(1)
		notify(i, "gitdd/not-isolated", sarif.LevelNote, l.headline, nil)
	case Budget:
		i.ExitCode = new(3)
		notify(i, "gitdd/budget", sarif.LevelWarning, l.stopped(), nil)
	case Interrupted:
		i.ExitCode = new(130)
		notify(i, "gitdd/interrupted", sarif.LevelWarning, l.stopped(), nil)
	case Failed:
		i.ExitCode = new(4)
		notify(i, "gitdd/error", sarif.LevelError, l.headline, nil)
	}
	for _, s := range r.Suspicions {
		notify(i, "gitdd/doubt", sarif.LevelWarning, capital(s.Text), bag("kind", string(s.Kind), "changes", s.Changes))
	}
	for _, h := range r.Hints {
		notify(i, "gitdd/hint", sarif.LevelNote, capital(h), nil)
	}
	if repeat := l.s.Environment.Repeat; len(repeat) > 0 && len(repeat[0]) > 0 {
		i.CommandLine = new(prose.Words(repeat[0]))
		i.Arguments = repeat[0][1:]
	}
	if at, err := time.Parse(time.RFC3339, l.s.Environment.Started); err == nil {
		i.StartTimeUtc = new(at.UTC().Format("2006-01-02T15:04:05Z"))
	}
	if dir := l.s.Environment.Subdir; dir != "" {
		i.WorkingDirectory = artifact(dir + "/")
	}
	return i
}

// stopped says how far a search came that was cut short, and why.
func (l *sarifRun) stopped() string { return l.headline + " " + capital(stopped(l.r)) }

func notify(i *sarif.Invocation, id, level, text string, more *sarif.PropertyBag) {
	n := sarif.NewNotification()
	n.Descriptor = sarif.NewReportingDescriptorReference()
	n.Descriptor.ID = new(id)
	n.Level = level
	n.Message = sarif.NewTextMessage(literally(prose.Printable(text)))
	n.Properties = more
	i.ToolExecutionNotifications = append(i.ToolExecutionNotifications, n)
}

func capital(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}

func said(text string) *sarif.MultiformatMessageString {
	m := sarif.NewMultiformatMessageString()
	m.Text = new(text)
	return m
}

// bag holds properties, by name and value.
func bag(pairs ...any) *sarif.PropertyBag {
	b := sarif.NewPropertyBag()
	for i := 0; i < len(pairs); i += 2 {
		b.Add(pairs[i].(string), pairs[i+1])
	}
	return b
}
