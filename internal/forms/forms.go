package forms

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// Forms are those of a result that Files may ask for.
type Forms struct {
	Text        func(io.Writer, report.TextOptions) error
	JSON        func(io.Writer) error
	Patch       func() ([]byte, error)
	HTML        func(io.Writer) error
	SARIF       func(io.Writer) error                                   // nil = a reduction has none
	Annotations func(io.Writer) error                                   // likewise
	JUnit       func(io.Writer) error                                   // nil = the answer is not about a suite
	Markdown    func(io.Writer) error                                   // likewise
	Quickfix    func(w io.Writer, named func(path string) string) error // nil = a reduction has none
	Beside      []Page                                                  // that HTML has links to
}

// A Page is one that goes to a file of its own.
type Page struct {
	Name  string
	Write func(io.Writer) error
}

// Of are the forms of a result, but for its patch.
func Of(result report.Result, story func() report.Story) Forms {
	return Forms{
		Text:        func(w io.Writer, as report.TextOptions) error { return report.Text(w, result, as) },
		JSON:        func(w io.Writer) error { return report.JSON(w, result) },
		HTML:        func(w io.Writer) error { return report.HTML(w, result, story()) },
		SARIF:       func(w io.Writer) error { return report.SARIF(w, result, story()) },
		Annotations: func(w io.Writer) error { return report.Annotations(w, result) },
		Markdown:    func(w io.Writer) error { return report.Markdown(w, result) },
		Quickfix:    func(w io.Writer, named func(string) string) error { return report.Quickfix(w, result, named) },
	}
}

// OfReduction are the forms of the result of a reduction, but for its text and
// patch.
func OfReduction(r report.Reduction, story func() report.Story) Forms {
	return Forms{
		JSON: func(w io.Writer) error { return report.ReductionJSON(w, r) },
		HTML: func(w io.Writer) error { return report.ReductionHTML(w, r, story()) },
	}
}

// OfEach are the forms of the results of a search for each test of a suite, whose page goes to the file html. story
// returns the story of the search for a cause by its number, and for 0 that of the suite.
func OfEach(r report.Results, html string, story func(number int) report.Story) Forms {
	f := Forms{
		Text:        func(w io.Writer, as report.TextOptions) error { return report.ResultsText(w, r, as) },
		JSON:        func(w io.Writer) error { return report.ResultsJSON(w, r) },
		SARIF:       func(w io.Writer) error { return report.ResultsSARIF(w, r, story) },
		Annotations: func(w io.Writer) error { return report.ResultsAnnotations(w, r) },
		JUnit:       func(w io.Writer) error { return report.JUnit(w, r) },
		Markdown:    func(w io.Writer) error { return report.ResultsMarkdown(w, r) },
		Quickfix:    func(w io.Writer, named func(string) string) error { return report.ResultsQuickfix(w, r, named) },
	}
	page := func(number int) string { return BesideName(html, fmt.Sprintf("cause-%d", number)) }
	link := func(number int) string { return filepath.Base(page(number)) }
	if page(1) == "" {
		link = nil
	}
	f.HTML = func(w io.Writer) error { return report.ResultsHTML(w, r, story(0).Environment, link) }
	for i := range r.Causes {
		if c := &r.Causes[i]; link != nil {
			write := func(w io.Writer) error { return report.CauseHTML(w, *c, story(c.Number), filepath.Base(html)) }
			f.Beside = append(f.Beside, Page{page(c.Number), write})
		}
	}
	return f
}

// Out is where files named "-" and annotations go.
type Out struct {
	Stdout, Stderr io.Writer
	Session        *trial.Session           // keeps the names of unfinished files; nil: there is none
	Named          func(path string) string // names a path of the repository where the user is; nil leaves it
}

// Write writes the forms of a result that go elsewhere than the text.
func (o Out) Write(to Files, f Forms) error {
	var problems []error
	if to.JSON != "" {
		problems = append(problems, o.File(to.JSON, f.JSON))
	}
	if to.Patch != "" {
		patch, err := f.Patch()
		problems = append(problems, err)
		if err == nil {
			problems = append(problems, o.File(to.Patch, func(w io.Writer) error { _, err := w.Write(patch); return err }))
		}
	}
	if to.HTML != "" {
		for _, p := range f.Beside {
			problems = append(problems, o.File(p.Name, p.Write))
		}
		problems = append(problems, o.File(to.HTML, f.HTML))
	}
	for _, one := range []struct {
		file  string
		write func(io.Writer) error
	}{{to.SARIF, f.SARIF}, {to.JUnit, f.JUnit}, {to.Markdown, f.Markdown}} {
		if one.file != "" && one.write != nil {
			problems = append(problems, o.File(one.file, one.write))
		}
	}
	if to.Quickfix != "" && f.Quickfix != nil {
		problems = append(problems, o.File(to.Quickfix, func(w io.Writer) error { return f.Quickfix(w, o.Named) }))
	}
	if to.Annotations && f.Annotations != nil {
		problems = append(problems, f.Annotations(o.Stderr))
	}
	return errors.Join(problems...)
}

// File writes a whole file or none: under a temporary name, then renamed. The
// session, if there is one, knows what to remove when that is cut short.
func (o Out) File(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(o.Stdout)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0) // /dev/stderr, a named pipe
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	temporary := func() (*os.File, error) {
		if o.Session != nil {
			return o.Session.Beside(name)
		}
		return os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	}
	f, err := temporary()
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := disk.Replace(f, name, 0o644, write); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
