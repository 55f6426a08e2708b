package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/trial"
)

// reducing are the settings of a reduction. A session keeps the words they were
// read from, so that a resumed one reads the same.
type reducing struct {
	paths   []string // the input
	command []string // argv of the test

	output      string
	saveOther   string
	passing     string // an input to compare with
	interesting bool
	good, bad   string // regression mode, unless good is ""
	build       string

	format    string
	algorithm string
	sigma     float64
	passes    []string
	protected string // --keep
	fast      bool

	maxPartitions int  // of graphs
	noSimplify    bool // the same

	maxMemory, maxDisk, maxOutput cli.Size
	judging
}

func (s *reducing) flags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVarP(&s.output, "output", "o", "", "write the smallest input so far to `FILE`, again after each success (default NAME.reduced beside the input; of a directory a directory; - for standard output, which is the default for standard input)")
	flags.BoolVar(&s.interesting, "interesting", false, "exit status 0 means that the input is interesting and 1 that it is not, as with creduce and picire")
	flags.StringVar(&s.passing, "passing", "", "find the smallest difference between the input and `FILE`, on which COMMAND passes; nothing else is reduced")
	s.regressionFlags(flags)
	flags.StringVar(&s.format, "format", "", "take the input for `NAME`: "+strings.Join(formatNames(), ", ")+" (default guessed from its name and content)")
	flags.StringVar(&s.protected, "keep", "", "leave text that matches `REGEX` as it is")
	s.trialFlags(flags)
	s.searchFlags(flags)
}

// regressionFlags name the two builds that an input is tried with.
func (s *reducing) regressionFlags(flags *pflag.FlagSet) {
	revisionFlag(flags, &s.good, "good", "", "keep only what passes with `REV` and fails with --bad: COMMAND runs in a workspace of each, in the directory that matches yours")
	revisionFlag(flags, &s.bad, "bad", "", "the `REV` that fails, with --good (default HEAD)")
	flags.StringVar(&s.build, "build", "", "run `CMD` (by sh) once in a workspace of --good and of --bad")
}

// trialFlags say how one trial is judged.
func (s *reducing) trialFlags(flags *pflag.FlagSet) {
	flags.Var((*timeLimit)(&s.timeout), "timeout", "end a trial after `TIME` (default 10 times that of the input, at least 10s)")
	flags.StringVar(&s.match, "match", "", "a failure whose output does not match `REGEX` is another failure")
	flags.StringVar(&s.sameOutput, "same-output", "", "a failure whose first match of `REGEX` (its groups, if it has any) is not the input's is another failure; auto: what common test tools print; status: compare no output")
	flags.StringVar(&s.onSignal, "on-signal", "auto", "`WHAT` a command that dies by a signal is: auto (it fails if it dies so on the input), fail (as by any exit status), unresolved or stop")
	flags.StringVar(&s.saveOther, "save-other", "", "keep inputs that fail otherwise in `DIR`, one for each kind of failure")
	flags.IntVar(&s.repeat, "repeat", 1, "run each trial `N` times; any disagreement stops the reduction")
	flags.Float64Var(&s.confidence, "confidence", 0, "the test is flaky: repeat trials until the whole answer is right with probability `P`, such as 0.99")
	flags.Var(&s.maxMemory, "max-memory", "end a trial whose processes take more than `SIZE` together, as 2G (Linux)")
	flags.Var(&s.maxDisk, "max-disk", "end a trial that takes more of the disk than `SIZE`")
	s.maxOutput = trial.DefaultOutput
	flags.Var(&s.maxOutput, "max-output", "keep `SIZE` of each output of a trial, its begin and its end")
}

// searchFlags say how the reduction goes and when it ends.
func (s *reducing) searchFlags(flags *pflag.FlagSet) {
	flags.IntVarP(&s.jobs, "jobs", "j", 1, "run `N` trials at a time; 0 is one for each processor")
	flags.StringVar(&s.algorithm, "algorithm", "auto", "reduce by `NAME`, such as hdd, or hdd*/probdd for a tree algorithm with a list algorithm in it; graphs by one of "+strings.Join(reduce.GraphAlgorithms(), ", ")+", or several with commas")
	sigmaFlag(flags, &s.sigma)
	flags.IntVar(&s.maxPartitions, "max-partitions", 0, "of a graph: let ddmin cut it into `N` parts at most (default no limit)")
	flags.BoolVar(&s.noSimplify, "no-simplify", false, "of a graph: do not simplify by the constants that take the place of nodes")
	flags.StringSliceVar(&s.passes, "passes", nil, "make only these passes, a `LIST` of "+strings.Join(reduce.Passes(), ", ")+" (default all)")
	flags.BoolVar(&s.fast, "fast", false, "stop where nothing more is found, without trying each element that is left")
	flags.IntVar(&s.maxTrials, "max-trials", 0, "stop after `N` trials with the smallest input so far")
	flags.DurationVar(&s.maxTime, "max-time", 0, "stop after `TIME` with the smallest input so far")
}

