package settings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// A Task is a reduction with its settings, its inputs, and the places of its answers.
type Task struct {
	Reduction
	Input        testcase.Input
	PassingInput testcase.Input // the one of --passing
	Both         Versions
	Out          Outlets
	Session      *trial.Session
}

// NewTask returns the task of reducing an input, with what open opens as the repository. It has no session yet.
func (s *Reduction) NewTask(ctx context.Context, input, passes testcase.Input, open func(context.Context) (*git.Repo, error)) (t *Task, err error) {
	t = &Task{Reduction: *s, Input: input, PassingInput: passes}
	if t.Out, err = s.Outlets(input); err == nil {
		t.Both, err = s.Versions(ctx, open)
	}
	return t, err
}

// KeepInputs writes the inputs into the session.
func (t *Task) KeepInputs() error {
	return errors.Join(reduction.KeepInput(t.Session, reduction.OriginalFile, t.Input), reduction.KeepInput(t.Session, reduction.PassingFile, t.PassingInput))
}

// ResumeTask returns the task of a session. Its inputs are those that the session keeps. A session that
// was killed before it had any of them, and so before its first trial, gets them as they are now.
func (s *Reduction) ResumeTask(ctx context.Context, session *trial.Session, open func(context.Context) (*git.Repo, error)) (*Task, error) {
	passes, err := reduction.KeptInput(session, reduction.PassingFile)
	anew := errors.Is(err, fs.ErrNotExist) && len(session.Records()) == 0
	var input testcase.Input
	switch {
	case anew && s.FromStdin():
		return nil, fmt.Errorf("session %s was ended before it had read standard input: begin again with `gitdd reduce -`", session.Name())
	case anew:
		if input, err = testcase.Read(s.Paths...); err == nil {
			passes, err = s.ReadPassing(input)
		}
	case err == nil:
		input, err = reduction.KeptInput(session, reduction.OriginalFile)
	}
	if err != nil {
		return nil, err
	}
	t, err := s.NewTask(ctx, input, passes, open)
	if err != nil {
		return nil, err
	}
	t.Session = session
	if t.Both.Repo != nil {
		t.Both.Good, t.Both.Bad = session.Header().Good, session.Header().Bad
	}
	if anew {
		if err = t.KeepInputs(); err != nil {
			t.Both.Close()
		}
	}
	return t, err
}

// Trials returns how the trials of a reduction are made and judged.
func (t *Task) Trials(observe func(trial.Event)) trial.InputOptions {
	command := t.Command
	if t.onStdin(t.Input.Dir) && !slices.Contains(command, trial.OnStdin) {
		command = append(slices.Clone(command), trial.OnStdin)
	}
	options := trial.InputOptions{
		Options:     trial.Options{Session: t.Session, Command: command, Observe: observe},
		Original:    t.Input,
		Interesting: t.Interesting,
		SaveOther:   t.SaveOther,
	}
	t.limits.set(&options.Options)
	t.judging.set(&options.Options)
	if t.Passing != "" {
		options.Passing = &t.PassingInput
	} else {
		options.Answers = reduction.AnswerStatuses(t.Input, t.Format)
	}
	if t.Both.Repo != nil {
		options.Repo, options.Dir, options.Build = t.Both.Repo, t.Both.Repo.Prefix(), t.Build
		options.Good, options.Bad = &t.Both.Good, &t.Both.Bad
	}
	return options
}
