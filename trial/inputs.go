package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/workspace"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// InputOptions say on what a command is run, and how.
//
// Of Options, Repo, Setup, Build, Overlay, Keep, Submodules, Patches and Clean are
// for Good and Bad only; Artifacts and Shared are for Runners. With Remote, which has no
// Good and Bad, Overlay has paths below the directory that gitdd was started in.
type InputOptions struct {
	Options

	Original testcase.Input // which fails

	// Passing is, with Confidence, an input that passes; nil = the empty one, if it
	// does. How often it fails is taken for how often any fails that passes.
	Passing *testcase.Input

	// Interesting turns the exit status of the command round: 0 is a fail, as
	// other reducers have it, and 1 to 124 is a pass.
	Interesting bool

	// Answers are exit statuses by which the command says that all went well, beside
	// 0: those of a solver that has an answer. They are passes unless the original ends
	// so, too.
	Answers []int

	// Good and Bad are two versions of what the command runs, or nil: then a
	// candidate fails only if it does so in the bad one and passes in the good one.
	// Both are checked out and built for each worker. The command runs in the
	// workspaces, in Dir, with {} and GITDD_INPUT as ever; a name with a slash is
	// first looked for there.
	Good, Bad *git.Revision

	// Auxiliary has, with Remote, the files that other machines get beside the candidates: those of Overlay and the
	// command, copied once for several sessions. nil = the session has a copy of its own.
	Auxiliary *Auxiliary

	// SaveOther is a directory for candidates that fail otherwise than the
	// original, the smallest for each way to fail, which names it; "" = they are not
	// kept. It is made when there is one. What it holds of an earlier session stays
	// unless a smaller one is found.
	SaveOther string
}

// Inputs test candidates for a smaller input that fails as the original does:
// their outcome is isolate.Fail. The methods may be used by several goroutines;
// Options.Jobs of them run at once.
//
// Each trial has a new directory, which holds the candidate by its own name and
// is the working directory of the command. An argument's {} stands for the
// absolute name of the candidate, and so does GITDD_INPUT. Where several files or
// directories are reduced together that is the directory that they lie in. A
// command that is named with a slash, as ./check.sh, is that of the directory
// that gitdd was started in (GITDD_DIR) if it is there. On another machine GITDD_DIR is
// a directory with that command and the files of Options.Overlay.
//
// A candidate fails like the original with the same exit status, signal or
// timeout, and with an output that matches, and with the same signature, if that
// is asked for. Whatever else it does is another failure, and unresolved.
type Inputs struct {
	*pool
	given       InputOptions
	original    testcase.Input
	interesting bool
	name        string // of what a candidate is within its directory; "" = all of it
	start       string // the directory that gitdd was started in

	passing   testcase.Input // for the sequential test
	others    *others
	auxiliary *Auxiliary // with Options.Remote

	// With Good and Bad only.
	compared bool
	versions [2]version // bad and good
	source   *workspace.Source
}

// Options returns the options that NewInputs was called with.
func (r *Inputs) Options() InputOptions { return r.given }

