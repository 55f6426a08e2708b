package settings

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/bisect"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
	"github.com/gitdd/gitdd/trial"
)

// Search has the settings of a search among changes. A session keeps the words that they
// were read from, so that a resumed search reads the same ones.
type Search struct {
	Good, Bad string

	GoodDir, BadDir string // two folders or archives, in the place of Good and Bad

	With   []string // other repositories in the same search; see ParseWith
	Into   string   // when to go into a dependency whose update is the cause: IntoAuto, IntoAlways or IntoNever
	Inside []string // the dependencies that the search has gone into; see Inside.Word

	Since   string // with git.Auto as Good: a date, before which no commit is tested; "" = all are
	Green   string // a file with commits that passed, of which one is Good; "" = Good is named
	Paths   []string
	Command []string // argv of the test

	setup, Build  string
	Precheck      string // --check
	Overlay, Keep []string
	clean         bool
	Submodules    bool // --recurse-submodules
	placement
	judging
	measuring
	Machines
	artifacts []string

	Each  string // the format of what a test suite reports; "" = the command is one test
	tests string // of Each: a regular expression of names
	Fixed bool   // of Each: search for tests that were mended

	ByHand bool // configurations are judged one by one, by a person or by a command of gitdd go

	Bisect      Bisect // what a git bisect in progress has told
	FirstParent bool

	Commits   bool // --history
	NoCommits bool // --no-history
	All       bool
	Rounds    bool
	maxCost   int
	algorithm string
	sigma     float64
	Goal      string
	group     string
	Level     string
	mixtures  string
	through   string
	confirm   string
}

// Flags adds the flags of gitdd run.
func (s *Search) Flags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	RevisionFlag(flags, &s.Good, "good", "", "the passing `REV` (default that of the git bisect in progress); auto: go back from bad until a commit passes")
	RevisionFlag(flags, &s.Bad, "bad", "HEAD", "the failing `REV` (where a git bisect is in progress, its bad one); worktree: your checkout with its uncommitted changes")
	flags.StringVar(&s.GoodDir, "good-dir", "", "in place of --good: a folder `DIR` that need not be in a repository, or an archive; see gitdd help folders")
	flags.StringVar(&s.BadDir, "bad-dir", "", "likewise `DIR` in place of --bad")
	s.WithFlag(flags)
	flags.StringVar(&s.Since, "since", "", "with --good auto, go back no further than to `DATE`, as git log --since takes it")
	flags.StringVar(&s.Green, "since-green", "", "the good revision is the newest commit in `FILE`, an id a line (- for standard input), that bad has in its history: those of green runs of a CI, say; as --good auto if there is none")
	flags.StringArrayVar(&s.Paths, "path", nil, "only changes below `PATHSPEC` (repeatable)")
	flags.StringVar(&s.Each, "each", "", "search for the cause of each test that passes at good and fails at bad; COMMAND runs a test suite, and reports in `FORMAT`: auto, go, junit:GLOB, pytest, unittest, jest, cargo, tap or lines:REGEX; see gitdd help each")
	flags.StringVar(&s.tests, "tests", "", "with --each, only tests whose names match `REGEX`")
	flags.BoolVar(&s.Fixed, "fixed", false, "with --each, search for tests that fail at good and pass at bad")
	s.MeasureFlags(flags)
	s.TrialFlags(flags)
	s.SearchFlags(flags)
	s.Machines.Flags(flags)
}

