package hunt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// A finding is reduced as gitdd reduce does it, in a session of its own below the
// cache directory: in the directory of the hunt, gitdd list shows those that are not
// ended, and gitdd resume goes on with one.

const (
	autoAlgorithm = "auto"
	reducedEnding = ".reduced.btor"
)

// The statuses of a reduction, as the result of gitdd reduce has them.
const (
	statusReduced    = "reduced"
	statusNotReduced = "not-reduced"
	statusBudget     = "budget"
)

// A reducing says how one finding is reduced: what remains has to fail in the same
// way, and not just somehow.
type reducing struct {
	file, output string // names of the finding, and of what is left of it
	command      []string
	timeout      time.Duration // 0 = as trial.Options has it
	memory       int64
	match        string // a regular expression; "" = none
	sameOutput   string // of trial.NewSignature; "" = none
}

// reducing says how the finding of a run is reduced.
func (h *hunter) reducing(r Run) reducing {
	s := reducing{
		file: h.manifest.File(r.Seed, ".btor"), output: h.manifest.File(r.Seed, reducedEnding),
		command: h.Command, timeout: h.Limits.Timeout, memory: h.Limits.Memory,
	}
	f := r.Failure
	switch {
	case f.Class == Disagreement:
		s.sameOutput = differLine
		s.command = h.comparing()
		s.timeout *= time.Duration(len(h.commands()) + 1)
		if s.memory > 0 {
			s.memory += comparingMemory
		}
	case slices.ContainsFunc(h.Command, func(arg string) bool { return strings.Contains(arg, SMT2) }):
		s.command = h.translating(FileName(r.Seed))
	case slices.ContainsFunc(h.Command, func(arg string) bool { return strings.Contains(arg, BTOR) }):
		s.command = slices.Clone(h.Command)
		for i, arg := range s.command {
			s.command[i] = strings.ReplaceAll(arg, BTOR, Here)
		}
	}
	s.match = f.Pattern()
	if f.Signature != "" {
		s.sameOutput = trial.AutoSignature
	}
	return s
}

// mayCarryGitdd reports whether other machines may get gitdd for a reduction.
func (h *hunter) mayCarryGitdd() bool {
	calls := len(h.Against) > 0 || Command{Argv: h.Command}.has(SMT2)
	return calls && !h.NoReduce && filepath.IsAbs(h.Gitdd)
}

// carried is what other machines get for a command: gitdd where that translates or compares, unless a name without a
// directory says that it is there. Nothing else gets so large a file, but see [Solving.KeepFirst].
func (h *hunter) carried(command []string) (*trial.Auxiliary, error) {
	if filepath.IsAbs(h.Gitdd) && slices.Contains(command, h.Gitdd) {
		return h.withGitdd()
	}
	return h.auxiliary, nil
}

// comparingMemory is what gitdd btor compare itself may take, beside a command.
const comparingMemory = 256 << 20

// comparing is the command that fails where the solvers disagree, which it runs one by
// one, each within the limits. gitdd reduce leaves {btor} alone, so that what the
// solvers get is quoted where it has to be.
func (h *hunter) comparing() []string {
	command := []string{h.Gitdd, "btor", "compare", "{}", "--timeout", h.Limits.Timeout.String(), "--max-memory", prose.SizeFlag(h.Limits.Memory)}
	inner := func(text string) string { return strings.ReplaceAll(text, Here, BTOR) }
	for _, line := range h.Against {
		command = append(command, "--against", inner(line))
	}
	command = append(command, "--")
	for _, arg := range h.Command {
		command = append(command, inner(arg))
	}
	return command
}

// translating is the command that runs a solver which reads SMT-LIB 2 on a file in
// BTOR.
func (h *hunter) translating(stem string) []string {
	translated := stem + ".smt2"
	command := []string{"sh", "-c", `"$0" btor smt2 "$1" >"$2" || exit 125; shift 2; exec "$@"`, h.Gitdd, "{}", translated}
	replace := strings.NewReplacer(SMT2, translated, BTOR, Here)
	for i, arg := range h.Command {
		if arg = replace.Replace(arg); i == 0 && strings.Contains(arg, "/") && !filepath.IsAbs(arg) {
			arg = filepath.Join(h.Start, arg) // sh does not look there
		}
		command = append(command, arg)
	}
	return command
}

// header is that of the session of a reduction. Its words are those of gitdd reduce, in
// the order in which that has them.
func (h *hunter) header(s reducing) trial.Header {
	args := []string{"--output=" + s.output, "--format=" + reduce.BTOR}
	add := func(flag, value string, is bool) {
		if is {
			args = append(args, flag+"="+value)
		}
	}
	add("--timeout", s.timeout.String(), s.timeout != 0)
	add("--match", s.match, s.match != "")
	add("--same-output", s.sameOutput, s.sameOutput != "")
	add("--max-memory", prose.SizeFlag(s.memory), s.memory != 0)
	add("--algorithm", h.Algorithm, h.Algorithm != autoAlgorithm)
	add("--max-trials", strconv.Itoa(h.ReduceTrials), h.ReduceTrials != 0)
	add("--max-time", h.ReduceTime.String(), h.ReduceTime != 0)
	return trial.Header{
		Version: h.Version, Started: time.Now(), Name: "reduce",
		Args: append(args, inputWord+s.file), Dir: h.Start, Command: s.command,
	}
}

