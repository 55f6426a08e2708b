package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/gitdd/gitdd/internal/prose"
)

// A Live is what is known of a search while it goes on: what the page of gitdd serve shows.
type Live struct {
	Result  Result   // as far as it is known: ends, command, the best answer as the cause
	Story   Story    // the last trials and steps
	Earlier []int    // steps before those of each stage
	State   string   // "searching", "stopped" or "over": then Result and Story are those that the session keeps
	Results *Results // with State "over", those of several tests, in place of Result

	Suspects, Elements int    // of the present stage
	Of                 string // what these are: "changes" or "commits"
	Trials             int
	Test               string // with --each, that is searched for
	Estimate           string // "" = not known
	Workers            []LiveWorker
	Config             LiveConfig
	Notes              []string
	Problem            string // why there is less to see

	Hand    *LiveHand    // of a search in which a person judges; nil = a command does
	Control *LiveControl // nil = the page has no buttons
}

// A LiveHand is what a person is to judge.
type LiveHand struct {
	Step             int // 0 = nothing is to be judged now
	What, Left, Best string
	Dir              string // where it lies
	Shows            bool   // it does
}

// A LiveControl says which buttons there are.
type LiveControl struct {
	After   int // the trial that was judged last, at the moment that the page shows
	Trials  int // that ran
	Judge   bool
	Undo    bool
	Next    bool   // put the configuration into the directory
	Stop    bool   // end the search that goes on
	Resume  bool   // go on with it
	Problem string // why there are not more, or what went wrong in the background
}

// A LiveWorker is what a worker does, or has done last.
type LiveWorker struct {
	Number int
	Doing  string // "trial 8, 12 of 40 applied"
	Trial  int    // 0 = none
	Output string // the last lines that it has printed
}

// A LiveConfig is the configuration of a trial that runs, or ran last, or that a person is to judge.
type LiveConfig struct {
	Trial    int
	Applied  int
	Elements int
	Changes  []Change // the first ones, in the order of the set

	Commit   string // that it is; "" = none
	Compared bool   // Applied and Changes are what it has beyond good, and Elements says nothing
	Problem  string // why that cannot be known of a commit
}

// A LivePart is a part of the page, as HTML.
type LivePart struct {
	ID   string `json:"id"`
	HTML string `json:"html"`
}

// What the page shows is bounded, for it comes again and again.
const (
	liveLines  = 150 // of a configuration, and of the best answer
	liveTrials = 60  // have a row in the list
)

// Any reports whether the control has anything to show.
func (c *LiveControl) Any() bool {
	return c.Judge || c.Undo || c.Next || c.Stop || c.Resume || c.Problem != ""
}

// LiveParts returns the parts of the page, in their order. Equal arguments give equal bytes.
func LiveParts(l *Live) ([]LivePart, error) {
	fillArrays(&l.Result)
	p := newLivePage(l)
	var parts []LivePart
	for _, part := range []struct {
		id   string
		data any
	}{
		{"top", p}, {"control", p}, {"now", p}, {"best", p}, {"config", p}, {"notes", p}, {"search", p}, {"groups", p}, {"requirements", p.Requires},
		{"times", p.Times}, {"causes", p}, {"trials", p},
	} {
		var text bytes.Buffer
		if err := htmlTemplates().ExecuteTemplate(&text, "live-"+part.id, part.data); err != nil {
			return nil, fmt.Errorf("write the page: %w", err)
		}
		parts = append(parts, LivePart{part.id, text.String()})
	}
	return parts, nil
}

// LivePage writes the page with its parts. nonce is the nonce of its style and of its script, which is the file live.js
// beside it. The script sends secret with each press of a button; "" = there are no buttons.
func LivePage(w io.Writer, l *Live, nonce, secret string) error {
	fillArrays(&l.Result)
	return writeHTML(w, "live", struct {
		*livePage
		Nonce, Secret string
	}{newLivePage(l), nonce, secret})
}

// A livePage is what the templates of live.tmpl show.
type livePage struct {
	*searchPage
	Over     bool
	Estimate string
	Test     string
	Workers  []LiveWorker
	Config   *htmlAnswer
	Configs  string // what is said above it
	Best     *htmlAnswer
	Notes    []string
	Problem  string
	Rows     []htmlRow
	More     []proseRun
	Several  []htmlCause
	Hand     *LiveHand
	Control  *LiveControl
	Told     string // what a person has to know at once
}

