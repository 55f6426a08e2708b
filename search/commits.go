package search

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A Bisection is the result of the search among the commits. If it is Narrowed, From was tested and has the
// outcome of the older end, and To was tested and has the outcome of the newer end.
type Bisection struct {
	From, To     git.Commit
	Reversed     bool                       // the newer end is good: From has the outcome of bad, and To that of good
	Left         []git.Commit               // the commits after From up to To; several if the commits between are unresolved, or the search was cut short
	Sides        []git.ID                   // the parents of the merge To, if all of them have the outcome of From, their merge base
	Commits      int                        // on the lines that were searched
	FirstParents int                        // of these, on the first line, that between good and bad
	Merges       int                        // among FirstParents
	tested       map[git.ID]bool            // the trees on the path of the search, the two ends included; false = a check rejected it
	Skipped      []git.Commit               // commits that were unresolved
	bounds       []git.ID                   // what is in the histories of these is no suspect
	Passed       []git.ID                   // commits beside the lines that passed
	Bases        []Base                     // where good and bad diverge
	Outcomes     map[git.ID]isolate.Outcome // of the commits that were tested, as seen from the older end
	Unused       string                     // why the whole difference was searched, if the commits should have been searched; "" = they were searched, or should not be
}

// Narrowed reports whether the search among the commits has come to anything.
func (b *Bisection) Narrowed() bool { return b != nil && b.To.ID != "" }

// commits goes through the history, if there is one, and returns the difference
// that is left: of the commit at which the outcome changes from its parent.
func (w *searcher) commits(ctx context.Context, whole *changes.Set) (*changes.Set, *Bisection, error) {
	b := &Bisection{
		tested:   map[git.ID]bool{whole.Good.Tree: true, whole.Bad.Tree: true},
		Outcomes: map[git.ID]isolate.Outcome{},
	}
	h := w.history
	if w.line != nil {
		return whole, w.line.commits, nil
	}
	if h == nil {
		return whole, b, nil
	}
	b.Reversed = h.back
	bounds, all, err := w.bases(ctx, b)
	if all || err != nil {
		return whole, b, err
	}
	l := h.line
	if len(bounds) > 0 {
		tip := l.all[len(l.all)-1].ID
		if l, err = h.lineTo(ctx, tip, h.known.Paths, append(bounds, h.older().ID)...); err != nil {
			return whole, b, err
		}
		if len(l.all) == 0 || l.foreign {
			l = h.line
		}
	}
	begin := l.all[0].ID
	b.FirstParents, b.bounds = len(l.all)-1, append(bounds, h.older().ID, begin)
	for _, c := range l.all[1:] {
		if len(c.Parents) > 1 {
			b.Merges++
		}
	}
	l, b.Commits = w.span.of(l)
	w.span.carry(b)
	err = w.culprit(ctx, b, l)
	var ends *isolate.EndsError
	if errors.As(err, &ends) && !h.isEnd(begin) {
		w.skipHistory(b, begin)
		return whole, b, nil
	}
	if !b.Narrowed() {
		if h.back && errors.As(err, &ends) {
			err = &isolate.EndsError{Good: ends.Bad.Opposite(), Bad: ends.Good.Opposite()}
		}
		return whole, b, err
	}
	for _, c := range b.Left {
		if w.isSkipped(c) {
			b.Skipped = append(b.Skipped, c)
		}
	}
	// An interrupted search still says between which commits it was.
	set, err2 := h.difference(context.WithoutCancel(ctx), b)
	return set, b, errors.Join(err, err2)
}

// skipHistory tells the user, now and in the report, that gitdd searches the whole difference instead of
// the history: part, the commit at which the histories of good and bad diverge, has the outcome of
// bad.
func (w *searcher) skipHistory(b *Bisection, part git.ID) {
	good, bad := w.history.whole.Good.Rev, w.history.whole.Bad.Rev
	was := "fails already: it was fixed"
	if w.outside(isolate.Fail) == isolate.Pass {
		was = "passes already: it was broken"
	}
	b.Unused = fmt.Sprintf("%s, where the histories of %s and %s part, %s on the side of %s, or the command does not test that commit",
		part.Short(), good, bad, was, good)
	for _, r := range w.trials.Session.Records() {
		if r.Commit == part {
			b.Unused += fmt.Sprintf(" (gitdd log --trial %d)", r.Trial)
			break
		}
	}
	w.note("searching the whole difference: " + b.Unused)
}

