package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) resumeCommand() *cobra.Command {
	var o forms.Files
	var more settings
	var fast bool
	cmd := &cobra.Command{
		Use:        "resume [SESSION]",
		Short:      "Go on with an interrupted session, the newest by default",
		SuggestFor: []string{"continue"},
		Long: `Go on with a session that was interrupted, killed or out of budget. Its journal
is replayed: no trial that finished is run again.`,
		Example: `  gitdd resume
  gitdd resume --max-trials 200`,
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := o.Check(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			found, err := a.find(cmd.Context(), names)
			if err != nil {
				return err
			}
			session, err := trial.OpenSession(found.Dir)
			if err != nil {
				return err
			}
			defer session.Close()
			// The paths of the session's flags are relative to where it was begun.
			if err := errors.Join(o.Absolute(), more.machines.Absolute()); err != nil {
				return err
			}
			if err := os.Chdir(session.Header().Dir); err != nil {
				return fmt.Errorf("go to where the session was begun: %w", err)
			}
			if isReduction(session.Header()) {
				if err := o.CheckReduction(); err != nil {
					return &cli.UsageError{Cmd: cmd, Err: err}
				}
				return a.resumeReduction(cmd, session, more.judging, fast, o)
			}
			repo, err := a.openFor(cmd.Context(), session)
			if err != nil {
				return err
			}
			defer repo.Close()
			s, err := settingsOf(session.Header())
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("jobs") {
				s.jobs = more.jobs
			}
			if cmd.Flags().Changed("max-cost") {
				s.maxCost = more.maxCost
			}
			if err := s.machines.Renew(more.machines.Options); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			s.maxTrials, s.maxTime = more.maxTrials, more.maxTime
			s.bisect.finish = s.bisect.finish || more.bisect.finish
			if more.bisect.finish && s.bisect.Log == "" {
				return &cli.UsageError{Cmd: cmd, Err: fmt.Errorf("--finish: session %s is not one of `gitdd bisect`", session.Name())}
			}
			if err := s.check(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if err := s.canFinish(cmd.Context(), repo); err != nil {
				return err
			}
			if n, err := s.machines.Recall(cmd.Context(), session.Name()); err != nil {
				return err
			} else if n > 0 {
				a.hint("cancelled " + prose.Count(n, "job") + " that a killed gitdd had left in Slurm")
			}
			set, err := a.between(cmd.Context(), repo, session.Header().Good, session.Header().Bad, s.paths)
			if err != nil {
				return err
			}
			return a.isolate(cmd.Context(), repo, session, set, s, o)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().IntVarP(&more.jobs, "jobs", "j", 1, "run `N` trials at a time from now on (default as before)")
	cmd.Flags().Lookup("jobs").DefValue = "0" // not shown beside that
	cmd.Flags().IntVar(&more.maxTrials, "max-trials", 0, "stop after `N` trials, those of before included (default no limit)")
	cmd.Flags().DurationVar(&more.maxTime, "max-time", 0, "stop after `TIME` from now (default no limit)")
	cmd.Flags().IntVar(&more.maxCost, "max-cost", 0, "look ahead by at most `N` trials from now on (default as before)")
	more.bisect.finishFlag(cmd.Flags())
	cmd.Flags().BoolVar(&fast, "fast", false, "of a reduction: go on with or without trying each element (default as before)")
	more.machines.moved(cmd.Flags())
	o.Flags(cmd.Flags())
	return cmd
}
