package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gitdd/gitdd/internal/prose"
)

// AsFurther returns r as an answer beside a first one.
func (r Result) AsFurther(relation Relation) Further {
	if relation == Within {
		r.Cause = joined(r.Cause)
		ids := make(map[string]bool, len(r.Cause))
		for i := range r.Cause {
			ids[r.Cause[i].ID] = true
		}
		r.Unproven = slices.DeleteFunc(slices.Clone(r.Unproven), func(id string) bool { return !ids[id] })
		if r.Commit == nil && len(r.Commits) == 1 { // a line such as a bracket may be of no commit, and these lines belong together
			r.Commit = &r.Commits[0]
		}
	}
	return Further{
		Relation: relation,
		Commit:   r.Commit,
		Cause:    r.Cause,
		Context:  r.Context,
		Passing:  r.Passing,
		Failing:  r.Failing,
		Minimal:  r.Minimal,
		Unproven: r.Unproven,
		Verified: r.Verified,
		Commits:  r.Commits,
		Present:  r.Present,

		ContextUnproven: r.ContextUnproven,

		ContextDiff: r.ContextDiff,

		Confidence: r.Confidence,
		Suspicions: r.Suspicions,
		Artifacts:  r.Artifacts,
		Line:       r.Line,

		Updates: r.Updates, Constraints: r.Constraints, Generated: r.Generated,
	}
}

// joined returns changes with those made one that follow each other on both sides.
func joined(list []Change) (out []Change) {
	for i := range list {
		c := list[i]
		if n := len(out); n > 0 && out[n-1].adjoins(&c) {
			last := &out[n-1]
			last.Old, last.New = last.Old+c.Old, last.New+c.New
			if last.OldLines == 0 {
				last.OldStart = c.OldStart
			}
			last.OldLines, last.NewLines = last.OldLines+c.OldLines, last.NewLines+c.NewLines
			continue
		}
		out = append(out, c)
	}
	return out
}

// adjoins reports whether d is behind c on both sides, with nothing in between, and both have whole lines of text.
func (c *Change) adjoins(d *Change) bool {
	behind := func(start, lines int) int { return start + max(lines, 1) }
	before := func(start, lines int) int {
		if lines == 0 {
			return start + 1
		}
		return start
	}
	return c.Kind == "text" && d.Kind == "text" && c.path() == d.path() && !c.within() && !d.within() && c.RawOld == nil && d.RawOld == nil && c.RawNew == nil && d.RawNew == nil &&
		behind(c.OldStart, c.OldLines) == before(d.OldStart, d.OldLines) && behind(c.NewStart, c.NewLines) == before(d.NewStart, d.NewLines)
}

// first returns r with f in the place of its answer.
func (r Result) first(f Further) Result {
	r.Commit, r.Cause, r.Context = f.Commit, f.Cause, f.Context
	r.Passing, r.Failing = f.Passing, f.Failing
	r.Minimal, r.Unproven, r.Verified = f.Minimal, f.Unproven, f.Verified
	r.Confidence = f.Confidence
	r.Commits, r.Present, r.ContextDiff, r.ContextUnproven = f.Commits, f.Present, f.ContextDiff, f.ContextUnproven
	r.Suspicions, r.Artifacts, r.Line = f.Suspicions, f.Artifacts, f.Line
	r.Updates, r.Constraints, r.Generated = f.Updates, f.Constraints, f.Generated
	r.Measured = r.Measured.of(&f)
	r.WholeHunks, r.Dependents = false, nil
	r.History, r.Alone, r.Repaired, r.RepairedReason, r.Otherwise, r.Further, r.Place, r.Printed = nil, "", "", "", nil, nil, nil, nil
	r.Untraced = 0
	return r
}

// alone says what the cause does by itself, when that was tested.
func (p *page) alone() {
	r := p.r
	like := "fail"
	good, bad := r.said()
	if r.Direction == Fix {
		like, good, bad = "pass", bad, good
	}
	on := "put on " + r.Good.Rev + " with nothing but what the cause requires, "
	switch r.Alone {
	case "":
	case "unresolved":
		p.item("alone", on+"it could not be judged")
	case like:
		p.item("alone", on+"it "+bad+" too")
	default:
		p.item("alone", on+"it "+good+": it takes an earlier change as well")
	}
}

// further shows the answers beside the first one.
func (p *page) further() {
	number := 1
	shown := false
	for _, f := range p.r.Further {
		if f.ofCause() { // see causeAndParts
			continue
		}
		shown = true
		r := p.r.first(f)
		if f.isCause() {
			number++
		}
		title := f.title(number, p.r)
		p.blank()
		for _, s := range prose.Wrap(title, p.width) {
			p.line((&prose.Line{}).Add(prose.Headline, s))
		}
		first := p.r
		p.r = &r
		p.suspicions()
		if r.Commit != nil {
			p.blank()
			p.commit(*r.Commit)
		}
		p.cause()
		p.contextLines()
		p.blank()
		p.interacting = f.Relation == Interacting
		p.said()
		p.furtherStep()
		p.context()
		p.interacting = false
		p.ties()
		p.certainty()
		p.r = first
	}
	if shown {
		p.blank()
	}
}

