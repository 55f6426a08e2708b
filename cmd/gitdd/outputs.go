package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// outputs are where an answer goes besides the terminal: file names, "-" for
// standard output in place of the text.
type outputs struct {
	json, patch string
	full        bool
}

func (o *outputs) flags(flags *pflag.FlagSet) {
	flags.StringVar(&o.json, "json", "", "write the result as JSON to `FILE` (- for standard output)")
	flags.StringVar(&o.patch, "patch", "", "write the cause as a patch to `FILE` (- for standard output)")
	flags.BoolVar(&o.full, "full", false, "print long changes whole")
}

// reductionFlags are the flags of a reduction.
func (o *outputs) reductionFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.json, "json", "", "write the result as JSON to `FILE` (- for standard output)")
	flags.StringVar(&o.patch, "patch", "", "write what turns the input into the output as a patch to `FILE` (- for standard output)")
	flags.BoolVar(&o.full, "full", false, "print long texts and all passes")
}

// check looks for what would keep the answer from being written, before hours
// are spent on it.
func (o *outputs) check() error {
	if o.json == "-" && o.patch == "-" {
		return errors.New("--json - and --patch - both want standard output")
	}
	for _, name := range []string{o.json, o.patch} {
		if name == "" || name == "-" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s: there is no directory %s to write it to", name, filepath.Dir(name))
		}
	}
	return nil
}

// absolute lets the file names mean the same in another directory.
func (o *outputs) absolute() error {
	for _, name := range []*string{&o.json, &o.patch} {
		if *name == "" || *name == "-" {
			continue
		}
		abs, err := filepath.Abs(*name)
		if err != nil {
			return err
		}
		*name = abs
	}
	return nil
}

// print keeps the result in the session and writes it wherever the user wants
// it: as text on standard output, unless JSON or the patch goes there.
func (a *app) print(session *trial.Session, result report.Result, o outputs) error {
	var text bytes.Buffer
	if err := report.JSON(&text, result); err != nil {
		return err
	}
	if err := session.WriteResult(text.Bytes()); err != nil {
		return err
	}
	return a.show(session, result, o)
}

// show writes a result that the session keeps. Without a cause there is no patch,
// and its file is empty.
func (a *app) show(session *trial.Session, result report.Result, o outputs) error {
	return a.give(session, o, forms{
		text: func(w io.Writer, as report.TextOptions) error { return report.Text(w, result, as) },
		json: func(w io.Writer) error { return report.JSON(w, result) },
		patch: func() ([]byte, error) {
			patch, err := session.ReadFile(causePatch)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil
			}
			return patch, err
		},
	})
}

// forms are those of a result that outputs may ask for.
type forms struct {
	text  func(io.Writer, report.TextOptions) error
	json  func(io.Writer) error
	patch func() ([]byte, error)
}

// give writes a result: the text first, for it is the answer even where a file
// cannot be written.
func (a *app) give(session *trial.Session, o outputs, f forms) error {
	var problems []error
	if o.json != "-" && o.patch != "-" {
		problems = append(problems, f.text(a.stdout, report.TextOptions{
			Color: a.colored(a.stdout),
			Width: a.width(a.stdout),
			Full:  o.full,
			Gone:  a.gone,
			Named: a.named,
		}))
	}
	a.answered = true
	if o.json != "" {
		problems = append(problems, a.writeTo(session, o.json, f.json))
	}
	if o.patch != "" {
		patch, err := f.patch()
		problems = append(problems, err)
		if err == nil {
			problems = append(problems, a.writeTo(session, o.patch, func(w io.Writer) error { _, err := w.Write(patch); return err }))
		}
	}
	return errors.Join(problems...)
}

// writeTo writes a whole file or none: under a temporary name, then renamed. A
// session, if there is one, knows what to remove when that is cut short.
func (a *app) writeTo(session *trial.Session, name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.stdout)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0) // /dev/stderr, a named pipe
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	temporary := func() (*os.File, error) {
		if session != nil {
			return session.Beside(name)
		}
		return os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	}
	f, err := temporary()
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	err = errors.Join(write(f), f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
