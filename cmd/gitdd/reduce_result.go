package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// trial says how the trials of these settings are made and judged.
func (s *reducing) trial(session *trial.Session, both versions, input, compared testcase.Input, observe func(trial.Event)) trial.InputOptions {
	command := s.command
	if s.onStdin(input.Dir) && !slices.Contains(command, trial.OnStdin) {
		command = append(slices.Clone(command), trial.OnStdin)
	}
	options := trial.InputOptions{
		Options: trial.Options{
			Session: session, Command: command, Observe: observe,
			MaxMemory: int64(s.maxMemory), MaxDisk: int64(s.maxDisk), MaxOutput: int64(s.maxOutput),
		},
		Original:    input,
		Interesting: s.interesting,
		SaveOther:   s.saveOther,
	}
	s.judging.set(&options.Options)
	if s.passing != "" {
		options.Passing = &compared
	}
	if s.passing == "" {
		options.Answers = reduction.AnswerStatuses(input, s.format)
	}
	if both.repo != nil {
		options.Repo, options.Dir, options.Build = both.repo, both.repo.Prefix(), s.build
		options.Good, options.Bad = &both.good, &both.bad
	}
	return options
}

// counted is how many questions the reduction may ask: with --confidence the
// runner counts, because it knows how many trials one took.
func (s *reducing) counted() int {
	if s.confidence > 0 {
		return 0
	}
	return s.maxTrials
}

// reductionStatus says how a reduction ended; "" when there is nothing to report.
func (s *reducing) reductionStatus(err error, found shrunk) (report.Status, string) {
	done, not := report.Reduced, report.NotReduced
	if s.passing != "" {
		done, not = report.Isolated, report.NotIsolated
	}
	if found.Withheld != "" {
		return not, found.Withheld
	}
	return s.ended(err, done, not)
}

// shownBytes is how much of a result's text the session keeps to show.
const shownBytes = 64 << 10

// reduction is what there is to say of what was found, but for how it ended.
func (s *reducing) reduction(session *trial.Session, input testcase.Input, out *outfile.Place, found shrunk) report.Reduction {
	output := found.Result.Output
	r := results.Reduction(session, input, s.graph(input), found.Found, found.stats, found.flaky, s.confidence)
	r.Input.Paths = s.paths
	r.Jobs, r.Fast, r.Command, r.Interesting, r.SavedOthers = s.jobs, s.fast, s.command, s.interesting, s.saveOther
	if found.written {
		r.Output.Paths = out.Names(output)
		if text, ok := results.OnlyText(output); ok {
			r.Shown = report.NewExcerpt(out.File(output.Files[0]), text, shownBytes)
		}
	}
	return r
}

// printReduction keeps a result in the session and writes it wherever the user
// wants it.
func (a *app) printReduction(session *trial.Session, before, output testcase.Input, r report.Reduction, story report.Story, o forms.Files) error {
	if err := errors.Join(reduction.KeepInput(session, reduction.BeforeFile, before), reduction.KeepInput(session, reduction.OutputFile, output)); err != nil {
		return err
	}
	if err := a.keep(session, story, func(w io.Writer) error { return report.ReductionJSON(w, r) }); err != nil {
		return err
	}
	return a.showReduction(session, r, func() report.Story { return story }, o, func() ([]byte, error) { return reduction.Patch(context.Background(), before, output) })
}

// showReduction writes a result that the session keeps, as show does.
func (a *app) showReduction(session *trial.Session, r report.Reduction, story func() report.Story, o forms.Files, patch func() ([]byte, error)) error {
	f := forms.OfReduction(r, story)
	f.Text = func(w io.Writer, as report.TextOptions) error {
		as.ASCII = a.ascii()
		return report.ReductionText(w, r, as)
	}
	f.Patch = patch
	return a.give(session, o, f)
}

// graph reports whether the input is reduced as graphs.
func (s *reducing) graph(in testcase.Input) bool {
	return s.passing == "" && reduction.IsGraph(in, s.format)
}
