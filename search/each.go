package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
	"github.com/gitdd/gitdd/trial"
)

// EachOptions say which tests of a suite Each searches for, and how.
type EachOptions struct {
	Suite *trial.Runner  // performs the trials; it has trial.Options.Tests
	Tests *regexp.Regexp // only tests whose names match; nil = all
	Fixed bool           // tests that fail at good and pass at bad, in place of those that pass at good and fail at bad

	// Search searches for what makes one test fail: by Run, with a Runner of Suite.ForTest and with this Joint.
	Search func(ctx context.Context, test string, joint *Joint) (Found, error)

	// Observe is told what the ends have shown, and after each search how far Each has come; nil = nobody is.
	Observe func(EachFound)
}

// An EachFound is what Each has found.
type EachFound struct {
	Ends       trial.Ends
	Good, Bad  suite.Report // at the ends
	Fixed      bool         // as in EachOptions
	Targets    []string     // the tests that are searched for, sorted
	Causes     []EachCause  // those with most tests first
	Unanswered []Unanswered // targets that were searched for without an answer
	Open       []string     // targets that were not searched for, because ctx ended Each before

	Both []string // tests that fail at both ends
	New  []string // tests that fail at the failing end and have no outcome at the other one
	Gone []string // tests that have an outcome at the passing end, and none at the other one

	Repeated []string // of the tests of Targets, Both and New, those with several results in one run: the worst one counts
}

// An EachCause is an answer, and the tests that it is the answer for.
type EachCause struct {
	Tests []string // sorted
	Test  string   // that was searched for
	Found Found
	Err   error // that of Run, if a limit ended the search early: then Found is the best answer so far
}

// An Unanswered test is one that was searched for without an answer.
type Unanswered struct {
	Test string
	Err  error // *trial.EndsError, *trial.FlakyError or ErrWithheld
}

// Each searches for the causes of several tests of a suite: of those that pass at one end of a difference and fail at the
// other end. All searches share the trials of o.Suite, in which the whole suite runs, so that a trial that one search
// asks for also serves the others.
//
// Each searches for one test after the other, in the order of their names. Among the changes of a set, the searches begin
// with a joint search for all tests that are open, see Joint. With some trial.Options (Confidence, Repeat, Match,
// SameOutput) each test has outcomes of its own; then there is no joint search, and a search for each test.
//
// An answer is also the answer for each later
// test that had the same outcomes in the trials that the answer rests on (isolate.Result.Evidence). It is right and
// minimal for that test, too, so there is no search for that test. That is not so where the trials of the first test left
// open which changes are needed, and the other test fails in one of them. Equal answers are one cause.
//
// A test that had different outcomes on one tree, or whose answer cannot be confirmed, is put into Unanswered, and changes
// no other answer. If a limit or ctx ended Each early, the error is isolate.ErrBudget or that of ctx, and the EachFound has
// what was found before. If it was a limit, which ctx may have as its cause, the EachFound has the best answer so far for
// the other targets, too: targets with the same outcomes in all trials have one answer. If there is nothing to search for, the error is a *NoTargetsError.
//
// Cost: the trials of isolate.SearchEach in each set of changes, and for each cause what confirms, refines and explains it.
// Without a joint search, and among commits: the trials of a search for one test, and, for each further cause, the
// trials that its search asks for after its outcomes first differ from those of earlier searches.
func Each(ctx context.Context, set *changes.Set, o EachOptions) (found EachFound, err error) {
	found.Fixed = o.Fixed
	if found.Ends, err = o.Suite.TestEnds(ctx, set); err != nil {
		return found, err
	}
	for _, end := range []struct {
		verdict trial.Verdict
		report  *suite.Report
	}{{found.Ends.Good, &found.Good}, {found.Ends.Bad, &found.Bad}} {
		if end.verdict.Trial == 0 { // it could not be tried
			end.report.Incomplete = end.verdict.Reason
		} else if *end.report, err = o.Suite.Tests(end.verdict.Trial); err != nil {
			return found, err
		}
	}
	found.compare(o.Tests)
	if len(found.Targets) == 0 {
		return found, &NoTargetsError{found, o.Tests}
	}
	o.Suite.Only(found.Targets)
	e := &eachSearch{o: o, EachFound: &found, byEnds: map[answerKey]int{}}
	found.Open = slices.Clone(found.Targets)
	if !e.apart() {
		e.joint = &Joint{suite: o.Suite, outcome: e.outcome, found: map[jointKey]map[string]begin{}}
	}
	e.observe()
	for len(found.Open) > 0 && err == nil {
		// Invariant: each target is of a cause, unanswered or open.
		if err = e.next(ctx); err == nil {
			e.observe()
		}
	}
	if errors.Is(err, isolate.ErrBudget) || ctx.Err() != nil && errors.Is(context.Cause(ctx), isolate.ErrBudget) {
		err = cmp.Or(e.best(context.WithoutCancel(ctx)), err)
	}
	err = cmp.Or(err, e.recheck())
	slices.SortStableFunc(found.Causes, func(a, b EachCause) int { return cmp.Compare(len(b.Tests), len(a.Tests)) })
	return found, err
}

