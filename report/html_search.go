package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// HTML writes r and how it was found as a page: one file that holds all it needs,
// without scripts, for a screen of any width, light or dark, and for paper. It says
// what [Text] says, in the same words, then shows the search: each trial, the
// suspects that were left after it, the groups, the requirements, the times, and
// what could not be judged. Equal arguments give equal bytes. A story of another
// version may lack parts; these are not shown. A page of 5,000 changes and 1,000
// trials stays below 2 MB.
func HTML(w io.Writer, r Result, s Story) error {
	return writeHTML(w, "search", newSearchPage(&r, &s))
}

// A searchPage is what the template "search" shows.
type searchPage struct {
	htmlPage
	Answer     htmlAnswer
	Next       []fact
	Why        string // above the reasons
	Cost       []fact
	Proofs     []htmlProof
	Back       bool         // the proofs are of one change put back, as for goal "revert"
	Faults     []htmlAnswer // what the cause switches on
	Further    []htmlAnswer // what --all found besides
	Stages     []htmlStage
	Bars       bool        // some stage has suspects to draw
	Trees      []htmlStage // of Stages, those with groups
	Requires   *htmlRequires
	Numbers    *htmlNumbers
	Times      *htmlTimes
	Flaky      *htmlFlaky
	Unresolved []htmlUnresolved
	Unjudged   string      // what is said above Unresolved
	Repeat     []string    // command lines
	Around     [][2]string // the environment
}

// An htmlAnswer is one answer: the lines, and what they rest on.
type htmlAnswer struct {
	ID       string
	Title    string
	Warnings []string
	Commit   *htmlCommit
	Suspects []htmlCommit // commits that are left, in place of lines
	Files    []htmlFile
	Counts   []htmlFile // the files of a cause of many changes, without their lines
	Note     string
	Patch    string // to be copied
	Context  *htmlContext
	PatchCut bool
	Show     string // the command that shows the answer
	Reasons  []fact
}

func newSearchPage(r *Result, s *Story) *searchPage {
	p := &searchPage{}
	s = r.byNumber(s)
	said := facts(r, func(p *page) { p.suspicions() })
	for _, f := range said {
		p.Warnings = append(p.Warnings, f.Text)
	}
	p.Title = "gitdd: " + prose.Printable(headline(r))
	p.Kind = "search"
	if r.Session != "" {
		p.Kind += " " + prose.Printable(r.Session)
	}
	p.Generator = generator(s.Environment)
	p.Mood = mood(r.Status)
	p.Headline = prose.Printable(strings.TrimSpace(exchanged(r) + " " + headline(r)))
	p.Lead = inProse(ends(r))
	p.Glance = glances(r)
	left := pageLines
	p.Answer = newHTMLAnswer(r, "cause", causeTitle(r), &left)
	p.Why = "What is known so far"
	if r.Status == Isolated {
		p.Why = "Why to believe it"
	}
	p.Next = facts(r, func(p *page) { p.next() })
	p.Cost = facts(r, func(p *page) { p.effort(); p.surroundings() })
	number := 1
	for i := range r.Further {
		f := &r.Further[i]
		if f.isCause() {
			number++
		}
		other := r.first(*f)
		a := newHTMLAnswer(&other, fmt.Sprint("cause-", i+2), prose.Printable(f.title(number)), &left)
		if f.ofCause() { // see faulty
			p.Faults = append(p.Faults, a)
			continue
		}
		for _, f := range facts(&other, func(p *page) { p.suspicions() }) {
			a.Warnings = append(a.Warnings, f.Text)
		}
		a.Reasons = facts(&other, func(p *page) {
			p.interacting = f.Relation == Interacting
			p.furtherStep()
			p.context()
			p.ties()
			p.certainty()
		})
		p.Further = append(p.Further, a)
	}
	trials := newHTMLTrials(r, s)
	p.Stages = trials.stages()
	for _, st := range p.Stages {
		p.Bars = p.Bars || st.Bars
		if len(st.Tree) > 0 {
			p.Trees = append(p.Trees, st)
		}
	}
	linked := func(n int) bool { return trials.told[n] }
	p.Proofs, p.Back = newHTMLProofs(r, s, trials), r.Goal == "revert"
	p.Requires = newHTMLRequires(r, s)
	p.Numbers = newHTMLNumbers(r)
	p.Times = newHTMLTimes(r, s)
	p.Flaky = newHTMLFlaky(r, linked)
	p.Unresolved, p.Unjudged = newHTMLUnresolved(s, linked)
	p.environment(r, s)
	p.sections()
	p.Footer = footer(s.Environment, r.Schema, s.Schema)
	return p
}

