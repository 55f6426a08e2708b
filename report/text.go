package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
)

// TextOptions say where the text is going.
type TextOptions struct {
	Color bool // style it with terminal escapes; without, it says the same
	Width int  // columns; 0 = 80, kept within 40..200
	Full  bool // leave nothing out: every change, whole lines
	Whole bool // cut lines of code and names of files only beyond 2,000 columns: for a file or a pipe, which has no width
	Gone  bool // the session does not stay: name no command that needs it
	ASCII bool // draw with ASCII characters

	// Named puts the name that the reader calls gitdd by into the commands that a
	// sentence names ("gitdd resume"); nil leaves them.
	Named func(string) string
}

// Text writes r for a reader: the verdict, the cause as a diff with the
// commits that made it, its context as a diff, what it depends on, how sure it is and what can be
// done next. A small cause fits a screen of 80x24. No line is wider than the
// width, but for lines of the diff when Full or Whole.
func Text(w io.Writer, r Result, o TextOptions) error {
	p := &page{sheet: newSheet(o), r: &r, told: map[string]bool{}}
	p.verdict()
	p.suspicions()
	if r.Commit != nil {
		p.blank()
		p.commit(*r.Commit)
	}
	switch {
	case p.suspectCommits() && !p.full:
	case p.full || !nothingRuledOut(&r):
		p.causeAndParts()
	default:
		p.shortened = true // which the headline says
	}
	p.contextLines()
	p.blank()
	p.reasons()
	p.further()
	p.effort()
	p.surroundings()
	p.next()
	return p.writeTo(w)
}

// reasons say what the answer rests on.
func (p *page) reasons() {
	p.said()
	p.place()
	p.history()
	p.measured()
	p.sides()
	p.terms()
	p.bases()
	p.faulty()
	p.context()
	p.untraced()
	p.alone()
	p.ties()
	p.certainty()
	p.messages()
	p.flaky()
	p.signature()
	p.others()
	p.learned()
}

// A page collects the lines of one report.
type page struct {
	sheet
	r    *Result
	told map[string]bool // commits whose subject was shown

	interacting bool // r is an answer that stands on another one, whose changes were there as well
}

// verdict is the answer in words, and what it is about.
func (p *page) verdict() {
	if text := exchanged(p.r); text != "" {
		p.paragraph(prose.Headline, text)
	}
	text := headline(p.r)
	if p.r.Beside {
		text = fmt.Sprintf("Cause %d: %s%s", p.r.Number, strings.ToLower(text[:1]), text[1:])
	}
	p.paragraph(prose.Headline, p.called(text))
	p.paragraph(prose.Plain, ends(p.r))
}

// exchanged says what was made of a good end that fails and a bad one that passes, which
// nobody has asked for but by the words of a git bisect; "" otherwise.
func exchanged(r *Result) string {
	switch h := r.History; {
	case r.Direction != Fix || r.Status == NotIsolated || r.Status == Failed:
		return ""
	case h != nil && h.Terms != (Terms{}) && h.Terms != (Terms{Old: "good", New: "bad"}):
		return ""
	}
	done := "Searched for the fix"
	if undoes(r) {
		done = "Good and bad were exchanged"
	}
	return fmt.Sprintf("%s, because %s (good) fails and %s (bad) passes.", done, r.Good.name(), badName(r))
}

// name is what the user called a revision by, if that is no id.
func (r Revision) name() string {
	if r.Commit != "" && strings.HasPrefix(r.Commit, r.Rev) {
		return short(r.Commit)
	}
	return r.Rev
}

// badName names the bad end: with --path not all of what the user calls bad.
func badName(r *Result) string {
	if len(r.Paths) == 0 {
		return r.Bad.name()
	}
	return r.Bad.name() + " below " + prose.List(r.Paths, len(r.Paths))
}