// causeAndParts shows the cause, before it the lines within it without which the test passes, which are fewer, and
// after it the lines that it switches on.
func (p *page) causeAndParts() {
	if p.related(Within) {
		p.blank()
		p.line((&prose.Line{}).Add(prose.Headline, "All of the cause:"))
	}
	p.cause()
	p.related(Fault)
}

// related shows what has that relation to the cause, and reports whether there is anything.
func (p *page) related(relation Relation) (shown bool) {
	for _, f := range p.r.Further {
		if f.Relation != relation {
			continue
		}
		shown = true
		p.blank()
		for _, s := range prose.Wrap(f.title(0, p.r), p.width) {
			p.line((&prose.Line{}).Add(prose.Headline, s))
		}
		first, r := p.r, p.r.first(f)
		r.Place, r.Printed = first.Place, first.Printed // it is the same failure
		p.r = &r
		p.cause()
		p.r = first
	}
	return shown
}

// faulty says what was tested of the lines that the cause switches on, or of those within it.
func (p *page) faulty() {
	passes, _ := p.r.said()
	for _, f := range p.r.Further {
		if f.Relation == Within {
			n := f.lines()
			p.item("within", fmt.Sprintf("with all other changes, but without %s, the test %s", verb(n, "this line", fmt.Sprintf("these %d lines", n)), passes))
		}
		if f.Relation != Fault {
			continue
		}
		n := len(f.Cause)
		text := fmt.Sprintf("with the cause, but without %s, the test %s", verb(n, "this change", fmt.Sprintf("these %d changes", n)), passes)
		if !f.Minimal {
			text += "; perhaps not all of these are needed"
		}
		p.item("fault", text)
	}
}

// untraced says that nothing was found that the cause switches on.
func (p *page) untraced() {
	if n := p.r.Untraced; n > 0 {
		p.item("fault", fmt.Sprintf("no other changed lines were found without which the test passes (%s tested)", prose.Count(n, "configuration")))
	}
}

// isCause reports whether f stands beside the first cause, and has a number as it has.
func (f *Further) isCause() bool { return f.Relation == Independent || f.Relation == FurtherStep }

// ofCause reports whether f is what the first cause switches on, or lines within it: it is shown with the cause.
func (f *Further) ofCause() bool { return f.Relation == Fault || f.Relation == Within }

// lines is how many lines f is about: of each change those of the longer side.
func (f *Further) lines() (n int) {
	for i := range f.Cause {
		n += max(f.Cause[i].lineCounts())
	}
	return n
}

// linesOf names what lines within the cause are lines of: where these are not only in hunks of the cause, the declaration that
// they stand in.
func (f *Further) linesOf(first *Result) string {
	symbol := ""
	for i := range f.Cause {
		c := &f.Cause[i]
		if slices.ContainsFunc(first.Cause, c.liesIn) {
			continue
		}
		if c.Symbol == "" || symbol != "" && c.Symbol != symbol {
			return "what changed around the cause"
		}
		symbol = c.Symbol
	}
	return cmp.Or(prose.Printable(symbol), "the cause")
}

// liesIn reports whether all lines of c are lines of d.
func (c *Change) liesIn(d Change) bool {
	in := func(start, lines, from, to int) bool { return lines == 0 || from <= start && start+lines <= from+to }
	return c.path() == d.path() && in(c.OldStart, c.OldLines, d.OldStart, d.OldLines) && in(c.NewStart, c.NewLines, d.NewStart, d.NewLines)
}

// title names f, the cause of that number or what belongs to one, beside the first answer.
func (f *Further) title(number int, first *Result) string {
	switch f.Relation {
	case Interacting:
		return fmt.Sprintf("It takes %s of an earlier commit as well:", prose.Count(len(f.Cause), "change"))
	case Fault:
		return fmt.Sprintf("The cause switches on %s, without which the test passes:", prose.Count(len(f.Cause), "change"))
	case Within:
		return fmt.Sprintf("The test passes without %s of %s:", prose.Count(f.lines(), "line"), f.linesOf(first))
	}
	if f.Relation == FurtherStep {
		return fmt.Sprintf("Cause %s, a further step of the number: %s.", prose.Number(number), prose.Count(len(f.Cause), "change"))
	}
	return fmt.Sprintf("Cause %s, independent of the %s: %s.", prose.Number(number), before(number), prose.Count(len(f.Cause), "change"))
}

func before(number int) string {
	if number == 2 {
		return "first"
	}
	return "others"
}
