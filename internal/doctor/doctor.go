package doctor

import (
	"context"
	"os"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/trial"
)

// Options say what is examined. Begin is required.
type Options struct {
	Command       []string // argv of the user's test; nil = none is tried
	Jobs          int      // trials at a time that there should be room for
	WorkspaceRoot string   // where workspaces would be made; "" = where trial.Options has them by default
	Cluster       *Cluster // nil = trials run on this machine alone

	// Begin begins a session of its own for one trial of a command at a revision, and returns the options of
	// that trial on this machine. Examine sets their WorkspaceRoot, and discards the session.
	Begin func(ctx context.Context, repo *git.Repo, at git.Revision, command []string) (trial.Options, error)

	Version string              // of the program, for the report
	Named   func(string) string // puts the name of the program into the commands that a sentence names; nil leaves them
	Found   func(Finding)       // receives each finding as soon as it is known; nil = nobody does
}

// A Cluster is other machines that trials may run on.
type Cluster struct {
	Name   string // of its kind, such as remote: what is found there has it before the name of its check
	Shared string // the directory in which it shares workspaces with this machine; "" = it gets files

	// Look returns what a look at the cluster shows.
	Look func(context.Context) []trial.Finding
	// Connect reaches the cluster. set lets a trial run there, and done lets go of the cluster.
	Connect func(context.Context) (set func(*trial.Options), done func(), err error)
}

// Examine looks at everything. The error is that of ctx, if it ends first.
func Examine(ctx context.Context, o Options) (Report, error) {
	d := &examination{Options: o, report: Report{Schema: Schema, Gitdd: o.Version, OK: true}}
	d.program(ctx)
	d.repository(ctx)
	defer d.close()
	d.machine(ctx)
	d.trials(ctx)
	return d.report, ctx.Err()
}

// An examination looks at one thing after the other.
type examination struct {
	Options
	report   Report
	repo     *git.Repo // nil = there is none
	head     git.Revision
	checkout int64  // bytes of the files of HEAD
	on       string // what is looked at of a cluster has this before its name; "" = of this machine
}

func (d *examination) close() {
	if d.repo != nil {
		d.repo.Close()
	}
}

// found enters a finding into the report, and passes it on.
func (d *examination) found(f trial.Finding) {
	finding := Finding{Check: d.on + f.Check, OK: f.OK, Saw: f.Saw, Do: f.Do, Name: f.Check}
	if d.Named != nil {
		finding.Saw, finding.Do = d.Named(f.Saw), d.Named(f.Do)
	}
	d.report.OK = d.report.OK && f.OK
	d.report.Findings = append(d.report.Findings, finding)
	if d.Found != nil {
		d.Found(finding)
	}
}

// machine looks at places, room, clocks and processes.
func (d *examination) machine(ctx context.Context) {
	root, err := trial.InputRoot(".") // of some session: there is no repository
	if d.repo != nil {
		root, err = trial.Root(d.repo)
	}
	if err != nil {
		d.found(trial.Finding{Check: "sessions", Saw: err.Error()})
		return
	}
	e := trial.Examination{Root: root, Work: d.WorkspaceRoot, Checkout: d.checkout, Workspaces: d.Jobs}
	switch {
	case d.Cluster != nil && d.Cluster.Shared != "":
		e.Work, e.Shared = d.Cluster.Shared, true
	case d.Cluster != nil:
		e.Workspaces = 1
	}
	if e.Work != "" {
		if e.Work, err = filepath.Abs(e.Work); err != nil {
			d.found(trial.Finding{Check: "workspaces", Saw: err.Error()})
			return
		}
		if info, err := os.Stat(e.Work); err != nil || !info.IsDir() {
			d.found(trial.Finding{Check: "workspaces", Saw: "there is no directory " + e.Work, Do: "make it first, or name another one"})
			e.Work, d.WorkspaceRoot = "", "" // go on without
		}
	}
	for _, f := range trial.Examine(ctx, e) {
		d.found(f)
	}
}
