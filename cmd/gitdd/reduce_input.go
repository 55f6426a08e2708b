package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/hints"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// stdinPath names standard input among the paths of the user, and stdinName in words.
// What was read from it is a file stdinFile in the directory of a trial.
const (
	stdinPath = "-"
	stdinName = "standard input"
	stdinFile = "stdin"
)

// readUnlessEnded returns the result of read, or the cause of ctx if ctx ends first: read may wait
// for a terminal or a pipe, and is then left running.
func readUnlessEnded(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// fromStdin: the input is read from standard input, once, by a new reduction.
func (s *reducing) fromStdin() bool { return slices.Equal(s.paths, []string{stdinPath}) }

// named is what a sentence calls the input.
func (s *reducing) named() string {
	if s.fromStdin() {
		return stdinName
	}
	return strings.Join(s.paths, " and ")
}

// read reads the input as it is now.
func (s *reducing) read(ctx context.Context) (testcase.Input, error) {
	if !s.fromStdin() {
		return testcase.Read(s.paths...)
	}
	text, err := readUnlessEnded(ctx, func() ([]byte, error) { return io.ReadAll(os.Stdin) })
	if err != nil {
		return testcase.Input{}, fmt.Errorf("read standard input: %w", err)
	}
	return testcase.Input{Files: []testcase.File{{Path: stdinFile, Mode: 0o644, Content: text}}}, nil
}

// onStdin reports whether the candidate is the standard input of the command: if <{} is one of its
// arguments, or if the input is not a directory and no argument refers to it.
func (s *reducing) onStdin(dir bool) bool {
	return slices.Contains(s.command, trial.OnStdin) || !dir && !s.hints().UsesInput()
}

// hints are the settings on which hints depend.
func (s *reducing) hints() *hints.Reduction {
	return &hints.Reduction{Command: s.command, Paths: s.paths, Name: s.named(), Stdin: s.fromStdin(), Interesting: s.interesting, Jobs: s.jobs}
}