func newLivePage(l *Live) *livePage {
	r, s := &l.Result, &l.Story
	p := &livePage{Over: l.State == "over", Estimate: tied(l.Estimate), Test: prose.Printable(l.Test), Problem: prose.Printable(l.Problem)}
	switch {
	case p.Over && l.Results != nil:
		p.searchPage = &searchPage{htmlPage: newResultsPage(l.Results, &s.Environment, nil).htmlPage}
		p.Times = newHTMLTimes(r, s)
	case p.Over:
		p.searchPage = newSearchPage(r, s)
	default:
		p.searchPage = &searchPage{}
		p.Kind = "search " + prose.Printable(r.Session)
		p.Headline, p.Mood = liveHeadline(l), "open"
		if l.Hand != nil {
			p.Headline = handHeadline(l)
		}
		judge := "A person judges"
		if l.Hand == nil {
			judge = "`" + prose.Words(r.Command) + "`"
		}
		p.Lead = inProse(fmt.Sprintf("%s, between %s and %s.", judge, shortEnd(r.Good), shortEnd(r.Bad)))
		trials := newHTMLTrials(r, s)
		trials.earlier = l.Earlier
		// Those that ran ahead, or before the steps that are shown, have no picture: the list has them.
		p.setStages(slices.DeleteFunc(trials.stages(), func(st htmlStage) bool { return st.ID == "others" }))
		p.Requires, p.Times = newHTMLRequires(r, s), newHTMLTimes(r, s)
		left := liveLines
		if len(r.Cause) > 0 {
			a := newHTMLAnswer(r, "best", "If it stopped here", &left)
			a.Patch, a.Context, a.Reasons = "", nil, nil
			p.Best = &a
		}
	}
	for _, text := range l.Notes {
		p.Notes = append(p.Notes, prose.Printable(text))
	}
	for _, w := range l.Workers {
		w.Doing, w.Output = prose.Printable(w.Doing), printableLines(w.Output)
		p.Workers = append(p.Workers, w)
	}
	if c := &l.Config; c.Trial > 0 {
		left := liveLines
		a := htmlAnswer{ID: "configuration"}
		a.Files, a.Note = htmlByFile(r, c.Changes, &left)
		if more := c.Applied - len(c.Changes); more > 0 {
			a.Note = "The lines of " + prose.Count(more, "more change") + " are not shown."
		}
		p.Config = &a
		it := fmt.Sprintf("Trial %d", c.Trial)
		if l.Hand != nil && l.Hand.Step > 0 {
			it = "What is to be judged"
		}
		p.Configs = c.says(it)
	}
	p.controlled(l)
	p.list(l)
	return p
}

// says is the sentence on what a configuration is, which is called it.
func (c *LiveConfig) says(it string) string {
	which, and := it, ""
	if c.Commit != "" {
		which, and = it+" is commit "+short(c.Commit), ", which"
	}
	switch {
	case c.Problem != "":
		return which + ". What it has beyond good cannot be shown: " + prose.Printable(c.Problem)
	case c.Compared && c.Applied > 0:
		return which + and + " has " + prose.Count(c.Applied, "change") + " beyond good."
	case c.Compared:
		return which + and + " has the files of good."
	case c.Commit != "":
		return which + "."
	case c.Applied == 0:
		return it + " is good as it is."
	}
	return fmt.Sprintf("%s has %s of %s applied to good.", it, prose.Number(c.Applied), prose.Count(c.Elements, "change"))
}

// controlled fills in what a person judges, and by which buttons.
func (p *livePage) controlled(l *Live) {
	p.Told = p.Headline
	if l.Hand != nil && l.Hand.Step > 0 {
		h := *l.Hand
		h.What, h.Left, h.Best, h.Dir = prose.Printable(h.What), prose.Printable(h.Left), prose.Printable(h.Best), prose.Printable(h.Dir)
		p.Hand = &h
		p.Told = fmt.Sprintf("Step %d: %s", h.Step, h.What)
	}
	if l.Control != nil {
		c := *l.Control
		c.Problem = prose.Printable(c.Problem)
		p.Control = &c
	}
}

// handHeadline says where a search by hand stands.
func handHeadline(l *Live) string {
	switch {
	case l.State == "searching":
		return "gitdd is at work"
	case l.Hand.Step > 0:
		return fmt.Sprintf("To judge: step %d", l.Hand.Step)
	}
	return "What is to be judged is not in its directory"
}

// liveHeadline says where a search stands.
func liveHeadline(l *Live) string {
	verb := map[string]string{"searching": "Searching", "stopped": "The search has stopped"}[l.State]
	if l.Elements == 0 {
		return verb + ": no stage has begun"
	}
	return fmt.Sprintf("%s: %s of %s %s are suspects", verb, prose.Number(l.Suspects), prose.Number(l.Elements), l.Of)
}

// shortEnd names a revision.
func shortEnd(r Revision) string {
	if r.Base != "" {
		return r.Rev
	}
	if r.Commit == "" && r.Tree == "" { // it is looked for
		return r.Rev
	}
	if r.Commit == "" || r.Rev == r.Commit {
		return short(cmp.Or(r.Commit, r.Tree))
	}
	return r.Rev + " (" + short(r.Commit) + ")"
}

// list lists the last trials, the newest first.
func (p *livePage) list(l *Live) {
	trials := l.Story.Trials
	h := newHTMLTrials(&l.Result, &l.Story)
	for i := len(trials) - 1; i >= 0 && len(p.Rows) < liveTrials; i-- {
		row := h.row(&trials[i])
		row.ID = ""
		row.What = h.tree(&trials[i])
		if why := prose.Printable(trials[i].Reason); why != "" {
			row.Notes = append(row.Notes, why)
		}
		p.Rows = append(p.Rows, row)
	}
	if more := l.Trials - len(p.Rows); more > 0 {
		p.More = inProse(prose.Count(more, "earlier trial") + ": `gitdd log` lists all.")
	}
	if l.Results == nil {
		return
	}
	for i := range l.Results.Causes {
		c := &l.Results.Causes[i]
		left := pageLines
		a := newHTMLAnswer(&c.Result, fmt.Sprint("cause-", c.Number), fmt.Sprintf("Cause %d", c.Number), &left)
		p.Several = append(p.Several, htmlCause{ID: a.ID, Title: a.Title, Headline: inProse(headline(&c.Result)), Answer: a})
	}
}
