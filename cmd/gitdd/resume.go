package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) resumeCommand() *cobra.Command {
	var o forms.Files
	var more settings.Renewed
	cmd := &cobra.Command{
		Use:        "resume [SESSION|FILE]",
		Short:      "Go on with an interrupted session, the newest by default",
		SuggestFor: []string{"continue"},
		Long: `Go on with a session that was interrupted, killed or out of budget. Its journal
is replayed: no trial that finished is run again.

FILE was written by gitdd list --export, on this machine or another one. Its
session becomes one of this repository; its command runs when you then resume
the session by its name. A session by hand goes on at once.`,
		Example: `  gitdd resume
  gitdd resume --max-trials 200
  gitdd resume --into --with lib=../lib`,
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := o.Check(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if isFile(names) {
				found, err := a.imported(cmd.Context(), names[0])
				if err != nil {
					return err
				}
				return a.resumeImported(cmd, found, names[0])
			}
			all, err := a.all(cmd.Context())
			if err != nil {
				return err
			}
			found, err := trial.Choose(all, names)
			if err != nil {
				return err
			}
			a.earlier = earlier(all, found.Name)
			if byhand.Is(found.Header) {
				return a.resumeByHand(cmd, found.Name)
			}
			session, err := trial.OpenSession(found.Dir)
			if err != nil {
				return err
			}
			defer session.Close()
			if err := session.RemoveFile(trial.ImportedFile); err != nil { // the user has said so
				return err
			}
			// The paths of the session's flags are relative to where it was begun.
			if err := errors.Join(o.Absolute(), more.Absolute()); err != nil {
				return err
			}
			if err := a.openEvents(o.Events); err != nil {
				return err
			}
			if err := os.Chdir(session.Header().Dir); err != nil {
				return fmt.Errorf("go to where the session was begun: %w", err)
			}
			if isReduction(session.Header()) {
				if err := o.CheckReduction(); err != nil {
					return &cli.UsageError{Cmd: cmd, Err: err}
				}
				return a.resumeReduction(cmd, session, &more, o)
			}
			repo, err := a.openFor(cmd.Context(), session)
			if err != nil {
				return err
			}
			defer repo.Close()
			s, err := settings.OfSearch(session.Header())
			if err != nil {
				return err
			}
			if err := errors.Join(s.Renew(&more, session.Name()), o.CheckSearch(s.Each != "")); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			if err := s.CanFinish(cmd.Context(), repo); err != nil {
				return err
			}
			if err := a.recallJobs(cmd.Context(), &s.Machines, session.Name()); err != nil {
				return err
			}
			if session.Header().Good.IsAuto() {
				return a.isolate(cmd.Context(), repo, session, nil, s, o)
			}
			set, err := settings.Between(cmd.Context(), repo, session.Header().Good, session.Header().Bad, s.Paths)
			if err != nil {
				return err
			}
			return a.isolate(cmd.Context(), repo, session, set, s, o)
		},
	}
	more.Flags(cmd.Flags())
	o.Flags(cmd.Flags())
	o.EventsFlag(cmd.Flags())
	return cmd
}

// resumeByHand shows what is to be judged in a session by hand. The flags are for searches in which a command judges.
func (a *app) resumeByHand(cmd *cobra.Command, name string) (err error) {
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && err == nil {
			err = &cli.UsageError{Cmd: cmd, Err: fmt.Errorf("--%s is for a command that judges, and in session %s you do: `gitdd resume` alone shows what is to be judged, `gitdd go -- COMMAND` lets a command judge", f.Name, name)}
		}
	})
	if err != nil {
		return err
	}
	h, err := a.openByHand(cmd.Context(), []string{name}, anyMoment)
	if err != nil {
		return err
	}
	defer h.Close()
	return a.judgeOn(cmd.Context(), h, nil, "")
}

// resumeImported goes on with a session from a file if it is judged by hand. Else it says what the session would run: the
// file may be anybody's.
func (a *app) resumeImported(cmd *cobra.Command, found trial.Summary, file string) error {
	session, err := trial.ReadSession(found.Dir)
	if err != nil {
		return err
	}
	header := session.Header()
	if byhand.Is(header) {
		return a.resumeByHand(cmd, found.Name)
	}
	fmt.Fprintf(a.aside(), "gitdd: %s is session %s now, and has %s\n", prose.Printable(file), session.Name(), prose.Count(len(session.Records()), "trial"))
	fmt.Fprintf(a.aside(), "gitdd: it runs %s\n", prose.Printable(prose.Words(append(header.Args, append([]string{"--"}, header.Command...)...))))
	fmt.Fprintln(a.aside(), a.named("gitdd: `gitdd resume "+session.Name()+"` goes on with it, if that is what you want to run"))
	return nil
}

// recallJobs cancels what a killed process of a session, or of a hunt, has left in Slurm.
func (a *app) recallJobs(ctx context.Context, m *settings.Machines, name string) error {
	n, err := m.Recall(ctx, name)
	if n > 0 {
		a.hint("cancelled " + prose.Count(n, "job") + " that a killed gitdd had left in Slurm")
	}
	return err
}

// resumeReduction goes on with a reduction, in the directory where it was begun: its
// input is the one that the session keeps.
func (a *app) resumeReduction(cmd *cobra.Command, session *trial.Session, more *settings.Renewed, o forms.Files) error {
	s, err := settings.OfReduction(session.Header())
	if err != nil {
		return err
	}
	if err := errors.Join(s.Renew(more, session.Name()), s.Apart(&o)); err != nil {
		return &cli.UsageError{Cmd: cmd, Err: err}
	}
	if err := a.recallJobs(cmd.Context(), &s.Machines, session.Name()); err != nil {
		return err
	}
	t, err := s.ResumeTask(cmd.Context(), session, a.open)
	if err != nil {
		return err
	}
	defer t.Both.Close()
	return a.reduceIn(cmd.Context(), t, o)
}