func headline(r *Result) string {
	n := len(r.Cause)
	of := shareOf(r)
	if updated(r) != "" {
		n = len(r.Updates)
	}
	switch r.Status {
	case NotIsolated:
		if r.Reason == "" {
			return "Not isolated."
		}
		return "Not isolated: " + strings.TrimSuffix(r.Reason, ".") + "."
	case Failed:
		return "Stopped: " + strings.TrimSuffix(r.Reason, ".") + "."
	case Budget:
		return "Budget spent: " + suspects(r)
	case Interrupted:
		return "Interrupted: " + suspects(r)
	}
	if r.Inseparable {
		return inseparable(r, of)
	}
	together := "."
	if n > 1 && r.Minimal && len(r.Generated) == 0 {
		together = ", only together."
	}
	breaks := r.Direction != Fix
	passes, fails := r.said()
	switch {
	case r.Measured != nil && r.Goal == "introduce":
		return "Put on " + r.Good.Rev + ", " + of + verb(n, " makes", " make") + " the difference: " + r.Measured.share() + "."
	case r.Measured != nil && r.Goal != "revert":
		return "The difference comes from " + of + strings.TrimSuffix(together, ".") + ": " + r.Measured.share() + "."
	case undoes(r) && breaks:
		return "The failure was fixed by " + of + together
	case undoes(r):
		return "The failure comes from " + of + together
	case r.Goal == "introduce" && breaks:
		return "Put on " + r.Good.Rev + ", " + of + verb(n, " makes", " make") + " it fail" + together
	case r.Goal == "introduce":
		return "Put on " + r.Good.Rev + ", " + of + verb(n, " makes", " make") + " it pass" + together
	case r.Goal == "revert" && breaks:
		return "Without " + of + ", " + badName(r) + " " + passes + "."
	case r.Goal == "revert":
		return "Without " + of + ", " + badName(r) + " " + fails + "."
	case breaks:
		return "The failure comes from " + of + together
	}
	return "The fix" + verb(n, " is ", " takes ") + of + together
}

// inseparable says what a search found that could not test parts of its answer, which
// are named by of.
func inseparable(r *Result, of string) string {
	return fmt.Sprintf("The %s is among %s; mixtures of these could not be judged.", sought(r), of)
}

// sought names what a search looks for.
func sought(r *Result) string {
	if r.Measured != nil {
		return "difference"
	}
	if (r.Direction == Fix) != undoes(r) {
		return "fix"
	}
	return "failure"
}

// suspects says how far a search came that did not end by itself.
func suspects(r *Result) string {
	what := sought(r)
	n, total := len(r.Cause), total(r)
	switch {
	case n == total && r.History != nil && len(r.History.Suspects) > 1:
		of := prose.Count(r.History.Commits, "commit")
		if n := len(r.History.Suspects); n < r.History.Commits {
			of = prose.Number(n) + " of " + of
		}
		return fmt.Sprintf("the %s came with one of %s.", what, of)
	case n == 1 && total == 1:
		return fmt.Sprintf("the only change is the only suspect for the %s.", what)
	case n == total:
		return noneRuledOut(n, extentOf(r))
	case n == 1:
		return fmt.Sprintf("1 suspect is left for the %s, of %s.", what, extentOf(r))
	}
	return fmt.Sprintf("the %s lies among %s of %s.", what, prose.Count(n, "suspect"), extentOf(r))
}

// nothingRuledOut reports whether a search was cut short before anything is known of several suspects: they are the whole
// difference.
func nothingRuledOut(r *Result) bool {
	return (r.Status == Budget || r.Status == Interrupted) && len(r.Cause) > 1 && len(r.Cause) == total(r)
}

