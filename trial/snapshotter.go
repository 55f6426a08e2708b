package trial

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
)

// A snapshotter makes snapshots of configurations by one workspace, which is never used by
// a trial. It is read whole once. From then on the contents of what is tracked are
// those that the workspace would be given, and need not be written: a configuration
// costs the hashing of contents that were not seen before, and its folders.
//
// What such contents may depend on has to lie in the workspace: configurations with
// other attribute files are shown there first. Where more than what is tracked goes
// by the configuration, submodules or kept files that some configuration has
// something else in the place of, it is shown and the workspace read again.
type snapshotter struct {
	r    *Runner
	lock chan struct{} // holds a token while the rest is used

	space      *workspace // nil until the first snapshot
	root       *Folder
	at         map[string]content // of all tracked paths: what root has
	known      map[known]Entry    // without names
	attributes []string           // the attribute files of these paths
	whole      bool               // it has to be shown and read again
	seen       map[string]looked  // with whole: the files of the workspace
	shown      *Snapshot          // with whole: what lies there
	done       bool               // closed
}

// A content is what decides about the bytes of a file.
type content struct {
	entry
	rule rule
}

type known struct {
	path string
	content
}

// A looked at file is not read again while it has the stamp.
type looked struct {
	stamp stamp
	leaf  *Leaf
}

// mostKnown bounds the contents that are remembered, each some 300 bytes.
const mostKnown = 200_000

func newSnapshotter(r *Runner) *snapshotter {
	return &snapshotter{r: r, lock: make(chan struct{}, 1), at: map[string]content{}, known: map[known]Entry{}, seen: map[string]looked{}}
}

