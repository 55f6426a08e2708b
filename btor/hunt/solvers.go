package hunt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// What stands in a command for the absolute name of the file: in BTOR, by either
// word, and in SMT-LIB 2.
const (
	Here = "{}"
	BTOR = "{btor}"
	SMT2 = "{smt2}"
)

// A Command is one that is executed on the file of a seed.
type Command struct {
	Argv []string
	Line string // of shell, if Argv is nil
}

// String is the command as a person writes it.
func (c Command) String() string {
	if c.Argv == nil {
		return c.Line
	}
	return strings.Join(c.Argv, " ")
}

func (c Command) has(word string) bool {
	return strings.Contains(c.String(), word)
}

// program is what the command calls, without its directory.
func (c Command) program() string {
	if c.Argv != nil {
		return filepath.Base(c.Argv[0])
	}
	fields := strings.Fields(c.Line)
	if len(fields) == 0 {
		return "sh"
	}
	return filepath.Base(fields[0])
}

// labelsOf names commands: by their programs, with a number where two have the same.
func labelsOf(commands []Command) []string {
	var labels []string
	count := map[string]int{}
	for _, c := range commands {
		count[c.program()]++
	}
	nth := map[string]int{}
	for _, c := range commands {
		label := c.program()
		if count[label] > 1 {
			nth[label]++
			label = fmt.Sprintf("%s#%d", label, nth[label])
		}
		labels = append(labels, label)
	}
	return labels
}

// A solvers executes commands on files. Close it.
type solvers struct {
	commands  []Command
	translate func(*graph.Graph) ([]byte, error)
	executors []*trial.Executor
	remote    bool // they run on other machines
}

// newSolvers makes ready to execute the commands of s for jobs callers at a time, below the
// directory dir, and with what other machines get, see [Solving.auxiliary]. translate writes a graph
// as SMT-LIB 2, for commands that have {smt2}. The error is that of [trial.NewExecutor].
func newSolvers(dir string, jobs int, s Solving, auxiliary *trial.Auxiliary, translate func(*graph.Graph) ([]byte, error)) (*solvers, error) {
	all := &solvers{commands: s.commands(), translate: translate, remote: s.Remote != nil}
	for n := range jobs {
		e, err := s.executor(filepath.Join(dir, fmt.Sprint(n)), n, auxiliary)
		if err != nil {
			return nil, err
		}
		all.executors = append(all.executors, e)
	}
	return all, nil
}

// A MissingError says that a command cannot be executed, whatever the file.
type MissingError struct {
	Command Command
	Exit    int    // 126 or 127
	Reason  string // "" = the exit status says so
	Remote  bool   // on another machine
}

func (e *MissingError) Error() string {
	why := e.Reason
	if why == "" {
		why = fmt.Sprintf("it ended with exit status %d, by which a shell says that something cannot be executed", e.Exit)
	}
	if e.Remote {
		why += "; it ran on another machine, which has programs of its own, and of yours one that is named from here, as ./solver, and what --overlay names"
	}
	return fmt.Sprintf("cannot run %s: %s", e.Command, why)
}

// Run executes all commands on a case, one after the other, by the executor of a
// worker. The error is a *MissingError if a command cannot be executed.
func (s *solvers) Run(ctx context.Context, worker int, c Case) ([]trial.Execution, error) {
	name := cmp.Or(c.Name, FileName(c.Seed))
	files := map[string]testcase.File{BTOR: {Path: name + ".btor", Mode: 0o644, Content: c.Text}}
	var all []trial.Execution
	for _, command := range s.commands {
		job := trial.Job{
			Command: command.Argv, Line: command.Line,
			Files: []testcase.File{files[BTOR]},
			Names: map[string]string{Here: name + ".btor", BTOR: name + ".btor"},
			Again: c.Again,
		}
		if command.has(SMT2) {
			if _, translated := files[SMT2]; !translated {
				text, err := s.translate(c.Graph)
				if err != nil {
					return nil, fmt.Errorf("write the file as SMT-LIB 2: %w", err)
				}
				files[SMT2] = testcase.File{Path: name + ".smt2", Mode: 0o644, Content: text}
			}
			job.Files = append(job.Files, files[SMT2])
			job.Names[SMT2] = files[SMT2].Path
		}
		x, err := s.executors[worker].Run(ctx, job)
		if err != nil {
			return nil, err
		}
		if x.Missing != "" || !x.TimedOut && !x.Swelled && x.Signal == "" && (x.Exit == 126 || x.Exit == 127) {
			return nil, &MissingError{Command: command, Exit: x.Exit, Reason: x.Missing, Remote: s.remote}
		}
		all = append(all, x)
	}
	return all, nil
}

// Outputs returns the names of the files that the run of a worker prints to while it
// runs: those of the command that is executed just now.
func (s *solvers) Outputs(worker int) []string { return s.executors[worker].Outputs() }

// Close ends what runs and removes what the executors have made.
func (s *solvers) Close() error {
	var errs []error
	for _, e := range s.executors {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}

// tempSolvers are solvers for one caller in a temporary directory, which done removes.
func tempSolvers(ctx context.Context, s Solving, translate func(*graph.Graph) ([]byte, error)) (all *solvers, done func() error, err error) {
	dir, err := os.MkdirTemp("", "gitdd-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a temporary directory: %w; set TMPDIR to one that can be written", err)
	}
	auxiliary, err := s.auxiliary(ctx, filepath.Join(dir, auxiliaryDir))
	if err == nil {
		all, err = newSolvers(filepath.Join(dir, runsDir), 1, s, auxiliary, translate)
	}
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return all, func() error { return errors.Join(all.Close(), os.RemoveAll(dir)) }, nil
}

// Names of directories: those that the commands run in, and that of what other machines get.
const (
	runsDir      = "runs"
	auxiliaryDir = "auxiliary"
)