// A NoTargetsError says that no test passes at one end and fails at the other one.
type NoTargetsError struct {
	Found EachFound
	Tests *regexp.Regexp // as in EachOptions
}

func (e *NoTargetsError) Error() string {
	what := "no test"
	if e.Tests != nil {
		what = fmt.Sprintf("no test whose name matches %s", e.Tests)
	}
	text := what + " passes at good and fails at bad"
	if e.Found.Fixed {
		text = what + " fails at good and passes at bad"
	}
	good, bad := e.Found.Good, e.Found.Bad
	switch {
	case len(good.Tests)+len(bad.Tests) == 0:
		text += "; the suite reports no test at either end" + because(bad, e.Found.Ends.Bad)
	case len(good.Tests) == 0:
		text += "; the suite reports no test at good" + because(good, e.Found.Ends.Good)
	case len(bad.Tests) == 0:
		text += "; the suite reports no test at bad" + because(bad, e.Found.Ends.Bad)
	}
	return text
}

// because says why a report may have no tests, as far as it is known, and what the command printed.
func because(r suite.Report, v trial.Verdict) (text string) {
	if r.Incomplete != "" {
		text = ": " + r.Incomplete
	}
	if v.LastLine != "" {
		text += "; the command printed " + prose.Quote(v.LastLine)
	}
	return text
}

// Reports returns the reports of the end at which the targets pass, and of the one at which they fail.
func (f *EachFound) Reports() (passing, failing suite.Report) {
	if f.Fixed {
		return f.Bad, f.Good
	}
	return f.Good, f.Bad
}

// compare sorts the tests whose names match by their outcomes at both ends; nil matches all.
func (f *EachFound) compare(names *regexp.Regexp) {
	counts := func(t suite.Result) bool { return names == nil || names.MatchString(t.Name) }
	passing, failing := f.Reports()
	for _, t := range suite.Innermost(failing.Tests) {
		if t.Outcome != isolate.Fail || !counts(t) {
			continue
		}
		switch passing.Outcome(t.Name) {
		case isolate.Pass:
			f.Targets = append(f.Targets, t.Name)
		case isolate.Fail:
			f.Both = append(f.Both, t.Name)
		default:
			f.New = append(f.New, t.Name)
		}
	}
	for _, name := range failing.Repeated {
		if failing.Outcome(name) == isolate.Fail && (names == nil || names.MatchString(name)) {
			f.Repeated = append(f.Repeated, name)
		}
	}
	for _, t := range suite.Innermost(passing.Tests) {
		if t.Outcome != isolate.Unresolved && failing.Outcome(t.Name) == isolate.Unresolved && counts(t) {
			f.Gone = append(f.Gone, t.Name)
		}
	}
}

// An eachSearch is one call of Each.
type eachSearch struct {
	o EachOptions
	*EachFound
	joint  *Joint            // nil if each test has outcomes of its own
	byEnds map[answerKey]int // indices of Causes
}

// An answerKey has the trees of both ends of an answer. If the search began again because trials contradicted it, the
// test may be flaky: then the answer stands by itself.
type answerKey struct {
	passing, failing git.ID
	again            bool
}

func (e *eachSearch) observe() {
	if e.o.Observe != nil {
		e.o.Observe(*e.EachFound)
	}
}

// next searches for the first test that is open. The error ends Each.
func (e *eachSearch) next(ctx context.Context) error {
	test := e.Open[0]
	e.o.Suite.Select(e.Open)
	if e.joint != nil {
		e.joint.open = e.Open
	}
	found, err := e.o.Search(ctx, test, e.joint)
	var ends *trial.EndsError
	var flaky *trial.FlakyError
	switch {
	case err == nil:
		return e.explain(test, found)
	case errors.Is(err, ErrWithheld) && found.Verdict.Reason != "":
		err = fmt.Errorf("%w: %s", ErrWithheld, found.Verdict.Reason)
	case errors.As(err, &ends), errors.As(err, &flaky), errors.Is(err, ErrWithheld):
	case found.Plan != nil:
		alike, err2 := e.alike(test)
		if err2 != nil {
			return err2
		}
		e.Causes = append(e.Causes, EachCause{Tests: alike, Test: test, Found: found, Err: err})
		taken := map[string]bool{}
		for _, test := range alike {
			taken[test] = true
		}
		e.Open = slices.DeleteFunc(slices.Clone(e.Open), func(open string) bool { return taken[open] })
		return err
	default:
		return err
	}
	e.Unanswered = append(e.Unanswered, Unanswered{test, err})
	e.Open = e.Open[1:]
	return nil
}

// best takes the tests that a limit has left open off the list, with the best answer for each that trials have given so
// far. It runs no trial.
func (e *eachSearch) best(ctx context.Context) error {
	e.o.Suite.Stop()
	for n := 0; len(e.Open) > 0 && len(e.Open) != n; {
		n = len(e.Open)
		if err := e.next(ctx); err != nil && !errors.Is(err, isolate.ErrBudget) {
			return err
		}
	}
	return nil
}

