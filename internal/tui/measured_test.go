package tui

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// tellMeasured tells the begin of a search for what made a number larger, in a line of ten commits, up to the second
// time that its ends are tested: then a threshold tells outcomes.
func tellMeasured(p *stream, c *clock) {
	const n = 9
	commits := make([]git.Commit, n+1)
	for i := range commits {
		commits[i] = git.Commit{ID: git.ID(strings.Repeat(string(rune('a'+i)), 40)), Subject: "Change " + string(rune('0'+i))}
	}
	prefix := func(k int) isolate.Configuration {
		var members []int
		for i := range k {
			members = append(members, i)
		}
		return isolate.Of(n, members...)
	}
	number := 0
	run := func(purpose trial.Purpose, k, attempt int, tree string, value float64, o isolate.Outcome) trial.Verdict {
		number++
		e := started(0, number, purpose, prefix(k))
		e.Attempt, e.Tree = attempt, git.ID(tree)
		p.Trial(e)
		c.pass(time.Second)
		e.Kind = trial.Finished
		e.Verdict = trial.Verdict{Outcome: o, Trial: number, Value: &value, Unit: "s", Reason: "exit 0"}
		p.Trial(e)
		return e.Verdict
	}
	good, bad := run(trial.End, 0, 1, "good", 1.2, isolate.Pass), run(trial.End, n, 1, "bad", 1.34, isolate.Pass)
	p.Event(search.EndsTested{Ends: trial.Ends{Direction: trial.Break, Good: good, Bad: bad}})
	p.Event(search.LineBegun{Stage: 1, Commits: commits})
	step := func(k, from, to int, judged bool) {
		p.Event(search.LineStep{
			Step:    isolate.Step{Config: prefix(k), Passing: prefix(from), Failing: prefix(to), Suspects: to - from},
			Commits: commits, Trial: number, Judged: judged,
		})
	}
	number -= 2 // the first two runs of the line are those
	for _, k := range []int{0, n} {
		number++
		step(k, 0, n, false)
	}
	run(trial.Search, 0, 2, "good", 1.21, isolate.Pass)
	step(0, 0, n, false)
	run(trial.Search, 4, 1, "four", 1.33, isolate.Pass)
	step(4, 0, n, true)
	run(trial.Search, 2, 1, "two", 1.22, isolate.Pass)
	step(2, 0, 4, true)
	run(trial.Search, 2, 2, "two", 1.19, isolate.Pass)
	step(2, 2, 3, false)
	bad.Outcome = isolate.Fail
	p.Event(search.EndsTested{Ends: trial.Ends{Direction: trial.Break, Good: good, Bad: bad}})
	run(trial.Confirm, 3, 1, "three", 1.33, isolate.Fail)
}

// A number is no pass before there is a threshold, and each run has its line.
func TestMeasuredLines(t *testing.T) {
	var out bytes.Buffer
	c := newClock()
	tellMeasured(streamTo(t, 9, 1, c, NewSearch(searchOn(&out, 1, c)).Take), c)
	const want = `gitdd: trial 1: good ... 1.20 s
gitdd: trial 2: bad ... 1.34 s
gitdd: trial 3, try 2: good once more ... 1.21 s
gitdd: trial 4: commit eeeeeeeee (Change 4) ... 1.33 s, among 9 commits
gitdd: trial 5: commit ccccccccc (Change 2) ... 1.22 s, among 4 commits
gitdd: trial 6, try 2: commit ccccccccc (Change 2) once more ... 1.19 s, among 1 commit
gitdd: trial 7: 3 of 9 changes in a fresh workspace ... fail (1.33 s)
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The live view counts what was measured beside what was judged, and does not say how many trials are to come.
func TestMeasuredView(t *testing.T) {
	c := newClock()
	m, told := modelOn(t, 9, 1, c)
	tellMeasured(told, c)
	var text strings.Builder
	for _, l := range m.render(80, 24, c.now()) {
		text.WriteString(l.Render(false) + "\n")
	}
	for _, want := range []string{"7 run: 6 measured, 0 pass, 1 fail, 0 unresolved", "mmmmmmF", "fail (1.33 s)", "between", "ccccccccc and ddddddddd"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the view does not say %q:\n%s", want, text.String())
		}
	}
	if got, want := m.summary(c.now()), "gitdd: 7 trials: 6 measured, 0 pass, 1 fail, 0 unresolved; 7.0 s"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}
