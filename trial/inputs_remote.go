package trial

import (
	"context"
	"errors"
	"path"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/snapshot"
	"github.com/gitdd/gitdd/testcase"
)

// copyAuxiliary copies the auxiliary files into the session, unless those of several sessions are given: the paths of
// Options.Overlay, and the command if its name has a slash and a file of that name is here.
func (r *Inputs) copyAuxiliary(ctx context.Context) (*Auxiliary, error) {
	if r.given.Auxiliary != nil {
		return r.given.Auxiliary, nil
	}
	return NewAuxiliary(ctx, filepath.Join(r.session.dir, overlayDir), AuxiliaryOptions{
		Start: r.start, Paths: r.opts.Overlay, Jobs: []Job{{Command: r.opts.Command}},
	})
}

// A remoteInput is the place of a candidate that is tried on other machines.
type remoteInput struct {
	*remotePlace
	in *Inputs
}

func (r *Inputs) newRemoteInput(context.Context, *worker, question, string) (place, error) {
	return &remoteInput{&remotePlace{pool: r.pool}, r}, nil
}

func (p *remoteInput) show(_ context.Context, _ *worker, q question) error {
	p.snap = p.in.snapshot(*q.input)
	return nil
}

func (p *remoteInput) try(ctx context.Context, w *worker, q question, rec *Record) error {
	return p.tryRemotely(ctx, w, q, rec, p)
}

func (p *remoteInput) load(_ *worker, _ *Record, t *Task) {
	candidate := path.Join(inputTop, p.in.name)
	t.Files, t.Dir = p.snap, inputTop
	t.Stdin = p.in.stdin(candidate)
	t.Command = p.in.auxiliary.names(p.in.argv(TopDir+"/"+candidate, ""))
	t.Env = append(t.Env, inputEnv(candidate)...)
}

// inputEnv are the variables of a command on another machine that gets a file, or a directory, as its input.
func inputEnv(input string) []string {
	return []string{"GITDD_WORKSPACE=" + TopDir + "/" + inputTop, "GITDD_INPUT=" + TopDir + "/" + input, "GITDD_DIR=" + TopDir + "/" + auxiliaryTop}
}

func (p *remoteInput) done(q question, rec *Record) error {
	p.snap = nil
	return p.in.saveOther(q, rec)
}

// snapshot returns what a machine gets for a candidate.
func (r *Inputs) snapshot(in testcase.Input) *Snapshot {
	empty := &Folder{}
	if r.name != "" && r.original.Dir {
		empty = snapshot.With(empty, []snapshot.Edit{{Path: r.name, To: Entry{Folder: &Folder{}}}})
	}
	return r.auxiliary.beside(empty, in.Files)
}

// checkRemoteInputs returns an error for options that Inputs cannot keep on other machines.
func (o InputOptions) checkRemoteInputs() error {
	switch {
	case o.Remote == nil:
		return nil
	case o.Shared:
		return errors.New("candidates are sent to other machines, and need no directory that these share with this one")
	case o.Good != nil || o.Bad != nil:
		return errors.New("candidates are tried with two versions on this machine only")
	}
	return nil
}