func (s *snapshotter) take(ctx context.Context) error {
	select {
	case s.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.done {
		<-s.lock
		return errors.New("a snapshot is asked for after the Runner was closed")
	}
	return nil
}

func (s *snapshotter) release() { <-s.lock }

// close waits for who uses the snapshotter.
func (s *snapshotter) close() error {
	s.lock <- struct{}{}
	defer s.release()
	s.done = true
	if s.space == nil {
		return nil
	}
	return s.space.remove()
}

// snapshot returns what a workspace shows for q. Errors are those of workspace.show.
// Cost: the first one checks out and reads a workspace; others the contents that are
// new, and a microsecond for each tracked path. worker is the number of who asks.
func (s *snapshotter) snapshot(ctx context.Context, worker int, q question) (*Snapshot, error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if s.space == nil {
		s.r.observe(Event{Kind: Preparing, Worker: worker, Purpose: q.purpose})
		if err := s.open(ctx, q.set); err != nil {
			return nil, err
		}
	}
	if err := s.space.present(); err != nil {
		return nil, err
	}
	made := &Snapshot{}
	held := lease{s, q.set, q.tree, made}
	made.Read = held.read
	patched, err := held.prepare(ctx)
	if err != nil {
		return nil, err
	}
	if s.whole {
		if err := held.show(ctx); err != nil {
			return nil, err
		}
		made.Root = s.root
		return made, nil
	}
	made.Root, err = s.compose(ctx, held, patched)
	return made, err
}

// open makes the workspace and reads it.
func (s *snapshotter) open(ctx context.Context, set *changes.Set) error {
	space, err := s.r.ground.newWorkspace(ctx, set, filepath.Join(s.r.work, s.r.spaceName("snapshot")), s.r.conv)
	if err != nil {
		return err
	}
	s.space, s.whole = space, space.library != nil
	if err := s.look(ctx); err != nil {
		s.space = nil
		return errors.Join(err, space.remove())
	}
	s.note()
	return nil
}

// look reads the workspace.
func (s *snapshotter) look(ctx context.Context) (err error) {
	w := walker{ctx: ctx}
	if s.whole {
		// Invariant: seen holds the files that lie there, and some that did.
		w.known = func(path string, _ fs.FileInfo) *Leaf {
			now, err := stampOf(s.space.handle, path)
			w.mu.Lock()
			defer w.mu.Unlock()
			if had, ok := s.seen[path]; err == nil && ok && now.exists() && had.stamp == now {
				return had.leaf
			}
			return nil
		}
		w.told = func(path string, _ fs.FileInfo, f *Leaf) {
			if now, err := stampOf(s.space.handle, path); err == nil {
				s.seen[path] = looked{now, f}
			}
		}
	}
	s.root, err = w.walk(s.space.writer.root, s.root)
	return err
}

// note takes up the paths that are tracked since the last time. They are as the
// workspace was read.
func (s *snapshotter) note() {
	if len(s.at) == len(s.space.tracked) {
		return
	}
	for p, t := range s.space.tracked {
		if _, noted := s.at[p]; noted {
			continue
		}
		s.whole = s.whole || s.mixes(p)
		if isAttributes(p) {
			s.attributes = append(s.attributes, p)
		}
		s.at[p] = content{}
		e, there := s.root.find(p)
		if !there || t.holds.mode == 0 || e.Folder != nil && t.holds.mode != git.Gitlink {
			continue
		}
		holds := content{t.holds, s.space.conv.rules[p]}
		e.Name = ""
		s.at[p], s.known[known{p, holds}] = holds, e
	}
}

// mixes reports whether a kept file may stand where a tracked path is wanted.
func (s *snapshotter) mixes(p string) bool {
	return slices.ContainsFunc(s.space.keep, func(kept string) bool {
		return kept == p || strings.HasPrefix(kept, p+"/") || strings.HasPrefix(p, kept+"/")
	})
}

// compose is snapshot where nothing has to be shown.
func (s *snapshotter) compose(ctx context.Context, l lease, patched map[string]entry) (*Folder, error) {
	s.space.patched = patched
	wants := s.space.wanted(l.set, l.tree)
	var edits []edit
	var fresh []int // those of edits that are not known yet
	for p, t := range s.space.tracked {
		want := content{wants(p, t), s.space.conv.rules[p]}
		if want.mode == 0 {
			want = content{}
		}
		if s.at[p] == want {
			continue
		}
		e, ok := s.known[known{p, want}]
		if !ok && want.mode != 0 {
			fresh = append(fresh, len(edits))
		}
		edits = append(edits, edit{p, e})
	}
	if err := s.learn(ctx, l, wants, edits, fresh); err != nil {
		return nil, err
	}
	if len(s.known) > mostKnown {
		clear(s.known)
	}
	for _, e := range edits {
		want := content{wants(e.path, s.space.tracked[e.path]), s.space.conv.rules[e.path]}
		if want.mode == 0 {
			s.at[e.path] = content{}
			continue
		}
		s.at[e.path], s.known[known{e.path, want}] = want, e.to
	}
	slices.SortFunc(edits, byPath)
	s.root = s.root.with(edits)
	return s.root, nil
}

// learn finds out what the edits with the numbers fresh make of their paths.
func (s *snapshotter) learn(ctx context.Context, l lease, wants func(string, *tracked) entry, edits []edit, fresh []int) error {
	errs := make([]error, len(edits))
	numbers := make(chan int)
	var group sync.WaitGroup
	for range min(len(fresh), runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := range numbers {
				if ctx.Err() == nil {
					p := edits[i].path
					edits[i].to, errs[i] = s.entry(ctx, l, p, wants(p, s.space.tracked[p]))
				}
			}
		})
	}
	for _, i := range fresh {
		numbers <- i
	}
	close(numbers)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	// Of several the one of the first path, so that it is the same each time.
	slices.SortFunc(fresh, func(i, j int) int { return cmp.Compare(edits[i].path, edits[j].path) })
	for _, i := range fresh {
		if errs[i] != nil {
			return errs[i]
		}
	}
	return nil
}

// longestName is what file systems hold, in bytes.
const longestName = 255

// entry is what the workspace would have at a path.
func (s *snapshotter) entry(ctx context.Context, l lease, p string, want entry) (Entry, error) {
	for name := range strings.SplitSeq(p, "/") {
		if len(name) > longestName {
			return Entry{}, &unfitError{p, syscall.ENAMETOOLONG}
		}
	}
	mode := s.space.conv.onDisk(want.mode)
	if mode == git.Gitlink {
		return Entry{Folder: &Folder{}}, nil
	}
	text, size, err := l.content(ctx, p)
	if err != nil {
		return Entry{}, err
	}
	if mode == git.Symlink {
		if len(text) == 0 || slices.Contains(text, 0) {
			return Entry{}, &unfitError{p, errors.New("no file system has a symlink to such a target")}
		}
		return Entry{Target: string(text)}, nil
	}
	f := &Leaf{Path: p, Executable: mode&0o100 != 0, Size: int64(len(text)), Sum: sha256.Sum256(text)}
	if size > 0 {
		sum := sha256.New()
		if err := s.space.repo.CopyBlob(ctx, want.id, size, sum); err != nil {
			return Entry{}, fmt.Errorf("read %q: %w", p, err)
		}
		f.Size, f.Sum = size, [32]byte(sum.Sum(nil))
	}
	return Entry{File: f}, nil
}