// glances say how sure the answer is, and what it cost.
func glances(r *Result) []glance {
	var list []glance
	add := func(good bool, yes, no string) {
		if text := map[bool]string{true: yes, false: no}[good]; text != "" {
			list = append(list, glance{text, !good})
		}
	}
	if r.Status == Isolated {
		switch n := len(r.Unproven); {
		case r.Minimal:
			add(true, "minimal", "")
		case !r.shown():
			add(false, "", "not shown to be minimal")
		case n > 1 && n == len(r.Cause):
			add(false, "", prose.Number(n)+" not told apart")
		default:
			add(false, "", prose.Number(n)+" unproven")
		}
		add(r.Verified, "tested again", "not tested again")
	}
	if r.Flaky.Wanted > 0 && r.Confidence > 0 {
		list = append(list, glance{tied("confidence " + prose.Percent(r.Confidence)), float64(r.Confidence) < r.Flaky.Wanted})
	}
	if r.Trials.Run > 0 {
		list = append(list, glance{tied(prose.Count(r.Trials.Run, "trial") + " in " + words(r.Seconds.Total)), false})
	}
	if n := r.Checks.Rejected; n > 0 {
		list = append(list, glance{tied(prose.Number(n) + " rejected by a check"), false})
	}
	return list
}

// sections are what the page has to go to.
func (p *searchPage) sections() {
	add := func(id, title string, there bool) {
		if there {
			p.Sections = append(p.Sections, htmlSection{id, title})
		}
	}
	add("cause", p.Answer.Title, p.Answer.Any())
	for _, f := range p.Faults {
		add(f.ID, "What the cause switches on", true)
	}
	add("reasons", p.Why, len(p.Answer.Reasons) > 0)
	add("further", "Further causes", len(p.Further) > 0)
	add("numbers", "Numbers", p.Numbers != nil)
	add("search", "The search", len(p.Stages)+len(p.Cost) > 0)
	add("groups", "The groups", len(p.Trees) > 0)
	add("requirements", "Requirements", p.Requires != nil)
	add("times", "Times", p.Times != nil)
	add("flaky", "How steady the test is", p.Flaky != nil)
	add("unresolved", "What could not be judged", len(p.Unresolved) > 0)
	add("environment", "Do it again", true)
}

// Any reports whether there is something to show of the answer.
func (a *htmlAnswer) Any() bool { return len(a.Files)+len(a.Counts)+len(a.Suspects) > 0 }

func causeTitle(r *Result) string {
	switch {
	case r.Status == Isolated && (r.Direction == Fix) != undoes(r):
		return "The fix"
	case r.Status == Isolated:
		return "The cause"
	}
	return "The suspects"
}

// facts are what the items say that say writes, with room for any width.
func facts(r *Result, say func(*page)) []fact {
	list := []fact{}
	p := &page{sheet: newSheet(TextOptions{Width: 200}), r: r, told: map[string]bool{}}
	p.facts = &list
	say(p)
	for i := range list {
		list[i].Text = tied(list[i].Text)
	}
	return list
}

