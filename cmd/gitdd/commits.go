package main

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A history is the commits that a search goes through before it looks at
// changes: real revisions, of which most build.
type history struct {
	repo  *git.Repo
	whole *changes.Set // the difference that it leads through
	// line leads along first parents from a commit that should be like the older
	// end to the newer end itself.
	line []git.Commit
	// back: the older end is bad, so that the changes undo what the commits did.
	back bool
}

// historyOf returns the history between the ends of a set, or nil and why it is
// of no use. Whether the line begins where it should only a trial can tell.
func historyOf(ctx context.Context, repo *git.Repo, whole *changes.Set) (h *history, why string, err error) {
	old, new := whole.Good, whole.Bad
	for _, end := range []git.Revision{old, new} {
		if end.Commit == "" {
			return nil, end.Rev + " is a tree, not a commit", nil
		}
	}
	h = &history{repo: repo, whole: whole}
	if h.line, err = h.lineTo(ctx, new.Commit, old.Commit); err == nil && len(h.line) == 0 {
		h.back, old, new = true, new, old
		h.line, err = h.lineTo(ctx, new.Commit, old.Commit)
	}
	switch {
	case err != nil:
		return nil, "", err
	case len(h.line) > 1:
		return h, "", nil
	case repo.IsShallow():
		return nil, fmt.Sprintf("this shallow clone ends between %s and %s", old.Rev, new.Rev), nil
	}
	return nil, fmt.Sprintf("the first parents of %s never meet the history of %s", new.Rev, old.Rev), nil
}

// lineTo returns the commits on the way to tip along first parents, behind the
// one at which the way leaves the histories of the others; tip alone when it
// never meets them, and nothing when tip is in them.
func (h *history) lineTo(ctx context.Context, tip git.ID, others ...git.ID) ([]git.Commit, error) {
	line, err := h.repo.FirstParents(ctx, tip, others...)
	if err != nil || len(line) == 0 {
		return nil, err
	}
	if len(line[0].Parents) == 0 {
		return line[len(line)-1:], nil
	}
	base, err := h.repo.CommitOf(ctx, line[0].Parents[0])
	return append([]git.Commit{base}, line...), err
}

// A bisection is what the search among the commits has come to. As soon as it
// knows anything, from was tested and is like the older end, and to was tested
// and is like the newer one.
type bisection struct {
	from, to git.Commit
	back     bool            // from is like bad, and to like good
	left     []git.Commit    // the commits behind from up to to; several when those between are unresolved, or the search was cut short
	sides    []git.ID        // the parents of the merge to, if these are all like from, their merge base
	commits  int             // on the lines that were searched
	direct   int             // of these, on the first of them, that between the user's ends
	tested   map[git.ID]bool // the trees on the path of the search, the two ends included
	skipped  []git.Commit    // unresolved ones among them
}

func (b *bisection) known() bool { return b.to.ID != "" }

// commits goes through the history, if there is one, and returns the difference
// that is left: of the commit at which the outcome changes from its parent.
func (w *narrowing) commits(ctx context.Context, whole *changes.Set) (*changes.Set, *bisection, error) {
	b := &bisection{tested: map[git.ID]bool{whole.Good.Tree: true, whole.Bad.Tree: true}}
	if w.history == nil {
		return whole, b, nil
	}
	b.back, b.direct = w.history.back, len(w.history.line)-1
	err := w.culprit(ctx, b, w.history.line)
	begin := w.history.line[0].ID
	var ends *isolate.EndsError
	if errors.As(err, &ends) && begin != whole.Good.Commit && begin != whole.Bad.Commit {
		w.note(fmt.Sprintf("searching the whole difference: the histories of %s and %s meet at %s, and that does not %v",
			whole.Good.Rev, whole.Bad.Rev, short(begin), w.outside(isolate.Pass)))
		return whole, b, nil
	}
	if !b.known() {
		if w.history.back && errors.As(err, &ends) {
			err = &isolate.EndsError{Good: turned(ends.Bad), Bad: turned(ends.Good)}
		}
		return whole, b, err
	}
	// An interrupted search still says between which commits it was.
	set, err2 := w.history.difference(context.WithoutCancel(ctx), b)
	return set, b, errors.Join(err, err2)
}

// culprit narrows a line of commits to two neighbours, and goes on behind a
// merge. When its ends are not as they should be, the error is an
// *isolate.EndsError, and b as it was.
//
// A merge that fails though its first parent passes may have it from another
// side: if that side's tip fails and its begin passes, the culprit is on its
// line. If no side fails, they fail only together: then the difference is that
// from their merge base, with the changes of all sides. In any other case it is
// the merge's from its first parent.
func (w *narrowing) culprit(ctx context.Context, b *bisection, line []git.Commit) error {
	var ends *isolate.EndsError
	err := w.bisect(ctx, b, line)
	if errors.As(err, &ends) {
		return err
	}
	b.commits += len(line) - 1
	if err != nil || len(b.left) > 1 || len(b.to.Parents) < 2 {
		return err
	}
	h, merge := w.history, b.to
	for _, tip := range merge.Parents[1:] {
		side, err := h.lineTo(ctx, tip, b.from.ID, h.whole.Good.Commit, h.line[0].ID)
		if err != nil {
			return err
		}
		if len(side) == 0 {
			continue // it brought nothing
		}
		if err := w.culprit(ctx, b, side); !errors.As(err, &ends) {
			return err // found there, or stopped
		}
		if ends.Bad != isolate.Pass {
			return nil
		}
	}
	base, err := h.repo.MergeBase(ctx, merge.Parents...)
	if err != nil || base == "" {
		return err
	}
	begin, err := h.repo.CommitOf(ctx, base)
	if err != nil {
		return err
	}
	err = w.bisect(ctx, b, []git.Commit{begin, merge})
	if errors.As(err, &ends) {
		return nil
	}
	if err == nil {
		b.sides = merge.Parents
	}
	return err
}

