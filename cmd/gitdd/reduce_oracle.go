package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// A graph can be reduced to nothing while a solver still answers as before: so what
// it does with the original has to be a failure, and not what it does with most
// graphs. What is no such oracle is refused before the first candidate.

// btorFormat is the name of the format of graphs.
const btorFormat = "btor"

// An oracleError says why what the command does with the original is nothing to go
// by, and what to do instead.
type oracleError struct {
	*trial.EndsError
	hint string
}

func (e *oracleError) Unwrap() error { return e.EndsError }

// graphOf reads a graph that can be reduced.
func graphOf(f testcase.File) (*btor.File, error) {
	file, err := btor.Read(f.Content)
	if err != nil {
		return nil, err
	}
	return file, btor.SingleRoot(file.Graph)
}

// graph reports whether the input, or all of it that is no symlink, is reduced as
// graphs: named so or guessed.
func (s *reducing) graph(in testcase.Input) bool {
	if s.format != "" && s.format != btorFormat || s.passing != "" {
		return false
	}
	found := false
	for _, f := range in.Files {
		if f.Mode&fs.ModeSymlink != 0 {
			continue
		}
		if s.format == "" && reduce.GuessFormat(f.Path, f.Content) != btorFormat {
			return false
		}
		if _, err := graphOf(f); err != nil {
			return false
		}
		found = true
	}
	return found
}

// nodesOf counts the nodes of graphs, which are the lines of their files but for comments,
// and the bits of their values and of the indices of their arrays.
func nodesOf(in testcase.Input) (nodes, bits int) {
	for _, f := range in.Files {
		if file, err := btor.Read(f.Content); err == nil && f.Mode&fs.ModeSymlink == 0 {
			m := btor.Language.Measure(file.Graph)
			nodes, bits = nodes+m.Size, bits+m.Widths
		}
	}
	return nodes, bits
}

// bare reports whether nothing is left of an input, or a graph of one leaf.
func bare(in testcase.Input) bool {
	nodes, _ := nodesOf(in)
	return in.Size() == 0 || len(in.Files) == 1 && nodes == 2
}

// satisfiable are the words and exit statuses by which solvers say that they have
// found an answer: those of today, and those of 2008.
var satisfiable = map[string][]int{"sat": {10, 2}, "unsat": {20, 3}}

// answers are the exit statuses by which solvers of today say that all went well.
// Those of 2008 are what other programs fail with.
func answers() []int { return []int{satisfiable["sat"][0], satisfiable["unsat"][0]} }

// atLine is what a solver says of a line that it cannot read, or of next and anext.
var atLine = regexp.MustCompile(`^[^\s:][^:]*:[0-9]+: |removed support for sequential models`)

// sound returns an *oracleError if what the command did with a graph says too little
// to reduce it by. One that was ended by the time limit is run once more.
func (s *reducing) sound(ctx context.Context, runner *trial.Inputs, input testcase.Input, v trial.Verdict) error {
	if !s.graph(input) {
		return nil
	}
	if v.TimedOut {
		return s.twice(ctx, runner, input, v)
	}
	if s.tellsApart() || s.interesting || s.good != "" || v.Signal != "" {
		return nil
	}
	line, err := firstLine(v.Stdout)
	if err != nil {
		return err
	}
	refuse := func(hint, why string, args ...any) error {
		return &oracleError{&trial.EndsError{Bad: v, What: fmt.Sprintf(why, args...)}, hint}
	}
	switch {
	case slices.Contains(satisfiable[line], v.Exit):
		return refuse(
			"--match REGEX tells a failure by its output; a script with --interesting may look for more; `gitdd btor compare` fails where two solvers disagree",
			"exit %d and %s are an answer and no failure: almost any smaller graph has it, too, and a graph of two nodes would be left", v.Exit, prose.Quote(line))
	case v.Exit == 1 && atLine.MatchString(line):
		if name, rest, found := strings.Cut(line, ":"); found {
			line = filepath.Base(name) + ":" + rest // its directory is that of the trial
		}
		return refuse(
			"`gitdd btor print FILE` says whether the file is well-formed, and writes it as --format-version 2 or 3, where the solver wants the other one; if it is the parser that fails, name its message with --match",
			"the command does not read the input (exit 1, %s): it would not get to what is to be reduced", prose.Quote(line))
	}
	return nil
}

// twice runs the original once more after its time was up: what took too long only
// once, on a busy machine, is nothing to go by. With repeated trials it was run more
// than once anyway.
func (s *reducing) twice(ctx context.Context, runner *trial.Inputs, input testcase.Input, v trial.Verdict) error {
	if s.confidence > 0 || s.repeat > 1 {
		return nil
	}
	again, err := runner.Confirm(ctx, input)
	var flaky *trial.FlakyError
	if err != nil && !errors.As(err, &flaky) {
		return err
	}
	if again.TimedOut {
		return nil
	}
	return &oracleError{
		&trial.EndsError{Bad: v, What: fmt.Sprintf("on the input the command %s, and not when it was run again (%s after %.1f s)", v.Reason, howEnded(again), again.Duration.Seconds())},
		"choose --timeout well below the time that the command takes, or repeat trials with --confidence 0.99",
	}
}

// howEnded is how a command ended that was not ended by a limit.
func howEnded(v trial.Verdict) string {
	if v.Signal != "" {
		return "killed by " + v.Signal
	}
	return fmt.Sprintf("exit %d", v.Exit)
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
