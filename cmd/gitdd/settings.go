package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// settings are what a search is started with. A session keeps the words they
// were read from, so that a resumed search reads the same ones.
type settings struct {
	good, bad string
	paths     []string
	command   []string // argv of the test

	setup, build  string
	precheck      string // --check
	overlay, keep []string
	clean         bool
	submodules    bool // --recurse-submodules
	placement
	judging
	machines
	artifacts []string

	bisect      bisectState // what a git bisect in progress has told
	firstParent bool

	commits   bool // --history
	noCommits bool // --no-history
	all       bool
	rounds    bool
	maxCost   int
	algorithm string
	sigma     float64
	goal      string
	group     string
	level     string
	mixtures  string
	through   string
	confirm   string
}

// judging settings say what the outcome of a trial is, and when a search ends:
// one among changes, and a reduction.
type judging struct {
	timeout    time.Duration
	match      string
	sameOutput string
	onSignal   string
	repeat     int
	confidence float64 // 0 = trust each trial
	jobs       int
	maxTrials  int
	maxTime    time.Duration
}

func (s *settings) flags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	revisionFlag(flags, &s.good, "good", "", "the passing `REV` (default that of the git bisect in progress)")
	revisionFlag(flags, &s.bad, "bad", "HEAD", "the failing `REV` (where a git bisect is in progress, its bad one); worktree: your checkout with its uncommitted changes")
	flags.StringArrayVar(&s.paths, "path", nil, "only changes below `PATHSPEC` (repeatable)")
	s.trialFlags(flags)
	s.searchFlags(flags)
	s.machines.flags(flags)
}

// trialFlags say how one trial is made and judged.
func (s *settings) trialFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.setup, "setup", "", "run `CMD` (by sh) once in each new workspace")
	flags.StringVar(&s.precheck, "check", "", "run `CMD` (by sh) before each build and test; when it fails, neither is run: the configuration is unresolved, and was no trial")
	flags.StringVar(&s.build, "build", "", "run `CMD` (by sh) before each test; when it fails, the trial is unresolved")
	flags.StringArrayVar(&s.overlay, "overlay", nil, "put `PATH`, a file or directory of your checkout, over every configuration; or REV:PATH, that of a revision (./a:b is a path) (repeatable)")
	flags.StringArrayVar(&s.keep, "keep", nil, "bring untracked `PATH` of your checkout, such as node_modules; auto: what the good end says it misses and your checkout has (repeatable)")
	flags.BoolVar(&s.submodules, "recurse-submodules", false, "check out the pinned revisions of submodules, from what is here already")
	flags.BoolVar(&s.clean, "clean", false, "remove build products before each trial")
	s.placement.flags(flags)
	flags.Var((*timeLimit)(&s.timeout), "timeout", "end a trial after `TIME` (default 10 times the slower end, at least 10s, and less for mixtures; see gitdd help outcomes)")
	flags.StringVar(&s.match, "match", "", "a failure whose output does not match `REGEX` is another failure: unresolved")
	flags.StringVar(&s.sameOutput, "same-output", "", "a failure whose first match of `REGEX` (its groups, if it has any) is not the failing end's is another failure: unresolved; auto: what common test tools print; status: compare no output")
	flags.StringVar(&s.onSignal, "on-signal", "auto", "`WHAT` a command that dies by a signal is: auto (it fails if the failing end died so), fail (as by any exit status), unresolved or stop")
	flags.StringArrayVar(&s.artifacts, "artifact", nil, "warn when both ends of the answer build to identical `PATH`, a file or directory below the top of the workspace (repeatable)")
	flags.IntVar(&s.repeat, "repeat", 1, "run each trial `N` times; any disagreement stops the search")
	flags.Float64Var(&s.confidence, "confidence", 0, "the test is flaky: repeat trials until the whole answer is right with probability `P`, such as 0.99")
	s.jobsFlag(flags)
}

func (s *settings) jobsFlag(flags *pflag.FlagSet) {
	flags.IntVarP(&s.jobs, "jobs", "j", 1, "run `N` trials at a time; 0 is one for each processor")
}

