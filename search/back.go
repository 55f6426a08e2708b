package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A Back is what a search for a passing revision has come to.
type Back struct {
	Distance int        // of the commit that passes from bad; if none does, of the oldest that was tested
	Ends     trial.Ends // Good is the verdict on that commit
	Tried    []Tried    // in the order of the trials; bad comes first, with the distance 0
}

// A Tried is a commit that was tested on the way back.
type Tried struct {
	Distance int
	Verdict  trial.Verdict
}

// LookBack looks for a passing revision, from which a search to bad can begin. line are the commits from bad on, the
// newest first, each the first parent of the one before; it has two at least. What is asked depends on outcomes
// alone, so that a resumed search asks for the same.
//
// The error is a *trial.EndsError if bad does not fail, or if no commit that was tested passes, a *trial.CommandError if
// the command cannot run in the oldest of them either, and isolate.ErrBudget after maxTrials commits, unless that is 0.
// Back then tells of the commits that were tested before the error.
func LookBack(ctx context.Context, runner *trial.Runner, bad git.Revision, line []git.Commit, maxTrials int) (Back, error) {
	b := Back{}
	ask := func(distance int) (isolate.Outcome, error) {
		if maxTrials > 0 && len(b.Tried) >= maxTrials {
			return isolate.Unresolved, isolate.ErrBudget
		}
		v, err := runner.Older(ctx, bad, line, distance)
		if err != nil {
			return v.Outcome, err
		}
		b.Tried = append(b.Tried, Tried{distance, v})
		if distance >= b.Distance || v.Outcome == isolate.Pass {
			b.Distance, b.Ends.Good = distance, v
		}
		return v.Outcome, nil
	}
	outcome, err := ask(0)
	if err != nil {
		return b, err
	}
	b.Ends.Good, b.Ends.Bad = trial.Verdict{}, b.Tried[0].Verdict
	if seen := b.Ends.Bad.Seen(); outcome == isolate.Pass {
		return b, &trial.EndsError{Bad: b.Ends.Bad, What: "the test passes at the bad end, and there is no failure to explain: " + seen}
	} else if outcome == isolate.Unresolved {
		return b, &trial.EndsError{Bad: b.Ends.Bad, What: "the bad end cannot be judged: " + seen}
	}
	found, err := goBack(len(line)-1, ask)
	if err == nil && found == 0 {
		if err = runner.CannotRun(b.Ends); err == nil {
			err = &trial.EndsError{Good: b.Ends.Good, Bad: b.Ends.Bad, What: b.none()}
		}
	}
	return b, err
}

// goBack asks for commits at growing distances from bad, which fails and was asked for already, up to n, the oldest,
// until one passes, and returns the distance of that; 0 = none has passed. Distances are doubled. Around one that is
// unresolved others are tried that are newer, but older than the ones before: halfway back to the last distance
// first, then ever nearer to the one that is unresolved.
//
// The commit that passes, at the distance d, is asked for as one of the first 2*log2(d)+3, bad included. Doubling alone
// takes about half of these; what is left is for commits that cannot be judged.
func goBack(n int, ask func(distance int) (isolate.Outcome, error)) (int, error) {
	asked := 1 // bad
	try := func(d int) (isolate.Outcome, error) {
		asked++
		return ask(d)
	}
	for before, d := 0, 1; before < n; before, d = d, 2*d {
		d = min(d, n)
		o, err := try(d)
		if err != nil || o == isolate.Pass {
			return d, err
		}
		for step := (d - before) / 2; o == isolate.Unresolved && step > 0; step /= 2 {
			// One more is for the next distance, which may be hardly longer than this one.
			if float64(asked+2) > 2*math.Log2(float64(d-step))+3 {
				continue
			}
			if o, err = try(d - step); err != nil || o == isolate.Pass {
				return d - step, err
			}
		}
	}
	return 0, nil
}

// none says that no commit passes, and what was seen instead.
func (b Back) none() string {
	distances := map[bool][]int{} // by whether they fail
	for _, t := range b.Tried[1:] {
		fails := t.Verdict.Outcome == isolate.Fail
		distances[fails] = append(distances[fails], t.Distance)
	}
	var seen []string
	if list := distances[true]; len(list) > 0 {
		seen = append(seen, "the test fails "+before(list))
	}
	if list := distances[false]; len(list) > 0 {
		seen = append(seen, "it cannot be judged "+before(list))
	}
	return fmt.Sprintf("no older commit passes: %s (at the oldest of them: %s)", strings.Join(seen, ", and "), b.Ends.Good.Seen())
}

// before says how many commits before bad something is.
func before(distances []int) string {
	slices.Sort(distances)
	last := len(distances) - 1
	text := prose.Count(distances[last], "commit") + " before bad"
	if last == 0 {
		return text
	}
	var words []string
	for _, d := range distances[:last] {
		words = append(words, prose.Number(d))
	}
	return strings.Join(words, ", ") + " and " + text
}

// Untested is the answer before anything was tested: all changes are suspects.
func Untested(set *changes.Set) Answer { return Answer{Set: set, Result: unknown(set)} }
