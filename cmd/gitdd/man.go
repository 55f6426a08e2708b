package main

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Write the manual pages of gitdd, of git dd and of each of their commands to DIR,
a man1 directory below the MANPATH. make install does it. The date in them is
SOURCE_DATE_EPOCH, else that of the commit gitdd was built from.`,
		Example: "  gitdd man ~/.local/share/man/man1",
		Args:    args(cobra.ExactArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, list []string) error {
			date, err := a.built()
			if err != nil {
				return err
			}
			if err := os.MkdirAll(list[0], 0o777); err != nil {
				return err
			}
			for _, name := range []string{"gitdd", "git dd"} {
				pages := manual{root: new(app).command(name), date: date}
				for cmd := range pages.commands(pages.root) {
					file := filepath.Join(list[0], pageName(cmd)+".1")
					if err := a.writeTo(nil, file, func(w io.Writer) error { return pages.write(w, cmd) }); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

// built is the time that stands for this binary wherever it must be the same for
// the same source: SOURCE_DATE_EPOCH, the time of its commit, else now.
func (a *app) built() (time.Time, error) {
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
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
	root *cobra.Command
	date time.Time
}

// commands are those with a page of their own: top and what it runs, and what
// these run. Topics are sections of the root's page.
func (m manual) commands(top *cobra.Command) iter.Seq[*cobra.Command] {
	return func(yield func(*cobra.Command) bool) {
		for cmd := range everyCommand(top) {
			if (cmd == m.root || cmd.IsAvailableCommand()) && !yield(cmd) {
				return
			}
		}
	}
}

// pageName is git-dd-run for `git dd run`, as git help looks for it.
func pageName(cmd *cobra.Command) string {
	return strings.ReplaceAll(cmd.CommandPath(), " ", "-")
}

// write writes the page of cmd.
func (m manual) write(w io.Writer, cmd *cobra.Command) error {
	var page roff
	page.header(pageName(cmd), m.date, "gitdd "+released())
	page.section("NAME")
	short := strings.ToLower(cmd.Short[:1]) + cmd.Short[1:]
	page.lines(escape(pageName(cmd)) + ` \- ` + escape(short))
	page.section("SYNOPSIS")
	use := strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath())
	if cmd.HasAvailableSubCommands() {
		use = " COMMAND [flags]"
	}
	page.lines(".B "+escape(cmd.CommandPath()), escape(strings.TrimSpace(use)))
	page.section("DESCRIPTION")
	if cmd.Long == "" {
		page.text(cmd.Short + ".")
	}
	page.text(cmd.Long)
	if cmd.HasAvailableSubCommands() {
		page.section("COMMANDS")
		for sub := range m.commands(cmd) {
			if sub != cmd {
				page.item(`\fB`+escape(pageName(sub))+`\fR(1)`, sub.Short)
			}
		}
	}
	if cmd.HasAvailableLocalFlags() {
		page.section("OPTIONS")
		page.flags(cmd.LocalFlags())
	}
	if cmd.HasAvailableInheritedFlags() {
		page.section("GLOBAL OPTIONS")
		page.flags(cmd.InheritedFlags())
	}
	for _, topic := range topics() {
		heading := map[string]string{"exit-codes": "EXIT STATUS", "environment": "ENVIRONMENT"}[topic.Name()]
		if cmd == m.root || searches[cmd.Name()] && topic.Name() == "exit-codes" {
			page.section(heading)
			page.text(topic.Long)
		}
	}
	if cmd.Example != "" {
		page.section("EXAMPLES")
		page.text(cmd.Example)
	}
	page.section("SEE ALSO")
	also := []string{"git-bisect", "gitdd"}
	switch {
	case cmd != m.root:
		also[1] = pageName(m.root)
	case cmd.DisplayName() == cmd.Name():
		also[1] = "git-dd"
	}
	page.lines(`\fB` + escape(also[0]) + `\fR(1), \fB` + escape(also[1]) + `\fR(1)`)
	_, err := w.Write(page.Bytes())
	return err
}
