package forms

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Files are where an answer goes besides the terminal: file names, "-" for
// standard output in place of the text.
type Files struct {
	JSON, Patch, HTML, SARIF, JUnit, Markdown, Quickfix string
	Events                                              string // what happens is written there while it does; also fd:N
	Annotations                                         bool
	Full                                                bool
	Aside                                               bool // the text goes to standard error, for standard output has the answer
}

// Flags adds the flags of a search.
func (o *Files) Flags(flags *pflag.FlagSet) {
	o.flags(flags, "the cause as a patch", "a page that shows the cause and how it was found", "print long changes whole, and all that the cause needs")
}

// EventsFlag adds the flag of what tells how it goes on.
func (o *Files) EventsFlag(flags *pflag.FlagSet) {
	flags.StringVar(&o.Events, "events", "", "write each step as a line of JSON to `FILE` at once (- for standard output, fd:N for a descriptor)")
}

// OneFlags adds the flags of a search that is not for several tests of a suite. The one that only such a search has is
// hidden: it is there for CheckOne to say what there is instead.
func (o *Files) OneFlags(flags *pflag.FlagSet) {
	o.Flags(flags)
	flags.Lookup("junit").Hidden = true
}

// ReductionFlags adds the flags of a reduction. Those that only a search has are hidden: they are there for
// CheckReduction to say what there is instead.
func (o *Files) ReductionFlags(flags *pflag.FlagSet) {
	o.flags(flags, "what turns the input into the output as a patch", "a page that shows the output and how it was found", "print long texts and all passes")
	for _, name := range []string{"sarif", "annotations", "junit", "markdown", "quickfix"} {
		flags.Lookup(name).Hidden = true
	}
}

func (o *Files) flags(flags *pflag.FlagSet, patch, page, full string) {
	file := func(to *string, name, what string) {
		flags.StringVar(to, name, "", "write "+what+" to `FILE` (- for standard output)")
	}
	file(&o.JSON, "json", "the result as JSON")
	file(&o.Patch, "patch", patch)
	file(&o.HTML, "html", page)
	file(&o.SARIF, "sarif", "the cause as SARIF 2.1.0, as code scanning reads it,")
	file(&o.JUnit, "junit", "with --each, the tests with their causes as JUnit XML,")
	file(&o.Markdown, "markdown", "the answer as GitHub shows Markdown, for the summary of a job or a comment,")
	file(&o.Quickfix, "quickfix", "the places of the cause, as editors read those of compilers,")
	flags.BoolVar(&o.Annotations, "annotations", false, "in a job of GitHub, annotate the lines of the cause: print its workflow commands to standard error")
	flags.BoolVar(&o.Full, "full", false, full)
}

// A destination is a flag that names a file.
type destination struct {
	flag string
	file *string
}

func (o *Files) destinations() []destination {
	return []destination{{"json", &o.JSON}, {"patch", &o.Patch}, {"html", &o.HTML}, {"sarif", &o.SARIF}, {"junit", &o.JUnit}, {"markdown", &o.Markdown}, {"quickfix", &o.Quickfix}, {"events", &o.Events}}
}

// isDescriptor reports whether a destination is no file.
func isDescriptor(d destination) bool {
	return d.flag == "events" && strings.HasPrefix(*d.file, "fd:")
}

// Check looks for what would keep the answer from being written, before hours
// are spent on it.
func (o *Files) Check() error {
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
		if isDescriptor(d) {
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

// CheckSearch is Check for the answer of a search: for each test of a suite, or for one cause.
func (o *Files) CheckSearch(each bool) error {
	if each {
		return o.CheckEach()
	}
	return o.CheckOne()
}

// CheckEach is Check for the answer of a search for each test of a suite.
func (o *Files) CheckEach() error {
	if o.Patch != "" {
		return errors.New("--patch writes one cause, and a suite may have several: `gitdd show --cause 1 --patch FILE` writes the first one")
	}
	return o.Check()
}

// CheckOne is Check for the answer of a search that is not for several tests of a suite.
func (o *Files) CheckOne() error {
	if o.JUnit != "" {
		return errors.New("--junit lists the tests of a suite with their causes, and this is one search for one cause: `gitdd run --each FORMAT` searches for each test that fails; --json, --html and --sarif write one cause")
	}
	return o.Check()
}

// CheckReduction is Check for the answer of a reduction.
func (o *Files) CheckReduction() error {
	switch {
	case o.SARIF != "":
		return errors.New("--sarif names places in source code, and a reduction finds none: --html shows what is left, --json writes it for programs; `gitdd explain` goes on to the source")
	case o.Markdown != "":
		return errors.New("--markdown writes the answer of a search, and this is a reduction: --html shows what is left, --json writes it for programs")
	case o.Quickfix != "":
		return errors.New("--quickfix names places in source code, and a reduction finds none: --json writes what is left for programs; `gitdd explain` goes on to the source")
	case o.Annotations:
		return errors.New("--annotations names places in source code, and a reduction finds none: --json writes what is left for programs; `gitdd explain` goes on to the source")
	}
	return o.CheckOne()
}

// Replaced reports whether one of the forms takes the place of the text.
func (o *Files) Replaced() bool {
	return slices.ContainsFunc(o.destinations(), func(d destination) bool { return *d.file == "-" })
}

// Absolute lets the file names mean the same in another directory.
func (o *Files) Absolute() error {
	for _, d := range o.destinations() {
		if *d.file == "" || *d.file == "-" || isDescriptor(d) {
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
