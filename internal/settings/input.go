package settings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/outfile"
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
	return slices.Contains(s.Command, trial.OnStdin) || !dir && !s.UsesInput()
}

// UsesInput reports whether the command says where its input goes.
func (s *Reduction) UsesInput() bool {
	return slices.ContainsFunc(s.Command, func(arg string) bool {
		return strings.Contains(arg, "{}") || strings.Contains(arg, "GITDD_INPUT") ||
			slices.ContainsFunc(s.Paths, func(p string) bool { return p != "-" && strings.Contains(arg, filepath.Base(p)) })
	})
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

// outputOf is where the output of an input goes: to --output, or to NAME.reduced
// beside it.
func (s *Reduction) outputOf() (string, error) {
	switch {
	case s.output != "":
		return filepath.Abs(s.output)
	case len(s.Paths) > 1:
		return filepath.Abs("reduced")
	}
	abs, err := filepath.Abs(s.Paths[0])
	return abs + ".reduced", err
}

// place looks whether the output can be written where it should be. It may take
// the place of a file, and of a directory that a session has written; the input
// stays as it is.
func (s *Reduction) place(in testcase.Input) (*outfile.Place, error) {
	if s.ToStdout() {
		if in.Dir {
			return nil, errors.New("--output -: a directory cannot go to standard output; name another with --output")
		}
		return outfile.Stdout(), nil
	}
	name, err := s.outputOf()
	if err != nil {
		return nil, err
	}
	return s.placeAt(in, name)
}

// ToStdout reports whether the answer goes to standard output, and what is said of it to standard error.
func (s *Reduction) ToStdout() bool {
	return s.output == stdinPath || s.output == "" && s.FromStdin()
}

// placeAt looks whether the output can be written under one name; see place.
func (s *Reduction) placeAt(in testcase.Input, name string) (*outfile.Place, error) {
	var given []string
	for _, path := range append(slices.Clone(s.Paths), s.Passing) {
		if path != "" && path != stdinPath {
			given = append(given, path)
		}
	}
	return outfile.At(name, in, given, func() (string, error) { return trial.InputRoot(".") }, len(s.Paths) == 1)
}

// Outlets are where answers go: with --passing two, the nearest inputs that fail and
// pass.
type Outlets struct {
	Failing *outfile.Place
	Passing *outfile.Place // nil without --passing
}

// Resume lets the outlets go on where the session has stopped.
func (o Outlets) Resume(session *trial.Session) {
	o.Failing.Resume(session)
	if o.Passing != nil {
		o.Passing.Follow(session)
	}
}

// outlets looks whether the answers of an input can be written where they should be.
func (s *Reduction) outlets(in testcase.Input) (o Outlets, err error) {
	if s.Passing == "" {
		o.Failing, err = s.place(in)
		return o, err
	}
	base := s.output
	if base == "" {
		base = s.Paths[0]
	}
	if base, err = filepath.Abs(base); err != nil {
		return o, err
	}
	if o.Failing, err = s.placeAt(in, base+".failing"); err == nil {
		o.Passing, err = s.placeAt(in, base+".passing")
	}
	return o, err
}

// Apart keeps the answer of a reduction on standard output apart from what is said of it.
func (s *Reduction) Apart(o *forms.Files) error {
	if o.Aside = s.ToStdout(); o.Aside && o.Replaced() {
		return errors.New("both the smallest input and another form want standard output: name a file for one of them, such as --output FILE")
	}
	return nil
}