// inputWord is how the word of a header begins that names the input.
const inputWord = "--input="

// reduce reduces a finding, or goes on with its reduction.
func (h *hunter) reduce(ctx context.Context, worker int, r Run) (reduced Reduction, err error) {
	began := time.Now()
	reduced.Seed = r.Seed
	s := h.reducing(r)
	input, err := testcase.Read(s.file)
	if err != nil {
		return reduced, err
	}
	session, err := h.session(s, input)
	if err != nil {
		return reduced, err
	}
	if len(session.Records()) == 0 {
		again, err := h.again(ctx, worker, r.Seed, input.Files[0].Content)
		if err == nil && !r.Failure.Alike(again) {
			reduced.Status, reduced.Reason = statusNotReduced, "it did not fail so again: "+again.String()
			err = removed(s.output)
		}
		if err != nil {
			return reduced, errors.Join(err, session.Close())
		}
		if reduced.Status != "" {
			h.ended(r.Seed, session)
			return reduced, nil
		}
	}
	found, err := h.shrink(ctx, worker, s, session, input, &reduced)
	switch {
	case err != nil:
	case reduced.Status == statusNotReduced:
		err = removed(s.output)
	default:
		err = h.look(ctx, worker, found, &reduced)
	}
	reduced.Seconds = time.Since(began).Round(time.Millisecond).Seconds()
	if err != nil {
		return reduced, errors.Join(err, session.Close())
	}
	h.ended(r.Seed, session)
	return reduced, nil
}

// shrink reduces the input of a session, and says in reduced how that ended. An error says that
// there is nothing to say: then the session is gone, unless it has trials.
func (h *hunter) shrink(ctx context.Context, worker int, s reducing, session *trial.Session, input testcase.Input, reduced *Reduction) (found reduction.Found, err error) {
	options := trial.InputOptions{
		Options: trial.Options{
			Session: session, Command: s.command, Timeout: s.timeout, MaxMemory: s.memory,
			Repeat: 1, Jobs: 1, MaxTrials: h.ReduceTrials,
			Remote: h.Remote, Patience: h.Patience,
			Observe: func(e trial.Event) { h.tried(worker, reduced.Seed, session, e) },
		},
		Original: input,
		Answers:  reduction.AnswerStatuses(input, reduce.BTOR),
	}
	options.Auxiliary, err = h.carried(s.command)
	if err == nil && s.match != "" {
		options.Match, err = regexp.Compile(s.match)
	}
	if err == nil && s.sameOutput != "" {
		options.SameOutput, err = trial.NewSignature(s.sameOutput)
	}
	if err != nil {
		return found, errors.Join(err, session.DiscardUnused(err))
	}
	out := h.resumedOutput(s, session)
	runner, err := trial.NewInputs(ctx, options)
	if err != nil {
		return found, errors.Join(err, session.DiscardUnused(err))
	}
	found, err = h.reduction(ctx, worker, reduced.Seed, s, runner, out)
	reduced.Trials, reduced.Minimal = trialsOf(session), found.Result.Minimal && found.Verified
	if err := runner.Close(); err != nil {
		h.trouble(fmt.Errorf("remove the directories of trials: %w; `gitdd clean` tries again", err))
	}
	if ctx.Err() != nil {
		return found, ctx.Err()
	}
	if reduced.Status, reduced.Reason = h.status(found, err); reduced.Status == "" {
		return found, errors.Join(err, session.DiscardUnused(err))
	}
	return found, nil
}

// trialsOf is how many trials of a session have an outcome, wherever it is from: who resumes a reduction on a cluster finds
// in its cache what the machines have done since.
func trialsOf(session *trial.Session) int {
	n := 0
	for _, rec := range session.Records() {
		if rec.Remote == nil || !rec.Remote.GaveUp {
			n++
		}
	}
	return n
}

// reduction makes the input of a runner smaller within the time of a reduction.
func (h *hunter) reduction(ctx context.Context, worker int, seed uint64, s reducing, runner *trial.Inputs, out *output) (found reduction.Found, err error) {
	limited := ctx
	if h.ReduceTime > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, h.ReduceTime, errReduceTime)
		defer cancel()
	}
	o := reduction.Options{Runner: runner, Name: s.file, Reduce: reduce.Options{Format: reduce.BTOR, Improved: out.improved}}
	if h.Algorithm != autoAlgorithm {
		o.Reduce.Algorithm = h.Algorithm
	}
	o.Observe = func(e reduction.Event) {
		switch e := e.(type) {
		case reduction.Step:
			h.observe(Event{Kind: Asked, Worker: worker, Seed: seed, Nodes: e.Nodes})
		case reduction.Note:
			h.observe(Event{Kind: Noted, Worker: worker, Seed: seed, Text: e.Text})
		}
	}
	found, err = reduction.Run(limited, o)
	if err != nil && context.Cause(limited) == errReduceTime {
		err = errReduceTime
	}
	if found.IsAnswer(runner.Options().Original, err) {
		err = errors.Join(err, out.write(found.Result.Output)) // though it may be gone since
	}
	return found, err
}

