package settings

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/cluster"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/trial"
)

// Reduction has the settings of a reduction. A session keeps the words that they were
// read from, so that a resumed one reads the same.
type Reduction struct {
	Paths   []string // the input
	Command []string // argv of the test

	output      string
	SaveOther   string
	Passing     string // an input to compare with
	Interesting bool
	Good, bad   string // regression mode, unless Good is ""
	Build       string

	Format    string
	Algorithm string
	sigma     float64
	passes    []string
	protected string // --keep
	Fast      bool

	maxPartitions int  // of graphs
	noSimplify    bool // the same

	limits
	judging
	MachineFiles
}

// Flags adds the flags of gitdd reduce.
func (s *Reduction) Flags(flags *pflag.FlagSet) {
	s.LocalFlags(flags)
	s.MachineFiles.Flags(flags)
}

// LocalFlags adds those that are not about a cluster.
func (s *Reduction) LocalFlags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVarP(&s.output, "output", "o", "", "write the smallest input so far to `FILE`, again after each success (default NAME.reduced beside the input; of a directory a directory; - for standard output, which is the default for standard input)")
	flags.BoolVar(&s.Interesting, "interesting", false, "exit status 0 means that the input is interesting and 1 that it is not, as with creduce and picire")
	flags.StringVar(&s.Passing, "passing", "", "find the smallest difference between the input and `FILE`, on which COMMAND passes; nothing else is reduced")
	s.regressionFlags(flags)
	flags.StringVar(&s.Format, "format", "", "take the input for `NAME`: "+strings.Join(FormatNames(), ", ")+" (default guessed from its name and content)")
	flags.StringVar(&s.protected, "keep", "", "leave text that matches `REGEX` as it is")
	s.trialFlags(flags)
	s.searchFlags(flags)
}

// regressionFlags name the two builds that an input is tried with.
func (s *Reduction) regressionFlags(flags *pflag.FlagSet) {
	RevisionFlag(flags, &s.Good, "good", "", "keep only what passes with `REV` and fails with --bad: COMMAND runs in a workspace of each, in the directory that matches yours")
	RevisionFlag(flags, &s.bad, "bad", "", "the `REV` that fails, with --good (default HEAD)")
	flags.StringVar(&s.Build, "build", "", "run `CMD` (by sh) once in a workspace of --good and of --bad")
}

// trialFlags say how one trial is judged.
func (s *Reduction) trialFlags(flags *pflag.FlagSet) {
	flags.Var((*timeLimit)(&s.Timeout), "timeout", "end a trial after `TIME` (default 10 times that of the input, at least 10s)")
	flags.StringVar(&s.Match, "match", "", "a failure whose output does not match `REGEX` is another failure")
	flags.StringVar(&s.sameOutput, "same-output", "", "a failure whose first match of `REGEX` (its groups, if it has any) is not the input's is another failure; auto: what common test tools print; status: compare no output")
	flags.StringVar(&s.onSignal, "on-signal", "auto", "`WHAT` a command that dies by a signal is: auto (it fails if it dies so on the input), fail (as by any exit status), unresolved or stop")
	flags.StringVar(&s.SaveOther, "save-other", "", "keep inputs that fail otherwise in `DIR`, one for each kind of failure")
	flags.IntVar(&s.repeat, "repeat", 1, "run each trial `N` times; any disagreement stops the reduction")
	s.confidenceFlag(flags)
	s.limits.flags(flags, "")
}

// searchFlags say how the reduction goes and when it ends.
func (s *Reduction) searchFlags(flags *pflag.FlagSet) {
	s.JobsFlag(flags)
	flags.StringVar(&s.Algorithm, "algorithm", "auto", "reduce by `NAME`, such as hdd, or hdd*/probdd for a tree algorithm with a list algorithm in it; graphs by one of "+strings.Join(reduce.GraphAlgorithms(), ", ")+", or several with commas")
	sigmaFlag(flags, &s.sigma)
	flags.IntVar(&s.maxPartitions, "max-partitions", 0, "of a graph: let ddmin cut it into `N` parts at most (default no limit)")
	flags.BoolVar(&s.noSimplify, "no-simplify", false, "of a graph: do not simplify by the constants that take the place of nodes")
	flags.StringSliceVar(&s.passes, "passes", nil, "make only these passes, a `LIST` of "+strings.Join(reduce.Passes(), ", ")+" (default all)")
	flags.BoolVar(&s.Fast, "fast", false, "stop where nothing more is found, without trying each element that is left")
	flags.IntVar(&s.MaxTrials, "max-trials", 0, "stop after `N` trials with the smallest input so far")
	flags.DurationVar(&s.MaxTime, "max-time", 0, "stop after `TIME` with the smallest input so far")
}

