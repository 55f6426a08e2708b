package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/snapshot"
)

// A lease is one configuration of a Snapshotter. The caller of its methods holds the Snapshotter, but for read and openFile,
// which take it.
type lease struct {
	*Snapshotter
	set  *changes.Set
	tree *changes.Tree
	made *snapshot.Snapshot
}

// prepare makes the workspace give contents as for this configuration, and says what
// the patches make of it.
func (l lease) prepare(ctx context.Context) (map[string]entry, error) {
	w := l.space
	patched, err := w.source.patches.on(ctx, l.set, l.tree)
	if err != nil {
		return nil, err
	}
	if err := w.track(ctx, l.set, false); err != nil {
		return nil, err
	}
	l.note()
	if l.whole {
		return patched, nil
	}
	w.patched = patched
	wants := w.wanted(l.set, l.tree)
	others := func(p string) bool {
		t := w.tracked[p]
		return !t.sure || t.holds != wants(p, t)
	}
	if w.conv.stale || slices.ContainsFunc(l.attributes, others) {
		err = w.Show(ctx, l.set, l.tree)
	}
	return patched, err
}

// show makes the workspace hold the configuration, and reads it again.
func (l lease) show(ctx context.Context) error {
	if l.shown == l.made {
		return nil
	}
	l.Snapshotter.shown = nil
	if err := l.space.Show(ctx, l.set, l.tree); err != nil {
		return err
	}
	if err := l.look(ctx); err != nil {
		return err
	}
	l.Snapshotter.shown = l.made
	return nil
}

// content returns what the workspace would have at a tracked path, or the size of a
// blob that is not to be held in memory.
func (l lease) content(ctx context.Context, p string) (text []byte, size int64, err error) {
	w := l.space
	st := step{path: p, t: w.tracked[p]}
	st.want = w.wanted(l.set, l.tree)(p, st.t)
	st.made, _ = l.tree.File(p)
	if size, err = w.large(ctx, st); err != nil || size > 0 {
		return nil, size, err
	}
	text, err = w.content(ctx, l.set, st)
	return text, 0, err
}

// read is Snapshot.Read.
func (l lease) read(ctx context.Context, files []*snapshot.Leaf, use func(f *snapshot.Leaf, content io.Reader) error) error {
	for _, f := range files {
		from, err := l.openFile(ctx, f)
		if err == nil {
			err = use(f, snapshot.Check(from, f))
			err = errors.Join(err, from.Close())
		}
		if errors.Is(err, snapshot.ErrAltered) {
			return fmt.Errorf("in a workspace %w; `gitdd resume` goes on in a new one", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openFile opens the content of one file of the snapshot. The snapshotter may go on to
// another configuration while it is read: files are replaced there, not written to.
func (l lease) openFile(ctx context.Context, f *snapshot.Leaf) (io.ReadCloser, error) {
	if err := l.take(ctx); err != nil {
		return nil, err
	}
	defer l.release()
	if l.whole {
		if err := l.show(ctx); err != nil {
			return nil, err
		}
	} else if t := l.space.tracked[f.Path]; t != nil {
		if _, err := l.prepare(ctx); err != nil {
			return nil, err
		}
		text, size, err := l.content(ctx, f.Path)
		if err != nil || size == 0 {
			return io.NopCloser(bytes.NewReader(text)), err
		}
		want := l.space.wanted(l.set, l.tree)(f.Path, t)
		from, to := io.Pipe()
		go func() { to.CloseWithError(l.space.source.repo.CopyBlob(ctx, want.id, size, to)) }()
		return from, nil
	}
	parents, name, err := l.space.writer.open(f.Path, false)
	if err != nil {
		return nil, fmt.Errorf("%q: %w (%w)", f.Path, snapshot.ErrAltered, err)
	}
	defer parents.close()
	opened, err := parents[len(parents)-1].Open(name)
	if err != nil {
		return nil, fmt.Errorf("%q: %w (%w)", f.Path, snapshot.ErrAltered, err)
	}
	return opened, nil
}