// TrialFlags adds the flags that say how one trial is made and judged.
func (s *Search) TrialFlags(flags *pflag.FlagSet) {
	flags.StringVar(&s.setup, "setup", "", "run `CMD` (by sh) once in each new workspace")
	flags.StringVar(&s.Precheck, "check", "", "run `CMD` (by sh) before each build and test; when it fails, neither is run: the configuration is unresolved, and was no trial")
	flags.StringVar(&s.Build, "build", "", "run `CMD` (by sh) before each test; when it fails, the trial is unresolved")
	flags.StringArrayVar(&s.Overlay, "overlay", nil, "put `PATH`, a file or directory of your checkout, over every configuration; or REV:PATH, that of a revision (./a:b is a path) (repeatable)")
	flags.StringArrayVar(&s.Keep, "keep", nil, "bring untracked `PATH` of your checkout, such as node_modules; auto: what the good end says it misses and your checkout has (repeatable)")
	flags.BoolVar(&s.Submodules, "recurse-submodules", false, "check out the pinned revisions of submodules, from what is here already")
	flags.BoolVar(&s.clean, "clean", false, "remove build products before each trial")
	s.placement.flags(flags)
	flags.Var((*timeLimit)(&s.Timeout), "timeout", "end a trial after `TIME` (default 10 times the slower end, at least 10s, and less for mixtures; none for the ends themselves; see gitdd help outcomes)")
	flags.StringVar(&s.Match, "match", "", "a failure whose output does not match `REGEX` is another failure: unresolved")
	flags.StringVar(&s.sameOutput, "same-output", "", "a failure whose first match of `REGEX` (its groups, if it has any) is not the failing end's is another failure: unresolved; auto: what common test tools print; status: compare no output")
	flags.StringVar(&s.onSignal, "on-signal", "auto", "`WHAT` a command that dies by a signal is: auto (it fails if the failing end died so), fail (as by any exit status), unresolved or stop")
	flags.StringArrayVar(&s.artifacts, "artifact", nil, "warn when both ends of the answer build to identical `PATH`, a file or directory below the top of the workspace (repeatable)")
	flags.IntVar(&s.repeat, "repeat", 1, "run each trial `N` times; any disagreement stops the search (with --measure: run either end up to N times)")
	s.confidenceFlag(flags)
	s.JobsFlag(flags)
}

// SearchFlags adds the flags that say how the search goes and when it ends.
func (s *Search) SearchFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&s.FirstParent, "first-parent", false, "never search the sides of a merge: what it brought is the merge's")
	flags.BoolVar(&s.Commits, "history", false, "bisect the commits first, then isolate within the culprit (default where algorithm, goal and history allow it)")
	flags.BoolVar(&s.NoCommits, "no-history", false, "search the whole difference, whatever commits made it")
	flags.StringVar(&s.algorithm, "algorithm", "auto", "search by `NAME`: "+strings.Join(isolate.Algorithms(), ", "))
	sigmaFlag(flags, &s.sigma)
	flags.StringVar(&s.Goal, "goal", "cause", "look for `GOAL`: cause is the smallest difference, introduce the smallest set that breaks good, revert the smallest set to take out of bad")
	flags.BoolVar(&s.All, "all", false, "go on behind the first cause: does it need an earlier change, are there others?")
	flags.BoolVar(&s.Rounds, "rounds", false, "with -j, aim for few rounds of trials rather than few trials; another -j may then find another cause")
	flags.IntVar(&s.maxCost, "max-cost", noLimit, "with -j, look ahead by at most `N` trials that may turn out to be needless; -1 is no limit")
	flags.StringVar(&s.group, "group", "place", "group changes by `WHAT`: place, syntax, identifier, time or none")
	flags.StringVar(&s.Level, "level", "auto", "make the answer as fine as `LEVEL`: hunk, symbol, line, node (a part of a line), or auto")
	flags.StringVar(&s.mixtures, "mixtures", "strict", "`HOW` to judge a failure of a mixture that says what no commit says, such as a warning: strict (unresolved) or lenient (it fails)")
	intoFlag(flags, &s.Into)
	flags.StringVar(&s.through, "through", "auto", "`WHEN` to search the changes that the cause needs for lines without which the test passes: auto (a cause of up to 5 lines), always or never")
	flags.StringVar(&s.confirm, "confirm", "auto", "test both ends of the answer again in a `WORKSPACE`: fresh, clean (one of the search, cleaned), auto (fresh where that is cheap against the search) or no")
	flags.IntVar(&s.MaxTrials, "max-trials", 0, "stop after `N` trials with the best answer so far")
	flags.DurationVar(&s.MaxTime, "max-time", 0, "stop after `TIME` with the best answer so far")
}

// Default returns the settings of a search for which no flag is given. They lack a good end.
func Default() Search {
	s, _ := keptSearch()
	return *s
}

// OfSearch reads the settings that a session was begun with.
func OfSearch(h trial.Header) (Search, error) {
	s, flags := keptSearch()
	if err := flags.Parse(h.Args); err != nil {
		return *s, fmt.Errorf("session of gitdd %s: %w", h.Version, err)
	}
	s.Command = h.Command
	return *s, s.Check()
}