// culprit narrows a line of commits to two neighbours, and goes on after a
// merge. When its ends are not as they should be, the error is an
// *isolate.EndsError, and b as it was.
//
// A merge that fails though its first parent passes may have it from another
// side: if that side's tip fails and its begin passes, the culprit is on its
// line. If no side fails, they fail only together: then the difference is that
// from their merge base, with the changes of all sides. In any other case it is
// the merge's from its first parent.
//
// A side with a root of its own has no begin that could pass. Its commits are
// searched as if the first parent came before the root; when it is the root that
// fails, that may be for all that it lacks, and the merge stays the culprit.
func (w *searcher) culprit(ctx context.Context, b *Bisection, l line) error {
	var ends *isolate.EndsError
	err := w.narrow(ctx, b, l)
	if errors.As(err, &ends) {
		return err
	}
	b.Commits += len(l.all) - 1
	h, merge := w.history, b.To
	switch {
	case err != nil || h.known.FirstParent:
		return err
	case len(b.Left) > 1:
		return w.sideBranches(ctx, b)
	case len(merge.Parents) < 2:
		return nil
	}
	unresolved := false
	for _, tip := range merge.Parents[1:] {
		side, err := h.lineTo(ctx, tip, h.known.Paths, append(b.bounds, b.From.ID)...)
		if err != nil {
			return err
		}
		if len(side.all) == 0 {
			continue // it brought nothing
		}
		before := *b
		if side.foreign {
			side.all = append([]git.Commit{b.From}, side.all...)
		}
		if err := w.culprit(ctx, b, side); !errors.As(err, &ends) {
			if side.foreign && b.From.ID == before.From.ID {
				b.From, b.To, b.Left, b.Sides, b.Commits = before.From, before.To, before.Left, before.Sides, before.Commits
			}
			return err // found there, or stopped
		}
		switch ends.Bad {
		case isolate.Fail:
			return nil
		case isolate.Unresolved:
			unresolved = true
		}
	}
	if unresolved {
		return w.sideBranches(ctx, b)
	}
	base, err := h.repo.MergeBase(ctx, merge.Parents...)
	if err != nil || base == "" {
		return err
	}
	begin, err := h.repo.CommitOf(ctx, base)
	if err != nil {
		return err
	}
	err = w.bisect(ctx, b, line{all: []git.Commit{begin, merge}}, false)
	if errors.As(err, &ends) {
		return nil
	}
	if err == nil {
		b.Sides = merge.Parents
	}
	return err
}

// narrow narrows a line of commits to two neighbours, or to two with such between
// them that cannot be judged.
//
// If those that touch the paths are all that is worth a trial, what comes out is
// the first of them that fails. It is not named before its own parent passes.
// When that does not, the paths do not tell all, and the commits in between are
// searched.
//
// If commits before it touch the paths and cannot be judged, and its parent comes after all
// of them, the outcome of the parent tells on which side of it the first bad commit lies. If that
// cannot be judged either, the commits before the first of them are left out: see dropPassing.
func (w *searcher) narrow(ctx context.Context, b *Bisection, l line) error {
	assumed := false
	err := w.bisect(ctx, b, l, assumed)
	var ends *isolate.EndsError
	if errors.As(err, &ends) && ends.Good == isolate.Unresolved && ends.Bad == isolate.Fail {
		w.note(fmt.Sprintf("commit %s, where the line begins, could not be judged: going on as if it did %v, as git bisect does", l.all[0].ID.Short(), w.outside(isolate.Pass)))
		assumed = true
		err = w.bisect(ctx, b, l, assumed)
	}
	if err != nil || l.touch == nil || len(b.Left) < 2 {
		return err
	}
	last := slices.IndexFunc(l.all, func(c git.Commit) bool { return c.ID == b.To.ID })
	first := last - len(b.Left)
	assumed = assumed && first == 0
	unjudged := false // commits between them that touch the paths
	for i := first + 1; i < last; i++ {
		unjudged = unjudged || l.touches(i)
	}
	if unjudged && (!l.touches(last) || l.touches(last-1)) {
		return w.dropPassing(ctx, b, l, first, last, assumed)
	}
	touching := strings.Join(w.history.known.Paths, " ")
	if !l.touches(last) {
		w.note(fmt.Sprintf("the commits that touch %s all %v: searching those behind them", touching, w.outside(isolate.Pass)))
		return w.bisect(ctx, b, l.part(first, last), assumed)
	}
	parent := l.all[last-1]
	switch o, err := w.try(ctx, b, parent); {
	case err != nil:
		return err
	case o == isolate.Pass:
		b.From, b.Left = parent, b.Left[len(b.Left)-1:]
		return nil
	case o == isolate.Fail:
		if !unjudged {
			w.note(fmt.Sprintf("commit %s, the parent of %s, does not %v, though no commit between %s and it touches %s: searching these",
				parent.ID.Short(), b.To.ID.Short(), w.outside(isolate.Pass), l.all[first].ID.Short(), touching))
		}
		return w.bisect(ctx, b, l.part(first, last-1), assumed)
	case unjudged:
		return w.dropPassing(ctx, b, l, first, last, assumed)
	}
	return w.bisect(ctx, b, l.part(first, last), assumed)
}

