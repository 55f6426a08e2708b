package cli

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// A Manual is the set of manual pages of a command line under one name: of each command, in section 1,
// and of each guide, in section 7.
type Manual struct {
	Root   *cobra.Command
	Guides Guides
	Title  string // of the manual
	Source string // which version the pages are of
	Date   time.Time

	About func(*cobra.Command) About // what the page of a command says that the command does not
}

// About is what the page of a command says beside its help.
type About struct {
	Sections []Section // behind the flags
	Commands []string  // that are used before or after it
	Pages    []Page    // of other programs
	Guides   []string  // that belong to it
}

// A Section is a part of a page.
type Section struct{ Heading, Text string }

// A Page is the name of a page and its section.
type Page struct {
	Name    string
	Section int
}

// String is in bold and roman, as pages refer to each other.
func (p Page) String() string { return fmt.Sprintf(`\fB%s\fR(%d)`, escape(p.Name), p.Section) }

// pageOf is git-dd-run(1) for `git dd run`, as git help looks for it.
func pageOf(cmd *cobra.Command) Page {
	return Page{strings.ReplaceAll(cmd.CommandPath(), " ", "-"), 1}
}

// guide is the page of a guide.
func (m Manual) guide(name string) Page { return Page{pageOf(m.Root).Name + "-" + name, 7} }

// Pages returns the pages, each with what writes it.
func (m Manual) Pages() iter.Seq2[Page, func(io.Writer) error] {
	return func(yield func(Page, func(io.Writer) error) bool) {
		for cmd := range m.commands(m.Root) {
			if !yield(pageOf(cmd), func(w io.Writer) error { return m.write(w, cmd) }) {
				return
			}
		}
		for _, guide := range m.Guides {
			if !yield(m.guide(guide.Name()), func(w io.Writer) error { return m.writeGuide(w, guide) }) {
				return
			}
		}
	}
}

// commands are those with a page of their own: top and what it runs, and what
// these run.
func (m Manual) commands(top *cobra.Command) iter.Seq[*cobra.Command] {
	return func(yield func(*cobra.Command) bool) {
		for cmd := range Commands(top) {
			if (cmd == m.Root || cmd.IsAvailableCommand()) && !yield(cmd) {
				return
			}
		}
	}
}

// write writes the page of cmd.
func (m Manual) write(w io.Writer, cmd *cobra.Command) error {
	var r roff
	about := m.About(cmd)
	r.header(pageOf(cmd), m.Date, m.Source, m.Title)
	r.name(pageOf(cmd), cmd.Short)
	r.section("SYNOPSIS")
	use := strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath())
	if cmd.HasAvailableSubCommands() {
		use = " COMMAND [flags]"
	}
	r.lines(".B "+escape(cmd.CommandPath()), escape(strings.TrimSpace(use)))
	r.section("DESCRIPTION")
	if cmd.Long == "" {
		r.text(cmd.Short + ".")
	}
	r.text(cmd.Long)
	if cmd.HasAvailableSubCommands() {
		r.section("COMMANDS")
		for sub := range m.commands(cmd) {
			if sub != cmd {
				r.item(pageOf(sub).String(), sub.Short)
			}
		}
	}
	if cmd == m.Root {
		r.section("GUIDES")
		for _, guide := range m.Guides {
			r.item(m.guide(guide.Name()).String(), guide.Short)
		}
	}
	if cmd.HasAvailableLocalFlags() {
		r.section("OPTIONS")
		r.flags(cmd.LocalFlags())
	}
	if cmd.HasAvailableInheritedFlags() {
		r.section("GLOBAL OPTIONS")
		r.flags(cmd.InheritedFlags())
	}
	for _, s := range about.Sections {
		r.section(s.Heading)
		r.text(s.Text)
	}
	if cmd.Example != "" {
		r.section("EXAMPLES")
		r.text(cmd.Example)
	}
	r.section("SEE ALSO")
	r.references(m.seeAlso(cmd, about))
	_, err := w.Write(r.Bytes())
	return err
}

// seeAlso are the pages to go on with, commands first.
func (m Manual) seeAlso(cmd *cobra.Command, about About) []Page {
	var list []Page
	if cmd != m.Root {
		list = append(list, pageOf(cmd.Parent()))
	}
	for _, name := range about.Commands {
		if next, _, err := m.Root.Find([]string{name}); err == nil && next != cmd {
			list = append(list, pageOf(next))
		}
	}
	list = append(list, about.Pages...)
	for _, name := range about.Guides {
		list = append(list, m.guide(name))
	}
	return list
}

// writeGuide writes the page of a guide.
func (m Manual) writeGuide(w io.Writer, guide *cobra.Command) error {
	var r roff
	page := m.guide(guide.Name())
	r.header(page, m.Date, m.Source, m.Title)
	r.name(page, guide.Short)
	r.section("DESCRIPTION")
	r.text(guide.Long)
	r.section("SEE ALSO")
	list := []Page{pageOf(m.Root)}
	for cmd := range m.commands(m.Root) {
		if slices.Contains(m.About(cmd).Guides, guide.Name()) {
			list = append(list, pageOf(cmd))
		}
	}
	for _, other := range m.Guides {
		if other != guide {
			list = append(list, m.guide(other.Name()))
		}
	}
	r.references(list)
	_, err := w.Write(r.Bytes())
	return err
}
