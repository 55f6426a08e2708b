package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// A scene is a configuration on the stage, which the caller holds in all but read.
type scene struct {
	*stage
	set  *changes.Set
	tree *changes.Tree
	made *Snapshot
}

// prepare makes the workspace give contents as for this configuration, and says what
// the patches make of it.
func (sc scene) prepare(ctx context.Context) (map[string]entry, error) {
	w := sc.space
	patched, err := w.patches.on(ctx, sc.set, sc.tree)
	if err != nil {
		return nil, err
	}
	if err := w.track(ctx, sc.set, false); err != nil {
		return nil, err
	}
	sc.note()
	if sc.whole {
		return patched, nil
	}
	w.patched = patched
	wants := w.wanted(sc.set, sc.tree)
	others := func(p string) bool {
		t := w.tracked[p]
		return !t.sure || t.holds != wants(p, t)
	}
	if w.conv.stale || slices.ContainsFunc(sc.attributes, others) {
		err = w.show(ctx, sc.set, sc.tree)
	}
	return patched, err
}

// show makes the workspace hold the configuration, and reads it again.
func (sc scene) show(ctx context.Context) error {
	if sc.shown == sc.made {
		return nil
	}
	sc.stage.shown = nil
	if err := sc.space.show(ctx, sc.set, sc.tree); err != nil {
		return err
	}
	if err := sc.look(ctx); err != nil {
		return err
	}
	sc.stage.shown = sc.made
	return nil
}

// content returns what the workspace would have at a tracked path, or the size of a
// blob that is not to be held in memory.
func (sc scene) content(ctx context.Context, p string) (text []byte, size int64, err error) {
	w := sc.space
	st := step{path: p, t: w.tracked[p]}
	st.want = w.wanted(sc.set, sc.tree)(p, st.t)
	at, ok := slices.BinarySearchFunc(sc.tree.Files, p, func(f changes.File, p string) int { return strings.Compare(f.Path, p) })
	if ok {
		st.made = sc.tree.Files[at]
	}
	if size, err = w.large(ctx, st); err != nil || size > 0 {
		return nil, size, err
	}
	text, err = w.content(ctx, sc.set, st)
	return text, 0, err
}

// read is Snapshot.Read.
func (sc scene) read(ctx context.Context, files []*Leaf, use func(f *Leaf, content io.Reader) error) error {
	for _, f := range files {
		from, err := sc.openFile(ctx, f)
		if err == nil {
			err = use(f, check(from, f))
			err = errors.Join(err, from.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openFile opens the content of one file of the snapshot. The stage may go on to
// another configuration while it is read: files are replaced there, not written to.
func (sc scene) openFile(ctx context.Context, f *Leaf) (io.ReadCloser, error) {
	if err := sc.take(ctx); err != nil {
		return nil, err
	}
	defer sc.release()
	if sc.whole {
		if err := sc.show(ctx); err != nil {
			return nil, err
		}
	} else if t := sc.space.tracked[f.Path]; t != nil {
		if _, err := sc.prepare(ctx); err != nil {
			return nil, err
		}
		text, size, err := sc.content(ctx, f.Path)
		if err != nil || size == 0 {
			return io.NopCloser(bytes.NewReader(text)), err
		}
		want := sc.space.wanted(sc.set, sc.tree)(f.Path, t)
		from, to := io.Pipe()
		go func() { to.CloseWithError(sc.space.repo.CopyBlob(ctx, want.id, size, to)) }()
		return from, nil
	}
	parents, name, err := sc.space.writer.open(f.Path, false)
	if err != nil {
		return nil, fmt.Errorf("%q in a workspace: %w (%w)", f.Path, errAltered, err)
	}
	defer parents.close()
	opened, err := parents[len(parents)-1].Open(name)
	if err != nil {
		return nil, fmt.Errorf("%q in a workspace: %w (%w)", f.Path, errAltered, err)
	}
	return opened, nil
}