// dropPassing leaves out of b.Left, the commits of a line after first up to last, those before
// the first commit that touches the paths, if the parent of that commit passes. If the parent
// fails, the first bad commit is among those before it. The commit first passes, last fails, and
// one between them touches the paths. Cost: a trial, and if that fails, a bisection.
func (w *searcher) dropPassing(ctx context.Context, b *Bisection, l line, first, last int, assumed bool) error {
	before := first
	for before+1 < last && !l.touches(before+1) {
		before++
	}
	if before == first {
		return nil
	}
	switch o, err := w.try(ctx, b, l.all[before]); {
	case err != nil:
		return err
	case o == isolate.Pass:
		b.From, b.Left = l.all[before], l.all[before+1:last+1]
	case o == isolate.Fail:
		return w.bisect(ctx, b, l.part(first, before), assumed)
	}
	return nil
}

// bisect narrows a line of commits to two neighbours, or to two with others
// between them that cannot be judged or were not tested, and enters these into b.
// It is an error, an *isolate.EndsError, if the first does not pass or the last
// does not fail, as seen from the older end. The first is not tested if it is
// assumed to pass; then it does not become b.From.
func (w *searcher) bisect(ctx context.Context, b *Bisection, l line, assumed bool) error {
	stops := l.stops()
	commits := make([]git.Commit, len(stops))
	for i, stop := range stops {
		commits[i] = l.all[stop]
	}
	result, err := w.search(ctx, b, commits, assumed)
	if ends := (*isolate.EndsError)(nil); errors.As(err, &ends) {
		return err
	}
	last := l.all[len(l.all)-1]
	switch {
	case result.Pass > 0 && result.Fail > 0: // both ends were asked for
		from, to := stops[result.Passing.Len()], stops[result.Failing.Len()]
		b.To, b.Left = l.all[to], l.all[from+1:to+1]
		if from > 0 || !assumed {
			b.From = l.all[from]
		} else if b.From.ID == "" {
			b.From = w.history.older()
		}
	case err != nil && !b.Narrowed() && w.history.isEnd(l.all[0].ID) && w.history.isEnd(last.ID):
		// It was cut short before that; but these were tested before the search.
		b.From, b.To, b.Left = l.all[0], last, l.all[1:]
	}
	if errors.Is(err, isolate.ErrBudget) && !w.exhausted(b.Trials()) {
		return nil // it was the limit for commits
	}
	return err
}

// try returns the outcome of one commit, as seen from the older end.
func (w *searcher) try(ctx context.Context, b *Bisection, c git.Commit) (isolate.Outcome, error) {
	w.one = true
	_, err := w.search(ctx, b, []git.Commit{w.history.older(), c}, false)
	w.one = false
	if ends := (*isolate.EndsError)(nil); errors.As(err, &ends) {
		return ends.Bad, nil
	}
	return isolate.Fail, err
}

