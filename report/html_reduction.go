package report

import (
	"io"
	"slices"

	"github.com/gitdd/gitdd/internal/prose"
)

// ReductionHTML writes r and how it came about as a page: one file that holds all it
// needs, without scripts, for a screen of any width, light or dark, and for paper. It
// says what [ReductionText] says, in the same words, and shows what is left, where
// the input had it, how its size went down over the trials, what each pass did in
// which of them, and what else failed. Equal arguments give equal bytes. A story of
// another version may lack parts; these are not shown. With 1,000 trials the page
// stays below 1 MB, whatever the size of the input.
func ReductionHTML(w io.Writer, r Reduction, s Story) error {
	return writeHTML(w, "reduction", newReductionPage(&r, &s))
}

// A htmlReduction is what the template "reduction" shows.
type htmlReduction struct {
	htmlPage
	Title2      string    // of what is left
	Sizes       []sizeRow // what was taken apart, before and after
	Texts       []listing // of what is left
	Difference  []htmlDifference
	Files       []fileRow
	FilesNote   string
	Origins     []origin
	Way         *way
	Next        []fact
	Reasons     []fact
	Cost        []fact
	Others      []otherFailure
	OthersNote  string
	Trials      []trialRow
	TrialsCount string
	TrialsOpen  bool // they are few
	TrialsNote  string
}

// A sizeRow is a line of the table of sizes.
type sizeRow struct {
	What, Before, After, Left string
	Part                      float64 // of Before that is left, in per cent
}

func newReductionPage(r *Reduction, s *Story) *htmlReduction {
	p := &htmlReduction{}
	said := &reductionPage{sheet: newSheet(TextOptions{}), r: r}
	p.Title = "gitdd: " + prose.Printable(said.headline())
	p.Kind = "reduction"
	if r.Session != "" {
		p.Kind += " " + prose.Printable(r.Session)
	}
	p.Generator = generator(s.Environment)
	p.Mood = mood(r.Status)
	p.Headline = prose.Printable(said.headline())
	p.Lead = inProse(said.tested())
	p.Title2 = "What is left"
	p.Sizes = sizeRows(r)
	p.Texts = texts(r, s)
	p.Difference = differenceOf(r)
	if len(p.Difference) > 0 {
		p.Title2 = "The difference"
	}
	p.Files, p.FilesNote = fileRows(r, s)
	p.Origins = newOrigins(r, s)
	p.Way = newWay(r, s)
	p.Next = reductionFacts(r, (*reductionPage).next)
	p.Reasons = reductionFacts(r, func(p *reductionPage) { p.certainty(); p.compared(); p.notes() })
	p.Cost = reductionFacts(r, (*reductionPage).effort)
	p.Others, p.OthersNote = otherFailures(r, s)
	p.Trials, p.TrialsNote = trialRows(r, s)
	p.TrialsCount = prose.Count(len(p.Trials), "trial")
	p.TrialsOpen = len(p.Trials) <= 12
	p.settings(r, &s.Environment)
	p.sections()
	p.Footer = footer(s.Environment, r.Schema, s.Schema)
	return p
}

// sections are what the page has to go to.
func (p *htmlReduction) sections() {
	p.section("left", p.Title2, p.Left())
	p.section("origin", "Where it was", len(p.Origins) > 0)
	p.section("next", "What to do next", len(p.Next) > 0)
	p.section("reasons", "Why to believe it", len(p.Reasons) > 0)
	p.section("way", "How it got there", p.Way != nil || len(p.Cost) > 0)
	p.section("others", "Other failures", len(p.Others) > 0)
	p.section("trials", "Each trial", len(p.Trials) > 0)
	p.section("environment", "Do it again", true)
}

// Left reports whether there is something to show of what is left.
func (p *htmlReduction) Left() bool {
	return len(p.Sizes)+len(p.Texts)+len(p.Difference)+len(p.Files) > 0
}

// reductionFacts are what the items say that say writes.
func reductionFacts(r *Reduction, say func(*reductionPage)) []fact {
	list := []fact{}
	p := &reductionPage{sheet: newSheet(TextOptions{Width: 200, Full: true}), r: r}
	p.sheet.facts = &list
	say(p)
	return list
}

// compared says what the command was run with, and on.
func (p *reductionPage) compared() {
	if g := p.r.Regression; g != nil {
		p.item("good", end(g.Good)+": it passes with what is left")
		p.item("bad", end(g.Bad)+": it fails with what is left")
		if g.Build != "" {
			p.item("built by", g.Build)
		}
	}
	if i := p.r.Isolation; i != nil {
		p.item("passing", measured(i.Passing))
		p.item("failing", measured(p.r.Input))
		p.item("apart", prose.Count(i.Total, "difference")+" in "+i.Units)
	}
	if p.r.Signature != "" {
		p.item("signature", p.r.Signature)
	}
}

// measured is an input with its extent.
func measured(c Content) string {
	text := names(c) + ": "
	if c.Files > 1 {
		text += prose.Count(c.Files, "file") + ", "
	}
	return text + prose.Count(int(c.Bytes), "byte") + ", " + prose.Count(c.Tokens, "token") + ", " + prose.Count(c.Lines, "line")
}

// sizeRows are how much there was and what is left of it.
func sizeRows(r *Reduction) []sizeRow {
	var rows []sizeRow
	for _, e := range r.extents() {
		row := sizeRow{What: e.what, Before: prose.Number(int(e.before)), After: prose.Number(int(e.after)), Left: share(e.after, e.before)}
		row.Part = hundredths(100 * float64(e.after) / float64(e.before))
		rows = append(rows, row)
	}
	return rows
}

// hundredths rounds what is a place or a length in a picture.
func hundredths(x float64) float64 { return float64(int(x*100+0.5)) / 100 }

// settings says where the reduction ran, by what settings, and how to run it again.
func (p *htmlReduction) settings(r *Reduction, e *Environment) {
	p.environment(e, r.Command)
	p.around("format", r.Format)
	if formats := slices.Compact(slices.Sorted(slices.Values(r.Formats))); len(formats) > 1 {
		p.around("formats", prose.List(formats[:min(len(formats), 20)], len(formats)))
	}
	p.around("algorithm", r.Algorithm)
	if r.Fast {
		p.around("fast", "without the last pass")
	}
	if r.Jobs > 0 {
		p.around("workers", prose.Number(r.Jobs))
	}
	p.around("cluster", e.Cluster)
	p.around("saved", r.SavedOthers)
}
