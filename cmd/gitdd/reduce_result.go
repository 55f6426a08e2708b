package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/hints"
	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/isolate"
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

// reductionHints are what the user may want to do differently.
func (s *reducing) reductionHints(session *trial.Session, found shrunk, err error) (list []string) {
	hint := func(text string) { list = append(list, text) }
	var ends *trial.EndsError
	var oracle *reduction.OracleError
	switch {
	case errors.As(err, &oracle):
		hint(oracleHints[oracle.Problem])
	case found.Original.TimedOut && !found.Failed:
		hint("the time limit ended the command on the input itself: choose a longer --timeout than the command takes on it")
	case found.Original.TimedOut && found.Empty:
		hint("the time limit ended the command on both: if no hang is meant, choose a longer --timeout than the command takes on the input")
	case errors.As(err, &ends) && !ends.Flaky && !found.Failed:
		v := found.Original
		switch {
		case s.interesting && v.Outcome == isolate.Pass:
			hint("with --interesting, exit status 0 means that the input is interesting; leave --interesting out if the command fails on it as any test does")
		case v.Outcome == isolate.Pass && v.Exit == 0:
			hint("exit status 0 means that the command does not fail; where it is to say that it still does, as for creduce and picire: --interesting")
		}
		if !s.usesInput() && v.Outcome != isolate.Unresolved {
			hint(fmt.Sprintf("the command names no input%s; {} in an argument is its absolute name, and GITDD_DIR is where you are now", s.found()))
		}
	case found.Empty && hints.Terminal(s.command, found.Original) != "":
		hint(hints.Terminal(s.command, found.Original))
	case found.Empty && s.elsewhere() != "":
		name := s.elsewhere()
		abs, _ := filepath.Abs(name)
		hint(fmt.Sprintf("%s is not in the directory that the command runs in: name it %s", name, abs))
	case found.Empty && !s.usesInput():
		hint("the command names no input" + s.found() + "; {} in an argument is its absolute name")
	case found.Empty:
		hint("--match REGEX tells the failure that is meant from that of an empty input; with --same-output status any failure will do")
	case found.Failed && found.Withheld == "" && bare(found.Result.Output) && s.interesting:
		hint("if the input does matter, let the command look for more: it finds an empty input interesting, too")
	case found.Failed && found.Withheld == "" && bare(found.Result.Output):
		hint("if the input does matter, --match REGEX or --same-output tell the failure that is meant from the one of an empty input")
	}
	if found.Original.TimedOut && found.Failed && found.Withheld == "" {
		hint("what was kept is that the command does not end within the time limit: if no hang is meant, choose a longer --timeout than the command takes on the input")
	}
	if found.varies {
		hint("what the command prints on the input differs from run to run" + results.ByStatus)
	}
	if h := hints.Flaky(err); h != "" {
		if port := hints.Port(session, nil, s.jobs, false); port != "" {
			hint(port)
		}
		hint(h)
	}
	return list
}

// found says where a command that names no input finds it.
func (s *reducing) found() string {
	where := "in a new directory that holds nothing but " + s.named()
	switch {
	case s.fromStdin():
		return ", and has it as its standard input"
	case len(s.paths) == 1 && !isDir(s.paths[0]):
		return ": it has it as its standard input, and finds it " + where
	}
	return ": it runs " + where
}

// isDir reports whether a name is that of a directory.
func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// usesInput: the command says where its input goes.
func (s *reducing) usesInput() bool {
	return slices.ContainsFunc(s.command, func(arg string) bool {
		return strings.Contains(arg, "{}") || strings.Contains(arg, "GITDD_INPUT") ||
			slices.ContainsFunc(s.paths, func(p string) bool { return p != stdinPath && strings.Contains(arg, filepath.Base(p)) })
	})
}

// elsewhere is an argument of the command that names a file here, which is not in
// the directory of a trial; "" = there is none.
func (s *reducing) elsewhere() string {
	for i, arg := range s.command {
		if arg == "" || i == 0 || filepath.IsAbs(arg) || slices.Contains(s.paths, arg) {
			continue
		}
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
			return arg
		}
	}
	return ""
}

// printReduction keeps a result in the session and writes it wherever the user
// wants it.
func (a *app) printReduction(session *trial.Session, before, output testcase.Input, r report.Reduction, story report.Story, o outputs) error {
	var text bytes.Buffer
	if err := report.ReductionJSON(&text, r); err != nil {
		return err
	}
	if err := session.WriteResult(text.Bytes()); err != nil {
		return err
	}
	if err := errors.Join(reduction.KeepInput(session, reduction.BeforeFile, before), reduction.KeepInput(session, reduction.OutputFile, output)); err != nil {
		return err
	}
	a.keepStory(session, story)
	return a.showReduction(session, r, func() report.Story { return story }, o, func() ([]byte, error) { return reduction.Patch(context.Background(), before, output) })
}

// showReduction writes a result that the session keeps, as show does.
func (a *app) showReduction(session *trial.Session, r report.Reduction, story func() report.Story, o outputs, patch func() ([]byte, error)) error {
	f := formsOfReduction(r, story)
	f.text = func(w io.Writer, as report.TextOptions) error {
		as.ASCII = a.ascii()
		return report.ReductionText(w, r, as)
	}
	f.patch = patch
	return a.give(session, o, f)
}

// formsOfReduction are the forms of the result of a reduction, but for its text and
// patch.
func formsOfReduction(r report.Reduction, story func() report.Story) forms {
	return forms{
		json: func(w io.Writer) error { return report.ReductionJSON(w, r) },
		html: func(w io.Writer) error { return report.ReductionHTML(w, r, story()) },
	}
}