// search looks for the step at which the outcome changes among commits in a line.
func (w *searcher) search(ctx context.Context, b *Bisection, line []git.Commit, assumed bool) (isolate.Result, error) {
	p := isolate.Problem{N: len(line) - 1, Requires: make([][]int, len(line)-1)}
	for i := 1; i < p.N; i++ {
		p.Requires[i] = []int{i - 1}
	}
	limit := commitLimit(p.N)
	if most, limited := w.left(b.Trials()); limited {
		known := 0
		for _, end := range []git.Commit{line[0], line[p.N]} {
			if b.tested[end.Tree] || w.isSkipped(end) {
				known++
			}
		}
		if limit = min(limit, most+known); limit <= 0 {
			return isolate.Result{}, isolate.ErrBudget
		}
	}
	w.stage++
	w.observe(LineBegun{Stage: w.stage, Number: w.number, SetNumber: w.Runner.Line(line), Commits: line, One: w.one})
	var doubt func(context.Context, isolate.Configuration, isolate.Outcome, float64) (bool, error)
	if w.surely() {
		doubt = func(ctx context.Context, c isolate.Configuration, o isolate.Outcome, odds float64) (bool, error) {
			if c.IsEmpty() && assumed {
				return true, nil // whatever a trial would say
			}
			holds, err := w.Runner.DoubtCommits(ctx, w.history.whole.Good, line, c, w.outside(o), odds)
			return w.hold(holds, err, Named(line[c.Len()].ID, line), w.outside(o))
		}
	}
	result, err := isolate.Search(ctx, p, w.testCommits(line, assumed), isolate.Options{
		Doubt:     doubt,
		Precheck:  w.checking(func(c isolate.Configuration) bool { return w.Runner.RejectedCommit(line, c) }),
		Jobs:      w.trials.Jobs,
		MaxTrials: limit,
		MaxCost:   w.cost(),
		Observe: func(step isolate.Step) {
			k := step.Config.Len()
			one := LineStep{Step: step, Commits: line, Outcome: w.outside(step.Outcome)}
			one.Judged = !step.Known && !w.isSkipped(line[k]) && (k > 0 || !assumed)
			if !step.Known {
				one.Trial = w.Runner.ToldCommit(line, step.Config)
				w.path.add(one.Trial)
			}
			w.observe(one)
			if c := line[k]; one.Judged {
				rejected := step.Outcome == isolate.Unresolved && w.Runner.RejectedCommit(line, step.Config)
				if _, known := b.tested[c.Tree]; step.Outcome == isolate.Unresolved && !known {
					b.Skipped = append(b.Skipped, c)
				}
				b.tested[c.Tree] = b.tested[c.Tree] || !rejected
				b.Outcomes[c.ID] = step.Outcome
				if b.Reversed {
					step.Outcome = step.Outcome.Opposite()
				}
				w.odds.add(step.Outcome)
			}
			if !step.Known && w.Runner.StepCommits(line, step.Config) {
				w.stop(errTrials)
			}
		},
	})
	w.observe(StageEnded{result, err})
	return result, err
}

// isSkipped: it is known that the commit cannot be judged, whatever a trial would
// say. Both ends are tested even then.
func (w *searcher) isSkipped(c git.Commit) bool {
	return w.history.known.Skipped[c.ID] && !w.history.isEnd(c.ID)
}

// commitLimit is how many trials a line of n commits may cost, its ends
// included: three times what halving takes, or all of a short line. A long
// stretch of commits that cannot be judged is not gone through one by one: among
// their changes there may be mixtures that can.
func commitLimit(n int) int { return knownEnds + 8 + 3*bits.Len(uint(n)) }

// testCommits is the test of a line that begins at the older end: isolate looks
// for what turns a pass into a fail.
func (w *searcher) testCommits(line []git.Commit, assumed bool) isolate.Test {
	test := towards(w.direction, w.Runner.Commits(w.history.whole.Good, line))
	if w.history.back {
		test = towards(trial.Fix, test)
	}
	return func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		switch {
		case assumed && c.IsEmpty():
			return isolate.Pass, nil
		case w.isSkipped(line[c.Len()]):
			return isolate.Unresolved, nil
		}
		return test(ctx, c)
	}
}

// outside is an outcome of testCommits as the command has it.
func (w *searcher) outside(o isolate.Outcome) isolate.Outcome {
	if w.history.back != (w.direction == trial.Fix) {
		return o.Opposite()
	}
	return o
}

// Trials is how many of the trees on the path were tested, and not rejected by a check.
func (b *Bisection) Trials() (n int) {
	if b == nil {
		return 0
	}
	for _, tried := range b.tested {
		if tried {
			n++
		}
	}
	return n
}
