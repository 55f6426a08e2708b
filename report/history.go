package report

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// total is how many changes the cause was searched among.
func total(r *Result) int {
	if r.History != nil {
		return r.History.Changes.Total
	}
	return r.Changes.Total
}

// undoes: good is newer than bad, so that the cause is what a commit did, taken
// back: one that fixed the failure or, in direction [Fix], brought it.
func undoes(r *Result) bool {
	h := r.History
	return h != nil && len(h.Suspects) > 0 && h.Suspects[len(h.Suspects)-1].ID == h.LastGood
}

// shareOf says in words how much of what it was searched among the cause is, and which updates, if it is updates alone.
func shareOf(r *Result) string {
	n := len(r.Cause)
	switch updated := updated(r); {
	case updated != "" && n < total(r):
		return fmt.Sprintf("%s (%s of %s)", updated, prose.Number(n), extentOf(r))
	case updated != "":
		return updated + where(r)
	case n < total(r):
		return prose.Number(n) + " of " + extentOf(r)
	case n == 1:
		return "the only change" + where(r)
	case n == 2:
		return "both changes" + where(r)
	}
	return "all " + extentOf(r)
}

// extentOf says in words what the cause was searched among.
func extentOf(r *Result) string { return prose.Count(total(r), "change") + where(r) }

// where names the commits that the cause was searched in, when there are any.
func where(r *Result) string {
	h := r.History
	switch {
	case h == nil || h.Commits < 2:
		return ""
	case len(h.Sides) > 0:
		return " merged in " + short(h.FirstBad)
	case len(h.Suspects) == 1:
		if r.recorded(h.Suspects[0].ID) {
			return " in the uncommitted changes"
		}
		return " in commit " + short(h.Suspects[0].ID)
	}
	return " in " + prose.Count(len(h.Suspects), "commit")
}

// shownSuspects is how many of the commits are named that may be the culprit.
const shownSuspects = 10

// suspectsCommits reports whether a search that was cut short is left with several commits, and all of
// their changes.
func (r *Result) suspectsCommits() bool {
	h := r.History
	return r.Status != Isolated && h != nil && len(h.Suspects) >= 2 && len(r.Cause) >= h.Changes.Total
}

// suspectCommits names the commits that are left to a search that was cut short,
// the oldest first, a line each, and reports whether there are any: they say more
// than all of their changes would.
func (p *page) suspectCommits() bool {
	if !p.r.suspectsCommits() {
		return false
	}
	h := p.r.History
	p.blank()
	for i, c := range h.Suspects {
		if left := len(h.Suspects) - i; i == shownSuspects-2 && left > 2 && !p.full {
			p.leftOut(prose.Count(left-1, "more commit"))
		} else if i < shownSuspects-2 || left == 1 || p.full {
			day, _, _ := strings.Cut(c.Date, "T")
			p.line((&prose.Line{}).Add(prose.Hash, "commit "+p.r.commitName(c.ID)).Add(prose.Plain, "  "+day+"  "+c.Subject))
		}
	}
	return true
}

// bases says what was amiss where good and bad part.
func (p *page) bases() {
	r := p.r
	end := func(id string) string {
		if id == r.Good.Commit {
			return r.Good.Rev
		}
		return short(id)
	}
	should := "pass"
	if r.Direction == Fix {
		should = "fail"
	}
	for _, b := range r.Bases {
		part := short(b.ID) + ", where " + end(b.Good) + " and " + r.Bad.Rev + " part, "
		switch {
		case b.Outcome == should:
		case b.Outcome != "unresolved" && b.Good == r.Good.Commit && r.Unused != "": // history says it
		case b.Outcome == "unresolved":
			p.item("base", part+"could not be judged, and was taken to "+should)
		case r.Direction == Fix:
			p.item("base", part+"passes already: it has been broken between there and "+end(b.Good))
		default:
			p.item("base", part+"fails already: the failure was there, and has been fixed between there and "+end(b.Good))
		}
	}
}

// sides says which changes of the cause came from which side of a merge, when
// they only make the difference together.
func (p *page) sides() {
	h := p.r.History
	if h == nil || p.r.Status != Isolated || len(h.SideChanges) == 0 || len(h.SideChanges) != len(h.Sides) {
		return
	}
	var parts []string
	from := map[string]bool{}
	add := func(n int, where string) {
		if n == 0 {
			return
		}
		if len(parts) == 0 {
			parts = append(parts, prose.Count(n, "change")+where)
		} else {
			parts = append(parts, prose.Number(n)+where)
		}
	}
	for i, ids := range h.SideChanges {
		add(len(ids), " from "+short(h.Sides[i]))
		for _, id := range ids {
			from[id] = true
		}
	}
	own := 0
	for i := range p.r.Cause {
		if !from[p.r.Cause[i].ID] {
			own++
		}
	}
	add(own, " made by the merge itself")
	text := "the cause has " + prose.List(parts, len(parts))
	if len(parts) > 1 && p.r.Minimal {
		text += ": they interact"
	}
	p.item("merge", text)
}

// terms says what the search among the commits has found in the words of the git
// bisect it went on with.
func (p *page) terms() {
	h := p.r.History
	if h == nil || h.Terms == (Terms{}) || h.Terms == (Terms{Old: "good", New: "bad"}) {
		return
	}
	text := short(h.LastGood) + " is " + h.Terms.Old + ", " + short(h.FirstBad) + " is "
	if len(h.Suspects) == 1 {
		text += "the first " + h.Terms.New + " commit"
	} else {
		text += h.Terms.New
	}
	p.item("bisect", text)
}

// history says what the search among the commits has found, or why there was none.
func (p *page) history() {
	if why := p.r.Unused; why != "" {
		if p.gone {
			why, _, _ = strings.Cut(why, " (gitdd log ")
		}
		p.item("history", p.called("not used: "+why))
	}
	h := p.r.History
	if h == nil || h.Commits < 2 {
		return
	}
	good, bad := "passes", "fails"
	if before, after, ok := p.r.Measured.levels(); ok {
		good, bad = "has "+p.r.Measured.about(before), "has "+p.r.Measured.about(after)
	} else if p.r.Direction == Fix {
		good, bad = bad, good
	}
	direct, sides := h.Commits, ""
	if n := h.Commits - h.FirstParents; h.FirstParents > 0 && n > 0 {
		direct, sides = h.FirstParents, " and "+prose.Number(n)+" on merged sides"
	}
	commits := prose.Count(direct, "commit")
	if h.Merges > 0 { // each of these counts as one commit
		commits += ", " + prose.Number(h.Merges) + " of them " + verb(h.Merges, "a merge", "merges")
		if sides != "" {
			commits += ","
		}
	}
	commits += sides
	tested := max(0, h.Tested-2) // but for Good and Bad
	text := fmt.Sprintf("%s, %s tested between the ends: %s %s, %s %s", commits, prose.Number(tested), p.r.commitName(h.LastGood), good, p.r.commitName(h.FirstBad), bad)
	if len(h.Sides) > 0 {
		ids := make([]string, len(h.Sides))
		for i, id := range h.Sides {
			ids[i] = short(id)
		}
		text += fmt.Sprintf("; each side of this merge (%s) %s alone", prose.List(ids, len(ids)), good)
	}
	if n := len(h.Skipped); n > 0 {
		text += fmt.Sprintf("; %s could not be judged", prose.Number(n))
	}
	p.item("history", text)
}
