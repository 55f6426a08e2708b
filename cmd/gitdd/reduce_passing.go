package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// Outlets are where answers go: with --passing two, the nearest inputs that fail and
// pass.
type outlets struct {
	failing *outlet
	passing *outlet // nil without --passing
}

func (o outlets) resume(session *trial.Session) {
	o.failing.resume(session)
	if o.passing != nil {
		o.passing.session = session
	}
}

func (a *app) outlets(s *reducing, in testcase.Input) (o outlets, err error) {
	if s.passing == "" {
		o.failing, err = a.outlet(s, in)
		return o, err
	}
	base := s.output
	if base == "" {
		base = s.paths[0]
	}
	if base, err = filepath.Abs(base); err != nil {
		return o, err
	}
	if o.failing, err = a.outletAt(s, in, base+".failing"); err == nil {
		o.passing, err = a.outletAt(s, in, base+".passing")
	}
	return o, err
}

// readPassing reads the input of --passing, by the name of the failing one: that is
// the name that the command looks for.
func (s *reducing) readPassing(failing testcase.Input) (in testcase.Input, err error) {
	if s.passing == "" {
		return in, nil
	}
	if in, err = readInput([]string{s.passing}); err != nil {
		return in, err
	}
	if in.Dir != failing.Dir {
		return in, fmt.Errorf("%s and %s: want two files, or two directories", s.paths[0], s.passing)
	}
	name, _, _ := strings.Cut(failing.Files[0].Path, "/")
	for i := range in.Files {
		_, below, dir := strings.Cut(in.Files[i].Path, "/")
		in.Files[i].Path = name
		if dir {
			in.Files[i].Path += "/" + below
		}
	}
	if in.Digest() == failing.Digest() {
		return in, &nothingError{what: fmt.Sprintf("%s and %s are the same: there is nothing between them", s.passing, s.paths[0])}
	}
	return in, nil
}

// compare looks for the smallest difference between an input that passes and one
// that fails, within the time that the settings allow, and tests both ends of the
// answer once more.
func (s *reducing) compare(ctx context.Context, runner *trial.Inputs, passing, failing testcase.Input, out outlets, view shrinking) (found shrunk, err error) {
	limited, cancel := s.limited(ctx)
	defer cancel()
	found.result.Output = failing
	if found.original, err = runner.Original(limited); err == nil {
		found.failed = true
		err = s.passesOn(limited, runner, passing)
	}
	if err == nil {
		err = s.difference(limited, runner, passing, failing, view, &found)
	}
	if err != nil && context.Cause(limited) == errTime {
		err = errTime
	}
	if d := found.difference; d != nil && found.withheld == "" {
		err = errors.Join(err, out.failing.finish(d.Failing), out.passing.finish(d.Passing))
	}
	return found, err
}

// passesOn tests the passing input. The error is a *trial.EndsError if it does not.
func (s *reducing) passesOn(ctx context.Context, runner *trial.Inputs, passing testcase.Input) error {
	v, err := runner.Test(ctx, passing)
	if err == nil && v.Outcome != isolate.Pass {
		what := "the command does not pass on " + s.passing
		if s.interesting {
			what = s.passing + " is " + v.Outcome.Word(true) + ", not uninteresting"
		}
		err = &trial.EndsError{Good: v, What: what + ", as --passing wants: " + endedWith(v)}
	}
	return err
}

func (s *reducing) difference(ctx context.Context, runner *trial.Inputs, passing, failing testcase.Input, view shrinking, found *shrunk) error {
	test := func(ctx context.Context, in testcase.Input) (isolate.Outcome, error) {
		v, err := runner.Test(ctx, in)
		return v.Outcome, err
	}
	for {
		d, err := reduce.Isolate(ctx, passing, failing, test, reduce.DifferenceOptions{
			Format: s.format, Algorithm: s.algorithm, Jobs: s.jobs, MaxTrials: s.counted(),
			Observe: func(step reduce.Step) { view.step(step); found.asked(step) },
		})
		found.difference = &d
		found.result = reduce.Result{Output: d.Failing, Minimal: d.Minimal, Trials: d.Trials, Algorithm: d.Algorithm, Notes: d.Notes}
		if err != nil {
			return err
		}
		if s.confidence > 0 {
			claims := []trial.InputClaim{{Input: d.Failing, Want: isolate.Fail}, {Input: d.Passing, Want: isolate.Pass}}
			for _, w := range d.Witnesses {
				claims = append(claims, trial.InputClaim{Input: w.Input, Want: w.Outcome})
			}
			found.settled, err = runner.Settle(ctx, claims)
			if err != nil {
				return err
			}
			if !found.settled.Holds {
				view.note("an outcome that the answer rests on turned out to be wrong: searching again, with what is known now")
				continue
			}
		}
		return s.confirmBoth(ctx, runner, d, found)
	}
}

// confirmBoth tests both ends of an answer once more. With --confidence they were
// tested often enough.
func (s *reducing) confirmBoth(ctx context.Context, runner *trial.Inputs, d reduce.Difference, found *shrunk) error {
	if s.confidence > 0 {
		found.verified = true
		return nil
	}
	for _, end := range []struct {
		in   testcase.Input
		want isolate.Outcome
	}{{d.Failing, isolate.Fail}, {d.Passing, isolate.Pass}} {
		v, err := runner.Confirm(ctx, end.in)
		if err != nil {
			return err
		}
		if v.Outcome != end.want {
			found.withheld = fmt.Sprintf("an end of what was found was %s and is %s now: %s", end.want.Word(s.interesting), v.Outcome.Word(s.interesting), v.Reason)
			return search.ErrWithheld
		}
	}
	found.verified = true
	return nil
}

// tellDifference enters the difference that was found into a result.
func (s *reducing) tellDifference(ctx context.Context, r *report.Reduction, passing testcase.Input, out outlets, found shrunk) error {
	d := found.difference
	if d == nil || found.withheld != "" {
		return nil
	}
	r.Shown, r.Curve, r.Format = nil, nil, s.format
	i := &report.Isolation{
		Passing: extentOf(passing, []string{s.passing}), Units: d.Units, Total: d.Total, Differences: d.Left,
		NearPassing: shown(out.passing.name), NearFailing: shown(out.failing.name),
	}
	r.Output.Paths = []string{i.NearFailing}
	r.Isolation = i
	var diff []byte
	var err error
	if d.Failing.Dir {
		diff, err = inputPatch(context.WithoutCancel(ctx), d.Passing, d.Failing)
	} else {
		diff, err = unifiedDiff(context.WithoutCancel(ctx), d.Passing.Files[0].Content, d.Failing.Files[0].Content, i.NearPassing, i.NearFailing)
	}
	if err != nil {
		return err
	}
	i.SetDiff(diff)
	return nil
}
