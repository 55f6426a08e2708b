package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// resumeReduction goes on with a reduction, in the directory where it was begun: its
// input is the one that the session keeps.
func (a *app) resumeReduction(cmd *cobra.Command, session *trial.Session, more judging, fast bool, o forms.Files) error {
	s, err := reducingOf(session.Header())
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("jobs") {
		s.jobs = more.jobs
	}
	if cmd.Flags().Changed("fast") {
		s.fast = fast
	}
	if cmd.Flags().Changed("finish") {
		return &cli.UsageError{Cmd: cmd, Err: fmt.Errorf("--finish: session %s is not one of `gitdd bisect`", session.Name())}
	}
	s.maxTrials, s.maxTime = more.maxTrials, more.maxTime
	if err := errors.Join(s.check(), s.apart(&o)); err != nil {
		return &cli.UsageError{Cmd: cmd, Err: err}
	}
	if err := os.Chdir(session.Header().Dir); err != nil {
		return fmt.Errorf("go to where the session was begun: %w", err)
	}
	input, compared, err := s.keptInputs(session)
	if err != nil {
		return err
	}
	out, err := s.outlets(input)
	if err != nil {
		return err
	}
	both, err := a.versions(cmd.Context(), s)
	if err != nil {
		return err
	}
	defer both.close()
	if both.repo != nil {
		both.good, both.bad = session.Header().Good, session.Header().Bad
	}
	return a.reduceIn(cmd.Context(), session, both, input, compared, out, s, o)
}

// keptInputs are those that the session keeps. One that was killed before it had
// any of them, and so before its first trial, reads them as they are now.
func (s *reducing) keptInputs(session *trial.Session) (input, compared testcase.Input, err error) {
	if compared, err = reduction.KeptInput(session, reduction.PassingFile); errors.Is(err, fs.ErrNotExist) && len(session.Records()) == 0 {
		if s.fromStdin() {
			return input, compared, fmt.Errorf("session %s was ended before it had read standard input: begin again with `gitdd reduce -`", session.Name())
		}
		if input, err = testcase.Read(s.paths...); err == nil {
			compared, err = s.readPassing(input)
		}
		return input, compared, errors.Join(err, keepInputs(session, input, compared))
	}
	if err == nil {
		input, err = reduction.KeptInput(session, reduction.OriginalFile)
	}
	return input, compared, err
}

// keepInputs writes both into the session.
func keepInputs(session *trial.Session, input, compared testcase.Input) error {
	return errors.Join(reduction.KeepInput(session, reduction.OriginalFile, input), reduction.KeepInput(session, reduction.PassingFile, compared))
}

// showReduced shows the result of a reduction again.
func (a *app) showReduced(ctx context.Context, session *trial.Session, r report.Reduction, o forms.Files) error {
	return a.showReduction(session, r, func() report.Story { return a.storyOfReduction(session, r) }, o, func() ([]byte, error) {
		from, err := reduction.KeptInput(session, reduction.BeforeFile)
		if err != nil {
			return nil, err
		}
		to, err := reduction.KeptInput(session, reduction.OutputFile)
		if err != nil {
			return nil, err
		}
		return reduction.Patch(ctx, from, to)
	})
}

// interesting reports whether the session is of a reduction with --interesting.
func interesting(h trial.Header) bool {
	s, err := reducingOf(h)
	return err == nil && isReduction(h) && s.interesting
}
