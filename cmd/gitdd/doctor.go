package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/trial"
)

func (a *app) doctorCommand() *cobra.Command {
	var d doctor
	var file string
	cmd := &cobra.Command{
		Use:        "doctor [--remote URL | --slurm] [flags] [-- COMMAND [ARG...]]",
		Short:      "Check what a run needs: git, disk, processes, the machines",
		SuggestFor: []string{"check", "diagnose"},
		Long: `Look at all that gitdd run needs, here and on the machines that --remote or
--slurm names, and say what to do where something is in its way: git and the
repository, places and room for workspaces, locks, clocks, processes, and what
the cluster can do. Commands that pass and that fail are tried in workspaces of
HEAD; so is COMMAND, and if there is a cluster its outcome there is compared.
Nothing of this stays. Exit status: 0 if all is well, 4 if something is not.`,
		Example: `  gitdd doctor
  gitdd doctor -j 4 -- make test`,
		Args: cli.Args(a.maybeCommandAfterDash),
		RunE: func(cmd *cobra.Command, command []string) error {
			d.command = command
			if err := d.check(); err != nil {
				return &cli.UsageError{Cmd: cmd, Err: err}
			}
			d.a = a
			return a.doctor(cmd.Context(), &d, file)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	d.jobsFlag(flags)
	flags.Lookup("jobs").Usage = "look whether `N` trials at a time would do; 0 is one for each processor"
	flags.StringVar(&d.workspaceRoot, "workspace-root", "", "look at `DIR` as a place for workspaces")
	d.machines.flags(flags)
	flags.StringVar(&file, "json", "", "write what was found as JSON to `FILE` (- for standard output)")
	return cmd
}

// maybeCommandAfterDash is commandAfterDash for a command that may be left out.
func (a *app) maybeCommandAfterDash(cmd *cobra.Command, list []string) error {
	if len(list) == 0 {
		return nil
	}
	return a.commandAfterDash(cmd, list)
}

// A doctor looks at one thing after the other, and prints what it finds.
type doctor struct {
	settings // of a run, as far as it has flags for them
	a        *app
	out      io.Writer
	all      []diagnosis
	repo     *git.Repo // nil = there is none
	head     git.Revision
	checkout int64  // bytes of the files of HEAD
	on       string // what is looked at of a cluster has this before its name; "" = of this machine
}

// check reports the first setting that cannot be meant.
func (d *doctor) check() error {
	d.good, d.bad, d.repeat = "HEAD", "HEAD", 1 // of no run
	d.algorithm, d.goal, d.group, d.level, d.mixtures, d.through, d.onSignal = "auto", "cause", "place", "line", "strict", "never", "auto"
	return d.settings.check()
}

// doctorSchema names the shape of what doctor writes as JSON.
const doctorSchema = "gitdd.doctor/1"

// A diagnosis is a finding as JSON.
type diagnosis struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Saw   string `json:"saw"`
	Do    string `json:"do"`
}

// An examined is what doctor writes as JSON.
type examined struct {
	Schema   string      `json:"schema"`
	Gitdd    string      `json:"gitdd"`
	OK       bool        `json:"ok"`
	Findings []diagnosis `json:"findings"`
}

// errSick says that something was found, and has been printed.
var errSick = errors.New("something is in the way of a run")

// doctor looks at everything, the cheap first.
func (a *app) doctor(ctx context.Context, d *doctor, file string) error {
	if d.out = a.stdout; file == "-" {
		d.out = io.Discard
	}
	d.program(ctx)
	d.repository(ctx)
	defer d.close()
	d.machine(ctx)
	d.trials(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	found := examined{Schema: doctorSchema, Gitdd: released(), OK: true, Findings: d.all}
	troubles := 0
	for _, f := range d.all {
		if !f.OK {
			found.OK = false
			troubles++
		}
	}
	last := "all is well: `gitdd run` can begin"
	if !found.OK {
		last = fmt.Sprintf("%s, see what to do above", prose.Count(troubles, "trouble"))
	}
	fmt.Fprintf(d.out, "\n%s\n", a.named(last))
	var err error
	if file != "" {
		err = a.writeTo(nil, file, func(w io.Writer) error { return writeExamined(w, found) })
	}
	if err == nil && !found.OK {
		err = errSick
	}
	return err
}

func writeExamined(w io.Writer, e examined) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(e)
}

func (d *doctor) close() {
	if d.repo != nil {
		d.repo.Close()
	}
}

// found prints a finding, and keeps it.
func (d *doctor) found(f trial.Finding) {
	saw, do := d.a.named(f.Saw), d.a.named(f.Do)
	d.all = append(d.all, diagnosis{d.on + f.Check, f.OK, saw, do})
	what := "ok"
	if !f.OK {
		what = "trouble"
	}
	io.WriteString(d.out, laidOut(what, prose.Printable(f.Check), prose.Printable(saw), prose.Printable(do), min(tui.Width(d.a.stdout), 80)))
}

// laidOut is a finding for a screen: in columns, or where these would be too narrow in
// paragraphs.
func laidOut(what, check, saw, do string, width int) string {
	if width < 60 {
		if do != "" {
			do = "\n    " + hanging("do: "+do, 4, width)
		}
		return what + ": " + check + "\n    " + hanging(saw, 4, width) + do + "\n"
	}
	const columns = "%-8s %-13s %s\n"
	text := fmt.Sprintf(columns, what, check, hanging(saw, 23, width))
	if do != "" {
		text += fmt.Sprintf(columns, "", "do:", hanging(do, 23, width))
	}
	return text
}

// hanging is a text whose lines stand behind so many columns, and stay out of the last.
func hanging(text string, indent, width int) string {
	var b strings.Builder
	at := indent
	for i, word := range strings.Fields(text) {
		n := prose.Columns(word)
		switch {
		case i == 0:
		case at+1+n >= width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// machine looks at places, room, clocks and processes.
func (d *doctor) machine(ctx context.Context) {
	root, err := trial.InputRoot(".") // of some session: there is no repository
	if d.repo != nil {
		root, err = trial.Root(d.repo)
	}
	if err != nil {
		d.found(trial.Finding{Check: "sessions", Saw: err.Error()})
		return
	}
	e := trial.Examination{Root: root, Work: d.workspaceRoot, Checkout: d.checkout, Workspaces: d.jobs}
	switch {
	case d.shared != "":
		e.Work, e.Shared = d.shared, true
	case d.staged():
		e.Workspaces = 1
	}
	if e.Work != "" {
		if e.Work, err = filepath.Abs(e.Work); err != nil {
			d.found(trial.Finding{Check: "workspaces", Saw: err.Error()})
			return
		}
		if info, err := os.Stat(e.Work); err != nil || !info.IsDir() {
			d.found(trial.Finding{Check: "workspaces", Saw: "there is no directory " + e.Work, Do: "make it first, or name another one"})
			e.Work, d.workspaceRoot = "", "" // go on without
		}
	}
	for _, f := range trial.Examine(ctx, e) {
		d.found(f)
	}
}
