package trial

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/testcase"
)

// The two directories of a task of Inputs. The command runs in the first, which holds the candidate as the
// directory of a trial here does. The second is GITDD_DIR there, and has the auxiliary files.
const (
	inputTop     = "in"
	auxiliaryTop = "dir"
)

// The auxiliary files of a reduction are what other machines get beside the candidates: all tasks have the same.
type auxiliary struct {
	overlay
	folder *Folder
}

// copyAuxiliary copies the auxiliary files into the session: the paths of Options.Overlay, and the command if its
// name has a slash and a file of that name is here. All of them are below start.
func (r *Inputs) copyAuxiliary(ctx context.Context) (b auxiliary, err error) {
	paths := slices.Clone(r.opts.Overlay)
	if name := r.opts.Command[0]; fromHere(name, r.start) != name {
		paths = append(paths, name)
	}
	b.folder = &Folder{}
	if len(paths) == 0 {
		return b, nil
	}
	b.overlay, err = newOverlay(filepath.Join(r.session.dir, overlayDir), r.start, func(c copier) error {
		for _, p := range paths {
			if err := c.named(p); err != nil {
				return machineError("copy "+p+" for other machines", err)
			}
		}
		return nil
	})
	if err != nil {
		return b, err
	}
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		return b, machineError("read what is copied for other machines", err)
	}
	defer root.Close()
	b.folder, err = (&walker{ctx: ctx, top: auxiliaryTop}).walk(root, nil)
	return b, err
}

// named copies a path that the user has named. Where that is a symbolic link to a file, the copy is the file.
func (c copier) named(name string) error {
	if !filepath.IsAbs(name) {
		name = filepath.Join(c.from, name)
	}
	rel, err := filepath.Rel(c.from, name)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return fmt.Errorf("other machines get files and directories below %s only", c.from)
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return c.copy(filepath.ToSlash(rel))
	}
	parents, last, err := writer{root: c.to}.open(filepath.ToSlash(rel), true)
	if err != nil {
		return err
	}
	defer parents.close()
	return copyFile(name, info, parents[len(parents)-1], last)
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
	t.Command = p.in.argv(TopDir+"/"+candidate, "")
	if name := p.in.opts.Command[0]; fromHere(name, p.in.start) != name {
		t.Command[0] = TopDir + "/" + path.Join(auxiliaryTop, filepath.ToSlash(name))
	}
	t.Env = append(t.Env, "GITDD_WORKSPACE="+TopDir+"/"+inputTop, "GITDD_INPUT="+TopDir+"/"+candidate, "GITDD_DIR="+TopDir+"/"+auxiliaryTop)
}

func (p *remoteInput) done(q question, rec *Record) error {
	p.snap = nil
	return p.in.saveOther(q, rec)
}

// snapshot returns what a machine gets for a candidate. All snapshots have one folder of auxiliary files, so that an
// adapter that has sent this folder does not send it again.
func (r *Inputs) snapshot(in testcase.Input) *Snapshot {
	contents := map[string][]byte{}
	candidate := &Folder{}
	if r.name != "" && r.original.Dir {
		candidate = candidate.with([]edit{{r.name, Entry{Folder: &Folder{}}}})
	}
	var edits []edit
	for _, f := range in.Files {
		e := Entry{Target: string(f.Content)}
		if f.Mode&fs.ModeSymlink == 0 {
			at := path.Join(inputTop, f.Path)
			e = Entry{File: &Leaf{Path: at, Executable: f.Mode&0o100 != 0, Size: int64(len(f.Content)), Sum: sha256.Sum256(f.Content)}}
			contents[at] = f.Content
		}
		edits = append(edits, edit{f.Path, e})
	}
	slices.SortFunc(edits, byPath)
	s := &Snapshot{Root: &Folder{Entries: []Entry{
		{Name: auxiliaryTop, Folder: r.auxiliary.folder},
		{Name: inputTop, Folder: candidate.with(edits)},
	}}}
	s.Read = func(ctx context.Context, files []*Leaf, use func(f *Leaf, content io.Reader) error) error {
		for _, f := range files {
			if err := ctx.Err(); err != nil {
				return err
			}
			if text, ok := contents[f.Path]; ok {
				if err := use(f, bytes.NewReader(text)); err != nil {
					return err
				}
				continue
			}
			if err := r.auxiliary.read(f, use); err != nil {
				return err
			}
		}
		return nil
	}
	return s
}

// read calls use with the content of an auxiliary file.
func (b auxiliary) read(f *Leaf, use func(f *Leaf, content io.Reader) error) error {
	file, err := os.Open(filepath.Join(b.dir, filepath.FromSlash(strings.TrimPrefix(f.Path, auxiliaryTop+"/"))))
	if err != nil {
		return machineError("read what is copied for other machines", err)
	}
	defer file.Close()
	return use(f, check(file, f))
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
