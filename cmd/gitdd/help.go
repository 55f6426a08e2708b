package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
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
		Args:    cli.Args(cobra.ExactArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, list []string) error {
			dir := filepath.Clean(list[0])
			if base := filepath.Base(dir); base == "man1" || base == "man7" {
				return &cli.UsageError{Cmd: cmd, Err: fmt.Errorf("%s: name the directory above it: `gitdd man %s`", dir, filepath.Dir(dir))}
			}
			date, err := a.built()
			if err != nil {
				return err
			}
			for _, name := range []string{"gitdd", "git dd"} {
				for page, write := range manualOf(name, date).Pages() {
					section := filepath.Join(dir, fmt.Sprintf("man%d", page.Section))
					if err := os.MkdirAll(section, 0o777); err != nil {
						return err
					}
					if err := a.out(nil).File(filepath.Join(section, fmt.Sprintf("%s.%d", page.Name, page.Section)), write); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
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

// manualOf is the manual for who calls gitdd by a name.
func manualOf(name string, date time.Time) cli.Manual {
	var a app
	root := a.command(name)
	return cli.Manual{Root: root, Guides: a.guides, Title: "Gitdd Manual", Source: "gitdd " + released(), Date: date, About: a.about}
}

// about is what the manual page of a command says beside its help.
func (a *app) about(cmd *cobra.Command) cli.About {
	about := cli.About{Commands: goOn[cmd.Name()], Guides: guidesOf(cmd)}
	if status := a.exitStatus(cmd); status != "" {
		about.Sections = append(about.Sections, cli.Section{Heading: "EXIT STATUS", Text: status})
	}
	if !cmd.HasParent() || searches[cmd.Name()] {
		about.Sections = append(about.Sections, cli.Section{Heading: "ENVIRONMENT", Text: a.named(guide("environment"))})
	}
	switch {
	case cmd.HasParent():
	case cmd.DisplayName() == cmd.Name():
		about.Pages = append(about.Pages, cli.Page{Name: "git-dd", Section: 1})
	default:
		about.Pages = append(about.Pages, cli.Page{Name: "gitdd", Section: 1})
	}
	if !cmd.HasParent() || cmd.Name() == "run" || cmd.Name() == "bisect" {
		about.Pages = append(about.Pages, cli.Page{Name: "git-bisect", Section: 1})
	}
	return about
}

// exitStatus is the text about how cmd ends; "" where its description has it.
func (a *app) exitStatus(cmd *cobra.Command) string {
	switch {
	case !cmd.HasParent(), searches[cmd.Name()]:
		return a.named(exitCodesGuide())
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

func (a *app) helpCommand(guides cli.Guides) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | GUIDE]",
		Short: "Explain a command, or show a guide",
		Long: `Explain a command as its --help does, or show one of the guides that gitdd help
lists. They are manual pages as well: gitdd-run(1), gitdd-outcomes(7).`,
		Example: `  gitdd help outcomes
  gitdd help btor hunt`,
		ValidArgsFunction: guides.Complete,
		RunE:              guides.Help,
	}
}

// headings stand before flags of the commands that make and judge trials.
var headings = map[string]string{
	"setup":      "How a trial is made",
	"match":      "Which outcome it has",
	"jobs":       "How the search goes",
	"max-trials": "When it ends",
	"remote":     "On which machines",
	"json":       "What is written",
}
