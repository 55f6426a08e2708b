package settings

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/trial"
)

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

// Versions resolves both, once: a branch may move while the reduction is interrupted. open opens the
// repository.
func (s *Reduction) Versions(ctx context.Context, open func(context.Context) (*git.Repo, error)) (v Versions, err error) {
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
