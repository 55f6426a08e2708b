package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
)

// An htmlPage is the frame of a page: what stands above and below the sections,
// written by the templates "head" and "foot". Its strings are printable.
type htmlPage struct {
	Title     string // of the document
	Kind      string // what was made: "search" or "reduction", with the session
	Index     string // the reference of the page that links to this one; "" = there is none
	Generator string // gitdd and its version
	Mood      string // "found", "open" = there is more to do, "none" = no answer
	Headline  string
	Lead      []proseRun
	Glance    []glance // what to know at once
	Warnings  []string
	Sections  []htmlSection // to go to
	Repeat    []string      // command lines that do the same again
	Around    [][2]string   // the environment: labels and texts
	Footer    []string
}

// section adds a section to go to, if it is there.
func (p *htmlPage) section(id, title string, there bool) {
	if there {
		p.Sections = append(p.Sections, htmlSection{id, title})
	}
}

// around adds a row to the environment, unless it says nothing.
func (p *htmlPage) around(label, text string) {
	if text != "" {
		p.Around = append(p.Around, [2]string{label, prose.Printable(text)})
	}
}

// environment says how to repeat a session, and where it ran.
func (p *htmlPage) environment(e *Environment, command []string) {
	for _, argv := range e.Repeat {
		p.Repeat = append(p.Repeat, prose.Printable(prose.Words(argv)))
	}
	p.around("command", prose.Words(command))
	p.around("in", e.Subdir)
	p.around("begun", e.Started)
	p.around("gitdd", e.Gitdd)
	p.around("git", e.Git)
	p.around("system", e.System)
	if e.CPUs > 0 {
		p.around("CPUs", prose.Number(e.CPUs))
	}
	p.around("parser", e.Parser)
}

// A glance is a word or two on the answer; Lacking when it is less than was wanted.
type glance struct {
	Text    string
	Lacking bool
}

// An htmlSection is a part of a page that has a heading with this id.
type htmlSection struct{ ID, Title string }

// A proseRun is a run of a sentence; Code was between backquotes.
type proseRun struct {
	Text string
	Code bool
}

//go:embed html
var htmlFiles embed.FS

// htmlTemplates are parsed when the first page is written: most runs of gitdd
// write none.
var htmlTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").ParseFS(htmlFiles, "html/*"))
})

// writeHTML writes a page by the template of that name.
func writeHTML(w io.Writer, name string, data any) error {
	if err := htmlTemplates().ExecuteTemplate(w, name, data); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// inProse is a sentence with what stands between backquotes set apart. A backquote
// within a command does not matter: its words are shown either way.
func inProse(sentence string) []proseRun {
	var runs []proseRun
	for i, part := range strings.Split(prose.Printable(sentence), "`") {
		if part != "" {
			runs = append(runs, proseRun{Text: part, Code: i%2 == 1})
		}
	}
	return runs
}

var quantity = lazyregexp.New(`([0-9]) (%|(?:s|min|h)\b|[KMGT]?i?B\b)`)

// tied keeps numbers and their units on one line; not between backquotes, for who
// copies a command from there.
func tied(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = quantity().ReplaceAllString(parts[i], "$1\u00a0$2")
	}
	return strings.Join(parts, "`")
}

// mood is how the page of a search or a reduction is to be taken.
func mood(s Status) string {
	switch s {
	case Isolated, Reduced:
		return "found"
	case Budget, Interrupted:
		return "open"
	}
	return "none"
}

// generator names the program that a story is by.
func generator(e Environment) string { return strings.TrimSpace("gitdd " + prose.Printable(e.Gitdd)) }
