package report

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// eachOf returns the lowest confidence of a change in the cause, in words, if that is higher than
// the confidence of the whole cause; otherwise "".
func eachOf(r *Result) string {
	least := Probability(1)
	for _, c := range r.Cause {
		least = min(least, c.Confidence)
	}
	if len(r.Cause) < 2 || prose.Percent(least) == prose.Percent(r.Confidence) || least < r.Confidence {
		return ""
	}
	return ", of each change " + prose.Percent(least)
}

// flaky says how steady the test is, if that is a question.
func (p *page) flaky() {
	r := p.r
	f := &r.Flaky
	switch {
	case f.Wanted == 0 && r.Status != NotIsolated && len(f.Torn) > 0:
		p.item("flaky", "the test does not always say the same: "+torn(f.Torn))
	case f.Wanted > 0 && f.Passing.total() > 0:
		p.item("flaky", wrong(f, false)+"; repeated for a confidence of "+prose.Percent(f.Wanted))
	}
}

// wrong says how often the test was wrong where the answer rests on it.
func wrong(f *Flaky, interesting bool) string {
	passes, fails := "it passes", "it fails"
	if interesting {
		passes, fails = "the input is not interesting", "it is"
	}
	text := fmt.Sprintf("wrong in %s of %s where %s, in %s of %s where %s",
		prose.Number(f.Passing.Fail), tries(f.Passing), passes, prose.Number(f.Failing.Pass), tries(f.Failing), fails)
	if n := f.unjudged(); n > 0 {
		text += fmt.Sprintf("; %s unresolved, where others of the same files were not", tries(Tries{Unresolved: n}))
	}
	return text
}

// unjudged counts the attempts that were unresolved on a tree on which others were not.
func (f *Flaky) unjudged() (n int) {
	for _, t := range f.Torn {
		for _, o := range t.Outcomes {
			if outcomeWord(o) == "unresolved" {
				n++
			}
		}
	}
	return n
}

func tries(t Tries) string {
	if t.total() == 1 {
		return "1 try"
	}
	return prose.Number(t.total()) + " tries"
}

func (t Tries) total() int { return t.Pass + t.Fail + t.Unresolved }

// torn says which trials contradict each other on one tree, and how many more
// trees there are.
func torn(list []Torn) string {
	t := list[0]
	seen := map[string]bool{}
	var parts []string
	for i, o := range t.Outcomes {
		if !seen[o] && i < len(t.Trials) {
			seen[o] = true
			parts = append(parts, fmt.Sprintf("%s in trial %d", o, t.Trials[i]))
		}
	}
	text := "on one tree " + strings.Join(parts, ", ")
	if more := len(list) - 1; more > 0 {
		text += fmt.Sprintf("; %s more like that", prose.Number(more))
	}
	return text
}