// alike returns the tests that are open and had the same outcomes as one of them in all trials of the suite so far.
func (e *eachSearch) alike(test string) ([]string, error) {
	reports, err := e.o.Suite.AllTests()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(e.Open), func(other string) bool {
		return slices.ContainsFunc(reports, func(r suite.Report) bool { return r.Outcome(other) != r.Outcome(test) })
	}), nil
}

// explain takes the tests that are open off the list for which an answer holds that was found for the first one.
func (e *eachSearch) explain(test string, found Found) error {
	cause := EachCause{Tests: []string{test}, Test: test, Found: found}
	holds, err := e.holds(found, test)
	if err != nil {
		return err
	}
	var open []string
	for _, other := range e.Open[1:] {
		if holds(other) {
			cause.Tests = append(cause.Tests, other)
		} else {
			open = append(open, other)
		}
	}
	key, err := keyOf(found)
	if err != nil {
		return err
	}
	e.Open = open
	if at, known := e.byEnds[key]; known {
		tests := append(e.Causes[at].Tests, cause.Tests...)
		slices.Sort(tests)
		e.Causes[at].Tests = tests
		return nil
	}
	e.byEnds[key] = len(e.Causes)
	e.Causes = append(e.Causes, cause)
	return nil
}

// recheck takes the tests out of the causes that are known to be flaky, by all trials that there are. Before the end
// nothing may depend on that: a search that is resumed knows trials that come later.
func (e *eachSearch) recheck() error {
	if e.o.Suite.Options().Confidence > 0 {
		return nil
	}
	for i, u := range e.Unanswered {
		if known := e.o.Suite.Disagreement(u.Test); errors.As(known, new(*trial.FlakyError)) {
			e.Unanswered[i].Err = known // which names trials of the suite
		}
	}
	var causes []EachCause
	for _, cause := range e.Causes {
		var tests []string
		for _, test := range cause.Tests {
			err := e.o.Suite.Disagreement(test)
			switch {
			case errors.As(err, new(*trial.FlakyError)):
				e.Unanswered = append(e.Unanswered, Unanswered{test, err})
			case err != nil:
				return err
			default:
				tests = append(tests, test)
			}
		}
		if cause.Tests = tests; len(tests) > 0 {
			causes = append(causes, cause)
		}
	}
	e.Causes = causes
	return nil
}

// holds returns a function that reports whether the answer for a test is that for another one, too: whether both had the
// same outcomes in all trials that the answer rests on, and the other one does not fail where those of the first test left
// it open whether a change is needed. It is not if changes were not tried one by one, if the test is suspected to be flaky,
// or if outcomes are not those of single trials, or go by more than what is said of a failure.
func (e *eachSearch) holds(found Found, test string) (func(other string) bool, error) {
	no := func(string) bool { return false }
	if found.Verdict.Again != "" || len(found.Result.Evidence) < 2 || !found.Result.Minimal || found.Result.Inseparable || e.apart() {
		return no, nil
	}
	configs := make([]isolate.Configuration, 0, len(found.Result.Evidence)+len(found.Result.Undecided))
	for _, claim := range found.Result.Evidence {
		configs = append(configs, claim.Config)
	}
	configs = append(configs, found.Result.Undecided...)
	var reports []suite.Report
	var outcomes []isolate.Outcome
	for k, config := range configs {
		number, ok := e.o.Suite.Answered(found.Set, config)
		if !ok && k >= len(found.Result.Evidence) {
			continue // a check has rejected it, for all tests
		}
		if !ok {
			return no, nil
		}
		report, err := e.o.Suite.Tests(number)
		if err != nil {
			return nil, err
		}
		reports, outcomes = append(reports, report), append(outcomes, e.outcome(report, test))
	}
	return func(other string) bool {
		for k, report := range reports {
			o := e.outcome(report, other)
			if outcomes[k] == isolate.Unresolved && o == isolate.Fail || outcomes[k] != isolate.Unresolved && o != outcomes[k] {
				return false
			}
		}
		return true
	}, nil
}

// apart reports whether outcomes are not those of single trials, or go by more than what a report says of a failure.
func (e *eachSearch) apart() bool {
	o := e.o.Suite.Options()
	return o.Confidence > 0 || o.Repeat > 1 || o.Match != nil || o.SameOutput != nil
}

// outcome returns that of a test in a report.
func (e *eachSearch) outcome(report suite.Report, test string) isolate.Outcome {
	if e.o.Suite.Options().StatusOnly {
		return report.Outcome(test)
	}
	_, failing := e.Reports()
	return trial.Judged(report.Find(test), failing.Find(test))
}

// keyOf returns what equal answers have in common.
func keyOf(found Found) (key answerKey, err error) {
	passing, err := found.Set.Compose(found.Result.Passing.All())
	if err != nil {
		return key, err
	}
	failing, err := found.Set.Compose(found.Result.Failing.All())
	if err != nil {
		return key, err
	}
	return answerKey{passing.ID, failing.ID, found.Verdict.Again != ""}, nil
}
