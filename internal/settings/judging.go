package settings

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// judging has the settings that say what the outcome of a trial is, and when a search ends:
// one among changes, and a reduction.
type judging struct {
	Timeout    time.Duration
	Match      string
	sameOutput string
	onSignal   string
	repeat     int
	Confidence float64 // 0 = trust each trial
	Jobs       int
	MaxTrials  int
	MaxTime    time.Duration

	mostRepeats bool // repeat is how often either end is measured at most
}

// JobsFlag adds --jobs.
func (s *judging) JobsFlag(flags *pflag.FlagSet) {
	flags.IntVarP(&s.Jobs, "jobs", "j", 1, "run `N` trials at a time; 0 is one for each processor")
}

func (s *judging) confidenceFlag(flags *pflag.FlagSet) {
	flags.Float64Var(&s.Confidence, "confidence", 0, "the test is flaky: repeat trials until the whole answer is right with probability `P`, such as 0.99")
}

// check is Check of what both have.
func (s *judging) check() error {
	if s.Jobs == 0 {
		s.Jobs = runtime.NumCPU()
	}
	switch {
	case s.Jobs < 0:
		return fmt.Errorf("--jobs %d: want 0 or more", s.Jobs)
	case s.repeat < 1:
		return fmt.Errorf("--repeat %d: want 1 or more", s.repeat)
	case s.Confidence != 0 && !(s.Confidence > 0.5 && s.Confidence < 1): // nor NaN
		return fmt.Errorf("--confidence %v: want a probability above 0.5 and below 1", s.Confidence)
	case s.Confidence != 0 && s.repeat > 1 && !s.mostRepeats:
		return errors.New("--confidence repeats as often as it takes, --repeat a fixed number of times: want one of them")
	case s.MaxTrials < 0:
		return fmt.Errorf("--max-trials %d: want 0 or more", s.MaxTrials)
	case s.MaxTime < 0:
		return fmt.Errorf("--max-time %s: want 0 or more", s.MaxTime)
	}
	if _, err := regexp.Compile(s.Match); err != nil {
		return fmt.Errorf("--match: %w", err)
	}
	if _, err := trial.NewSignature(s.sameOutput); err != nil {
		return fmt.Errorf("--same-output: %w", err)
	}
	return OneOf("on-signal", s.onSignal)
}

// StatusOnly is the value of --same-output for which any output is the same.
const StatusOnly = "status"

var onSignals = map[string]trial.OnSignal{
	"auto": trial.Auto, "fail": trial.SignalFail, "unresolved": trial.SignalUnresolved, "stop": trial.SignalStop,
}

// set enters the settings into the options of trials. They are checked.
func (s *judging) set(o *trial.Options) {
	o.Timeout, o.OnSignal = s.Timeout, onSignals[s.onSignal]
	o.Repeat, o.Confidence, o.MaxTrials, o.Jobs = s.repeat, s.Confidence, s.MaxTrials, s.Jobs
	if s.Match != "" {
		o.Match = regexp.MustCompile(s.Match)
	}
	switch s.sameOutput {
	case "":
	case StatusOnly:
		o.StatusOnly = true
	default:
		o.SameOutput, _ = trial.NewSignature(s.sameOutput)
	}
}

// TellsApart reports whether a failure of another kind is not taken for that of the failing end.
func (s *judging) TellsApart() bool { return s.Match != "" || s.sameOutput != "" }

// Within calls do with a context that ends when the time of --max-time is spent, and returns its error,
// which is ErrTime then.
func (s *judging) Within(ctx context.Context, do func(context.Context) error) error {
	if s.MaxTime == 0 {
		return do(ctx)
	}
	limited, cancel := context.WithTimeoutCause(ctx, s.MaxTime, ErrTime)
	defer cancel()
	err := do(limited)
	if err != nil && context.Cause(limited) == ErrTime {
		return ErrTime
	}
	return err
}

// ErrTime says that a search or a reduction was cut short by --max-time.
var ErrTime = fmt.Errorf("%w: --max-time", isolate.ErrBudget)

// ended says how a search or a reduction ended: done without an error, not with one
// that says that there is nothing to find; "" when there is nothing to report.
func (j *judging) ended(err error, done, not report.Status) (report.Status, string) {
	var ends *trial.EndsError
	var flaky *trial.FlakyError
	switch {
	case err == nil:
		return done, ""
	case errors.As(err, &ends), errors.As(err, &flaky):
		return not, err.Error()
	case errors.Is(err, ErrTime):
		return report.Budget, fmt.Sprintf("after %v (--max-time)", j.MaxTime)
	case errors.Is(err, isolate.ErrBudget):
		return report.Budget, fmt.Sprintf("after %s (--max-trials)", prose.Count(j.MaxTrials, "trial"))
	case errors.Is(err, context.Canceled):
		return report.Interrupted, "by a signal"
	}
	return "", ""
}

// A timeLimit is the value of --timeout: 0 where it is left out, and then derived from what
// is tested. Nobody can mean no time at all, and no limit has to be said otherwise.
type timeLimit time.Duration

func (t *timeLimit) Set(word string) error {
	d, err := time.ParseDuration(word)
	switch {
	case err != nil:
		return errors.New("want a time with its unit, such as 90s, 20m or 1h30m")
	case d <= 0:
		return errors.New("want more than 0; left out it is derived from how long trials take, and a long one, such as 24h, is as good as none")
	}
	*t = timeLimit(d)
	return nil
}

func (t *timeLimit) String() string {
	if *t == 0 {
		return ""
	}
	return time.Duration(*t).String()
}

func (t *timeLimit) Type() string { return "time" }

// placement has the settings of the place where trials run: what is put on every configuration there, and
// what a trial may take of the machine.
type placement struct {
	Patches       []string
	WorkspaceRoot string
	limits
}

// limits say what a trial may take of the machine.
type limits struct{ maxMemory, maxDisk, maxOutput cli.Size }

func (s *placement) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&s.Patches, "with-patch", nil, "put the patch `FILE` on every configuration that does not have it already, as a build fix (repeatable)")
	flags.StringVar(&s.WorkspaceRoot, "workspace-root", "", "make workspaces below `DIR`, on a faster or larger disk, say")
	s.limits.flags(flags, ", and stop when all together do and no room can be made")
}

// flags adds the flags of the limits. allTogether is what --max-disk does beside ending a trial.
func (l *limits) flags(flags *pflag.FlagSet, allTogether string) {
	flags.Var(&l.maxMemory, "max-memory", "end a trial whose processes take more than `SIZE` together, as 2G (Linux)")
	flags.Var(&l.maxDisk, "max-disk", "end a trial that takes more of the disk than `SIZE`"+allTogether)
	l.maxOutput = trial.DefaultOutput
	flags.Var(&l.maxOutput, "max-output", "keep `SIZE` of each output of a trial, its begin and its end")
}

// set enters the settings into the options of trials.
func (s *placement) set(o *trial.Options) {
	o.Patches, o.WorkspaceRoot = s.Patches, s.WorkspaceRoot
	s.limits.set(o)
}

func (l *limits) set(o *trial.Options) {
	o.MaxMemory, o.MaxDisk, o.MaxOutput = int64(l.maxMemory), int64(l.maxDisk), int64(l.maxOutput)
}