// searchFlags say how the search goes and when it ends.
func (s *settings) searchFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&s.firstParent, "first-parent", false, "never search the sides of a merge: what it brought is the merge's")
	flags.BoolVar(&s.commits, "history", false, "bisect the commits first, then isolate within the culprit (default where algorithm, goal and history allow it)")
	flags.BoolVar(&s.noCommits, "no-history", false, "search the whole difference, whatever commits made it")
	flags.StringVar(&s.algorithm, "algorithm", "auto", "search by `NAME`: "+strings.Join(isolate.Algorithms(), ", "))
	sigmaFlag(flags, &s.sigma)
	flags.StringVar(&s.goal, "goal", "cause", "look for `GOAL`: cause is the smallest difference, introduce the smallest set that breaks good, revert the smallest set to take out of bad")
	flags.BoolVar(&s.all, "all", false, "go on behind the first cause: does it need an earlier change, are there others?")
	flags.BoolVar(&s.rounds, "rounds", false, "with -j, aim for few rounds of trials rather than few trials; another -j may then find another cause")
	flags.IntVar(&s.maxCost, "max-cost", noLimit, "with -j, look ahead by at most `N` trials that may turn out to be needless; -1 is no limit")
	flags.StringVar(&s.group, "group", "place", "group changes by `WHAT`: place, syntax, identifier, time or none")
	flags.StringVar(&s.level, "level", "auto", "make the answer as fine as `LEVEL`: hunk, symbol, line, node (a part of a line), or auto")
	flags.StringVar(&s.mixtures, "mixtures", "strict", "`HOW` to judge a failure of a mixture that says what no commit says, such as a warning: strict (unresolved) or lenient (it fails)")
	flags.StringVar(&s.through, "through", "auto", "`WHEN` to search the changes that the cause needs for lines without which the test passes: auto (a cause of up to 5 lines), always or never")
	flags.StringVar(&s.confirm, "confirm", "auto", "test both ends of the answer again in a `WORKSPACE`: fresh, clean (one of the search, cleaned), auto (fresh where that is cheap against the search) or no")
	flags.IntVar(&s.maxTrials, "max-trials", 0, "stop after `N` trials with the best answer so far")
	flags.DurationVar(&s.maxTime, "max-time", 0, "stop after `TIME` with the best answer so far")
}

// sigmaFlag adds --sigma, which belongs to some values of --algorithm.
func sigmaFlag(flags *pflag.FlagSet, sigma *float64) {
	flags.Float64Var(sigma, "sigma", 0, "let probdd, cdd and wprobdd, where --algorithm names one, begin with `PROBABILITY` for each element (default that of the algorithm)")
}

func checkSigma(sigma float64, algorithm string) error {
	switch {
	case sigma == 0:
		return nil
	case !(sigma > 0 && sigma < 1):
		return fmt.Errorf("--sigma %v: want a probability above 0 and below 1", sigma)
	case !strings.Contains(algorithm, "probdd") && !strings.Contains(algorithm, "cdd"):
		return fmt.Errorf("--sigma is for probdd, cdd and wprobdd: want one of them with --algorithm, not %s", algorithm)
	}
	return nil
}

// noLimit is the value of --max-cost that bounds nothing.
const noLimit = -1

// cost is --max-cost as isolate.Options has it, where 0 is no limit.
func (s *settings) cost() int {
	switch s.maxCost {
	case noLimit:
		return 0
	case 0:
		return -1
	}
	return s.maxCost
}

// words are the flags that lead to these settings, as a session keeps them.
func (s *settings) words() []string {
	var read settings
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	read.flags(flags)
	read.bisect.flags(flags)
	read.machines.kept(flags)
	// The pointers of read are moved to s by value, flag by flag.
	read = *s
	read.Headers.NotKept = s.Headers.SecretNames()
	return flagWords(flags)
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

// flagWords are the flags that have another value than their default.
func flagWords(flags *pflag.FlagSet) []string {
	var words []string
	flags.VisitAll(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, word := range list.GetSlice() {
				words = append(words, "--"+f.Name+"="+word)
			}
		} else if f.Value.String() != f.DefValue {
			words = append(words, "--"+f.Name+"="+f.Value.String())
		}
	})
	return words
}

// settingsOf reads the settings that a session was begun with.
func settingsOf(h trial.Header) (settings, error) {
	var s settings
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.flags(flags)
	s.bisect.flags(flags)
	s.machines.kept(flags)
	if err := flags.Parse(h.Args); err != nil {
		return s, fmt.Errorf("session of gitdd %s: %w", h.Version, err)
	}
	s.command = h.Command
	return s, s.check()
}

// wantsHistory: the commits come first unless --no-history, an algorithm or a
// goal asks for the whole difference. Goals other than a cause are about good or
// bad as they are.
func (s *settings) wantsHistory() bool {
	return s.commits || !s.noCommits && s.algorithm == "auto" && s.goal == "cause"
}

// tellsApart: a failure of another kind is not taken for that of the failing end.
func (s *judging) tellsApart() bool { return s.match != "" || s.sameOutput != "" }