// FormatNames returns the values of --format.
func FormatNames() []string {
	var names []string
	for _, f := range reduce.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// OfReduction reads the settings that a session was begun with.
func OfReduction(h trial.Header) (Reduction, error) {
	s, flags := keptReduction()
	if err := flags.Parse(h.Args); err != nil {
		return *s, fmt.Errorf("session of gitdd %s: %w", h.Version, err)
	}
	s.Command = h.Command
	return *s, s.Check()
}

// keptReduction returns the flags that the session of a reduction keeps, and the settings to which they are read.
func keptReduction() (*Reduction, *pflag.FlagSet) {
	read, flags := &Reduction{}, pflag.NewFlagSet("", pflag.ContinueOnError)
	read.Flags(flags)
	flags.StringArrayVar(&read.Paths, "input", nil, "")
	read.Machines.kept(flags)
	return read, flags
}

// Words are the flags that lead to these settings, as a session keeps them.
func (s *Reduction) Words() []string {
	read, flags := keptReduction()
	*read = *s
	read.Headers.NotKept = s.Headers.SecretNames()
	return flagWords(flags)
}

// Check reports the first setting that cannot be meant, and fills in what others
// imply.
func (s *Reduction) Check() error {
	if s.Good != "" && s.bad == "" {
		s.bad = "HEAD"
	}
	switch {
	case s.Good == "" && s.bad != "":
		return errors.New("--bad without --good: name the revision that passes, too")
	case s.Good == "" && s.Build != "":
		return errors.New("--build is run in the two revisions of --good and --bad: name them")
	case s.Good != "" && s.Interesting:
		return errors.New("--interesting and --good: that one build passes and the other fails goes by the usual exit statuses")
	case s.Good != "" && s.Passing != "":
		return errors.New("--passing and --good: want one of them")
	case slices.Contains(s.Paths, stdinPath) && len(s.Paths) > 1:
		return errors.New("- is standard input, which is reduced alone: name files, or - and no other")
	case s.Passing == stdinPath:
		return errors.New("--passing -: only the failing input can come from standard input; name a file")
	case s.Passing != "" && s.ToStdout():
		return errors.New("--passing writes two files: name them with --output NAME, as NAME.failing and NAME.passing")
	case s.Passing != "" && len(s.Paths) > 1:
		return errors.New("--passing: want one failing input to compare with it")
	case s.Passing != "" && (s.Fast || s.protected != "" || len(s.passes) > 0):
		return errors.New("--passing searches for a difference and reduces nothing: --fast, --keep and --passes have no place there")
	case s.Passing != "" && s.Algorithm != "auto" && s.Algorithm != "dd2" && s.Algorithm != "cpi":
		return fmt.Errorf("--algorithm %s: with --passing want one of auto, cpi, dd2", s.Algorithm)
	}
	if err := s.checkMachines(); err != nil {
		return err
	}
	if err := s.checkGraph(); err != nil {
		return err
	}
	if _, err := regexp.Compile(s.protected); err != nil {
		return fmt.Errorf("--keep: %w", err)
	}
	if s.Format != "" {
		if err := cli.OneOf("format", s.Format, FormatNames()); err != nil {
			return err
		}
	}
	for _, name := range s.passes {
		if err := cli.SomeOf("passes", name, reduce.Passes()); err != nil {
			return err
		}
	}
	if s.Passing == "" {
		if err := reduce.CheckAlgorithm(s.Algorithm); err != nil {
			return fmt.Errorf("--algorithm: %w", err)
		}
	}
	if err := checkSigma(s.sigma, s.Algorithm); err != nil {
		return err
	}
	return s.judging.check()
}

// checkMachines checks the settings of a cluster, and those that hold on this machine only.
func (s *Reduction) checkMachines() error {
	if flag := s.Flag(); flag != "" && s.Good != "" {
		return fmt.Errorf("--good tries an input with two workspaces of this machine, not with %s: leave one of them out, or compare two programs in a COMMAND of yours", flag)
	}
	return s.MachineFiles.Check(cluster.Local{MaxMemory: int64(s.maxMemory), MaxDisk: int64(s.maxDisk)})
}

// checkGraph checks the settings that only reductions of graphs have.
func (s *Reduction) checkGraph() error {
	asked := s.maxPartitions != 0 || s.noSimplify
	switch {
	case s.maxPartitions < 0 || s.maxPartitions == 1:
		return fmt.Errorf("--max-partitions %d: want 2 or more, or 0 for no limit", s.maxPartitions)
	case asked && s.Passing != "":
		return errors.New("--passing looks for a difference and reduces no graph: --max-partitions and --no-simplify have no place there")
	case asked && s.Format != "" && s.Format != reduce.BTOR:
		return fmt.Errorf("--max-partitions and --no-simplify are for graphs: want --format %s", reduce.BTOR)
	case s.Passing != "" && s.Format == reduce.BTOR:
		return fmt.Errorf("--passing compares texts: want another --format than %s, such as lines", reduce.BTOR)
	}
	return nil
}
