package hunt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// Solving says which solvers are run on a file, and within which limits. In a command
// "{}" and "{btor}" stand for the absolute name of the file in BTOR, and "{smt2}" for
// that of its translation to SMT-LIB 2. A command may also read the former from its
// environment, as GITDD_INPUT.
type Solving struct {
	Command []string // argv of the solver that is tested; a name with a slash is relative to Start
	Against []string // lines of shell: solvers whose answers are compared with its

	// Limits are those of each command. Output 0 is 1 MiB: outputs are searched for words.
	Limits trial.Limits

	Start string // the directory that names are relative to; "" = the current one

	// Remote executes the commands on other machines, which get the file and, as the directory GITDD_DIR, what
	// Overlay names and each program that is named from Start; nil = they run on this machine. Limits.Memory
	// is 0 then, and a failure has a signal by its exit status.
	Remote   trial.Remote
	Overlay  []string      // files and directories below Start
	Patience time.Duration // as that of trial.Options

	// KeepFirst is that each machine keeps the files of the first task, and of others gets what differs, as those of
	// Slurm do: so the first has all that later ones may need.
	KeepFirst bool
}

// solverOutput is what is kept of an output of a solver.
const solverOutput = 1 << 20

// Check returns an error for the first invalid setting. file is a name
// by which the commands may call the file, too; "" = there is none.
func (s Solving) Check(file string) error {
	switch {
	case s.Limits.Timeout < 0:
		return fmt.Errorf("--timeout %s: want 0 or more", s.Limits.Timeout)
	case s.Limits.Memory > 0 && s.Remote != nil:
		return errors.New("--max-memory: the memory of commands cannot be bounded on other machines: let the cluster do that")
	case s.Limits.Memory > 0 && runtime.GOOS != "linux":
		return errors.New("--max-memory: the memory of commands can be bounded on Linux only")
	case len(s.Command) == 0:
		return errors.New("there is no command")
	case !takesFile(s.Command, file):
		return fmt.Errorf("%s does not say where its file goes: put {} there, or {smt2} for SMT-LIB 2", strings.Join(s.Command, " "))
	}
	for _, line := range s.Against {
		if !takesFile([]string{line}, file) {
			return fmt.Errorf("--against %q does not say where its file goes: put {} there, or {smt2} for SMT-LIB 2", line)
		}
	}
	return nil
}

// takesFile reports whether a command says which of its arguments is the file.
func takesFile(command []string, file string) bool {
	return slices.ContainsFunc(command, func(arg string) bool {
		for _, word := range []string{Here, BTOR, SMT2, "GITDD_INPUT", cmp.Or(file, Here)} {
			if strings.Contains(arg, word) {
				return true
			}
		}
		return false
	})
}

// commands are all that are run on a file, the one that is tested first.
func (s Solving) commands() []Command {
	list := []Command{{Argv: s.Command}}
	for _, line := range s.Against {
		list = append(list, Command{Line: line})
	}
	return list
}

// executor makes one for the commands, with the directory dir for itself, and with what other machines get.
func (s Solving) executor(dir string, number int, auxiliary *trial.Auxiliary) (*trial.Executor, error) {
	if s.Remote == nil {
		return trial.NewExecutor(dir, s.Start, number, s.limits())
	}
	return trial.NewRemoteExecutor(dir, number, s.limits(), trial.RemoteOptions{Remote: s.Remote, Auxiliary: auxiliary, Patience: s.Patience})
}

// auxiliary copies what other machines get beside a file into the directory dir, and the programs, which are absolute
// names. It is nil where the commands run on this machine.
func (s Solving) auxiliary(ctx context.Context, dir string, programs ...string) (*trial.Auxiliary, error) {
	if s.Remote == nil {
		return nil, nil
	}
	o := trial.AuxiliaryOptions{Start: s.Start, Paths: s.Overlay, Programs: programs}
	for _, c := range s.commands() {
		o.Jobs = append(o.Jobs, trial.Job{Command: c.Argv, Line: c.Line})
	}
	return trial.NewAuxiliary(ctx, dir, o)
}

func (s Solving) limits() trial.Limits {
	l := s.Limits
	l.Output = cmp.Or(l.Output, solverOutput)
	return l
}

