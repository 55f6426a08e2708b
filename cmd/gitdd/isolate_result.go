package main

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// reportCommits is what a result says of a bisection, nil when there was none.
func reportCommits(b *search.Bisection) *report.History {
	if b == nil || !b.Narrowed() {
		return nil
	}
	h := &report.History{
		Commits:  b.Commits,
		Tested:   b.Trials(),
		LastGood: string(b.From.ID),
		FirstBad: string(b.To.ID),

		FirstParents: b.FirstParents,
		Merges:       b.Merges,
	}
	if b.Reversed {
		h.LastGood, h.FirstBad = h.FirstBad, h.LastGood
	}
	for _, c := range b.Skipped {
		h.Skipped = append(h.Skipped, string(c.ID))
	}
	for _, c := range b.Left {
		h.Suspects = append(h.Suspects, report.Commit{ID: string(c.ID), Subject: c.Subject, Author: c.Author, Date: c.Date.Format(time.RFC3339)})
	}
	for _, id := range b.Sides {
		h.Sides = append(h.Sides, string(id))
	}
	return h
}

// reportUnused is Result.Unused.
func reportUnused(b *search.Bisection) string {
	if b == nil || b.Narrowed() {
		return ""
	}
	return b.Unused
}

// reportBases is what a result says of the commits at which good and bad diverge.
func reportBases(b *search.Bisection) []report.Base {
	if b == nil {
		return nil
	}
	var list []report.Base
	for _, base := range b.Bases {
		list = append(list, report.Base{ID: string(base.Commit.ID), Subject: base.Commit.Subject, Good: string(base.Good), Outcome: base.Outcome.String()})
	}
	return list
}

// uncut says why the cause was not cut into lines, and names the longest change that could be cut,
// if one has at least manyLines lines. It returns "" if --level is hunk or symbol. If no finer
// round was cut short, it says so only with --level auto, and only of such a change.
func (s *settings) uncut(found search.Answer) string {
	if s.level == "hunk" || s.level == "symbol" || found.Result.Cause.IsEmpty() {
		return ""
	}
	_, starts, _ := found.Set.Split(slices.Collect(found.Result.Cause.All()), changes.EveryLine)
	var longest *changes.Change
	lines := search.ManyLines - 1
	for i := range found.Result.Cause.All() {
		c := &found.Set.Changes[i]
		if n := max(c.OldLines, c.NewLines); starts[i+1]-starts[i] > 1 && n > lines {
			longest, lines = c, n
		}
	}
	what := "the cause was not cut further"
	if longest != nil {
		what = fmt.Sprintf("%s was not cut into its %d lines", record.Place(longest), lines)
	}
	switch {
	case found.Uncut != "":
		return what + ": " + found.Uncut
	case longest != nil && s.level == "auto":
		return fmt.Sprintf("%s: lines that came together seldom fail alone; --level line tries them, in %d trials or more", what, bits.Len(uint(lines))+1)
	}
	return ""
}

// concludeFurther makes what a report says of a further answer, and keeps the
// trees of its ends.
func (a *app) concludeFurther(ctx context.Context, repo *git.Repo, session *trial.Session, f search.Further, facts report.Facts) (report.Further, error) {
	if err := f.Set.Blame(ctx, blamed(f.Answer, report.Isolated)); err != nil {
		return report.Further{}, err
	}
	scratch, err := search.AnswerStore(repo, session)
	if err != nil {
		return report.Further{}, err
	}
	without, with, err := search.StoreEnds(ctx, f.Answer, scratch)
	if err != nil {
		return report.Further{}, err
	}
	facts.BadLine = placed(ctx, repo, f.Answer, facts.Whole.Bad)
	facts.Whole, facts.History, facts.Further, facts.Place = nil, nil, nil, nil
	facts.Without, facts.With = string(without.ID), string(with.ID)
	facts.Symbols, facts.Verified = f.Plan.Symbols, f.Verified
	if f.Sure != nil {
		facts.Confidence, facts.Sure = f.Confidence, f.Sure
	}
	if err := suspect(f.Answer, repo.Prefix(), &facts); err != nil {
		return report.Further{}, err
	}
	return report.New(f.Set, f.Result, facts).AsFurther(report.Relation(f.Relation)), nil
}

// timeouts counts the trials that were ended by their limit.
func timeouts(records []trial.Record) (t report.Timeouts) {
	for _, r := range records {
		if !r.TimedOut {
			continue
		}
		if t.Trials++; r.Limit > 0 {
			t.Longest = max(t.Longest, r.Limit)
			if t.Shortest == 0 || r.Limit < t.Shortest {
				t.Shortest = r.Limit
			}
		}
	}
	return t
}

// rates says how often the test was wrong at the ends.
func rates(f trial.Flakiness) string {
	return fmt.Sprintf("how steady the test is: good %v; bad %v", f.Good, f.Bad)
}

// flaky is what a report says of how steady the test is.
func (s *judging) flaky(f trial.Flakiness) report.Flaky {
	r := report.Flaky{Wanted: s.confidence}
	if f.Good.Total() > 0 {
		r.Good, r.Bad = tries(f.Good), tries(f.Bad)
		r.Passing, r.Failing = tries(f.Passing), tries(f.Failing)
		r.WrongFail, r.WrongPass = f.WrongFail, f.WrongPass
	}
	for _, t := range f.Torn {
		r.Torn = append(r.Torn, report.Torn{Tree: string(t.Tree), Trials: t.Trials, Outcomes: words(t.Outcomes)})
	}
	return r
}

func tries(t isolate.Tally) report.Tries {
	return report.Tries{Pass: t.Pass, Fail: t.Fail, Unresolved: t.Unresolved}
}

func words(outcomes []isolate.Outcome) []string {
	list := make([]string, len(outcomes))
	for i, o := range outcomes {
		list[i] = o.String()
	}
	return list
}
