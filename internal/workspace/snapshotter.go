package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/snapshot"
)

// A Snapshotter makes snapshots of configurations by a workspace of its own, in which no command
// runs. It is read whole once. From then on the contents of what is tracked are
// those that the workspace would be given, and need not be written: a configuration
// costs the hashing of contents that were not seen before, and its folders.
//
// What such contents may depend on has to lie in the workspace: configurations with
// other attribute files are shown there first. Where more than what is tracked goes
// by the configuration, submodules or kept files that some configuration has
// something else in the place of, it is shown and the workspace read again.
type Snapshotter struct {
	source *Source
	dir    string        // of the workspace
	lock   chan struct{} // holds a token while the rest is used

	space      *Workspace // nil until the first snapshot
	root       *snapshot.Folder
	at         map[string]content       // of all tracked paths: what root has
	known      map[known]snapshot.Entry // without names
	attributes []string                 // the attribute files of these paths
	whole      bool                     // it has to be shown and read again
	seen       map[string]looked        // with whole: the files of the workspace
	shown      *snapshot.Snapshot       // with whole: what lies there
	done       bool                     // closed
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
	leaf  *snapshot.Leaf
}

// mostKnown bounds the contents that are remembered, each some 300 bytes.
const mostKnown = 200_000

// NewSnapshotter returns a snapshotter whose workspace will be made in dir.
func NewSnapshotter(s *Source, dir string) *Snapshotter {
	return &Snapshotter{source: s, dir: dir, lock: make(chan struct{}, 1), at: map[string]content{}, known: map[known]snapshot.Entry{}, seen: map[string]looked{}}
}

func (s *Snapshotter) take(ctx context.Context) error {
	select {
	case s.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.done {
		<-s.lock
		return errors.New("a snapshot is asked for after its Snapshotter was closed")
	}
	return nil
}

func (s *Snapshotter) release() { <-s.lock }

// Close waits for who uses the Snapshotter, and removes its workspace. Later calls of Snapshot, and of the Read of what
// it returned, are errors.
func (s *Snapshotter) Close() error {
	s.lock <- struct{}{}
	defer s.release()
	closed := s.done
	s.done = true
	if closed || s.space == nil {
		return nil
	}
	return s.space.Remove()
}

// Snapshot returns what a workspace shows for a tree that set composed. Errors are those of
// Source.New and Workspace.Show. It calls preparing before it makes the workspace; preparing must not use the
// Snapshotter. Cost: the first one checks out and reads a workspace; others the contents that are new, and
// a microsecond for each tracked path.
func (s *Snapshotter) Snapshot(ctx context.Context, set *changes.Set, tree *changes.Tree, preparing func()) (*snapshot.Snapshot, error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if s.space == nil {
		preparing()
		if err := s.open(ctx, set); err != nil {
			return nil, err
		}
	}
	if err := s.space.Present(); err != nil {
		return nil, err
	}
	made := &snapshot.Snapshot{}
	held := lease{s, set, tree, made}
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
	if made.Root, err = s.compose(ctx, held, patched); err != nil {
		return nil, err
	}
	return made, nil
}

// open makes the workspace and reads it.
func (s *Snapshotter) open(ctx context.Context, set *changes.Set) error {
	space, err := s.source.open(ctx, set, s.dir, true)
	if err != nil {
		return err
	}
	s.space, s.whole = space, space.source.library != nil
	if err := s.look(ctx); err != nil {
		s.space = nil
		return errors.Join(err, space.Remove())
	}
	s.note()
	return nil
}

// look reads the workspace.
func (s *Snapshotter) look(ctx context.Context) (err error) {
	var r snapshot.Reader
	if s.whole {
		// Invariant: seen holds the files that lie there, and some that did.
		var mu sync.Mutex
		r.Known = func(path string) *snapshot.Leaf {
			now, err := stampOf(s.space.handle, path)
			mu.Lock()
			defer mu.Unlock()
			if had, ok := s.seen[path]; err == nil && ok && now.exists() && had.stamp == now {
				return had.leaf
			}
			return nil
		}
		r.Told = func(path string, f *snapshot.Leaf) {
			if now, err := stampOf(s.space.handle, path); err == nil {
				mu.Lock()
				defer mu.Unlock()
				s.seen[path] = looked{now, f}
			}
		}
	}
	s.root, err = r.Read(ctx, s.space.writer.root, s.root)
	return err
}

// note takes up the paths that are tracked since the last time. They are as the
// workspace was read.
func (s *Snapshotter) note() {
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
		e, there := snapshot.Find(s.root, p)
		if !there || t.holds.mode == 0 || e.Folder != nil && t.holds.mode != git.Gitlink {
			continue
		}
		holds := content{t.holds, s.space.conv.rules[p]}
		e.Name = ""
		s.at[p], s.known[known{p, holds}] = holds, e
	}
}

