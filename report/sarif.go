package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// SARIF writes r in the Static Analysis Results Interchange Format 2.1.0 (OASIS
// standard, with errata 01): one run of one tool, with a result for each change of
// the cause, and of the further causes behind it. Equal arguments give equal bytes.
//
// A result says in its message what the change does to the test, which commit made
// it, and how sure that is; where it stands, with its lines at r.Bad: a deletion is at the
// line before it; a change of a whole file has no lines, nor has one whose lines later
// commits changed; the
// symbol it lies in; the changes it goes together with and its context as related
// locations; the trials that it rests on as the property "evidence", from s, which
// may be empty; how to undo it as a fix, where it is text and stands at r.Bad.
// versionControlProvenance names r.Bad, if it is known where the repository is.
//
// A search that was cut short has its suspects as results of level note, if they
// are few, and why it was in a notification; one without an answer has no results.
//
// GitHub's code scanning takes at most 5,000 results of a run in account and
// 1,000 locations of a result, 10 MB compressed, wants a location for each result,
// and start and end of lines and columns, and knows an alert again by
// partialFingerprints.primaryLocationLineHash alone (GitHub Docs, "SARIF support
// for code scanning"). That is the id of the change here, which survives a rebase;
// the action upload-sarif would have counted another one from the lines, and says so
// in its log. What is more than it takes is counted in a notification.
func SARIF(w io.Writer, r Result, s Story) error {
	r.fillArrays()
	log := sarif.NewReport()
	log.Schema = sarifSchema
	log.AddRun((&sarifRun{r: &r, s: &s}).run())
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
	r     *Result
	s     *Story
	texts int // bytes of snippets and fixes so far
}

