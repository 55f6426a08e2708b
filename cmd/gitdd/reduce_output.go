package main

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// outputOf is where the output of an input goes: to --output, or to NAME.reduced
// beside it.
func (s *reducing) outputOf() (string, error) {
	switch {
	case s.output != "":
		return filepath.Abs(s.output)
	case len(s.paths) > 1:
		return filepath.Abs("reduced")
	}
	abs, err := filepath.Abs(s.paths[0])
	return abs + ".reduced", err
}

// place looks whether the output can be written where it should be. It may take
// the place of a file, and of a directory that a session has written; the input
// stays as it is.
func (s *reducing) place(in testcase.Input) (*outfile.Place, error) {
	if s.toStdout() {
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

// toStdout: the answer goes to standard output, and what is said of it to standard error.
func (s *reducing) toStdout() bool {
	return s.output == stdinPath || s.output == "" && s.fromStdin()
}

// placeAt is place for one name.
func (s *reducing) placeAt(in testcase.Input, name string) (*outfile.Place, error) {
	var given []string
	for _, path := range append(slices.Clone(s.paths), s.passing) {
		if path != "" && path != stdinPath {
			given = append(given, path)
		}
	}
	return outfile.At(name, in, given, func() (string, error) { return trial.InputRoot(".") }, len(s.paths) == 1)
}
