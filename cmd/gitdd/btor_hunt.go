package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/hunt"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) btorHuntCommand() *cobra.Command {
	s := hunting{generator: btor.Defaults()}
	cmd := &cobra.Command{
		Use:   "hunt [flags] -- COMMAND [ARG...]",
		Short: "Search for generated graphs that a solver fails on",
		Long: `Generate graphs for one seed after the other, run COMMAND on each, keep those
that it fails on, and reduce each of these at once. {} in an argument stands for
the file, {smt2} for its translation to SMT-LIB 2.

COMMAND fails when a signal kills it, or it catches one (exit 6, 7 or 11, or it
prints "CAUGHT SIGNAL"); when it prints "segmentation", "assertion" or "out of
memory" in any case; when it takes too long or too much memory; and when it
exits with another status than those of --good-exit. With --against it also
fails where another command gives another answer: exit 10 or 20, or "sat" or
"unsat" in its first line and exit 0. How those themselves fail is no finding.

The directory of the hunt holds the file of each finding (seed-N.btor), what the
command printed (.out, .err), what is left of the file (.reduced.btor) and a
manifest of all runs. The same command goes on where it was stopped, and runs
nothing twice. Findings that seem to have one reason are told together.

What generate draws by default is mostly satisfiable. To look for wrong answers,
hunt with --cnf --clauses 2, too: about half of that is.

Exit status: 0 there are findings, 1 there are none, 130 interrupted.`,
		Example: `  gitdd btor hunt -- boolector {}
  gitdd btor hunt -n 1000 --maxwidth 16 -j 4 -- boolector -rwl 3 {}
  gitdd btor hunt --max-time 1h --against 'z3 {smt2}' -- boolector {}
  gitdd btor hunt --cnf --clauses 2 --against 'z3 {smt2}' -- ./solver {}
  gitdd btor hunt --good-exit 0 --runs 500 -- z3 -T:5 {smt2}`,
		Args: cli.Args(a.commandAfterDash),
		RunE: func(cmd *cobra.Command, command []string) error {
			s.command = command
			if err := s.check(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			err := a.hunt(cmd.Context(), s)
			var other *hunt.MismatchError
			if errors.As(err, &other) {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			return err
		},
	}
	s.flags(cmd.Flags())
	return cmd
}

// hunting are the settings of a hunt.
type hunting struct {
	generator btor.Options
	output    string
	findings  int
	runs      int
	maxTime   time.Duration
	jobs      int

	noReduce     bool
	reduceTime   time.Duration
	reduceTrials int
	algorithm    string

	solving
}

// solving settings say which commands are run on a file, and within which limits.
type solving struct {
	command   []string // argv
	against   []string // lines of shell
	goodExit  []int
	timeout   time.Duration
	maxMemory cli.Size
}

func (s *hunting) flags(flags *pflag.FlagSet) {
	flags.SortFlags = false
	flags.StringVarP(&s.output, "output", "o", "", "the `DIR` of the hunt (default gitdd-hunt-NAME, by the name of COMMAND)")
	s.solving.flags(flags)
	flags.IntSliceVar(&s.goodExit, "good-exit", []int{10, 20}, "the exit statuses of COMMAND that mean nothing bad, a `LIST`")
	flags.IntVarP(&s.jobs, "jobs", "j", 1, "run `N` commands at a time; 0 is one for each processor")
	flags.IntVar(&s.findings, "findings", 0, "stop when there are `N` findings")
	flags.IntVar(&s.runs, "runs", 0, "stop behind `N` seeds")
	flags.DurationVar(&s.maxTime, "max-time", 0, "stop after `TIME`")
	flags.BoolVar(&s.noReduce, "no-reduce", false, "leave findings as they are")
	flags.DurationVar(&s.reduceTime, "reduce-time", 10*time.Minute, "reduce a finding for `TIME` at most; 0 is no limit")
	flags.IntVar(&s.reduceTrials, "reduce-trials", 0, "and by `N` trials at most (default no limit)")
	flags.StringVar(&s.algorithm, "algorithm", "auto", "reduce by `NAME`, one of gitdd reduce for graphs")
	flags.Uint64VarP(&s.generator.Seed, "seed", "s", s.generator.Seed, "begin with seed `N`")
	generateFlags(flags, &s.generator)
}

func (s *solving) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&s.against, "against", nil, "compare answers with those of `CMD` (by sh), in which {} and {smt2} stand for the file (repeatable)")
	flags.DurationVar(&s.timeout, "timeout", 10*time.Second, "end a command after `TIME`")
	if runtime.GOOS == "linux" {
		s.maxMemory = 2 << 30
	}
	flags.Var(&s.maxMemory, "max-memory", "end a command whose processes take more than `SIZE` together; 0 is no limit (Linux)")
}