// bisect narrows a line of commits to two neighbours, or to two with unresolved
// ones between them, and enters these into b. It is an error, an
// *isolate.EndsError, if the first does not pass or the last does not fail, as
// seen from the older end.
func (w *narrowing) bisect(ctx context.Context, b *bisection, line []git.Commit) error {
	p := isolate.Problem{N: len(line) - 1, Requires: make([][]int, len(line)-1)}
	for i := 1; i < p.N; i++ {
		p.Requires[i] = []int{i - 1}
	}
	limit := commitLimit(p.N)
	if most, limited := w.left(len(b.tested)); limited {
		known := 0
		for _, end := range []git.Commit{line[0], line[p.N]} {
			if b.tested[end.Tree] {
				known++
			}
		}
		if limit = min(limit, most+known); limit <= 0 {
			return isolate.ErrBudget
		}
	}
	w.line(line)
	result, err := isolate.Search(ctx, p, w.testCommits(line), isolate.Options{
		Jobs:      w.options.Jobs,
		MaxTrials: limit,
		Observe: func(step isolate.Step) {
			if step.Known {
				return
			}
			c := line[step.Config.Len()]
			if step.Outcome == isolate.Unresolved && !b.tested[c.Tree] {
				b.skipped = append(b.skipped, c)
			}
			b.tested[c.Tree] = true
			if b.back {
				step.Outcome = turned(step.Outcome)
			}
			w.commit(step)
		},
	})
	if ends := (*isolate.EndsError)(nil); errors.As(err, &ends) {
		return err
	}
	if result.Pass > 0 && result.Fail > 0 { // both ends were tested
		from, to := result.Passing.Len(), result.Failing.Len()
		b.from, b.to, b.left = line[from], line[to], line[from+1:to+1]
	}
	if errors.Is(err, isolate.ErrBudget) && !w.exhausted(len(b.tested)) {
		return nil // it was the limit for commits
	}
	return err
}

// commitLimit is how many trials a line of n commits may cost, its ends
// included: three times what halving takes, or all of a short line. A long
// stretch of commits that cannot be judged is not gone through one by one: among
// their changes there may be mixtures that can.
func commitLimit(n int) int { return knownEnds + 8 + 3*bits.Len(uint(n)) }

// difference cuts what lies between the ends of a bisection into changes.
func (h *history) difference(ctx context.Context, b *bisection) (*changes.Set, error) {
	good, bad := b.from.ID, b.to.ID
	if h.back {
		good, bad = bad, good
	}
	return h.cut(ctx, good, bad)
}

// cut cuts the difference of two commits into changes.
func (h *history) cut(ctx context.Context, good, bad git.ID) (*changes.Set, error) {
	if good == h.whole.Good.Commit && bad == h.whole.Bad.Commit {
		return h.whole, nil
	}
	set, err := changes.Between(ctx, h.repo, string(good), string(bad), changes.Options{})
	if err != nil {
		return h.whole, err
	}
	if set.Len() == 0 { // they differ in what git's own diff does not show
		return h.whole, nil
	}
	set.Declarations = h.whole.Declarations
	return set, nil
}

// testCommits is the test of a line that begins at the older end: isolate looks
// for what turns a pass into a fail.
func (w *narrowing) testCommits(line []git.Commit) isolate.Test {
	if w.history.back {
		return towards(trial.Fix, w.testLine(line))
	}
	return w.testLine(line)
}

// outside is an outcome of testCommits as the command has it.
func (w *narrowing) outside(o isolate.Outcome) isolate.Outcome {
	if w.history.back != (w.direction == trial.Fix) {
		return turned(o)
	}
	return o
}

// report is what a result says of a bisection, nil when there was none.
func (b *bisection) report() *report.History {
	if b == nil || !b.known() {
		return nil
	}
	h := &report.History{
		Commits:  b.commits,
		Tested:   len(b.tested),
		LastGood: string(b.from.ID),
		FirstBad: string(b.to.ID),

		FirstParents: b.direct,
	}
	if b.back {
		h.LastGood, h.FirstBad = h.FirstBad, h.LastGood
	}
	for _, c := range b.skipped {
		h.Skipped = append(h.Skipped, string(c.ID))
	}
	for _, c := range b.left {
		h.Suspects = append(h.Suspects, report.Commit{ID: string(c.ID), Subject: c.Subject, Author: c.Author, Date: c.Date.Format(time.RFC3339)})
	}
	for _, id := range b.sides {
		h.Sides = append(h.Sides, string(id))
	}
	return h
}

// short is a commit's id as people read it.
func short(id git.ID) string { return string(id[:9]) }
