package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/byhand"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/trial"
)

// app is what every command shares: where it was called, where it prints,
// and the one clock.
type app struct {
	stdout, stderr io.Writer
	now            func() time.Time
	start          string // where gitdd was started; "" = not known
	dir            string // -C: main goes there first, as git does
	color          string // --color: auto, always, never
	verbose        bool   // -v
	quiet          bool   // -q
	within         string // the session that found the update of a dependency which is searched now; "" = none is
	earlier        string // the session that the report is of, if commands that name none may mean another one; else ""
	gone           bool   // the session does not outlive the command

	opened   *git.Repo      // defaults has opened it; the next call of open returns it, as opening takes git processes
	session  *trial.Session // of a search; nil before it has one
	reduced  []byte         // the result of the first half of explain, as JSON
	marked   byhand.Mark    // of the directory of configurations that the current directory lies in; see here
	manual   *manualJudge   // judges the search; nil = its command does
	answers  *bufio.Reader  // of a person on standard input
	answered bool           // the result of a search was written
	stream   *eventStream   // the events of a search; nil before it begins
	result   []byte         // of a search, as JSON

	guides cli.Guides
	named  func(string) string // see cli.Namer
	line   []string            // as the user typed it, behind the name of gitdd
}

// main runs one command line and returns the exit status.
func (a *app) main(ctx context.Context, args []string) int {
	root := a.command(cli.NameOf(args[0]))
	a.line = args[1:]
	root.SetArgs(args[1:])
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	cmd, err := root.ExecuteContextC(ctx)
	status := a.unanswered(cmd, err, a.exit(ctx, err))
	a.endEvents(status)
	return status
}

// command is the command line of design, one file per command, for a user who
// calls it name.
func (a *app) command(name string) *cobra.Command {
	root := &cobra.Command{
		Use:   "gitdd",
		Short: "Find the lines that broke the test",
		Long: `gitdd isolates the changes between a passing and a failing revision that make
a test fail. git bisect names a commit; gitdd names the lines.

  gitdd run --good v1 --bad HEAD -- make test

gitdd reduce makes an input small on which a command fails. Your checkout,
index, refs and configuration are never touched.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cli.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("version") {
				return a.printVersion()
			}
			return cmd.Help()
		},
	}
	root.Flags().Bool("version", false, "say what gitdd version does")
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: name}
	root.PersistentFlags().StringVarP(&a.dir, "directory", "C", ".", "run as if started in `DIR`")
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "colour `WHEN`: auto, always or never")
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "say more while searching: times, reasons, what needed no trial")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "print errors and what was asked for, such as the report, and no more")
	root.SetFlagErrorFunc(cli.FlagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := settings.OneOf("color", a.color); err != nil {
			return &cli.UsageError{Cmd: cmd, Err: err}
		}
		if a.quiet && a.verbose {
			return &cli.UsageError{Cmd: cmd, Err: errors.New("--quiet and --verbose: want one of them")}
		}
		a.start, _ = os.Getwd()
		if err := os.Chdir(a.dir); err != nil {
			return fmt.Errorf("-C %s: %w", a.dir, errors.Unwrap(err))
		}
		return nil
	}
	family := func(title string, list ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
		for _, cmd := range list {
			cmd.GroupID = title
		}
		root.AddCommand(list...)
	}
	family("Find what broke a test",
		a.runCommand(),
		a.bisectCommand(),
		a.changesCommand(),
		a.demoCommand(),
	)
	family("Judge by hand",
		a.startCommand(),
		a.nextCommand(),
		a.goodCommand(),
		a.badCommand(),
		a.skipCommand(),
		a.undoCommand(),
		a.statusCommand(),
		a.goCommand(),
	)
	family("Make a failing input small",
		a.reduceCommand(),
		a.explainCommand(),
		a.btorCommand(),
	)
	family("Go on from there",
		a.showCommand(),
		a.logCommand(),
		a.serveCommand(),
		a.listCommand(),
		a.resumeCommand(),
		a.checkoutCommand(),
		a.applyCommand(),
		a.cleanCommand(),
	)
	a.guides = topics()
	help := a.helpCommand(a.guides)
	family("About gitdd",
		help,
		a.doctorCommand(),
		cli.CompletionCommand(),
		a.manCommand(),
		a.versionCommand(),
	)
	root.SetHelpCommand(help)
	a.guides.AddTo(root)
	a.named = cli.Namer(name, root)
	cli.Rename(root, a.named)
	for _, guide := range a.guides { // help alone shows some of them
		cli.Rename(guide, a.named)
	}
	for cmd := range cli.Commands(root) {
		a.complete(cmd)
		if cmd.Flags().Lookup("setup") != nil {
			cli.AddHeadings(cmd.Flags(), headings)
		}
	}
	return root
}

// aside is where progress, hints and notes go: nowhere with --quiet.
func (a *app) aside() io.Writer {
	if a.quiet {
		return io.Discard
	}
	return a.stderr
}

// open opens the repository that the current directory lies in. The caller closes it. In a directory with configurations of
// a session by hand, that is the repository in which the session was begun.
func (a *app) open(ctx context.Context) (*git.Repo, error) {
	if repo := a.opened; repo != nil {
		a.opened = nil
		return repo, nil
	}
	return git.Open(ctx, a.here())
}

// here is the directory that commands are about: the current one, or, in a directory with configurations of a session by
// hand, the one in which that session was begun.
func (a *app) here() string {
	if mark, _, ok := byhand.Marked("."); ok {
		a.marked = mark
		return mark.Dir
	}
	return "."
}