// check reports the first setting that cannot be meant, and fills in what others
// imply.
func (s *hunting) check() error {
	if s.jobs == 0 {
		s.jobs = runtime.NumCPU()
	}
	if s.output == "" {
		s.output = "gitdd-hunt-" + filepath.Base(s.command[0])
	}
	switch {
	case s.jobs < 0:
		return fmt.Errorf("--jobs %d: want 0 or more", s.jobs)
	case s.findings < 0:
		return fmt.Errorf("--findings %d: want 0 or more", s.findings)
	case s.runs < 0:
		return fmt.Errorf("--runs %d: want 0 or more", s.runs)
	case s.maxTime < 0:
		return fmt.Errorf("--max-time %s: want 0 or more", s.maxTime)
	case s.reduceTime < 0:
		return fmt.Errorf("--reduce-time %s: want 0 or more", s.reduceTime)
	case s.reduceTrials < 0:
		return fmt.Errorf("--reduce-trials %d: want 0 or more", s.reduceTrials)
	}
	for _, exit := range s.goodExit {
		if exit < 0 || exit > 255 {
			return fmt.Errorf("--good-exit %d: an exit status is 0 to 255", exit)
		}
	}
	// What suits the smallest of all graphs suits all.
	least := testcase.Input{Files: []testcase.File{{Path: "least.btor", Content: []byte("1 zero 1\n2 root 1 1\n")}}}
	if err := reduce.Check(least, reduce.Options{Format: btorFormat, Algorithm: s.algorithm}); err != nil {
		return fmt.Errorf("--algorithm: %w", err)
	}
	if err := s.solving.check(); err != nil {
		return err
	}
	return s.generator.Check()
}

func (s *solving) check() error {
	switch {
	case s.timeout < 0:
		return fmt.Errorf("--timeout %s: want 0 or more", s.timeout)
	case s.maxMemory > 0 && runtime.GOOS != "linux":
		return errors.New("--max-memory: the memory of commands can be bounded on Linux only")
	case !takesFile(s.command):
		return fmt.Errorf("%s does not say where its file goes: put {} there, or {smt2} for SMT-LIB 2", strings.Join(s.command, " "))
	}
	for _, line := range s.against {
		if !takesFile([]string{line}) {
			return fmt.Errorf("--against %q does not say where its file goes: put {} there, or {smt2} for SMT-LIB 2", line)
		}
	}
	return nil
}

// takesFile reports whether a command says which of its arguments is the file.
func takesFile(command []string) bool {
	return slices.ContainsFunc(command, func(arg string) bool {
		for _, word := range []string{hunt.Here, hunt.BTOR, hunt.SMT2, "GITDD_INPUT"} {
			if strings.Contains(arg, word) {
				return true
			}
		}
		return false
	})
}

// commands are all that are run on a file, the one that is tested first.
func (s *solving) commands() []hunt.Command {
	list := []hunt.Command{{Argv: s.command}}
	for _, line := range s.against {
		list = append(list, hunt.Command{Line: line})
	}
	return list
}

func (s *solving) limits() trial.Limits {
	return trial.Limits{Timeout: s.timeout, Memory: int64(s.maxMemory), Output: solverOutput}
}

// solverOutput is what is kept of an output of a solver: it is searched for words.
const solverOutput = 1 << 20

// header says what a hunt is begun with: with other settings it is another one.
func (s *hunting) header() hunt.Header {
	generator, options, _ := strings.Cut(s.generator.Comment(), ": ")
	words := strings.Split(strings.TrimPrefix(options, "-"), " -")
	for i, word := range words {
		words[i] = "-" + word
	}
	for _, line := range s.against {
		words = append(words, "--against="+line)
	}
	var good []string
	for _, exit := range s.goodExit {
		good = append(good, strconv.Itoa(exit))
	}
	words = append(words, "--good-exit="+strings.Join(good, ","), "--timeout="+s.timeout.String(), "--max-memory="+s.maxMemory.String())
	return hunt.Header{Version: released(), Command: s.command, Settings: words, Generator: generator}
}