// mixes reports whether a kept file may stand where a tracked path is wanted.
func (s *Snapshotter) mixes(p string) bool {
	return slices.ContainsFunc(s.space.source.keep, func(kept string) bool {
		return kept == p || strings.HasPrefix(kept, p+"/") || strings.HasPrefix(p, kept+"/")
	})
}

// compose is Snapshot where nothing has to be shown.
func (s *Snapshotter) compose(ctx context.Context, l lease, patched map[string]entry) (*snapshot.Folder, error) {
	s.space.patched = patched
	wants := s.space.wanted(l.set, l.tree)
	var edits []snapshot.Edit
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
		edits = append(edits, snapshot.Edit{Path: p, To: e})
	}
	if err := s.learn(ctx, l, wants, edits, fresh); err != nil {
		return nil, err
	}
	if len(s.known) > mostKnown {
		clear(s.known)
	}
	for _, e := range edits {
		want := content{wants(e.Path, s.space.tracked[e.Path]), s.space.conv.rules[e.Path]}
		if want.mode == 0 {
			s.at[e.Path] = content{}
			continue
		}
		s.at[e.Path], s.known[known{e.Path, want}] = want, e.To
	}
	s.root = snapshot.With(s.root, edits)
	return s.root, nil
}

// learn finds out what the edits with the numbers fresh make of their paths.
func (s *Snapshotter) learn(ctx context.Context, l lease, wants func(string, *tracked) entry, edits []snapshot.Edit, fresh []int) error {
	errs := make([]error, len(edits))
	numbers := make(chan int)
	var group sync.WaitGroup
	for range min(len(fresh), runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := range numbers {
				if ctx.Err() == nil {
					p := edits[i].Path
					edits[i].To, errs[i] = s.entry(ctx, l, p, wants(p, s.space.tracked[p]))
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
	slices.SortFunc(fresh, func(i, j int) int { return cmp.Compare(edits[i].Path, edits[j].Path) })
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
func (s *Snapshotter) entry(ctx context.Context, l lease, p string, want entry) (snapshot.Entry, error) {
	for name := range strings.SplitSeq(p, "/") {
		if len(name) > longestName {
			return snapshot.Entry{}, &unfitError{p, syscall.ENAMETOOLONG}
		}
	}
	mode := s.space.conv.onDisk(want.mode)
	if mode == git.Gitlink {
		return snapshot.Entry{Folder: &snapshot.Folder{}}, nil
	}
	text, size, err := l.content(ctx, p)
	if err != nil {
		return snapshot.Entry{}, err
	}
	if err := checkTarget(p, mode, text); err != nil {
		return snapshot.Entry{}, err
	}
	if mode == git.Symlink {
		return snapshot.Entry{Target: string(text)}, nil
	}
	f := &snapshot.Leaf{Path: p, Executable: mode&0o100 != 0, Size: int64(len(text)), Sum: sha256.Sum256(text)}
	if size > 0 {
		sum := sha256.New()
		if err := s.space.source.repo.CopyBlob(ctx, want.id, size, sum); err != nil {
			return snapshot.Entry{}, fmt.Errorf("read %q: %w", p, err)
		}
		f.Size, f.Sum = size, [32]byte(sum.Sum(nil))
	}
	return snapshot.Entry{File: f}, nil
}
