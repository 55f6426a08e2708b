package report

import (
	"fmt"
	"io"
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
	Within     []htmlAnswer // lines within the cause without which the test passes
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
	Unjudged   string // what is said above Unresolved
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
		a := newHTMLAnswer(&other, fmt.Sprint("cause-", i+2), prose.Printable(f.title(number, r)), &left)
		switch f.Relation {
		case Within:
			p.Within = append(p.Within, a)
			continue
		case Fault:
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
	p.setStages(trials.stages())
	linked := func(n int) bool { return trials.told[n] }
	p.Proofs, p.Back = newHTMLProofs(r, s, trials), r.Goal == "revert"
	p.Requires = newHTMLRequires(r, s)
	p.Numbers = newHTMLNumbers(r)
	p.Times = newHTMLTimes(r, s)
	p.Flaky = newHTMLFlaky(r, linked)
	p.Unresolved, p.Unjudged = newHTMLUnresolved(s, linked)
	p.configurations(r, &s.Environment)
	p.sections()
	p.Footer = footer(s.Environment, r.Schema, s.Schema)
	return p
}

func (p *searchPage) setStages(list []htmlStage) {
	p.Stages = list
	for _, st := range list {
		p.Bars = p.Bars || st.Bars
		if len(st.Tree) > 0 {
			p.Trees = append(p.Trees, st)
		}
	}
}

// glances say how sure the answer is, and what it cost.
func glances(r *Result) []glance {
	var list []glance
	add := func(text string, lacking bool) { list = append(list, glance{tied(text), lacking}) }
	if r.Status == Isolated {
		switch n := len(r.Unproven); {
		case r.Minimal:
			add("minimal", false)
		case !r.shown():
			add("not shown to be minimal", true)
		case n > 1 && n == len(r.Cause):
			add(prose.Number(n)+" not told apart", true)
		default:
			add(prose.Number(n)+" unproven", true)
		}
		if r.Verified {
			add("tested again", false)
		} else {
			add("not tested again", true)
		}
	}
	if r.Flaky.Wanted > 0 && r.Confidence > 0 {
		add("confidence "+prose.Percent(r.Confidence), float64(r.Confidence) < r.Flaky.Wanted)
	}
	if r.Trials.Run > 0 {
		add(prose.Count(r.Trials.Run, "trial")+" in "+words(r.Seconds.Total), false)
	}
	if n := r.Checks.Rejected; n > 0 {
		add(prose.Number(n)+" rejected by a check", false)
	}
	return list
}

// sections are what the page has to go to.
func (p *searchPage) sections() {
	for _, w := range p.Within {
		p.section(w.ID, "Lines of the cause", true)
	}
	p.section("cause", p.Answer.Title, p.Answer.Any())
	for _, f := range p.Faults {
		p.section(f.ID, "What the cause switches on", true)
	}
	p.section("reasons", p.Why, len(p.Answer.Reasons) > 0)
	p.section("further", "Further causes", len(p.Further) > 0)
	p.section("numbers", "Numbers", p.Numbers != nil)
	p.section("search", "The search", len(p.Stages)+len(p.Cost) > 0)
	p.section("groups", "The groups", len(p.Trees) > 0)
	p.section("requirements", "Requirements", p.Requires != nil)
	p.section("times", "Times", p.Times != nil)
	p.section("flaky", "How steady the test is", p.Flaky != nil)
	p.section("unresolved", "What could not be judged", len(p.Unresolved) > 0)
	p.section("environment", "Do it again", true)
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
			h := htmlFile{Path: prose.Printable(f.path)}
			h.count(f.n, f.minus, f.plus)
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

// configurations says where the trials ran, on what, and how to run them again.
func (p *searchPage) configurations(r *Result, e *Environment) {
	p.environment(e, r.Command)
	p.around("good", end(r.Good))
	p.around("bad", end(r.Bad))
	if r.Status == Isolated {
		of := " of " + prose.Count(total(r), "change") + " applied"
		p.around("passing configuration", "tree "+r.Passing.Tree+", "+prose.Number(r.Passing.Changes)+of)
		p.around("failing configuration", "tree "+r.Failing.Tree+", "+prose.Number(r.Failing.Changes)+of)
	}
	p.around("algorithm", r.Algorithm)
	p.around("goal", r.Goal)
	p.around("seed", fmt.Sprint(r.Seed))
	p.around("workers", prose.Number(max(1, r.Jobs)))
	p.around("cluster", e.Cluster)
	p.around("patches", prose.List(r.Around.Patches, len(r.Around.Patches)))
	p.around("overlay", prose.List(r.Around.Overlay, len(r.Around.Overlay)))
}

// end names a revision in full.
func end(r Revision) string {
	switch {
	case r.Base != "":
		return r.Rev + ", uncommitted changes on commit " + r.Base
	case r.Commit == "" && r.Tree == "":
		return r.Rev
	case r.Commit == "":
		return r.Rev + ", tree " + r.Tree
	case r.Rev == r.Commit:
		return r.Commit
	}
	return r.Rev + ", commit " + r.Commit
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