// keptSearch returns the flags that a session keeps, and the settings to which they are read.
func keptSearch() (*Search, *pflag.FlagSet) {
	read, flags := &Search{}, pflag.NewFlagSet("", pflag.ContinueOnError)
	read.Flags(flags)
	read.Bisect.flags(flags)
	flags.BoolVar(&read.ByHand, "by-hand", false, "")
	flags.StringArrayVar(&read.Inside, "inside", nil, "")
	read.Machines.kept(flags)
	return read, flags
}

// Words are the flags that lead to these settings, as a session keeps them.
func (s *Search) Words() []string {
	read, flags := keptSearch()
	*read = *s // the flags point to it
	read.Headers.NotKept = s.Headers.SecretNames()
	return flagWords(flags)
}

// Check reports the first setting that cannot be meant, and fills in -j 0.
func (s *Search) Check() error {
	if s.GoodDir != "" || s.BadDir != "" {
		if err := s.checkFolders(); err != nil {
			return err
		}
	} else if err := s.checkRevisions(); err != nil {
		return err
	}
	switch {
	case s.Since != "" && s.Good != git.Auto && s.Green == "":
		return errors.New("--since bounds how far --good auto goes back: want both, or none of them")
	case s.Good == git.Auto && s.Each != "":
		return errors.New("--each is about the tests that pass at good, and --good auto looks for the first commit at which all pass: name the good revision, or one test by --match or the command")
	case s.Commits && s.NoCommits:
		return errors.New("--history and --no-history: want one of them")
	case s.FirstParent && s.NoCommits:
		return errors.New("--first-parent and --no-history: want one of them")
	case s.Commits && s.Goal != "cause":
		return fmt.Errorf("--history looks into one commit, --goal %s at all of good or bad: want one of them", s.Goal)
	case s.Commits && len(s.Paths) > 0:
		return errors.New("--history tests whole commits, --path a part of them: want one of them")
	case s.All && s.Goal != "cause":
		return fmt.Errorf("--all looks for causes, --goal %s for one smallest set: want one of them", s.Goal)
	case len(s.artifacts) > 0 && (s.confirm == "clean" || s.confirm == "no"):
		return fmt.Errorf("--artifact compares what fresh workspaces build, --confirm %s makes none: want one of them", s.confirm)
	case s.maxCost < noLimit:
		return fmt.Errorf("--max-cost %d: want 0 or more, or -1 for no limit", s.maxCost)
	}
	s.mostRepeats = !s.Measure.IsZero()
	if err := s.checkInto(); err != nil {
		return err
	}
	if err := s.CheckWith(); err != nil {
		return err
	}
	if err := s.checkEach(); err != nil {
		return err
	}
	for _, name := range s.artifacts {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("--artifact %s: want a path below the top of the repository, relative to it", name)
		}
	}
	return errors.Join(
		s.judging.check(),
		s.checkMeasure(),
		s.Machines.Check(),
		s.Machines.refuse(s),
		OneOf("algorithm", s.algorithm),
		checkSigma(s.sigma, s.algorithm),
		OneOf("goal", s.Goal),
		OneOf("group", s.group),
		OneOf("level", s.Level),
		OneOf("mixtures", s.mixtures),
		OneOf("through", s.through),
		OneOf("confirm", s.confirm),
	)
}

// checkRevisions is Check of how the ends are named.
func (s *Search) checkRevisions() error {
	if s.Green != "" && s.Good != "" {
		return errors.New("--since-green finds the good revision, --good names it: want one of them")
	}
	if s.Good == "" && s.Green == "" {
		text := "--good is missing: name a revision on which the command passes, or begin a git bisect with one; --good auto looks for one"
		if s.Bad == git.Worktree {
			text += ", and --good HEAD compares your checkout with its last commit"
		}
		return errors.New(text)
	}
	if s.Bad == "" {
		return errors.New("--bad is empty: name a revision on which the command fails")
	}
	return nil
}

// checkFolders is Check of what is about two folders, which have no history and no checkout.
func (s *Search) checkFolders() error {
	switch {
	case s.GoodDir == "" || s.BadDir == "":
		return errors.New("--good-dir and --bad-dir name two folders, or archives: want both")
	case s.Good != "":
		return errors.New("--good-dir names the good end, and so does --good: want one of them")
	case s.Green != "":
		return errors.New("--since-green looks for a commit, and folders have none: want it without --good-dir and --bad-dir")
	case s.Since != "":
		return errors.New("--since is about commits, and folders have none: want it without --good-dir and --bad-dir")
	case s.Commits, s.FirstParent:
		return errors.New("--history and --first-parent are about commits, and folders have none: want them without --good-dir and --bad-dir")
	case len(s.Keep) > 0:
		return errors.New("--keep brings untracked files of a checkout, and all files of a folder are part of it: --overlay brings others")
	}
	return nil
}

