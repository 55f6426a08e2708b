package settings

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

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

// placeAt is place for one name.
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

// Outlets looks whether the answers of an input can be written where they should be.
func (s *Reduction) Outlets(in testcase.Input) (o Outlets, err error) {
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