// Options say what is hunted for, and how. Command is required, and so are valid options
// of the generator, such as those of btor.Defaults. With every other field zero, the hunt
// runs one command at a time without limits, until its context ends, and reduces each
// finding.
type Options struct {
	Solving
	GoodExit []int // exit statuses of Command that mean nothing bad; nil = 10 and 20

	// Generator makes the file of each seed; its Seed is the first one.
	Generator btor.Options

	// Dir is the directory of the hunt. It is made, or has a hunt that was begun with the
	// same commands, limits and generator: that goes on. "" = gitdd-hunt-NAME, by the name
	// of Command.
	Dir string

	Jobs     int           // commands that run at a time; 0 = 1
	Findings int           // stop behind so many findings; 0 = any number
	Runs     int           // stop behind so many seeds; 0 = any number
	MaxTime  time.Duration // stop after it, with ErrTime; 0 = no limit

	NoReduce     bool          // findings stay as they are
	ReduceTime   time.Duration // of the reduction of one finding; 0 = no limit
	ReduceTrials int           // likewise
	Algorithm    string        // of reductions, one of reduce.GraphAlgorithms; "" = auto

	Version string // of the program, for the manifest
	Gitdd   string // the program gitdd, which reductions call to translate and compare, and which other machines get; "" = gitdd, looked up on PATH

	// Observe receives the events of the hunt, one at a time; nil = nobody does. It must
	// not wait for the hunt.
	Observe func(Event)
}

// Check returns an error for the first invalid setting.
func (o Options) Check() error {
	switch {
	case o.Jobs < 0:
		return fmt.Errorf("--jobs %d: want 0 or more", o.Jobs)
	case o.Findings < 0:
		return fmt.Errorf("--findings %d: want 0 or more", o.Findings)
	case o.Runs < 0:
		return fmt.Errorf("--runs %d: want 0 or more", o.Runs)
	case o.MaxTime < 0:
		return fmt.Errorf("--max-time %s: want 0 or more", o.MaxTime)
	case o.ReduceTime < 0:
		return fmt.Errorf("--reduce-time %s: want 0 or more", o.ReduceTime)
	case o.ReduceTrials < 0:
		return fmt.Errorf("--reduce-trials %d: want 0 or more", o.ReduceTrials)
	}
	for _, exit := range o.GoodExit {
		if exit < 0 || exit > 255 {
			return fmt.Errorf("--good-exit %d: an exit status is 0 to 255", exit)
		}
	}
	// What suits the smallest of all graphs suits all.
	least := testcase.Input{Files: []testcase.File{{Path: "least.btor", Content: []byte("1 zero 1\n2 root 1 1\n")}}}
	if err := reduce.Check(least, reduce.Options{Format: reduce.BTOR, Algorithm: cmp.Or(o.Algorithm, autoAlgorithm)}); err != nil {
		return fmt.Errorf("--algorithm: %w", err)
	}
	if err := o.Solving.Check(""); err != nil {
		return err
	}
	return o.Generator.Check()
}

// completed returns the options with absolute directories, and without fields that
// stand for a default.
func (o Options) completed() (Options, error) {
	if o.Dir == "" {
		o.Dir = "gitdd-hunt-" + filepath.Base(o.Command[0])
	}
	if o.GoodExit == nil {
		o.GoodExit = []int{10, 20}
	}
	o.Jobs = max(o.Jobs, 1)
	o.Algorithm, o.Gitdd = cmp.Or(o.Algorithm, autoAlgorithm), cmp.Or(o.Gitdd, "gitdd")
	var errStart, errDir error
	o.Start, errStart = filepath.Abs(o.Start)
	o.Dir, errDir = filepath.Abs(o.Dir)
	return o, errors.Join(errStart, errDir)
}

// Directory returns the absolute name of the directory of the hunt.
func (o Options) Directory() (string, error) {
	o, err := o.completed()
	return o.Dir, err
}

// header says what a hunt is begun with: with other settings it is another one.
func (o Options) header() Header {
	generator, options, _ := strings.Cut(o.Generator.Comment(), ": ")
	words := strings.Split(strings.TrimPrefix(options, "-"), " -")
	for i, word := range words {
		words[i] = "-" + word
	}
	for _, line := range o.Against {
		words = append(words, "--against="+line)
	}
	var good []string
	for _, exit := range o.GoodExit {
		good = append(good, strconv.Itoa(exit))
	}
	words = append(words, "--good-exit="+strings.Join(good, ","), "--timeout="+o.Limits.Timeout.String(), "--max-memory="+prose.SizeFlag(o.Limits.Memory))
	return Header{Version: o.Version, Started: time.Now(), Command: o.Command, Settings: words, Generator: generator}
}
