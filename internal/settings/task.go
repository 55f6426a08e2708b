package settings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/cluster"
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
	if t.Out, err = s.outlets(input); err == nil {
		t.Both, err = s.versions(ctx, open)
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
func (t *Task) Trials(connection *cluster.Cluster, observe func(trial.Event)) trial.InputOptions {
	command := t.Command
	if t.onStdin(t.Input.Dir) && !slices.Contains(command, trial.OnStdin) {
		command = append(slices.Clone(command), trial.OnStdin)
	}
	options := trial.InputOptions{
		Options:     trial.Options{Session: t.Session, Command: command, Overlay: t.Overlay, Observe: observe},
		Original:    t.Input,
		Interesting: t.Interesting,
		SaveOther:   t.SaveOther,
	}
	t.limits.set(&options.Options)
	t.judging.set(&options.Options)
	connection.Set(&options.Options)
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

// Versions are the two revisions that an input is tried with; Repo is nil in a plain
// reduction.
type Versions struct {
	Repo      *git.Repo
	Good, Bad git.Revision
}

// Close closes the repository.
func (v Versions) Close() {
	if v.Repo != nil {
		v.Repo.Close()
	}
}

// versions resolves both, once: a branch may move while the reduction is interrupted. open opens the
// repository.
func (s *Reduction) versions(ctx context.Context, open func(context.Context) (*git.Repo, error)) (v Versions, err error) {
	if s.Good == "" {
		return v, nil
	}
	if v.Repo, err = open(ctx); err != nil {
		return Versions{}, err
	}
	for _, end := range []struct {
		rev string
		to  *git.Revision
	}{{s.Good, &v.Good}, {s.bad, &v.Bad}} {
		if *end.to, err = v.Repo.ResolveEnd(ctx, end.rev); err == nil && end.to.IsWorktree() {
			err = fmt.Errorf("%s is an end for gitdd run, and an input is tried with revisions that are committed: `git add -A && git commit -m try` makes the checkout one", end.rev)
		}
		if err != nil {
			break
		}
	}
	if err == nil && v.Good.Tree == v.Bad.Tree {
		err = &NothingError{What: v.Good.Rev + " and " + v.Bad.Rev + " have the same content: nothing can pass with one and fail with the other"}
	}
	if err != nil {
		v.Repo.Close()
		return Versions{}, err
	}
	return v, nil
}

// RunLine is the command line that searches for the changes between the two revisions on the input of a
// name, and judges trials as this reduction does. dir says that the input is a directory, also are more flags.
func (s *Reduction) RunLine(name string, dir bool, also ...string) []string {
	words := []string{"gitdd", "run", "--good", s.Good, "--bad", s.bad}
	add := func(flag, value string, is bool) {
		if is {
			words = append(words, flag, value)
		}
	}
	add("--build", s.Build, s.Build != "")
	add("--timeout", s.Timeout.String(), s.Timeout > 0)
	add("--match", s.Match, s.Match != "")
	add("--same-output", s.sameOutput, s.sameOutput != "")
	add("--on-signal", s.onSignal, s.onSignal != "auto")
	add("--repeat", strconv.Itoa(s.repeat), s.repeat > 1)
	add("--confidence", strconv.FormatFloat(s.Confidence, 'g', -1, 64), s.Confidence > 0)
	add("--jobs", strconv.Itoa(s.Jobs), s.Jobs > 1)
	return slices.Concat(words, also, []string{"--"}, s.commandOn(name, dir))
}

// commandOn is the command on a file of an input: {} is its name, GITDD_INPUT is, and it is
// the standard input if it was that in the trials.
func (s *Reduction) commandOn(name string, dir bool) []string {
	argv := slices.DeleteFunc(slices.Clone(s.Command), func(arg string) bool { return arg == trial.OnStdin })
	if s.onStdin(dir) {
		argv = append([]string{"sh", "-c", `exec "$@" <"$0"`, name}, argv...)
	}
	braces := false
	for i, arg := range argv {
		braces = braces || strings.Contains(arg, "{}")
		argv[i] = strings.ReplaceAll(arg, "{}", name)
	}
	if !braces {
		argv = append([]string{"env", "GITDD_INPUT=" + name}, argv...)
	}
	return argv
}
