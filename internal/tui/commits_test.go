package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// among tells the story of a search among 60 commits, up to its begin among the
// changes of one.
func among(p *stream, c *clock, look func(moment string)) {
	const n = 60
	var commits []git.Commit
	for i := range n + 1 {
		commits = append(commits, git.Commit{ID: git.ID(fmt.Sprintf("%08x%032d", uint32(i+1)*2654435761, i)), Subject: fmt.Sprintf("Do the %d. thing that was asked for, and \x1b[31mmore", i)})
	}
	prefix := func(k int) isolate.Configuration {
		c := isolate.Empty(n)
		for i := range k {
			c = c.With(i)
		}
		return c
	}
	number := 2
	ask := func(k int, o isolate.Outcome, from, to, estimate int) {
		number++
		e := started(0, number, trial.Search, prefix(k))
		e.Commit = commits[k].ID
		p.Trial(e)
		c.pass(2 * time.Second)
		look(fmt.Sprintf("trial %d", number))
		e.Kind, e.Verdict = trial.Finished, trial.Verdict{Outcome: o, Trial: number, Duration: 2 * time.Second, Reason: "told", LastLine: "ok"}
		p.Trial(e)
		p.Event(lineStep(isolate.Step{Config: prefix(k), Outcome: o, Passing: prefix(from), Failing: prefix(to), Suspects: to - from, Estimate: estimate, Least: estimate - 1, Most: 3 * estimate}))
	}
	p.Event(search.LineBegun{Commits: commits})
	p.Event(lineStep(isolate.Step{Config: prefix(0), Outcome: isolate.Pass, Passing: prefix(0), Failing: prefix(n), Suspects: n, Estimate: 7, Least: 6, Most: 21}))
	ask(30, isolate.Unresolved, 0, n, 8)
	ask(45, isolate.Fail, 0, 45, 7)
	ask(15, isolate.Pass, 15, 45, 6)
	look("among commits")
	a := story(6)
	p.step(a, isolate.Step{Config: isolate.Of(6, 1), Outcome: isolate.Pass, Passing: isolate.Of(6, 1), Failing: isolate.Full(6), Suspects: 5, Estimate: 3, Least: 2, Most: 9})
	look("among changes")
}

func lineStep(step isolate.Step) search.LineStep {
	return search.LineStep{Step: step, Outcome: step.Outcome, Judged: true}
}

func TestRenderCommits(t *testing.T) {
	c := newClock()
	s, told := modelOn(t, 400, 1, c)
	var got strings.Builder
	among(told, c, func(moment string) {
		for _, width := range []int{80, 40} {
			fmt.Fprintf(&got, "-- %s, %d columns --\n%s", moment, width, drawn(s, width, 24, c.now(), false))
		}
	})
	goldenProgress(t, "commits_view.txt", got.String())
}

func TestPlainCommits(t *testing.T) {
	var got strings.Builder
	for _, verbose := range []bool{false, true} {
		var out strings.Builder
		c := newClock()
		among(streamTo(t, 400, 1, c, NewSearch(Options{Out: &out, Jobs: 1, Verbose: verbose}).Take), c, func(string) {})
		fmt.Fprintf(&got, "-- verbose %v --\n%s", verbose, out.String())
	}
	goldenProgress(t, "commits_plain.txt", got.String())
}