// noneRuledOut says of n suspects, two or more, that all of them are left.
func noneRuledOut(n int, named string) string {
	if n == 2 {
		return "neither of the " + named + " was ruled out."
	}
	return "none of the " + named + " was ruled out."
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// ends says what was compared, and how the test went at either end.
func ends(r *Result) string {
	command, passes, fails := commandLine(r.Command), "passes", "fails"
	if n := len(r.Tests); n > 0 {
		command = r.Tests[0]
		if n > 1 {
			command, passes, fails = command+" and "+prose.Count(n-1, "other test"), "pass", "fail"
		}
	}
	good, bad := revision(r.Good), revision(r.Bad)
	at := "at " + bad
	if len(r.Paths) > 0 {
		at = "there with the changes of " + bad + " below " + prose.List(r.Paths, len(r.Paths))
		bad = r.Good.name() + " with the changes of " + bad + " below " + prose.List(r.Paths, len(r.Paths))
	}
	older := ""
	if r.Status == Isolated && undoes(r) {
		older = ", which is older: the diff leads back to it"
	}
	// Of what a cache has answered nothing counts as a pass or a fail, but a search that
	// came as far as to compose its two ends knows those of the user. What a person
	// judged says nothing about the command.
	known := r.Status == Isolated || r.ByHand == 0 && min(r.Trials.Pass, r.Trials.Fail) > 0 || r.Passing.Tree != "" && r.Failing.Tree != ""
	switch {
	case r.Measured != nil:
		return measuredEnds(r, command, good, at)
	case len(r.Command) == 0 && r.ByHand > 0 && r.Status == NotIsolated: // no older commit was called good
		return fmt.Sprintf("Judged by hand: %s is bad.", bad)
	case len(r.Command) == 0 && r.ByHand > 0:
		return fmt.Sprintf("Judged by hand: %s is good, %s is bad.", good, bad)
	case r.Status == NotIsolated && r.Good == Revision{Rev: "auto"}: // the good end was not looked for yet
		return fmt.Sprintf("Tested was %s, at %s.", command, bad)
	case r.Status == NotIsolated, !known:
		return fmt.Sprintf("Tested was %s, between %s and %s.", command, good, bad)
	case r.Direction == Fix:
		return fmt.Sprintf("%s %s at %s and %s %s%s.", command, fails, good, passes, at, older)
	}
	return fmt.Sprintf("%s %s at %s and %s %s%s.", command, passes, good, fails, at, older)
}

// commandLine is argv as a shell would need it, shortened to a readable
// length.
func commandLine(argv []string) string {
	if len(argv) == 0 {
		return "The command"
	}
	return (&prose.Line{}).Add(prose.Plain, "`"+prose.Words(argv)).Cut(60).Render(false) + "`"
}

func revision(r Revision) string {
	id := short(r.Commit)
	if r.Commit == "" && r.Tree == "" { // nothing was resolved
		return r.Rev
	} else if r.Base != "" {
		id = short(r.Base) + " with uncommitted changes"
	} else if r.Commit == "" {
		id = "tree " + short(r.Tree)
	} else if strings.HasPrefix(r.Commit, r.Rev) {
		return id
	}
	return r.Rev + " (" + id + ")"
}

// recorded reports whether a commit is that of uncommitted changes, which no repository has.
func (r *Result) recorded(id string) bool {
	return id != "" && (r.Bad.Base != "" && id == r.Bad.Commit || r.Good.Base != "" && id == r.Good.Commit)
}

// commitName names a commit by its id; for the one of uncommitted changes it is a word, since git does not know that id.
func (r *Result) commitName(id string) string {
	if r.recorded(id) {
		return "worktree"
	}
	return short(id)
}

// short abbreviates an object id.
func short(id string) string { return id[:min(len(id), 9)] }

// messages says what kept the search from telling the changes of the cause apart.
func (p *page) messages() {
	const most = 3
	list := p.r.Messages
	if len(list) == 0 {
		return
	}
	var said []string
	for i, m := range list {
		if i == most && !p.full {
			said = append(said, "…")
			p.shortened = true
			break
		}
		said = append(said, fmt.Sprintf("\"%s\" (%s)", prose.Printable(m.Text), prose.Count(m.Trials, "trial")))
	}
	p.item("mixtures", "of these changes said: "+strings.Join(said, "; "))
}

// effort says what the answer cost.
func (p *page) effort() {
	r := p.r
	t := r.Trials
	if t.Run+t.Cached > 0 {
		text := prose.Number(t.Run) + " run"
		if t.Cached > 0 && (p.full || t.Run == 0) { // if nothing was run, all outcomes are cached ones
			text += ", " + prose.Number(t.Cached) + " cached"
		}
		switch {
		case r.Measured == nil:
			text += fmt.Sprintf(": %s pass, %s fail, %s unresolved", prose.Number(t.Pass), prose.Number(t.Fail), prose.Number(t.Unresolved))
		case t.Unresolved > 0:
			text += ", " + prose.Number(t.Unresolved) + " of them unresolved"
		}
		p.trials(text, r.Seconds, r.Jobs)
	}
	p.checks()
	p.timeouts()
	p.ahead()
	p.machines(r.Remote)
	p.algorithm()
	if r.Reason != "" && (r.Status == Budget || r.Status == Interrupted) {
		p.item("stopped", p.called(r.Reason))
	}
}

// algorithm names the algorithm: in full, or if the user has asked for it or for few rounds.
func (p *page) algorithm() {
	r := p.r
	why := ""
	if r.Why != "" {
		why = " (" + r.Why + ")"
	}
	switch {
	case r.Algorithm == "":
	case p.full:
		p.item("algorithm", fmt.Sprintf("%s%s, goal %s, seed %d; %s in the command", r.Algorithm, why, r.Goal, r.Seed, words(r.Seconds.Testing)))
	case r.Rounds || r.Why == "" && r.Algorithm != "auto":
		p.item("algorithm", r.Algorithm+why)
	}
}

func words(seconds float64) string {
	return prose.Duration(time.Duration(seconds * float64(time.Second)))
}
