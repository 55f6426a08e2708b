package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
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
		options.Answers = reduction.Answers(input, s.format)
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
func (s *reducing) reduction(session *trial.Session, input testcase.Input, out *outlet, found shrunk) report.Reduction {
	output := found.Result.Output
	r := report.Reduction{
		Schema:  report.ReductionSchema,
		Session: session.Name(),
		Input:   extentOf(input, s.paths),
		Output:  extentOf(output, nil),
		Minimal: found.Result.Minimal && found.Verified, Verified: found.Verified,
		Trials: report.Trials{
			Run: found.stats.Run, Cached: found.stats.Cached + found.Result.Cached,
			Pass: found.stats.Pass, Fail: found.stats.Fail, Unresolved: found.stats.Unresolved,
		},
		Seconds:     report.Seconds{Total: milliseconds(found.stats.Total), Testing: milliseconds(found.stats.Testing)},
		Jobs:        s.jobs,
		Formats:     found.Result.Formats,
		Algorithm:   found.Result.Algorithm,
		Fast:        s.fast,
		Command:     s.command,
		Interesting: s.interesting,
		SavedOthers: s.saveOther,
		Notes:       found.Result.Notes,
	}
	for _, p := range found.Curve {
		r.Curve = append(r.Curve, report.Point(p))
	}
	for _, p := range found.Result.Passes {
		r.Passes = append(r.Passes, report.Pass{Name: p.Name, Trials: p.Trials, Removed: p.Removed, Nodes: p.Nodes, Bits: p.Bits})
	}
	r.Format = mostly(output, found.Result.Formats)
	if r.Format == btorFormat && s.graph(input) {
		r.Input.Nodes, r.Input.Bits = reduction.Nodes(input)
		r.Output.Nodes, r.Output.Bits = reduction.Nodes(output)
	}
	if found.Failed {
		r.Failure = endedWith(found.Original)
		r.Signature = found.Original.Signature
	}
	if found.written {
		r.Output.Paths = out.names(output)
		if text, ok := onlyText(output); ok {
			r.Shown = report.NewExcerpt(out.file(output.Files[0]), text, shownBytes)
		}
	}
	if s.confidence > 0 {
		if len(found.Settled.Risk) > 0 { // else it was not even begun
			r.Confidence = report.Probability(max(0, 1-found.Settled.Total))
		}
		r.Unjudged = found.Unjudged
	}
	r.Flaky = s.flaky(found.flaky)
	r.Others = otherInputs(session.Records())
	return r
}

// milliseconds is a time in seconds: more digits would only be noise.
func milliseconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }

// endedWith says what there was to see in a trial.
func endedWith(v trial.Verdict) string {
	if v.LastLine == "" {
		return v.Reason
	}
	return fmt.Sprintf("%s, output line %s", v.Reason, prose.Quote(v.LastLine))
}

// mostly is the format of most of the bytes.
func mostly(in testcase.Input, formats []string) string {
	sizes := map[string]int{}
	best := ""
	for i, format := range formats {
		if i >= len(in.Files) || format == "" {
			continue
		}
		sizes[format] += 1 + len(in.Files[i].Content)
		if best == "" || sizes[format] > sizes[best] {
			best = format
		}
	}
	return best
}

// extentOf measures an input.
func extentOf(in testcase.Input, paths []string) report.Content {
	c := report.Content{Paths: paths, Files: len(in.Files), Bytes: in.Size()}
	for _, f := range in.Files {
		if f.Mode&fs.ModeSymlink != 0 {
			continue
		}
		c.Tokens += reduce.Tokens(f.Content)
		c.Lines += bytes.Count(f.Content, []byte("\n"))
		if n := len(f.Content); n > 0 && f.Content[n-1] != '\n' {
			c.Lines++
		}
	}
	return c
}

// onlyText is the content of an input that is one file of text.
func onlyText(in testcase.Input) ([]byte, bool) {
	if len(in.Files) != 1 || in.Files[0].Mode&fs.ModeSymlink != 0 {
		return nil, false
	}
	text := in.Files[0].Content
	return text, len(text) > 0 && bytes.IndexByte(text, 0) < 0
}

// otherInputs counts the trials that failed otherwise than the input does.
func otherInputs(records []trial.Record) (o report.OtherFailures) {
	slices.SortStableFunc(records, func(a, b trial.Record) int { return a.Trial - b.Trial })
	for _, r := range records {
		if !r.Other {
			continue
		}
		if o.Trials++; o.Trials == 1 {
			o.First, o.Reason, o.Line = r.Trial, r.Reason, r.Last
		}
	}
	return o
}

// reductionHints are what the user may want to do differently.
func (s *reducing) reductionHints(session *trial.Session, found shrunk, err error) (hints []string) {
	hint := func(text string) { hints = append(hints, text) }
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
	case found.Empty && wantsTerminal(s.command, found.Original) != "":
		hint(wantsTerminal(s.command, found.Original))
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
		hint("what the command prints on the input differs from run to run" + byStatus)
	}
	if h := flakyHint(err); h != "" {
		if port := s.takenPort(session, nil, ""); port != "" {
			hint(port)
		}
		hint(h)
	}
	return hints
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
	if err := errors.Join(keepInput(session, beforeFile, before), keepInput(session, answerFile, output)); err != nil {
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