// checkEach is Check of what is about the tests of a suite.
func (s *Search) checkEach() error {
	if s.Each == "" {
		if s.tests != "" || s.Fixed {
			return errors.New("--tests and --fixed choose among the tests of --each: name its format, too, such as --each auto")
		}
		return nil
	}
	switch {
	case s.All:
		return errors.New("--each searches for the cause of each test, --all for all causes of one failure: want one of them")
	case s.Precheck != "":
		return errors.New("--check cannot be had with --each: the command itself may check first")
	case len(s.artifacts) > 0:
		return errors.New("--artifact cannot be had with --each: search for one test, as --match or the command chooses it")
	case s.Bisect.WriteBack:
		return errors.New("--finish gives git bisect one verdict, --each finds one for each cause: want one of them")
	}
	format, err := suite.ParseFormat(s.Each)
	if err != nil {
		return fmt.Errorf("--each: %w", err)
	}
	if format.ReadsFiles() && s.Machines.Named() {
		return errors.New("--each reads files of a report on this machine only: have the suite print its report on the machines of " + s.Machines.Flag())
	}
	if s.onSignal != "auto" {
		return errors.New("--on-signal is about one test, and with --each the report of the suite says what a test did: want one of them")
	}
	if _, err := regexp.Compile(s.tests); err != nil {
		return fmt.Errorf("--tests: %w", err)
	}
	return nil
}

// Tests is the regular expression of --tests, nil if there is none. The settings are checked.
func (s *Search) Tests() *regexp.Regexp {
	if s.tests == "" {
		return nil
	}
	return regexp.MustCompile(s.tests)
}

// wantsHistory reports whether the commits are searched first: they are unless --no-history, an algorithm or a
// goal asks for the whole difference. Goals other than a cause are about good or
// bad as they are.
func (s *Search) wantsHistory() bool {
	if len(s.Inside) > 0 && !s.insideHistory() {
		return false
	}
	return s.Commits || !s.NoCommits && s.GoodDir == "" && s.algorithm == "auto" && s.Goal == "cause"
}

// noLimit is the value of --max-cost that bounds nothing.
const noLimit = -1

// cost is --max-cost as isolate.Options has it, where 0 is no limit.
func (s *Search) cost() int {
	switch s.maxCost {
	case noLimit:
		return 0
	case 0:
		return -1
	}
	return s.maxCost
}

// Kept returns the paths that --keep names.
func (s *Search) Kept() []string {
	return slices.DeleteFunc(slices.Clone(s.Keep), func(p string) bool { return p == KeepAuto })
}

// KeepAuto is the value of --keep for what the good end turns out to lack; ./auto is a file
// of that name.
const KeepAuto = "auto"

// A Bisect is what a search has from a git bisect, and whether it gives the verdict back.
type Bisect struct {
	bisect.State
	WriteBack bool
}

// flags are the words of a session; none of them is the user's.
func (t *Bisect) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&t.Goods, "bisect-good", nil, "")
	flags.StringArrayVar(&t.Skipped, "bisect-skip", nil, "")
	flags.StringArrayVar(&t.Paths, "bisect-path", nil, "")
	flags.StringVar(&t.Terms, "bisect-terms", "", "")
	flags.StringVar(&t.Log, "bisect-log", "", "")
	FinishFlag(flags, &t.WriteBack)
}

// FinishFlag adds --finish.
func FinishFlag(flags *pflag.FlagSet, finish *bool) {
	flags.BoolVar(finish, "finish", false, "write the verdict into the git bisect in progress, for git bisect log and replay")
}

// CanFinish finds out before a search whether it may end in vain.
func (s *Search) CanFinish(ctx context.Context, repo *git.Repo) error {
	if !s.Bisect.WriteBack {
		return nil
	}
	_, err := s.Bisect.Current(ctx, repo, s.Good, s.Bad)
	if err != nil {
		err = fmt.Errorf("%w; without --finish the search goes on all the same", err)
	}
	return err
}
