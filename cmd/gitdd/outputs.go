package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// outputs are where an answer goes besides the terminal: file names, "-" for
// standard output in place of the text.
type outputs struct {
	json, patch, html, sarif string
	annotations              bool
	full                     bool
	aside                    bool // the text goes to standard error, for standard output has the answer
}

func (o *outputs) flags(flags *pflag.FlagSet) {
	flags.StringVar(&o.json, "json", "", "write the result as JSON to `FILE` (- for standard output)")
	flags.StringVar(&o.patch, "patch", "", "write the cause as a patch to `FILE` (- for standard output)")
	flags.StringVar(&o.html, "html", "", "write a page that shows the cause and how it was found to `FILE` (- for standard output)")
	flags.StringVar(&o.sarif, "sarif", "", "write the cause as SARIF 2.1.0, as code scanning reads it, to `FILE` (- for standard output)")
	flags.BoolVar(&o.annotations, "annotations", false, "in a job of GitHub, annotate the lines of the cause: print its workflow commands to standard error")
	flags.BoolVar(&o.full, "full", false, "print long changes whole, and all that the cause needs")
}

// reductionFlags are the flags of a reduction. Those of a cause are there to say what
// there is instead.
func (o *outputs) reductionFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.json, "json", "", "write the result as JSON to `FILE` (- for standard output)")
	flags.StringVar(&o.patch, "patch", "", "write what turns the input into the output as a patch to `FILE` (- for standard output)")
	flags.StringVar(&o.html, "html", "", "write a page that shows the output and how it was found to `FILE` (- for standard output)")
	flags.StringVar(&o.sarif, "sarif", "", "")
	flags.BoolVar(&o.annotations, "annotations", false, "")
	flags.BoolVar(&o.full, "full", false, "print long texts and all passes")
	for _, name := range []string{"sarif", "annotations"} {
		flags.Lookup(name).Hidden = true
	}
}

// A destination is a flag that names a file.
type destination struct {
	flag string
	file *string
}

func (o *outputs) destinations() []destination {
	return []destination{{"json", &o.json}, {"patch", &o.patch}, {"html", &o.html}, {"sarif", &o.sarif}}
}

// check looks for what would keep the answer from being written, before hours
// are spent on it.
func (o *outputs) check() error {
	first := ""
	files := map[string]string{} // by their absolute names: the flag
	for _, d := range o.destinations() {
		switch *d.file {
		case "":
			continue
		case "-":
			if first != "" {
				return fmt.Errorf("--%s - and --%s - both want standard output", first, d.flag)
			}
			first = d.flag
			continue
		}
		if info, err := os.Stat(filepath.Dir(*d.file)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s: there is no directory %s to write it to", *d.file, filepath.Dir(*d.file))
		}
		info, err := os.Stat(*d.file)
		if err == nil && info.IsDir() {
			return fmt.Errorf("--%s %s: it is a directory; name a file in it", d.flag, *d.file)
		}
		if err == nil && !info.Mode().IsRegular() {
			continue // a device or a pipe takes several, one behind the other
		}
		name, err := filepath.Abs(*d.file)
		if err != nil {
			return err
		}
		if other, taken := files[name]; taken {
			return fmt.Errorf("--%s and --%s both want to write %s", other, d.flag, *d.file)
		}
		files[name] = d.flag
	}
	return nil
}

// checkReduction is check for the answer of a reduction.
func (o *outputs) checkReduction() error {
	switch {
	case o.sarif != "":
		return errors.New("--sarif names places in source code, and a reduction finds none: --html shows what is left, --json writes it for programs; `gitdd explain` goes on to the source")
	case o.annotations:
		return errors.New("--annotations names places in source code, and a reduction finds none: --json writes what is left for programs; `gitdd explain` goes on to the source")
	}
	return o.check()
}

// apart keeps the answer of a reduction on standard output apart from what is said of it.
func (s *reducing) apart(o *outputs) error {
	if o.aside = s.toStdout(); o.aside && o.replaced() {
		return errors.New("both the smallest input and another form want standard output: name a file for one of them, such as --output FILE")
	}
	return nil
}

// replaced reports whether one of the forms takes the place of the text.
func (o *outputs) replaced() bool {
	return slices.ContainsFunc(o.destinations(), func(d destination) bool { return *d.file == "-" })
}

// absolute lets the file names mean the same in another directory.
func (o *outputs) absolute() error {
	for _, d := range o.destinations() {
		if *d.file == "" || *d.file == "-" {
			continue
		}
		abs, err := filepath.Abs(*d.file)
		if err != nil {
			return err
		}
		*d.file = abs
	}
	return nil
}

// print keeps the result in the session, and how it came to it, and writes it
// wherever the user wants it: as text on standard output, unless another form goes
// there.
func (a *app) print(session *trial.Session, result report.Result, story report.Story, o outputs) error {
	var text bytes.Buffer
	if err := report.JSON(&text, result); err != nil {
		return err
	}
	if err := session.WriteResult(text.Bytes()); err != nil {
		return err
	}
	a.keepStory(session, story)
	return a.show(session, result, func() report.Story { return story }, o)
}

// show writes a result that the session keeps. Without a cause there is no patch,
// and its file is empty.
func (a *app) show(session *trial.Session, result report.Result, story func() report.Story, o outputs) error {
	f := formsOf(result, story)
	f.patch = func() ([]byte, error) {
		patch, err := session.ReadFile(search.CausePatch)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return patch, err
	}
	return a.give(session, o, f)
}

// forms are those of a result that outputs may ask for.
type forms struct {
	text        func(io.Writer, report.TextOptions) error
	json        func(io.Writer) error
	patch       func() ([]byte, error)
	html        func(io.Writer) error
	sarif       func(io.Writer) error // nil = a reduction has none
	annotations func(io.Writer) error // likewise
}

// formsOf are the forms of a result, but for its patch.
func formsOf(result report.Result, story func() report.Story) forms {
	return forms{
		text:        func(w io.Writer, as report.TextOptions) error { return report.Text(w, result, as) },
		json:        func(w io.Writer) error { return report.JSON(w, result) },
		html:        func(w io.Writer) error { return report.HTML(w, result, story()) },
		sarif:       func(w io.Writer) error { return report.SARIF(w, result, story()) },
		annotations: func(w io.Writer) error { return report.Annotations(w, result) },
	}
}

// give writes a result: the text first, for it is the answer even where a file
// cannot be written.
func (a *app) give(session *trial.Session, o outputs, f forms) error {
	var problems []error
	if to := a.textTo(o); !o.replaced() {
		problems = append(problems, f.text(to, report.TextOptions{
			Color: a.colored(to),
			Width: tui.Width(to),
			Full:  o.full,
			Whole: !tui.IsTerminal(to),
			Gone:  a.gone,
			Named: a.named,
		}))
	}
	a.answered = true
	return errors.Join(append(problems, a.write(session, o, f))...)
}

// textTo is where the text of a result goes.
func (a *app) textTo(o outputs) io.Writer {
	if o.aside {
		return a.aside()
	}
	return a.stdout
}

// write writes the forms of a result that go elsewhere than the text.
func (a *app) write(session *trial.Session, o outputs, f forms) error {
	var problems []error
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
	if o.html != "" {
		problems = append(problems, a.writeTo(session, o.html, f.html))
	}
	if o.sarif != "" && f.sarif != nil {
		problems = append(problems, a.writeTo(session, o.sarif, f.sarif))
	}
	if o.annotations && f.annotations != nil {
		problems = append(problems, f.annotations(a.stderr))
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
