package byhand

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A Progress follows a search, so that what it asks for can be said in words. The zero Progress is ready.
type Progress struct {
	commits []git.Commit  // of the stage among commits; nil = the stage is among changes
	answer  search.Answer // of the stage among changes
	step    isolate.Step  // the last one of the stage
	settled bool          // answer is the cause; what is asked for is to be sure of it
	older   []git.Commit  // from bad on back in time, while the good end is looked for
}

// Older is for a search whose good end is looked for among commits, which go from bad on back in time.
func (p *Progress) Older(line []git.Commit) { *p = Progress{older: line} }

// Event is for search.Options.Observe.
func (p *Progress) Event(e search.Event) {
	switch e := e.(type) {
	case search.Rewound:
		*p = Progress{}
	case search.LineBegun:
		*p = Progress{commits: e.Commits}
	case search.LineStep:
		p.step = e.Step
	case search.ChangesBegun:
		*p = Progress{answer: e.Answer}
	case search.ChangesStep:
		p.step = e.Step
	case search.Settled:
		p.answer, p.settled = e.Answer, true
	}
}

// shownPlaces is how many changes are named one by one.
const shownPlaces = 3

// What says in a line what a configuration consists of.
func (p *Progress) What(q trial.Request) string {
	switch {
	case q.Purpose == trial.Repaired:
		return "the bad revision without the cause"
	case q.Purpose == trial.Older:
		return search.Named(q.Commit, p.older) + ", " + prose.Count(q.Config.Len(), "commit") + " before bad"
	case q.Commit != "":
		text := search.Named(q.Commit, p.commits)
		if len(p.commits) > 2 {
			text += fmt.Sprintf(", %d of the %d that are searched", q.Config.Len(), len(p.commits)-1)
		}
		return text
	}
	rest := isolate.Full(q.Config.N()).Minus(q.Config)
	if n := rest.Len(); n > 0 && n <= shownPlaces && n < q.Config.Len() {
		return "good with " + search.Applied(q.Config) + ", all but " + p.places(q.Set, rest)
	}
	return "good with " + search.Applied(q.Config) + ": " + p.places(q.Set, q.Config)
}

// places names changes of a set: each of them, if they are few, or else the files that have most of them.
func (p *Progress) places(set *changes.Set, c isolate.Configuration) string {
	var places []string
	if c.Len() <= shownPlaces {
		var symbols []string
		if p.answer.Set == set && p.answer.Plan != nil {
			symbols = p.answer.Plan.Symbols
		}
		for i := range c.All() {
			places = append(places, report.ReferenceTo(set, i, symbols).Place())
		}
		return strings.Join(places, ", ")
	}
	files, count := []string(nil), map[string]int{}
	for i := range c.All() {
		path := set.Changes[i].Path
		if count[path]++; count[path] == 1 {
			files = append(files, path)
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return count[b] - count[a] })
	for _, path := range files[:min(len(files), shownPlaces)] {
		places = append(places, fmt.Sprintf("%s (%s)", path, prose.Number(count[path])))
	}
	text := strings.Join(places, ", ")
	if more := len(files) - shownPlaces; more > 0 {
		text += " and " + prose.Count(more, "more file")
	}
	return text
}

// Left says in a line what is still suspected, and how many more judgements that takes.
func (p *Progress) Left(q trial.Request) string {
	suspects, what := 0, "change"
	switch {
	case p.commits != nil:
		suspects, what = len(p.commits)-1, "commit"
	case p.answer.Set != nil:
		suspects = p.answer.Set.Len()
	}
	if p.step.Trial > 0 {
		suspects = p.step.Failing.Len() - p.step.Passing.Len()
	}
	switch {
	case q.Purpose == trial.Repaired:
		return "one more judgement, to be sure"
	case q.Purpose == trial.Older:
		if n := len(p.older) - 1 - q.Config.Len(); n > 0 {
			return "no good commit is known yet; " + prose.Count(n, "older commit")
		}
		return "no good commit is known yet, and this is the oldest one"
	case suspects == 0:
		return ""
	}
	text := prose.Count(suspects, what) + " suspected"
	if suspects == 1 && p.commits == nil {
		text = "1 change left; which others it needs is asked for"
	}
	if n := p.step.Estimate; n > 0 {
		text += ", about " + prose.Count(n, "more judgement")
	}
	if p.commits != nil {
		text += ", then the changes of one commit"
	}
	return text
}

// Best says in a line what is known already; "" = nothing.
func (p *Progress) Best() string {
	c := p.answer.Commits
	one := p.commits == nil && c.Narrowed() && len(c.Left) == 1
	switch {
	case p.settled && one:
		return "the cause is in " + search.Named(c.To.ID, append([]git.Commit{{}}, c.Left...)) + ": " + p.places(p.answer.Set, p.answer.Result.Cause)
	case p.settled:
		return "the cause is " + p.places(p.answer.Set, p.answer.Result.Cause)
	case one:
		return "the cause is in " + search.Named(c.To.ID, append([]git.Commit{{}}, c.Left...))
	}
	return ""
}