// newHTMLAnswer lays out an answer. Lines it shows come off left.
func newHTMLAnswer(r *Result, id, title string, left *int) htmlAnswer {
	a := htmlAnswer{ID: id, Title: title, Show: "gitdd show", Reasons: facts(r, (*page).reasons)}
	if r.Number > 0 {
		a.Show += fmt.Sprintf(" --cause %d", r.Number)
	}
	if r.Commit != nil {
		c := newHTMLCommit(r, *r.Commit)
		a.Commit = &c
	}
	if h := r.History; r.Status != Isolated && h != nil && len(h.Suspects) > 1 && len(r.Cause) >= h.Changes.Total {
		const most = 500
		shown := h.Suspects[:min(len(h.Suspects), most)]
		for _, c := range shown {
			a.Suspects = append(a.Suspects, newHTMLCommit(r, c))
		}
		if more := len(h.Suspects) - len(shown); more > 0 {
			a.Note = "… " + prose.Count(more, "more commit")
		}
		return a
	}
	if len(r.Cause) > 2*shownChanges {
		counts := countFiles(r.Cause)
		const most = 200
		for _, f := range counts[:min(len(counts), most)] {
			h := htmlFile{Path: prose.Printable(f.path), Counts: prose.Count(f.n, "change")}
			if f.minus > 0 {
				h.Minus = "−" + prose.Number(f.minus)
			}
			if f.plus > 0 {
				h.Plus = "+" + prose.Number(f.plus)
			}
			a.Counts = append(a.Counts, h)
		}
		if more := len(counts) - most; more > 0 {
			a.Counts = append(a.Counts, htmlFile{Counts: "… " + prose.Count(more, "more file")})
		}
	}
	a.Files, a.Note = htmlByFile(r, r.Cause, left)
	a.Context = newHTMLContext(r, left)
	if len(r.Cause) > 0 {
		var whole bool
		a.Patch, whole = patchText(r.Cause)
		a.PatchCut = !whole
	}
	return a
}

// environment says where the trials ran, and how to run them again.
func (p *searchPage) environment(r *Result, s *Story) {
	e := &s.Environment
	p.Repeat, p.Around = around(e, r.Command)
	add := func(label, text string) {
		if text != "" {
			p.Around = append(p.Around, [2]string{label, prose.Printable(text)})
		}
	}
	add("good", end(r.Good))
	add("bad", end(r.Bad))
	if r.Status == Isolated {
		of := " of " + prose.Count(total(r), "change") + " applied"
		add("passing configuration", "tree "+r.Passing.Tree+", "+prose.Number(r.Passing.Changes)+of)
		add("failing configuration", "tree "+r.Failing.Tree+", "+prose.Number(r.Failing.Changes)+of)
	}
	add("algorithm", r.Algorithm)
	add("goal", r.Goal)
	add("seed", fmt.Sprint(r.Seed))
	add("workers", prose.Number(max(1, r.Jobs)))
	add("cluster", e.Cluster)
	add("patches", prose.List(r.Around.Patches, len(r.Around.Patches)))
	add("overlay", prose.List(r.Around.Overlay, len(r.Around.Overlay)))
}

// end names a revision in full.
func end(r Revision) string {
	switch {
	case r.Commit == "" && r.Tree == "":
		return r.Rev
	case r.Commit == "":
		return r.Rev + ", tree " + r.Tree
	case r.Rev == r.Commit:
		return r.Commit
	}
	return r.Rev + ", commit " + r.Commit
}

// around are the command lines that repeat a session, and where it ran, for a
// search and a reduction alike.
func around(e *Environment, command []string) (repeat []string, rows [][2]string) {
	for _, argv := range e.Repeat {
		repeat = append(repeat, prose.Printable(prose.Words(argv)))
	}
	add := func(label, text string) {
		if text != "" {
			rows = append(rows, [2]string{label, prose.Printable(text)})
		}
	}
	add("command", prose.Words(command))
	add("in", e.Subdir)
	add("begun", e.Started)
	add("gitdd", e.Gitdd)
	add("git", e.Git)
	add("system", e.System)
	if e.CPUs > 0 {
		add("CPUs", prose.Number(e.CPUs))
	}
	add("parser", e.Parser)
	return repeat, slices.Clip(rows)
}

// footer names what the page was made from.
func footer(e Environment, schemas ...string) []string {
	text := "Written by " + generator(e)
	var names []string
	for _, s := range schemas {
		if s != "" {
			names = append(names, prose.Printable(s))
		}
	}
	if len(names) > 0 {
		text += " from " + prose.List(names, len(names))
	}
	return []string{text + ". It holds all it shows, and asks nothing of the network."}
}