// words are the flags that lead to these settings, as a session keeps them.
func (s *reducing) words() []string {
	read, flags := s.keptFlags()
	*read = *s
	return flagWords(flags)
}

// keptFlags are the flags that a session keeps, and where they are read to.
func (s *reducing) keptFlags() (*reducing, *pflag.FlagSet) {
	read := &reducing{}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	read.flags(flags)
	flags.StringArrayVar(&read.paths, "input", nil, "")
	return read, flags
}

// reducingOf reads the settings that a session was begun with.
func reducingOf(h trial.Header) (reducing, error) {
	s, flags := (&reducing{}).keptFlags()
	if err := flags.Parse(h.Args); err != nil {
		return *s, fmt.Errorf("session of gitdd %s: %w", h.Version, err)
	}
	s.command = h.Command
	return *s, s.check()
}

// check reports the first setting that cannot be meant, and fills in what others
// imply.
func (s *reducing) check() error {
	if s.good != "" && s.bad == "" {
		s.bad = "HEAD"
	}
	switch {
	case s.good == "" && s.bad != "":
		return errors.New("--bad without --good: name the revision that passes, too")
	case s.good == "" && s.build != "":
		return errors.New("--build is run in the two revisions of --good and --bad: name them")
	case s.good != "" && s.interesting:
		return errors.New("--interesting and --good: that one build passes and the other fails goes by the usual exit statuses")
	case s.good != "" && s.passing != "":
		return errors.New("--passing and --good: want one of them")
	case slices.Contains(s.paths, stdinPath) && len(s.paths) > 1:
		return errors.New("- is standard input, which is reduced alone: name files, or - and no other")
	case s.passing == stdinPath:
		return errors.New("--passing -: only the failing input can come from standard input; name a file")
	case s.passing != "" && s.toStdout():
		return errors.New("--passing writes two files: name them with --output NAME, as NAME.failing and NAME.passing")
	case s.passing != "" && len(s.paths) > 1:
		return errors.New("--passing: want one failing input to compare with it")
	case s.passing != "" && (s.fast || s.protected != "" || len(s.passes) > 0):
		return errors.New("--passing searches for a difference and reduces nothing: --fast, --keep and --passes have no place there")
	case s.passing != "" && s.algorithm != "auto" && s.algorithm != "dd2" && s.algorithm != "cpi":
		return fmt.Errorf("--algorithm %s: with --passing want one of auto, cpi, dd2", s.algorithm)
	}
	if err := s.checkGraph(); err != nil {
		return err
	}
	if _, err := regexp.Compile(s.protected); err != nil {
		return fmt.Errorf("--keep: %w", err)
	}
	if s.format != "" {
		if err := cli.OneOf("format", s.format, formatNames()); err != nil {
			return err
		}
	}
	for _, name := range s.passes {
		if err := cli.SomeOf("passes", name, reduce.Passes()); err != nil {
			return err
		}
	}
	if s.passing == "" {
		if err := reduce.CheckAlgorithm(s.algorithm); err != nil {
			return fmt.Errorf("--algorithm: %w", err)
		}
	}
	if err := checkSigma(s.sigma, s.algorithm); err != nil {
		return err
	}
	return s.judging.check()
}

// checkGraph is check for what is of graphs alone.
func (s *reducing) checkGraph() error {
	asked := s.maxPartitions != 0 || s.noSimplify
	switch {
	case s.maxPartitions < 0 || s.maxPartitions == 1:
		return fmt.Errorf("--max-partitions %d: want 2 or more, or 0 for no limit", s.maxPartitions)
	case asked && s.passing != "":
		return errors.New("--passing looks for a difference and reduces no graph: --max-partitions and --no-simplify have no place there")
	case asked && s.format != "" && s.format != reduce.BTOR:
		return fmt.Errorf("--max-partitions and --no-simplify are for graphs: want --format %s", reduce.BTOR)
	case s.passing != "" && s.format == reduce.BTOR:
		return fmt.Errorf("--passing compares texts: want another --format than %s, such as lines", reduce.BTOR)
	}
	return nil
}

func formatNames() []string {
	var names []string
	for _, f := range reduce.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// options say how the input is reduced.
func (s *reducing) options() reduce.Options {
	o := reduce.Options{
		Format: s.format, Algorithm: s.algorithm, Sigma: s.sigma, Jobs: s.jobs, MaxTrials: s.counted(), Fast: s.fast, Passes: s.passes, Evidence: s.confidence > 0,
		MaxPartitions: s.maxPartitions, NoSimplify: s.noSimplify,
	}
	if s.algorithm == "auto" {
		o.Algorithm = ""
	}
	if s.protected != "" {
		o.Keep = regexp.MustCompile(s.protected) // check has compiled it before
	}
	return o
}

// completeReduction lets shells complete what is one of a few words only here.
func completeReduction(cmd *cobra.Command) {
	for flag, list := range map[string][]string{"format": formatNames(), "passes": reduce.Passes(), "algorithm": reduce.Algorithms()} {
		if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // it has the flag, and is completed once
		}
	}
}