func (l *sarifRun) run() *sarif.Run {
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
		run.AutomationDetails.ID = new("gitdd/" + clean(r.Session))
	}
	// The format wants to know where the repository is, too; not all have such a place.
	if at := l.s.Environment.Repository; at != "" && r.Bad.Commit != "" {
		from := sarif.NewVersionControlDetails()
		from.RepositoryURI, from.RevisionID = new(at), new(r.Bad.Commit)
		from.MappedTo = sarif.NewArtifactLocation()
		from.MappedTo.URIBaseID = new(srcroot)
		run.VersionControlProvenance = append(run.VersionControlProvenance, from)
	}
	invocation := l.invocation()
	list := accusations(r)
	switch {
	case r.Status == NotIsolated || r.Status == Failed:
		list = nil
	case r.Status != Isolated && len(list) > sarifSuspects:
		list = nil
	}
	if left := len(list) - sarifResults; left > 0 {
		list = list[:sarifResults]
		notify(invocation, "gitdd/more", sarif.LevelWarning, Count(left, "more change")+" of the cause "+verb(left, "is", "are")+" not in this log.", nil)
	}
	for i := range list {
		run.Results = append(run.Results, l.result(&list[i]))
	}
	run.Invocations = append(run.Invocations, invocation)
	run.Properties = bag(
		"session", r.Session, "status", string(r.Status), "reason", r.Reason, "direction", string(r.Direction), "goal", r.Goal,
		"good", r.Good, "bad", r.Bad, "changes", r.Changes, "passing", r.Passing, "failing", r.Failing,
		"minimal", r.Minimal, "verified", r.Verified, "confidence", r.Confidence,
		"command", r.Command, "algorithm", r.Algorithm, "trials", r.Trials,
	)
	return run
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
		d.Version = new(clean(v))
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
		notify(i, "gitdd/not-isolated", sarif.LevelNote, headline(r), nil)
	case Budget:
		i.ExitCode = new(3)
		notify(i, "gitdd/budget", sarif.LevelWarning, headline(r)+" "+capital(stopped(r)), nil)
	case Interrupted:
		i.ExitCode = new(130)
		notify(i, "gitdd/interrupted", sarif.LevelWarning, headline(r)+" "+capital(stopped(r)), nil)
	case Failed:
		i.ExitCode = new(4)
		notify(i, "gitdd/error", sarif.LevelError, headline(r), nil)
	}
	for _, s := range r.Suspicions {
		notify(i, "gitdd/doubt", sarif.LevelWarning, capital(s.Text), bag("kind", string(s.Kind), "changes", s.Changes))
	}
	for _, h := range r.Hints {
		notify(i, "gitdd/hint", sarif.LevelNote, capital(h), nil)
	}
	if repeat := l.s.Environment.Repeat; len(repeat) > 0 && len(repeat[0]) > 0 {
		i.CommandLine = new(Words(repeat[0]))
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

func notify(i *sarif.Invocation, id, level, text string, more *sarif.PropertyBag) {
	n := sarif.NewNotification()
	n.Descriptor = sarif.NewReportingDescriptorReference()
	n.Descriptor.ID = new(id)
	n.Level = level
	n.Message = sarif.NewTextMessage(literally(clean(text)))
	n.Properties = more
	i.ToolExecutionNotifications = append(i.ToolExecutionNotifications, n)
}

func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// result is one change of an answer.
func (l *sarifRun) result(a *accusation) *sarif.Result {
	c := a.c
	rule := causeRule
	switch {
	case a.suspected():
		rule = suspectRule
	case a.mends():
		rule = fixRule
	}
	res := sarif.NewResult()
	res.RuleID, res.RuleIndex = new(sarifRules[rule].id), rule
	res.Level = sarifRules[rule].level
	if res.Level == sarif.LevelError && (a.unproven || len(a.r.Suspicions) > 0) {
		res.Level = sarif.LevelWarning
	}
	res.Locations = append(res.Locations, l.location(a))
	res.RelatedLocations = l.related(a)
	trials := l.evidence(a)
	plain, marked := plainly, inMarkdown
	plain.shown = needing(a.r, trials)
	marked.shown = plain.shown
	res.Message = sarif.NewTextMessage(literally(unlinked(strings.Join(a.sentences(plain), " "))))
	res.Message.Markdown = new(literally(strings.Join(a.sentences(marked), " ")))
	res.PartialFingerprints = map[string]string{"primaryLocationLineHash": c.ID + ":1", "gitddChange/v1": c.ID}
	commits := make([]Commit, 0, len(c.Commits))
	for _, id := range c.Commits {
		commit := Commit{ID: id}
		for _, known := range a.r.Commits {
			if known.ID == id {
				commit = known
			}
		}
		commits = append(commits, commit)
	}
	res.Properties = bag("change", c.ID, "kind", c.Kind, "commits", commits, "needed", !a.suspected() && a.r.Minimal && !a.unproven,
		"confidence", c.Confidence, "evidence", trials)
	if a.relation != "" {
		res.Properties.Add("relation", string(a.relation))
	}
	if c.oldPath() != c.path() {
		res.Properties.Add("oldPath", c.OldPath)
	}
	if fix := l.fix(a); fix != nil {
		res.Fixes = append(res.Fixes, fix)
	}
	return res
}

// location is where a change stands.
func (l *sarifRun) location(a *accusation) *sarif.Location {
	c := a.c
	at := place(0, c.path(), c.Symbol)
	start, end, ok := a.region()
	if !ok {
		return at
	}
	at.PhysicalLocation.Region = sarif.NewSimpleRegion(start, end)
	region := at.PhysicalLocation.Region
	region.StartColumn = new(1)
	region.EndColumn = new(1) // of lines that went the end is not known
	if text := c.newText(); c.NewLines > 0 && text != "" {
		region.EndColumn = new(lastColumn(text))
		if c.RawNew == nil && l.fits(len(text)) {
			region.Snippet = sarif.NewArtifactContent()
			region.Snippet.Text = new(text)
		}
	}
	return at
}

// fits reports whether a text may go into the log, and counts it.
func (l *sarifRun) fits(bytes int) bool {
	if bytes > sarifText || l.texts+bytes > sarifTexts {
		return false
	}
	l.texts += bytes
	return true
}

// related are the changes that the accused one goes together with, and those that
// had to be present.
func (l *sarifRun) related(a *accusation) []*sarif.Location {
	list := []*sarif.Location{}
	if len(a.r.Cause) > sarifRelating {
		return list
	}
	add := func(at *sarif.Location, why string) {
		at.ID = len(list) + 1
		at.Message = sarif.NewTextMessage(why)
		list = append(list, at)
	}
	if len(a.r.Cause) <= sarifRelated+1 {
		for i := range a.r.Cause {
			if other := &a.r.Cause[i]; other != a.c {
				at := place(0, other.path(), other.Symbol)
				beside := accusation{r: a.r, relation: a.relation, c: other}
				if start, end, ok := beside.region(); ok {
					at.PhysicalLocation.Region = sarif.NewSimpleRegion(start, end)
				}
				why := "also of the cause"
				if a.suspected() {
					why = "also a suspect"
				} else if a.mends() {
					why = "also of the fix"
				}
				add(at, why)
			}
		}
	}
	for i, ref := range a.r.Present {
		if i == sarifRelated {
			break
		}
		at := place(0, ref.Path, ref.Symbol)
		if ref.Line > 0 && a.same() {
			at.PhysicalLocation.Region = sarif.NewSimpleRegion(ref.Line, ref.Line)
		}
		add(at, "had to be present")
	}
	return list
}

// place is a location in a file, whose path is exact.
func place(id int, path, symbol string) *sarif.Location {
	at := sarif.NewLocation()
	at.ID = id
	at.PhysicalLocation = sarif.NewPhysicalLocation()
	at.PhysicalLocation.ArtifactLocation = artifact(path)
	if symbol != "" {
		in := sarif.NewLogicalLocation()
		in.Name, in.FullyQualifiedName = new(clean(symbol)), new(clean(symbol))
		at.LogicalLocations = append(at.LogicalLocations, in)
	}
	return at
}

func artifact(path string) *sarif.ArtifactLocation {
	at := sarif.NewSimpleArtifactLocation(pathURI(path))
	at.URIBaseID = new(srcroot)
	return at
}

// pathURI is a path, whatever its bytes, as a relative reference (RFC 3986, 4.2).
// A colon is encoded, so that what stands before one is no scheme.
func pathURI(path string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// fix undoes a change of text, in the file as it is at Bad.
func (l *sarifRun) fix(a *accusation) *sarif.Fix {
	r, c := a.r, a.c
	line, _, ok := a.region()
	if !ok || a.suspected() || a.mends() || undoes(r) || c.path() != c.oldPath() || c.RawOld != nil || !l.fits(len(c.Old)) {
		return nil
	}
	if c.NewStart == 0 {
		if !a.same() {
			return nil // before the first line, or behind it
		}
		line = 0
	}
	gone := sarif.NewRegion()
	gone.StartColumn, gone.EndColumn = new(1), new(1)
	switch {
	case c.NewLines == 0: // insert behind the line before
		gone.StartLine, gone.EndLine = new(line+1), new(line+1)
	case strings.HasSuffix(c.New, "\n"):
		gone.StartLine, gone.EndLine = new(line), new(line+c.NewLines)
	default: // to the end of a file without a last newline
		gone.StartLine, gone.EndLine = new(line), new(line+c.NewLines-1)
		gone.EndColumn = new(lastColumn(c.New))
	}
	replacement := sarif.NewReplacement()
	replacement.DeletedRegion = gone
	if c.Old != "" {
		replacement.InsertedContent = sarif.NewArtifactContent()
		replacement.InsertedContent.Text = new(c.Old)
	}
	change := sarif.NewArtifactChange()
	change.ArtifactLocation = artifact(c.path())
	change.Replacements = append(change.Replacements, replacement)
	fix := sarif.NewFix()
	fix.Description = sarif.NewTextMessage("Take this change out.")
	if len(r.Cause) > 1 {
		fix.Description = sarif.NewTextMessage("Take this change of the cause out.")
	}
	fix.ArtifactChanges = append(fix.ArtifactChanges, change)
	return fix
}

// lastColumn is the column behind the last line of a text.
func lastColumn(text string) int {
	lines := cut(text).lines
	return len(utf16.Encode([]rune(strings.TrimSuffix(lines[len(lines)-1], "\r")))) + 1
}

// A shownTrial is one that a result rests on.
type shownTrial struct {
	Trial   int    `json:"trial"`
	Shows   string `json:"shows"` // "needed", "passing" or "failing"
	Outcome string `json:"outcome"`
	Tree    string `json:"tree"`
	Commit  string `json:"commit,omitempty"`
	Reason  string `json:"reason"`
}

// evidence are the trials that show that a change is needed, and those of both ends.
func (l *sarifRun) evidence(a *accusation) []shownTrial {
	list := []shownTrial{}
	add := func(t *Trial, shows string) {
		list = append(list, shownTrial{Trial: t.Number, Shows: shows, Outcome: t.Outcome, Tree: t.Tree, Commit: t.Commit, Reason: t.Reason})
	}
	for _, n := range l.s.Needed {
		if n.Change != a.c.ID || a.suspected() {
			continue
		}
		for _, number := range n.Trials {
			for i := range l.s.Trials {
				if t := &l.s.Trials[i]; t.Number == number && len(list) < sarifTrials {
					add(t, "needed")
				}
			}
		}
		break
	}
	for _, end := range []struct{ tree, outcome, shows string }{
		{a.r.Passing.Tree, "pass", "passing"}, {a.r.Failing.Tree, "fail", "failing"},
	} {
		for i, n := 0, 0; i < len(l.s.Trials) && n < sarifTrials && end.tree != ""; i++ {
			if t := &l.s.Trials[i]; t.Tree == end.tree && t.Outcome == end.outcome {
				add(t, end.shows)
				n++
			}
		}
	}
	return list
}

// needing says which trials show that the change is needed.
func needing(r *Result, trials []shownTrial) string {
	var names []string
	outcome := ""
	for _, t := range trials {
		if t.Shows != "needed" {
			continue
		}
		names = append(names, fmt.Sprint(t.Trial))
		if outcome != "" && t.Outcome != outcome {
			outcome = "unresolved"
			continue
		}
		outcome = t.Outcome
	}
	if len(names) == 0 {
		return ""
	}
	const most = 5
	n := len(names)
	which := fmt.Sprintf("%s %s", verb(n, "trial", "trials"), list(names[:min(n, most)], n))
	if outcome == "unresolved" {
		return capital(which) + verb(n, " shows", " show") + " that it is needed."
	}
	without := "Without it "
	if r.Goal == "revert" {
		without = "With it "
	}
	return without + which + " " + outcome + verb(n, map[string]string{"pass": "es", "fail": "s"}[outcome], "") + "."
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

// literally is a message that says just text: braces stand for arguments else
// (SARIF 2.1.0, 3.11.5).
func literally(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(text)
}

// unlinked is text without anything that reads as a link in a plain message
// (SARIF 2.1.0, 3.11.6).
func unlinked(text string) string { return strings.ReplaceAll(text, "](", "] (") }

// inMarkdown has names as code, where nothing in them means anything.
var inMarkdown = telling{name: codeSpan, subject: codeSpan, command: codeSpan}

// codeSpan is printable text as inline code: between more backticks than it has in
// a row (CommonMark, 6.1).
func codeSpan(text string) string {
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if text == "" || strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.TrimSpace(text) != text {
		text = " " + text + " "
	}
	return fence + text + fence
}
