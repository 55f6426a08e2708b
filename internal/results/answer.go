package results

import (
	"context"
	"slices"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/apply"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// Of returns the result of a search whose facts are known. If facts.Status is not report.NotIsolated and the
// changes were searched, Of also finds the commits of the changes, composes both ends of the answer, and
// keeps their trees and patches in the session, for show, checkout and apply.
func Of(ctx context.Context, repo *git.Repo, session *trial.Session, found search.Answer, facts report.Facts) (report.Result, error) {
	tested := found.Plan != nil // the search came to the changes
	if facts.Status == report.NotIsolated || !tested {
		return report.New(found.Set, found.Result, facts), nil
	}
	if facts.Status == report.Isolated || found.Result.Cause.Len() <= fewSuspects {
		if err := found.Set.Blame(ctx, blamed(found, facts.Status)); err != nil {
			return report.Result{}, err
		}
	}
	if err := addSides(ctx, repo, found, facts.History); err != nil {
		return report.Result{}, err
	}
	kept, err := search.Keep(ctx, repo, session, found)
	if err != nil {
		return report.Result{}, err
	}
	facts.Blob = func(id string) ([]byte, error) { return repo.Blob(ctx, git.ID(id)) }
	facts.Without, facts.With = string(kept.Without), string(kept.With)
	if facts.Measured != nil {
		facts.Measured.Passing, facts.Measured.Failing = numbers(session, kept.Without), numbers(session, kept.With)
		facts.Measured.Repaired = values(session, func(r trial.Record) bool { return r.Purpose == trial.Repaired })
	}
	addPlan(&facts, found.Plan)
	facts.BadLine = placed(ctx, repo, found, facts.Whole.Bad)
	if facts.Apart, err = search.KeepFurther(ctx, repo, session, found, facts.Whole.Bad.Tree); err != nil {
		return report.Result{}, err
	}
	if facts.Status == report.Isolated {
		several := slices.ContainsFunc(found.Further, func(f search.Further) bool { return f.IsCause() })
		facts.Apply = apply.Fits(ctx, repo, session, facts, several && facts.Apart == 0)
		if err := addReasons(found, repo.Prefix(), &facts); err != nil {
			return report.Result{}, err
		}
		if err := addFailure(ctx, repo, session, found, &facts); err != nil {
			return report.Result{}, err
		}
	}
	facts.WholeHunks, facts.Dependents = !found.RestOfHunks.IsEmpty(), found.Dependents
	facts.Alone, facts.Repaired, facts.RepairedReason = found.Alone, found.Repaired.Outcome, found.Repaired.Reason
	facts.Untraced = found.Untraced
	if line := found.Repaired.Otherwise; line != "" {
		facts.Otherwise = &report.Otherwise{Match: facts.Match, Line: line}
	}
	for _, m := range found.Messages {
		facts.Messages = append(facts.Messages, report.Diagnostic{Text: m.Text, Trials: m.Trials})
	}
	for _, f := range found.Further {
		one, err := further(ctx, repo, session, f, facts)
		if err != nil {
			return report.Result{}, err
		}
		facts.Further = append(facts.Further, one)
	}
	return report.New(found.Set, found.Result, facts), nil
}

// addPlan adds what the plan of a search says of its changes.
func addPlan(facts *report.Facts, plan *grouping.Plan) {
	facts.Symbols, facts.Updates, facts.Constraints, facts.Generated = plan.Symbols, nil, nil, plan.Generated
	for _, u := range plan.Updates {
		facts.Updates = append(facts.Updates, report.UpdateOf{Name: u.Name, Old: u.Old, New: u.New, Title: u.String(), Changes: u.Changes})
	}
	for _, t := range plan.Ties {
		if t.Reason != "" {
			facts.Constraints = append(facts.Constraints, report.ConstraintOf(t))
		}
	}
}

// blamed are the changes of an answer whose commits a report names: its cause, and its context if
// that is not too large and not all of one commit.
func blamed(found search.Answer, status report.Status) []int {
	list := slices.Collect(found.Result.Cause.All())
	one := found.Commits != nil && len(found.Commits.Left) == 1 && len(found.Commits.Sides) == 0
	if context := found.Result.Context; status == report.Isolated && !one && context.Len() <= mostBlamed {
		list = append(list, slices.Collect(context.All())...)
	}
	return list
}

// mostBlamed is how many changes of a context are blamed on commits.
const mostBlamed = 100

// fewSuspects is how many suspects of a search that was cut short are blamed on
// commits: whoever pressed Ctrl-C waits for it.
const fewSuspects = 50

// further returns what a result says of a further answer, and keeps the trees of its ends.
func further(ctx context.Context, repo *git.Repo, session *trial.Session, f search.Further, facts report.Facts) (report.Further, error) {
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
	addPlan(&facts, f.Plan)
	facts.Suspicions, facts.Artifacts = nil, nil // which are of the first answer
	facts.Verified = f.Verified
	if f.Sure != nil {
		facts.Confidence, facts.Sure = f.Confidence, f.Sure
	}
	if err := addReasons(f.Answer, repo.Prefix(), &facts); err != nil {
		return report.Further{}, err
	}
	end, err := failureOf(session, f.Answer, directionOf(&facts))
	if err != nil {
		return report.Further{}, err
	}
	facts.Line = ""
	if end != nil {
		facts.Line = end.failureLine()
	}
	return report.New(f.Set, f.Result, facts).AsFurther(report.Relation(f.Relation)), nil
}