// check reports the first setting that cannot be meant, and fills in -j 0.
func (s *settings) check() error {
	if s.good == "" {
		return errors.New("--good is missing: name a revision on which the command passes, or begin a git bisect with one")
	}
	if s.bad == "" {
		return errors.New("--bad is empty: name a revision on which the command fails")
	}
	switch {
	case s.commits && s.noCommits:
		return errors.New("--history and --no-history: want one of them")
	case s.firstParent && s.noCommits:
		return errors.New("--first-parent and --no-history: want one of them")
	case s.commits && s.goal != "cause":
		return fmt.Errorf("--history looks into one commit, --goal %s at all of good or bad: want one of them", s.goal)
	case s.commits && len(s.paths) > 0:
		return errors.New("--history tests whole commits, --path a part of them: want one of them")
	case s.all && s.goal != "cause":
		return fmt.Errorf("--all looks for causes, --goal %s for one smallest set: want one of them", s.goal)
	case len(s.artifacts) > 0 && (s.confirm == "clean" || s.confirm == "no"):
		return fmt.Errorf("--artifact compares what fresh workspaces build, --confirm %s makes none: want one of them", s.confirm)
	case s.maxCost < noLimit:
		return fmt.Errorf("--max-cost %d: want 0 or more, or -1 for no limit", s.maxCost)
	}
	for _, name := range s.artifacts {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("--artifact %s: want a path below the top of the repository, relative to it", name)
		}
	}
	return errors.Join(
		s.judging.check(),
		s.machines.Check(),
		s.machines.refuse(s),
		oneOf("algorithm", s.algorithm),
		checkSigma(s.sigma, s.algorithm),
		oneOf("goal", s.goal),
		oneOf("group", s.group),
		oneOf("level", s.level),
		oneOf("mixtures", s.mixtures),
		oneOf("through", s.through),
		oneOf("confirm", s.confirm),
	)
}

// check is that of settings.
func (s *judging) check() error {
	if s.jobs == 0 {
		s.jobs = runtime.NumCPU()
	}
	switch {
	case s.jobs < 0:
		return fmt.Errorf("--jobs %d: want 0 or more", s.jobs)
	case s.repeat < 1:
		return fmt.Errorf("--repeat %d: want 1 or more", s.repeat)
	case s.confidence != 0 && !(s.confidence > 0.5 && s.confidence < 1): // nor NaN
		return fmt.Errorf("--confidence %v: want a probability above 0.5 and below 1", s.confidence)
	case s.confidence != 0 && s.repeat > 1:
		return errors.New("--confidence repeats as often as it takes, --repeat a fixed number of times: want one of them")
	case s.maxTrials < 0:
		return fmt.Errorf("--max-trials %d: want 0 or more", s.maxTrials)
	case s.maxTime < 0:
		return fmt.Errorf("--max-time %s: want 0 or more", s.maxTime)
	}
	if _, err := regexp.Compile(s.match); err != nil {
		return fmt.Errorf("--match: %w", err)
	}
	if _, err := trial.NewSignature(s.sameOutput); err != nil {
		return fmt.Errorf("--same-output: %w", err)
	}
	return oneOf("on-signal", s.onSignal)
}

// set enters the settings into the options of trials. They are checked.
func (s *judging) set(o *trial.Options) {
	o.Timeout, o.OnSignal = s.timeout, onSignals[s.onSignal]
	o.Repeat, o.Confidence, o.MaxTrials, o.Jobs = s.repeat, s.confidence, s.maxTrials, s.jobs
	if s.match != "" {
		o.Match = regexp.MustCompile(s.match)
	}
	switch s.sameOutput {
	case "":
	case statusOnly:
		o.StatusOnly = true
	default:
		o.SameOutput, _ = trial.NewSignature(s.sameOutput)
	}
}

// statusOnly is the value of --same-output for which any output is the same.
const statusOnly = "status"

// limited is ctx within the time that the settings allow: its cause is errTime
// when that is spent.
func (s *judging) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.maxTime == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.maxTime, errTime)
}

// choices are the values of the flags that take one of a few words.
var choices = map[string][]string{
	"on-signal": {"auto", "fail", "unresolved", "stop"},
	"algorithm": isolate.Algorithms(),
	"goal":      {"cause", "introduce", "revert"},
	"group":     {"place", "syntax", "identifier", "time", "none"},
	"level":     {"hunk", "symbol", "auto", "line", "node"},
	"mixtures":  {"strict", "lenient"},
	"through":   {"auto", "always", "never"},
	"confirm":   {"auto", "fresh", "clean", "no"},
	"color":     {"auto", "always", "never"},
	"as":        {"dot", "svg"}, // pictures
}

func oneOf(flag, value string) error { return cli.OneOf(flag, value, choices[flag]) }

// completeChoices lets shells complete the values of cmd's flags, but for those whose
// words the command has told itself.
func completeChoices(cmd *cobra.Command) {
	for flag, list := range choices {
		if _, told := cmd.GetFlagCompletionFunc(flag); told || cmd.LocalFlags().Lookup(flag) == nil {
			continue
		}
		err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
		if err != nil {
			panic(err) // it has the flag, and is completed once
		}
	}
}

var onSignals = map[string]trial.OnSignal{
	"auto": trial.Auto, "fail": trial.SignalFail, "unresolved": trial.SignalUnresolved, "stop": trial.SignalStop,
}

var goals = map[string]isolate.Goal{
	"cause": isolate.Cause, "introduce": isolate.Introduce, "revert": isolate.Revert,
}

// groupings are Zeller's four of 1999 (section 4.2), coarse to fine.
var groupings = map[string][]grouping.Level{
	"place":      search.ByPlace,
	"syntax":     {grouping.File, grouping.Symbol, grouping.Hunk},
	"identifier": {grouping.Identifier, grouping.File, grouping.Hunk},
	"time":       {grouping.Commit, grouping.File, grouping.Hunk},
	"none":       {}, // every change by itself
}
