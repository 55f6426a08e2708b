package settings

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

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

// FromStdin reports whether the input is read from standard input, once, by a new reduction.
func (s *Reduction) FromStdin() bool { return slices.Equal(s.Paths, []string{stdinPath}) }

// Named is what a sentence calls the input.
func (s *Reduction) Named() string {
	if s.FromStdin() {
		return stdinName
	}
	return strings.Join(s.Paths, " and ")
}

// Read reads the input as it is now. It is an error if the input has nothing to take out.
func (s *Reduction) Read(ctx context.Context) (in testcase.Input, err error) {
	if s.FromStdin() {
		in, err = readStdin(ctx)
	} else {
		in, err = testcase.Read(s.Paths...)
	}
	switch {
	case err != nil:
	case len(in.Files) == 0:
		err = &NothingError{What: s.Named() + " holds no files: there is nothing to reduce"}
	case in.Size() == 0 && !in.Dir:
		err = &NothingError{What: s.Named() + " is empty: there is nothing to reduce"}
	}
	return in, err
}

func readStdin(ctx context.Context) (testcase.Input, error) {
	text, err := testcase.ReadUnlessEnded(ctx, func() ([]byte, error) { return io.ReadAll(os.Stdin) })
	if err != nil {
		return testcase.Input{}, fmt.Errorf("read standard input: %w", err)
	}
	return testcase.Input{Files: []testcase.File{{Path: stdinFile, Mode: 0o644, Content: text}}}, nil
}

// onStdin reports whether the candidate is the standard input of the command: if <{} is one of its
// arguments, or if the input is not a directory and no argument refers to it.
func (s *Reduction) onStdin(dir bool) bool {
	return slices.Contains(s.Command, trial.OnStdin) || !dir && !s.Hints().UsesInput()
}

// ReadPassing reads the input of --passing, by the name of the failing one: that is
// the name that the command looks for.
func (s *Reduction) ReadPassing(failing testcase.Input) (in testcase.Input, err error) {
	if s.Passing == "" {
		return in, nil
	}
	if in, err = testcase.Read(s.Passing); err != nil {
		return in, err
	}
	if in.Dir != failing.Dir {
		return in, fmt.Errorf("%s and %s: want two files, or two directories", s.Paths[0], s.Passing)
	}
	name, _, _ := strings.Cut(failing.Files[0].Path, "/")
	for i := range in.Files {
		_, below, dir := strings.Cut(in.Files[i].Path, "/")
		in.Files[i].Path = name
		if dir {
			in.Files[i].Path += "/" + below
		}
	}
	if in.Digest() == failing.Digest() {
		return in, &NothingError{What: fmt.Sprintf("%s and %s are the same: there is nothing between them", s.Passing, s.Paths[0])}
	}
	return in, nil
}
