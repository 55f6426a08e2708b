package main

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Write the manual pages of gitdd, of git dd, of each of their commands and of the
guides to man1 and man7 below DIR, a directory of the MANPATH. make install does
it. The date in them is SOURCE_DATE_EPOCH, else that of the commit that gitdd
was built from.`,
		Example: "  gitdd man ~/.local/share/man",
		Args:    args(cobra.ExactArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, list []string) error {
			dir := filepath.Clean(list[0])
			if base := filepath.Base(dir); base == "man1" || base == "man7" {
				return &usageError{cmd: cmd, err: fmt.Errorf("%s: name the directory above it: `gitdd man %s`", dir, filepath.Dir(dir))}
			}
			date, err := a.built()
			if err != nil {
				return err
			}
			for _, name := range []string{"gitdd", "git dd"} {
				var app app
				pages := manual{root: app.command(name), named: app.named, date: date}
				for cmd := range pages.commands(pages.root) {
					if err := a.writePage(dir, page(cmd), func(w io.Writer) error { return pages.write(w, cmd) }); err != nil {
						return err
					}
				}
				for _, topic := range topics() {
					if err := a.writePage(dir, pages.guide(topic.Name()), func(w io.Writer) error { return pages.writeGuide(w, topic) }); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

// writePage writes a page to its section's directory below dir.
func (a *app) writePage(dir string, p pageRef, write func(io.Writer) error) error {
	section := filepath.Join(dir, fmt.Sprintf("man%d", p.section))
	if err := os.MkdirAll(section, 0o777); err != nil {
		return err
	}
	return a.writeTo(nil, filepath.Join(section, fmt.Sprintf("%s.%d", p.name, p.section)), write)
}

// built is the time that stands for this binary wherever it must be the same for
// the same source: SOURCE_DATE_EPOCH, also that of a release, the time of its commit,
// else now.
func (a *app) built() (time.Time, error) {
	if epoch := cmp.Or(os.Getenv("SOURCE_DATE_EPOCH"), epoch); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q: want seconds since 1970", epoch)
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key != "vcs.time" {
				continue
			}
			if t, err := time.Parse(time.RFC3339, setting.Value); err == nil {
				return t.UTC(), nil
			}
		}
	}
	return a.now().UTC(), nil
}

// A manual is the set of pages of a command line under one name.
type manual struct {
	root  *cobra.Command
	named func(string) string
	date  time.Time
}

// A pageRef is the name of a page and its section: 1 for commands, 7 for guides.
type pageRef struct {
	name    string
	section int
}

// String is in bold and roman, as pages refer to each other.
func (p pageRef) String() string { return fmt.Sprintf(`\fB%s\fR(%d)`, escape(p.name), p.section) }

// page is git-dd-run(1) for `git dd run`, as git help looks for it.
func page(cmd *cobra.Command) pageRef {
	return pageRef{strings.ReplaceAll(cmd.CommandPath(), " ", "-"), 1}
}

// guide is the page of a guide.
func (m manual) guide(name string) pageRef { return pageRef{page(m.root).name + "-" + name, 7} }

// commands are those with a page of their own: top and what it runs, and what
// these run.
func (m manual) commands(top *cobra.Command) iter.Seq[*cobra.Command] {
	return func(yield func(*cobra.Command) bool) {
		for cmd := range everyCommand(top) {
			if (cmd == m.root || cmd.IsAvailableCommand()) && !yield(cmd) {
				return
			}
		}
	}
}

// write writes the page of cmd.
func (m manual) write(w io.Writer, cmd *cobra.Command) error {
	var r roff
	r.header(page(cmd), m.date, "gitdd "+released())
	r.name(page(cmd), cmd.Short)
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
				r.item(page(sub).String(), sub.Short)
			}
		}
	}
	if cmd == m.root {
		r.section("GUIDES")
		for _, topic := range topics() {
			r.item(m.guide(topic.Name()).String(), topic.Short)
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
	if status := m.exitStatus(cmd); status != "" {
		r.section("EXIT STATUS")
		r.text(status)
	}
	if cmd == m.root || searches[cmd.Name()] {
		r.section("ENVIRONMENT")
		r.text(m.named(environmentGuide))
	}
	if cmd.Example != "" {
		r.section("EXAMPLES")
		r.text(cmd.Example)
	}
	r.section("SEE ALSO")
	r.references(m.seeAlso(cmd))
	_, err := w.Write(r.Bytes())
	return err
}

// exitStatus is the text about how cmd ends; "" where its description has it.
func (m manual) exitStatus(cmd *cobra.Command) string {
	switch {
	case cmd == m.root, searches[cmd.Name()]:
		return m.named(exitCodesGuide())
	case strings.Contains(cmd.Long, "Exit status:"):
		return ""
	}
	text := "  0  it did what it says\n"
	if cmd.Name() == "changes" {
		text += "  1  nothing differs between the two revisions\n"
	}
	return text + "  2  the command line cannot be meant: nothing was done\n" +
		"  4  the repository or the machine is at fault\n"
}

// seeAlso are the pages to go on with, commands first.
func (m manual) seeAlso(cmd *cobra.Command) []pageRef {
	var list []pageRef
	switch {
	case cmd != m.root:
		list = append(list, page(cmd.Parent()))
	case cmd.DisplayName() == cmd.Name():
		list = append(list, pageRef{"git-dd", 1})
	default:
		list = append(list, pageRef{"gitdd", 1})
	}
	for _, name := range goOn[cmd.Name()] {
		if next, _, err := m.root.Find([]string{name}); err == nil && next != cmd {
			list = append(list, page(next))
		}
	}
	if cmd == m.root || cmd.Name() == "run" || cmd.Name() == "bisect" {
		list = append(list, pageRef{"git-bisect", 1})
	}
	for _, name := range guidesOf(cmd) {
		list = append(list, m.guide(name))
	}
	return list
}

// goOn are the commands that are used before or after one.
var goOn = map[string][]string{
	"run":           {"bisect", "changes", "show", "resume", "checkout", "apply"},
	"bisect":        {"run", "show", "resume", "checkout", "apply"},
	"changes":       {"run"},
	"demo":          {"run"},
	reductionName:   {"explain", "show", "resume"},
	explanationName: {"reduce", "run", "resume", "apply"},
	"show":          {"log", "list", "checkout", "apply"},
	"log":           {"show", "list"},
	"list":          {"show", "log", "resume", "clean"},
	"resume":        {"run", "reduce", "list"},
	"checkout":      {"show", "apply"},
	"apply":         {"show", "checkout"},
	"clean":         {"list"},
	"doctor":        {"run", "version"},
	"btor":          {"reduce"},
	"hunt":          {"reduce"},
	"compare":       {"reduce"},
}

// guidesOf says which guides belong to a command.
func guidesOf(cmd *cobra.Command) []string {
	switch name := cmd.Name(); {
	case name == reductionName, name == explanationName:
		return []string{"reduce", "outcomes", "environment", "exit-codes"}
	case searches[name]:
		return []string{"outcomes", "groups", "algorithms", "remote", "environment", "exit-codes"}
	case name == "doctor":
		return []string{"remote", "environment"}
	case name == "changes":
		return []string{"groups"}
	case name == "hunt", name == "compare":
		return []string{"reduce", "exit-codes"}
	}
	return nil
}

// writeGuide writes the page of a guide.
func (m manual) writeGuide(w io.Writer, topic *cobra.Command) error {
	var r roff
	ref := m.guide(topic.Name())
	r.header(ref, m.date, "gitdd "+released())
	r.name(ref, topic.Short)
	r.section("DESCRIPTION")
	r.text(m.named(topic.Long))
	r.section("SEE ALSO")
	list := []pageRef{page(m.root)}
	for cmd := range m.commands(m.root) {
		if slices.Contains(guidesOf(cmd), topic.Name()) {
			list = append(list, page(cmd))
		}
	}
	for _, other := range topics() {
		if other.Name() != topic.Name() {
			list = append(list, m.guide(other.Name()))
		}
	}
	r.references(list)
	_, err := w.Write(r.Bytes())
	return err
}
