package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/workspace"
	"github.com/gitdd/gitdd/isolate"
)

// With InputOptions.Good and Bad a candidate is interesting if the command fails
// on it in the bad version, as on the original, and passes in the good one. Each
// worker has a workspace of each, which is set up and built once: then the command
// runs in the bad one and, if it fails there, in the good one. Both are one trial.

// A version is one of the two revisions.
type version struct {
	name     string // "good" or "bad"
	revision git.Revision
	set      *changes.Set // of no changes
}

// openVersions prepares what workspaces of the two revisions need.
func (r *Inputs) openVersions(ctx context.Context, good, bad git.Revision) (err error) {
	if r.source, err = workspace.Open(ctx, r.opts.workspaceOptions()); err != nil {
		return err
	}
	r.closeRest = r.source.Close
	for i, v := range []version{{name: "bad", revision: bad}, {name: "good", revision: good}} {
		id := string(v.revision.Commit)
		if id == "" {
			id = string(v.revision.Tree)
		}
		if v.set, err = changes.Between(ctx, r.opts.Repo, id, id, changes.Options{Whole: true}); err != nil {
			return err
		}
		r.versions[i] = v
	}
	r.newPlace = r.newBuilds
	return nil
}

// Builds are a place that has workspaces of the two versions beside the folder for
// the candidate.
type builds struct {
	folder
	spaces [2]*workspace.Workspace // as Inputs.versions
	used   *bool
}

// newBuilds checks both versions out and builds them.
func (r *Inputs) newBuilds(ctx context.Context, w *worker, q question, dir string) (_ place, err error) {
	r.observe(Event{Kind: Preparing, Worker: w.number, Purpose: q.purpose})
	b := builds{folder: folder{r, dir}, used: new(bool)}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.remove())
		}
	}()
	for i, v := range r.versions {
		if b.spaces[i], err = r.source.New(ctx, v.set, dir+"-"+v.name); err != nil {
			return nil, err
		}
	}
	if err := b.build(ctx, w); err != nil {
		return nil, err
	}
	return b, nil
}

// build sets both versions up and builds them.
func (b builds) build(ctx context.Context, w *worker) error {
	opts := b.r.opts
	for i, v := range b.r.versions {
		env := []string{"GITDD_BUILD=" + v.name, "GITDD_DIR=" + b.r.start}
		if err := b.r.prepare(ctx, w, "setup of the "+v.name+" version", opts.Setup, b.spaces[i], env...); err != nil {
			return err
		}
		if err := b.r.prepare(ctx, w, "build of the "+v.name+" version", opts.Build, b.spaces[i], env...); err != nil {
			return err
		}
		if !b.r.hasDir(b.spaces[i]) {
			return fmt.Errorf("there is no directory %s in the %s version to run the command in", opts.Dir, v.name)
		}
	}
	return nil
}

func (b builds) worn() bool { return *b.used && !b.r.cleans() }

func (b builds) renew(ctx context.Context, w *worker) error {
	if !*b.used {
		return nil
	}
	for _, space := range b.spaces {
		if err := space.Clean(ctx); err != nil {
			return err
		}
	}
	if err := b.build(ctx, w); err != nil {
		return err
	}
	*b.used = false
	return nil
}

func (b builds) show(ctx context.Context, w *worker, q question) error {
	if b.r.cleans() {
		if err := b.renew(ctx, w); err != nil {
			return err
		}
	}
	for _, space := range b.spaces {
		if err := space.Present(); err != nil {
			return err
		}
	}
	*b.used = true
	return b.folder.show(ctx, w, q)
}

func (b builds) try(ctx context.Context, w *worker, q question, rec *Record) error {
	rules := b.r.rules()
	p := b.process(w, 0, rec)
	p.Stdout, p.Stderr = b.r.session.Output(rec.Trial, "out"), b.r.session.Output(rec.Trial, "err")
	if err := b.r.test(ctx, w, b, execution{Command: p}, rec, rules); err != nil || isolate.Outcome(rec.Outcome) != isolate.Fail {
		return err
	}
	return b.compare(ctx, w, q, rec, rules)
}

// compare runs the command, which has failed in the bad version, in the good one.
func (b builds) compare(ctx context.Context, w *worker, q question, rec *Record, rules rules) error {
	if err := b.folder.show(ctx, w, q); err != nil { // the command may have changed it
		return err
	}
	p := b.process(w, 1, rec)
	p.Stdout, p.Stderr = b.r.session.Output(rec.Trial, "good.out"), b.r.session.Output(rec.Trial, "good.err")
	p.Timeout = rules.limits.test
	if p.Timeout == 0 {
		p.Timeout = b.r.opts.Timeout
	}
	x, err := b.r.runUnkilled(ctx, w, b, p)
	if err != nil {
		return err
	}
	rec.Good = &Ended{Exit: x.Code, Signal: x.Signal, TimedOut: x.TimedOut, Reason: describe(x, p.Timeout), Seconds: seconds(x.Duration)}
	rec.Memory = max(rec.Memory, x.Memory)
	if !rules.accepts(x) {
		rec.Outcome = Outcome(isolate.Unresolved)
		rec.Reason = fmt.Sprintf("%s in the bad version, %s in the good one", rec.Reason, rec.Good.Reason)
	}
	return nil
}

// process is the command in the workspace of a version, for the candidate in the
// folder.
func (b builds) process(w *worker, version int, rec *Record) process.Command {
	space := b.spaces[version]
	dir := filepath.Join(space.Dir, b.r.dir)
	p := b.r.process(w, rec.Trial, b.r.argv(b.candidate(), dir), dir, space.Dir)
	p.Stdin = b.r.stdin(b.candidate())
	p.Env = append(p.Env, attemptOf(rec), "GITDD_INPUT="+b.candidate(), "GITDD_DIR="+b.r.start, "GITDD_BUILD="+b.r.versions[version].name)
	return p
}

// done fails when a workspace has been taken away.
func (b builds) done(q question, rec *Record) error {
	for _, space := range b.spaces {
		if err := space.Present(); err != nil {
			return err
		}
	}
	return b.folder.done(q, rec)
}

func (b builds) usage() int64 {
	return b.folder.usage() + b.spaces[0].Usage() + b.spaces[1].Usage()
}

func (b builds) remove() error {
	errs := []error{b.folder.remove()}
	for _, space := range b.spaces {
		if space != nil { // it could be made
			errs = append(errs, space.Remove())
		}
	}
	return errors.Join(errs...)
}
