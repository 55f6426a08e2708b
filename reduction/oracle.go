package reduction

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// An OracleError says why the failure of the input cannot guide the reduction of a graph: smaller graphs
// would show it whether or not they contain the fault. A solver still answers as before when the graph is
// reduced to nothing, so what it does with the input has to be a failure.
type OracleError struct {
	*trial.EndsError
	Problem OracleProblem
}

func (e *OracleError) Unwrap() error { return e.EndsError }

// An OracleProblem is what is wrong with the failure of an input.
type OracleProblem int

// The problems.
const (
	Answered  OracleProblem = iota // the solver has found an answer, which is no failure
	NotRead                        // the solver does not read the input
	OnceInTwo                      // the time limit ended the command on the input only once in two trials
)

// IsGraph reports whether an input is reduced as graphs if it is read in that format: it has files that are
// no symbolic links, and all of these are graphs with a single root. With "" as the format, their names and
// contents must say that they are graphs.
func IsGraph(in testcase.Input, format string) bool {
	if format != "" && format != reduce.BTOR {
		return false
	}
	found := false
	for _, f := range in.Files {
		if f.Mode&fs.ModeSymlink != 0 {
			continue
		}
		if format == "" && reduce.GuessFormat(f.Path, f.Content) != reduce.BTOR {
			return false
		}
		file, err := btor.Read(f.Content)
		if err != nil || btor.SingleRoot(file.Graph) != nil {
			return false
		}
		found = true
	}
	return found
}

// GraphSize counts the nodes of the graphs in an input, which are the lines of their files without comments,
// and the bits of the values of these nodes and of the indices of their arrays.
func GraphSize(in testcase.Input) (nodes, bits int) {
	for _, f := range in.Files {
		if file, err := btor.Read(f.Content); err == nil && f.Mode&fs.ModeSymlink == 0 {
			m := btor.Language.Measure(file.Graph)
			nodes, bits = nodes+m.Size, bits+m.Widths
		}
	}
	return nodes, bits
}

// answers are the words and exit statuses by which solvers say that they have
// found an answer: those of today, and those of 2008.
var answers = map[string][]int{"sat": {10, 2}, "unsat": {20, 3}}

// AnswerStatuses returns the value of trial.InputOptions.Answers for an input that is taken for the format: the
// exit statuses by which solvers of today say that all went well if it is reduced as graphs, else nil.
// The statuses 2 and 3 of older solvers are left out, because other programs fail with them.
func AnswerStatuses(in testcase.Input, format string) []int {
	if !IsGraph(in, format) {
		return nil
	}
	return []int{answers["sat"][0], answers["unsat"][0]}
}

// atLine is what a solver says of a line that it cannot read, or of next and anext.
var atLine = lazyregexp.New(`^[^\s:][^:]*:[0-9]+: |removed support for sequential models`)

// checkOracle returns an *OracleError if what the command did with a graph says too little to reduce the
// graph by. If the time limit ended the command, it is run once more.
func (w *reducer) checkOracle(ctx context.Context, v trial.Verdict) error {
	if !w.graph {
		return nil
	}
	if v.TimedOut {
		return w.twice(ctx, v)
	}
	if w.tellsApart() || w.trials.Interesting || w.trials.Good != nil || v.Signal != "" {
		return nil
	}
	line, err := firstLine(v.Stdout)
	if err != nil {
		return err
	}
	refuse := func(problem OracleProblem, why string, args ...any) error {
		return &OracleError{&trial.EndsError{Bad: v, What: fmt.Sprintf(why, args...)}, problem}
	}
	switch {
	case slices.Contains(answers[line], v.Exit):
		return refuse(Answered, "exit %d and %s are an answer and no failure: almost any smaller graph has it, too, and a graph of two nodes would be left", v.Exit, prose.Quote(line))
	case v.Exit == 1 && atLine().MatchString(line):
		if name, rest, found := strings.Cut(line, ":"); found {
			line = filepath.Base(name) + ":" + rest // the directory is that of the trial
		}
		return refuse(NotRead, "the command does not read the input (exit 1, %s): it would not get to what is to be reduced", prose.Quote(line))
	}
	return nil
}

// twice runs the command on the input once more after the time limit has ended it: if it takes too long
// only once, on a busy machine, its failure is nothing to go by. Repeated trials have run it more than once
// anyway.
func (w *reducer) twice(ctx context.Context, v trial.Verdict) error {
	if w.surely() || w.trials.Repeat > 1 {
		return nil
	}
	again, err := w.Runner.Confirm(ctx, w.input)
	var flaky *trial.FlakyError
	if err != nil && !errors.As(err, &flaky) {
		return err
	}
	if again.TimedOut {
		return nil
	}
	ended := fmt.Sprintf("exit %d", again.Exit)
	if again.Signal != "" {
		ended = "killed by " + again.Signal
	}
	what := fmt.Sprintf("on the input the command %s, and not when it was run again (%s after %.1f s)", v.Reason, ended, again.Duration.Seconds())
	return &OracleError{&trial.EndsError{Bad: v, What: what}, OnceInTwo}
}

// firstLine returns the first line of a file that is not blank, without white space
// around it; "" if there is none, or one of more than 64 KiB.
func firstLine(name string) (string, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the output for the input: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			return line, nil
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return "", nil
	}
	return "", lines.Err()
}
