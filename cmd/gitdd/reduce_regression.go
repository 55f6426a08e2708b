package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// Versions are the two revisions that an input is tried with; repo is nil in a plain
// reduction.
type versions struct {
	repo      *git.Repo
	good, bad git.Revision
}

// versions opens the repository and resolves both, once: a branch may move while
// the reduction is interrupted.
func (a *app) versions(ctx context.Context, s reducing) (v versions, err error) {
	if s.good == "" {
		return v, nil
	}
	if v.repo, err = a.open(ctx); err != nil {
		return versions{}, err
	}
	for _, rev := range []string{s.good, s.bad} {
		if end, err := v.repo.ResolveEnd(ctx, rev); err == nil && end.IsWorktree() {
			v.repo.Close()
			return versions{}, fmt.Errorf("%s is an end for gitdd run, and an input is tried with revisions that are committed: `git add -A && git commit -m try` makes the checkout one", rev)
		}
	}
	if v.good, err = v.repo.Resolve(ctx, s.good); err == nil {
		v.bad, err = v.repo.Resolve(ctx, s.bad)
	}
	if err == nil && v.good.Tree == v.bad.Tree {
		err = &nothingError{what: v.good.Rev + " and " + v.bad.Rev + " have the same content: nothing can pass with one and fail with the other"}
	}
	if err != nil {
		v.repo.Close()
		return versions{}, err
	}
	return v, nil
}

func (v versions) close() {
	if v.repo != nil {
		v.repo.Close()
	}
}

// answerDir is where a session keeps the output by its own name, which the command
// may go by.
const answerDir = "answer"

// tellRegression says in a result which revisions were compared, and which command
// finds the changes between them.
func (s *reducing) tellRegression(session *trial.Session, both versions, out *outfile.Place, found shrunk, r *report.Reduction) error {
	if both.repo == nil {
		return nil
	}
	r.Regression = &report.Regression{Good: results.Revision(both.good), Bad: results.Revision(both.bad), Build: s.build}
	if !found.Failed || found.Withheld != "" || r.Status == report.NotReduced {
		return nil
	}
	name, err := s.answer(session, out, found.Result.Output)
	r.Regression.Next = append(append([]string{"gitdd", "run"}, s.runWords()...), s.runCommand(name, found.Result.Output.Dir)...)
	return err
}

// answer is where a command finds the output by the name of the input, or by one of
// the same kind.
func (s *reducing) answer(session *trial.Session, out *outfile.Place, in testcase.Input) (string, error) {
	written := out.Written()
	if len(in.Files) == 0 || written && (in.Dir || filepath.Ext(out.Name()) == filepath.Ext(in.Files[0].Path)) {
		return out.Name(), nil
	}
	dir := filepath.Join(session.Dir(), answerDir)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := in.CreateBelow(dir); err != nil {
		return "", err
	}
	if len(s.paths) > 1 {
		return dir, nil
	}
	top, _, _ := strings.Cut(in.Files[0].Path, "/")
	return filepath.Join(dir, top), nil
}

// runWords are the flags of gitdd run that judge trials as this reduction does.
func (s *reducing) runWords() []string {
	words := []string{"--good", s.good, "--bad", s.bad}
	add := func(flag, value string, is bool) {
		if is {
			words = append(words, flag, value)
		}
	}
	add("--build", s.build, s.build != "")
	add("--timeout", s.timeout.String(), s.timeout > 0)
	add("--match", s.match, s.match != "")
	add("--same-output", s.sameOutput, s.sameOutput != "")
	add("--on-signal", s.onSignal, s.onSignal != "auto")
	add("--repeat", strconv.Itoa(s.repeat), s.repeat > 1)
	add("--confidence", strconv.FormatFloat(s.confidence, 'g', -1, 64), s.confidence > 0)
	add("--jobs", strconv.Itoa(s.jobs), s.jobs > 1)
	return words
}

// runCommand is the command on a file of an input: {} is its name, GITDD_INPUT is, and it is
// the standard input if it was that in the trials.
func (s *reducing) runCommand(name string, dir bool) []string {
	argv := slices.DeleteFunc(slices.Clone(s.command), func(arg string) bool { return arg == trial.OnStdin })
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
	return append([]string{"--"}, argv...)
}