// errReduceTime says that Options.ReduceTime is spent.
var errReduceTime = fmt.Errorf("%w: --reduce-time", isolate.ErrBudget)

// status says how a reduction ended; "" when there is nothing to say.
func (h *hunter) status(found reduction.Found, err error) (status, reason string) {
	var ends *trial.EndsError
	var flaky *trial.FlakyError
	switch {
	case found.Withheld != "":
		return statusNotReduced, found.Withheld
	case err == nil:
		return statusReduced, ""
	case errors.As(err, &ends), errors.As(err, &flaky):
		return statusNotReduced, err.Error()
	case errors.Is(err, errReduceTime):
		return statusBudget, fmt.Sprintf("after %v (--reduce-time)", h.ReduceTime)
	case errors.Is(err, isolate.ErrBudget):
		return statusBudget, fmt.Sprintf("after %s (--reduce-trials)", prose.Count(h.ReduceTrials, "trial"))
	}
	return "", ""
}

// tried passes an event of the trials of a reduction on.
func (h *hunter) tried(worker int, seed uint64, session *trial.Session, e trial.Event) {
	event := Event{Worker: worker, Seed: seed, Trial: e.Trial}
	switch e.Kind {
	case trial.Started:
		event.Kind, event.Outputs = TrialStarted, []string{session.Output(e.Trial, "out"), session.Output(e.Trial, "err")}
	case trial.Finished:
		event.Kind = TrialFinished
	default:
		return
	}
	h.observe(event)
}

// An output is where the smallest graph so far is written, whole each time.
type output struct {
	manifest *Manifest
	name     string
	known    int64 // bytes of what was written before the session was resumed; 0 = nothing was
}

// resumedOutput is the output of a session: what is larger than what stands there already
// need not be written on the way there.
func (h *hunter) resumedOutput(s reducing, session *trial.Session) *output {
	o := &output{manifest: h.manifest, name: s.output}
	if info, err := os.Stat(s.output); err == nil && len(session.Records()) > 0 {
		o.known = info.Size()
	}
	return o
}

// improved writes a smaller graph, unless a smaller one yet stands there.
func (o *output) improved(in testcase.Input) error {
	if o.known > 0 && in.Size() > o.known {
		return nil
	}
	return o.write(in)
}

func (o *output) write(in testcase.Input) error {
	if err := o.manifest.write(o.name, in.Files[0].Content); err != nil {
		return fmt.Errorf("write %s: %w", o.name, err)
	}
	return nil
}

// ended keeps the session of a reduction until its record is written.
func (h *hunter) ended(seed uint64, session *trial.Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[seed] = session
}

// again runs the file of a finding once more: a reduction would take whatever it does
// now for the failure.
func (h *hunter) again(ctx context.Context, worker int, seed uint64, text []byte) (f Failure, err error) {
	file, err := btor.Read(text)
	if err != nil {
		return f, err
	}
	all, err := h.solvers.Run(ctx, worker, Case{Seed: seed, Graph: file.Graph, Text: text, Again: true})
	if err != nil {
		return f, err
	}
	return Judge(all, h.GoodExit, labelsOf(h.commands())), nil
}

// look runs what is left of a finding once more: how it fails, and what it is made of,
// says which findings are alike. What is no graph any more is taken away: the solver
// did not fail on one that is written otherwise, so it cannot be reduced as one.
func (h *hunter) look(ctx context.Context, worker int, found reduction.Found, reduced *Reduction) error {
	text := found.Result.Output.Files[0].Content
	file, err := btor.Read(text)
	if err == nil {
		err = btor.SingleRoot(file.Graph)
	}
	if err != nil {
		reduced.Reason = fmt.Sprintf("what is left is no graph any more (%v)", err)
		if len(found.Result.Notes) > 0 {
			_, why, told := strings.Cut(found.Result.Notes[0], " is reduced as lines: ")
			if !told {
				why = found.Result.Notes[0]
			}
			reduced.Reason = why
		}
		return removed(h.manifest.File(reduced.Seed, reducedEnding))
	}
	f, err := h.again(ctx, worker, reduced.Seed, text)
	if err != nil {
		return err
	}
	if f.Class != Passed {
		reduced.Failure = &f
	}
	reduced.Nodes, reduced.Shape = len(file.Graph.Nodes), Shape(file.Graph)
	return nil
}

// removed removes a file if it is there.
func removed(name string) error {
	err := os.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