// NewInputs prepares to run trials in the session, and takes up what its journal
// says.
func NewInputs(ctx context.Context, opts InputOptions) (*Inputs, error) {
	if len(opts.Original.Files) == 0 {
		return nil, errors.New("there is no input: no file to reduce")
	}
	if err := opts.Original.Check(); err != nil {
		return nil, err
	}
	if !opts.Measure.IsZero() {
		return nil, errors.New("candidates of a reduction have no number: leave Measure out")
	}
	passing := opts.Original.Empty()
	if opts.Passing != nil {
		passing = *opts.Passing
		if err := passing.Check(); err != nil {
			return nil, err
		}
	}
	if err := opts.checkRemoteInputs(); err != nil {
		return nil, err
	}
	base, err := newPool(opts.Options)
	if err != nil {
		return nil, err
	}
	r := &Inputs{
		pool: base, given: opts, original: opts.Original, interesting: opts.Interesting,
		name: opts.Original.Top(), start: base.session.header.Dir, passing: passing,
	}
	if r.others, err = newOthers(opts.SaveOther); err != nil {
		return nil, err
	}
	r.newPlace = r.newFolder
	if r.compared = opts.Good != nil && opts.Bad != nil; r.compared {
		if err := r.openVersions(ctx, *opts.Good, *opts.Bad); err != nil {
			return nil, err
		}
	}
	if opts.Remote != nil {
		r.newPlace = r.newRemoteInput
		if r.auxiliary, err = r.copyAuxiliary(ctx); err != nil {
			return nil, err
		}
	}
	r.interpret = rules{interesting: opts.Interesting, answers: opts.Answers, exact: true, whose: "the input"}
	if err := r.begin(ctx, r.digest(r.clean), r.digest(true)); err != nil {
		return nil, err
	}
	r.history.budget = outputBudget
	for _, rec := range r.session.Records() {
		if err := r.limitOutputs(rec); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// digest returns a digest of all settings that an outcome depends on, beside the
// input.
func (r *Inputs) digest(clean bool) string {
	match, signature := "", ""
	if r.opts.Match != nil {
		match = r.opts.Match.String()
	}
	if r.opts.SameOutput != nil {
		signature = r.opts.SameOutput.String()
	}
	list := []any{
		"input", r.opts.Command, r.start, r.interesting, r.opts.Timeout, match, r.opts.OnSignal, signature,
		r.opts.MaxMemory, r.opts.MaxDisk, r.opts.MaxOutput,
	}
	if r.compared {
		list = append(list, r.versions[0].revision, r.versions[1].revision, r.opts.Dir, r.opts.Setup, r.opts.Build,
			r.source.OverlayDigest(), r.source.Kept(), r.opts.Submodules, clean)
		if patches := r.source.PatchesDigest(); patches != "" {
			list = append(list, patches)
		}
	}
	if r.opts.Remote != nil {
		list = append(list, "remote", r.auxiliary.files.Digest)
	}
	if len(r.interpret.answers) > 0 {
		list = append(list, r.interpret.answers)
	}
	return digestOf(list)
}

func (r *Inputs) question(in testcase.Input, purpose Purpose) question {
	r.mu.Lock()
	defer r.mu.Unlock()
	return question{input: &in, purpose: purpose, key: memoKey{tree: git.ID(in.Digest()), settings: r.key}}
}

// Original tests the original, and learns from it what the other trials may take
// and how a failure looks.
//
// The error is an *EndsError when it does not fail, with its Verdict as Bad, and a
// *CommandError when the command cannot run.
//
// With Options.Confidence it is tried as often as it takes to know how often it
// fails, and so is the empty input, see InputOptions.
func (r *Inputs) Original(ctx context.Context) (Verdict, error) {
	if r.uncalibrated() {
		return r.calibrate(ctx)
	}
	q := r.question(r.original, End)
	v, err := r.answer(ctx, q)
	if err != nil {
		return v, err
	}
	if err := r.canRun(ctx, v); err != nil {
		return v, err
	}
	if v.Outcome != isolate.Fail {
		return v, &EndsError{Bad: v, What: r.unfit(v)}
	}
	r.settle(v)
	r.setReference(q, v.Trial, 0)
	return v, nil
}

// settle fixes the limits, once, by a failure of the original.
func (r *Inputs) settle(v Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limits.settled {
		return
	}
	r.limits = limits{settled: true, test: r.limitAfter(v), failure: v.ending()}
}

// limitTime fixes how long a trial may take before the original has failed.
func (r *Inputs) limitTime(v Verdict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.limits.settled {
		r.limits.test = r.limitAfter(v)
	}
}

// limitAfter is how long a trial may take after one of the original. r.mu is held.
func (r *Inputs) limitAfter(v Verdict) time.Duration {
	if r.opts.Timeout != 0 {
		return r.opts.Timeout
	}
	limit := max(r.limits.test, limitFor(v.Duration, 0))
	if r.opts.Remote != nil {
		limit = sharedLimit(limit)
	}
	return limit
}

// unfit says why the original is no input to reduce.
func (r *Inputs) unfit(v Verdict) string {
	switch {
	case v.good != nil:
		return "the input shows no regression: " + v.Reason
	case v.Outcome == isolate.Unresolved:
		return "the input cannot be judged: " + v.Seen()
	case r.interesting:
		return "the input is not interesting: " + v.Seen()
	}
	if r.compared {
		return "the input does not fail in the bad version: " + v.Seen()
	}
	return "the command does not fail on the input: " + v.Seen()
}

// canRun returns a *CommandError if the exit status of the original, when it is 126
// or 127, is that of the empty input, too: then the command lacks something. An
// input that is itself a script may end so.
func (r *Inputs) canRun(ctx context.Context, v Verdict) error {
	if v.Exit != exitCannotRun && v.Exit != exitNotFound || v.TimedOut {
		return nil
	}
	if !v.missing {
		empty, err := r.end(ctx, r.question(r.original.Empty(), End))
		if err != nil {
			return err
		}
		if empty.Exit != v.Exit {
			return nil
		}
	}
	name := r.opts.Command[0]
	e := r.commandError(v, commandHints{
		executable: fmt.Sprintf("make it executable (`chmod +x %s`), or run it by its interpreter: -- sh %s", name, filepath.Join(r.start, name)),
		absent:     r.absent(name),
		script:     "a script",
		called:     "the command ran, and did not find what it calls: programs are looked for in PATH; a file of yours is named by its absolute path, or below $GITDD_DIR",
		remote:     ", and of yours a command that is named from here, as ./check.sh, and what --overlay names",
	})
	e.where = "with the input"
	return e
}

// absent says where a command that is named with its directory is not.
func (r *Inputs) absent(name string) string {
	where := "there is no such file on this machine"
	if !filepath.IsAbs(name) {
		where = "it is neither beside the input nor in " + r.start
	}
	return where + ": is its name right?"
}

// Test returns the verdict on a candidate: it is as interesting as the original
// if Outcome is isolate.Fail. Candidates are remembered by their content.
func (r *Inputs) Test(ctx context.Context, in testcase.Input) (Verdict, error) {
	if err := in.Check(); err != nil {
		return Verdict{}, err
	}
	return r.answer(ctx, r.question(in, Search))
}

// Confirm tests a candidate once more, in a place that no trial has used. Trials
// of the search do not answer it; those of an earlier Confirm do that this session
// ran before it was resumed. When the outcome is not isolate.Fail, the Reason says
// so, and the answer should be withheld; the error is then a *FlakyError if the
// search has seen the same input fail. With a sequential test it is an *EndsError if it
// turns out that the original fails too seldom.
func (r *Inputs) Confirm(ctx context.Context, in testcase.Input) (v Verdict, err error) {
	if err := in.Check(); err != nil {
		return Verdict{}, err
	}
	q := r.question(in, Confirm)
	if r.sequential != nil {
		v, err = r.confirmSurely(ctx, q, isolate.Fail)
		err = r.endsError(err)
	} else if v, err = r.confirm(ctx, q); err == nil {
		if v, err = r.compareConfirmed(ctx, q, v); err != nil {
			return v, err
		}
		r.mu.Lock()
		err = r.contradiction(q)
		r.mu.Unlock()
	}
	if err == nil && v.Outcome != isolate.Fail {
		v.Reason = fmt.Sprintf("%s: %s in a fresh place, but %s during the search", v.Reason, v.Outcome.Word(r.interesting), isolate.Fail.Word(r.interesting))
	}
	return v, err
}
