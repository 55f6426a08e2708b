package trial

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// A FlakyError says that the same command on the same files had different
// outcomes.
type FlakyError struct {
	Config   string            // in its set, as isolate.Configuration prints it
	Tree     git.ID            // or the digest of an input
	Trials   []int             // at least two
	Outcomes []isolate.Outcome // of these trials; not all equal
	Output   bool              // all have failed with the same exit status; what some printed made them unresolved

	what        string // good, bad, a commit, or how many changes were applied
	interesting bool   // the words of its outcomes are those of such a test
}

// Error names the first trial and the first that disagrees with it.
func (e *FlakyError) Error() string {
	first, other := e.differing()
	if e.Output {
		return fmt.Sprintf("the test fails with the same exit status, but prints another failure now and then: %s did so in trial %d, unlike in trial %d",
			e.what, e.Trials[slices.Index(e.Outcomes, isolate.Unresolved)], e.Trials[slices.Index(e.Outcomes, isolate.Fail)])
	}
	return fmt.Sprintf("the test is flaky: %s gave %s in trial %d and %s in trial %d",
		e.what, e.Outcomes[first].Word(e.interesting), e.Trials[first], e.Outcomes[other].Word(e.interesting), e.Trials[other])
}

// differing returns the indices of the first trial and of the first that disagrees with it.
func (e *FlakyError) differing() (first, other int) {
	for other = 1; other < len(e.Outcomes)-1 && e.Outcomes[other] == e.Outcomes[first]; {
		other++
	}
	return first, other
}

// contradiction returns a *FlakyError if the trials of the tree that began in a
// clean workspace, be it in the search or to confirm, had different outcomes:
// nothing that an earlier trial has left behind explains that. r.mu is held.
func (r *pool) contradiction(q question) error {
	recs := slices.Clone(r.memo.attempts[memoKey{tree: q.key.tree, settings: r.cleanKey}])
	for _, key := range slices.Compact([]string{r.cleanKey, r.firstKey}) {
		recs = append(recs, r.memo.confirms[memoKey{tree: q.key.tree, settings: key}]...)
	}
	slices.SortFunc(recs, func(a, b Record) int { return a.Trial - b.Trial })
	return r.disagreement(q, recs)
}

// disagreement returns an error if not all records, which are of one question
// or none, have the same outcome.
func (r *pool) disagreement(q question, recs []Record) error {
	flaky := &FlakyError{what: q.what(), interesting: r.interpret.interesting, Output: true}
	differ := false
	recs = slices.DeleteFunc(slices.Clone(recs), Record.saysNothing)
	for _, rec := range recs {
		if rec.Commit != "" {
			flaky.what = "commit " + string(rec.Commit[:9])
		}
		flaky.Config, flaky.Tree = rec.Config, rec.Tree
		flaky.Trials = append(flaky.Trials, rec.Trial)
		flaky.Outcomes = append(flaky.Outcomes, isolate.Outcome(rec.Outcome))
		differ = differ || rec.Outcome != recs[0].Outcome
		flaky.Output = flaky.Output && rec.Exit == recs[0].Exit && (rec.Other && !rec.Unmatched || isolate.Outcome(rec.Outcome) == isolate.Fail)
	}
	if !differ {
		return nil
	}
	return flaky
}

// saysNothing reports whether a record is no sign of what another trial of the same tree
// comes to: machines lost it, it was ended early, or a check rejected it.
func (rec Record) saysNothing() bool { return rec.gaveUp() || rec.Shortened || rec.Rejected }

// what is what a person calls what is asked about.
func (q *question) what() string {
	if q.input != nil {
		return q.input.Summary()
	}
	c := q.config
	switch c.Len() {
	case 0:
		return "good"
	case c.N():
		return "bad"
	}
	return "a mixture of " + strconv.Itoa(c.Len()) + " of " + strconv.Itoa(c.N()) + " changes"
}
