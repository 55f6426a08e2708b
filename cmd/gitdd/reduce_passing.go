package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// Outlets are where answers go: with --passing two, the nearest inputs that fail and
// pass.
type outlets struct {
	failing *outfile.Place
	passing *outfile.Place // nil without --passing
}

func (o outlets) resume(session *trial.Session) {
	o.failing.Resume(session)
	if o.passing != nil {
		o.passing.Follow(session)
	}
}

func (s *reducing) outlets(in testcase.Input) (o outlets, err error) {
	if s.passing == "" {
		o.failing, err = s.place(in)
		return o, err
	}
	base := s.output
	if base == "" {
		base = s.paths[0]
	}
	if base, err = filepath.Abs(base); err != nil {
		return o, err
	}
	if o.failing, err = s.placeAt(in, base+".failing"); err == nil {
		o.passing, err = s.placeAt(in, base+".passing")
	}
	return o, err
}

// readPassing reads the input of --passing, by the name of the failing one: that is
// the name that the command looks for.
func (s *reducing) readPassing(failing testcase.Input) (in testcase.Input, err error) {
	if s.passing == "" {
		return in, nil
	}
	if in, err = testcase.Read(s.passing); err != nil {
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

// tellDifference enters the difference that was found into a result.
func (s *reducing) tellDifference(ctx context.Context, r *report.Reduction, passing testcase.Input, out outlets, found shrunk) error {
	d := found.Difference
	if d == nil || found.Withheld != "" {
		return nil
	}
	r.Shown, r.Curve, r.Format = nil, nil, s.format
	i := &report.Isolation{
		Passing: results.Content(passing), Units: d.Units, Total: d.Total, Differences: d.Left,
		NearPassing: outfile.Shown(out.passing.Name()), NearFailing: outfile.Shown(out.failing.Name()),
	}
	i.Passing.Paths = []string{s.passing}
	r.Output.Paths = []string{i.NearFailing}
	r.Isolation = i
	var diff []byte
	var err error
	if d.Failing.Dir {
		diff, err = reduction.Patch(context.WithoutCancel(ctx), d.Passing, d.Failing)
	} else {
		diff, err = reduction.UnifiedDiff(context.WithoutCancel(ctx), d.Passing.Files[0].Content, d.Failing.Files[0].Content, i.NearPassing, i.NearFailing)
	}
	if err != nil {
		return err
	}
	i.SetDiff(diff)
	return nil
}
