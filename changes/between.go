package changes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/gitdd/gitdd/internal/git"
)

// maxText is the size in bytes, of either side, from which on a file is not cut
// into hunks but replaced as a whole.
const maxText = 32 << 20

// Options limits the difference. The zero Options takes all of it.
type Options struct {
	Paths []string // pathspecs, as git diff takes them; nil = no limit
	// Cut cuts the texts of a file into pieces, in place of lines that differ; nil, or none for a file = by lines.
	Cut Cutter
	// Constructs says where what hunks add or remove is whole, if it could be elsewhere, too; nil = they go by indentation.
	Constructs Constructs
	Whole      bool // replace changed files as a whole, find no renames, and read no file; this is enough for composing bad's tree. Paths must be empty
}

// Between cuts the difference of two revisions into changes. Files are read and
// compared on all processors; the result does not depend on how many there are.
//
// Between returns an error for trees that git would not check out (*RefusedError), for an
// unknown revision (*git.UnknownRevisionError), and for a path limit that includes only
// a part of a change of a file into a directory.
func Between(ctx context.Context, repo *git.Repo, good, bad string, opts Options) (*Set, error) {
	g, err := repo.Resolve(ctx, good)
	if err != nil {
		return nil, err
	}
	b, err := repo.Resolve(ctx, bad)
	if err != nil {
		return nil, err
	}
	if err := checkExtent(ctx, repo, g, b, opts.Whole); err != nil {
		return nil, err
	}
	deltas, err := deltasOf(ctx, repo, g.Tree, b.Tree, opts)
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", good, bad, err)
	}
	files, err := filesOf(deltas)
	if err != nil {
		return nil, fmt.Errorf("compare %s with %s: %w", good, bad, err)
	}
	s := &Set{Good: g, Bad: b, repo: repo, files: files, cache: newCache(), empty: repo.HashObject("blob", nil)}
	if err := s.cutFiles(ctx, opts); err != nil {
		return nil, err
	}
	s.Requires = requires(s.files, s.Changes)
	s.indexPaths()
	if s.root, err = loadTrees(ctx, repo, g.Tree, s.AffectedPaths()); err != nil {
		return nil, fmt.Errorf("read the tree of %s: %w", good, err)
	}
	if err := s.checkEnds(ctx, len(opts.Paths) > 0); err != nil {
		return nil, err
	}
	return s, nil
}

// deltasOf lists the paths that differ between two trees.
func deltasOf(ctx context.Context, repo *git.Repo, old, new git.ID, opts Options) ([]git.Delta, error) {
	switch {
	case !opts.Whole:
		return repo.DiffTrees(ctx, old, new, opts.Paths)
	case len(opts.Paths) > 0:
		return nil, errors.New("Options.Whole takes all paths: Options.Paths must be empty")
	}
	return repo.DiffPaths(ctx, old, new)
}

// filesOf turns git's list into files, sorted by path, and refuses paths that no
// composed tree may have.
func filesOf(deltas []git.Delta) ([]file, error) {
	files := make([]file, 0, len(deltas))
	for _, d := range deltas {
		f := file{
			old: side{d.OldPath, d.OldMode, d.OldID},
			new: side{d.NewPath, d.NewMode, d.NewID},
		}
		switch d.Status {
		case 'A':
			f.new.path, f.old = cmp.Or(d.NewPath, d.OldPath), side{}
		case 'D':
			f.old.path, f.new = cmp.Or(d.OldPath, d.NewPath), side{}
		case 'M', 'T', 'R':
		case 'C':
			f.copied = true
		default:
			return nil, fmt.Errorf("git reports %s with status %q, which gitdd does not know", printable(d.NewPath), d.Status)
		}
		for _, v := range []side{f.old, f.new} {
			if v.path == "" {
				continue
			}
			if err := checkPath(v.path, v.mode); err != nil {
				return nil, err
			}
		}
		files = append(files, f)
	}
	slices.SortStableFunc(files, func(a, b file) int {
		ap, ao := a.paths()
		bp, bo := b.paths()
		return cmp.Or(strings.Compare(ap, bp), strings.Compare(ao, bo))
	})
	return files, nil
}

// cutFiles fills in Changes and spots from the files, of which none is read
// when they are whole.
func (s *Set) cutFiles(ctx context.Context, opts Options) error {
	large := make(map[git.ID]bool)
	var err error
	if !opts.Whole {
		large, err = s.largeBlobs(ctx)
	} else {
		for _, f := range s.files {
			large[f.old.id] = true
		}
	}
	if err != nil {
		return err
	}
	var ids []git.ID
	for n := range s.files {
		if f := &s.files[n]; f.hasContents(large) {
			ids = append(ids, f.old.id, f.new.id)
		}
	}
	results := make([]fileCut, len(s.files))
	group, cutting := errgroup.WithContext(ctx)
	// The contents of this many files and one more are in memory at a time.
	group.SetLimit(runtime.GOMAXPROCS(0))
	blob, stop := iter.Pull(s.repo.Blobs(cutting, ids))
	defer stop()
	for n := range s.files {
		if cutting.Err() != nil {
			break
		}
		f := &s.files[n]
		var old, new func() ([]byte, error)
		if f.hasContents(large) {
			old, _ = blob()
			new, _ = blob()
		}
		group.Go(func() error {
			var err error
			results[n], err = s.cutFile(f, old, new, opts.Cut, nil)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if opts.Constructs != nil {
		if err := s.cutAgain(results, opts); err != nil {
			return err
		}
	}
	total := 0
	for _, r := range results {
		total += len(r.changes)
	}
	s.Changes = make([]Change, 0, total)
	s.spots = make([]spot, 0, total)
	for n, r := range results {
		s.files[n].first = len(s.Changes)
		s.Changes = append(s.Changes, r.changes...)
		for _, p := range r.spots {
			p.file = n
			s.spots = append(s.spots, p)
		}
		s.files[n].end = len(s.Changes)
		results[n] = fileCut{}
	}
	name(s.Changes)
	return nil
}

// cutAgain cuts the files with hunks that may be placed by their constructs once more, in the order of the set
// until constructBytes are spent.
func (s *Set) cutAgain(results []fileCut, opts Options) error {
	left := constructBytes
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n := range s.files {
		f := &s.files[n]
		if results[n].movable == 0 || left <= 0 {
			continue
		}
		left -= results[n].movable
		group.Go(func() (err error) {
			old := func() ([]byte, error) { return s.blob(f.old.id) }
			new := func() ([]byte, error) { return s.blob(f.new.id) }
			results[n], err = s.cutFile(f, old, new, nil, opts.Constructs)
			return err
		})
	}
	return group.Wait()
}

// hasText reports whether the file's content may differ by text hunks.
func (f *file) hasText() bool {
	return !f.created() && !f.deleted() && f.old.id != f.new.id && f.old.mode.IsFile() && f.new.mode.IsFile()
}

// hasContents reports whether both contents of the file are needed to tell its
// changes.
func (f *file) hasContents(large map[git.ID]bool) bool {
	return !f.created() && !f.deleted() && f.old.id != f.new.id && sameType(f.old.mode, f.new.mode) &&
		f.new.mode != git.Gitlink && !large[f.old.id] && !large[f.new.id]
}

// fewBlobs is up to how many blobs are asked for one by one: the process that is asked runs anyway.
const fewBlobs = 100

// largeBlobs returns the blobs that are too large to be cut, without reading any.
func (s *Set) largeBlobs(ctx context.Context) (map[git.ID]bool, error) {
	var ids []git.ID
	for _, f := range s.files {
		if f.hasText() {
			ids = append(ids, f.old.id, f.new.id)
		}
	}
	large := make(map[git.ID]bool)
	if len(ids) <= fewBlobs {
		for _, id := range ids {
			size, err := s.repo.BlobSize(ctx, id)
			if err != nil {
				return nil, fmt.Errorf("sizes of the changed files: %w", err)
			}
			if size > maxText {
				large[id] = true
			}
		}
		return large, nil
	}
	var ask bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&ask, id)
	}
	out, err := s.repo.GitInput(ctx, &ask, "--no-replace-objects", "cat-file", "--batch-check=%(objectname) %(objectsize)")
	if err != nil {
		return nil, fmt.Errorf("sizes of the changed files: %w", err)
	}
	for l := range strings.Lines(string(out)) {
		var id git.ID
		var size int64
		if n, _ := fmt.Sscan(l, &id, &size); n == 2 && size > maxText {
			large[id] = true
		}
	}
	return large, nil
}

// A fileCut has the changes of one file in their order, and where its text changes stand, without the number of the file.
type fileCut struct {
	changes []Change
	spots   []spot
	movable int // bytes of the file on both sides, if lines of its hunks can be elsewhere and Constructs was not asked; else 0
}

// cutFile returns the changes of a file. readOld and readNew are nil for a file without contents.
func (s *Set) cutFile(f *file, readOld, readNew func() ([]byte, error), cutter Cutter, constructs Constructs) (p fileCut, err error) {
	path, oldPath := f.paths()
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", printable(path), err)
		}
	}()
	add := func(c Change, at spot) {
		c.Path, c.OldPath = path, oldPath
		p.changes, p.spots = append(p.changes, c), append(p.spots, at)
	}
	switch {
	case f.created():
		add(Change{Kind: Created, NewMode: f.new.mode, NewBlob: f.new.id}, spot{})
		return p, nil
	case f.deleted():
		add(Change{Kind: Deleted, OldMode: f.old.mode, OldBlob: f.old.id}, spot{})
		return p, nil
	case f.copied:
		add(Change{Kind: Copied}, spot{})
	case f.old.path != f.new.path:
		add(Change{Kind: Renamed}, spot{})
	}
	switch {
	case !sameType(f.old.mode, f.new.mode):
		add(Change{Kind: Type, OldMode: f.old.mode, NewMode: f.new.mode, OldBlob: f.old.id, NewBlob: f.new.id}, spot{})
		return p, nil
	case f.old.mode != f.new.mode:
		add(Change{Kind: Mode, OldMode: f.old.mode, NewMode: f.new.mode}, spot{})
	}
	whole := Change{Kind: Binary, OldBlob: f.old.id, NewBlob: f.new.id}
	switch {
	case f.old.id == f.new.id:
		return p, nil
	case f.new.mode == git.Gitlink:
		whole.Kind = Submodule
		add(whole, spot{})
		return p, nil
	case readOld == nil: // too large
		add(whole, spot{})
		return p, nil
	}
	old, err := readOld()
	if err != nil {
		return p, err
	}
	new, err := readNew()
	if err != nil {
		return p, err
	}
	switch {
	case f.new.mode == git.Symlink:
		whole.Kind, whole.Old, whole.New = Symlink, old, new
		add(whole, spot{})
	case isBinary(old) || isBinary(new):
		add(whole, spot{})
	default:
		s.cache.fill(f.old.id, old)
		s.cache.fill(f.new.id, new)
		heads := headings{headline{text: old}, headline{text: new}}
		hunks, depths := cutBy(cutter, f, old, new)
		if depths == nil {
			hunks = cut(old, new)
			a, b := newLineText(f.old.path, old, constructs), newLineText(f.new.path, new, constructs)
			switch {
			case constructs != nil:
				hunks = placeByConstructs(hunks, a, b)
			case movable(hunks, a, b):
				p.movable = len(old) + len(new)
			}
			depths = make([]depth, len(hunks))
		}
		for k, h := range hunks {
			c, at := h.change(old, new), span{h.oldOff, h.oldEnd, h.newOff, h.newEnd}
			c.Heading = heads.of(at)
			add(c, spot{span: at, depth: depths[k]})
		}
	}
	return p, nil
}

func sameType(a, b git.Mode) bool { return a.IsFile() && b.IsFile() || a == b }

// isBinary is git's rule: a NUL byte among the first 8000.
func isBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
}

// change returns the hunk as a change, with texts of its own.
func (h hunk) change(old, new []byte) Change {
	return Change{
		Kind:     Text,
		OldStart: start(h.oldLine, h.oldLines), OldLines: h.oldLines,
		NewStart: start(h.newLine, h.newLines), NewLines: h.newLines,
		Old: bytes.Clone(old[h.oldOff:h.oldEnd]), New: bytes.Clone(new[h.newOff:h.newEnd]),
	}
}

// start numbers lines as git diff -U0 does.
func start(line, lines int) int {
	if lines == 0 {
		return line
	}
	return line + 1
}

// checkEnds composes the full set, which must give bad's tree.
func (s *Set) checkEnds(ctx context.Context, limited bool) error {
	all := make([]bool, len(s.Changes))
	for i := range all {
		all[i] = true
	}
	files, err := s.compose(all)
	var id git.ID
	if err == nil {
		id, err = s.root.write(s.repo, files, nil)
	}
	switch {
	case limited && err != nil:
		return fmt.Errorf("the path limit leaves out a part that the rest cannot do without: %w", err)
	case limited || err == nil && id == s.Bad.Tree:
		return nil
	}
	// Either nobody should check out these trees, or they hold what git's own diff
	// does not show: an empty directory, a mode such as 100664 that git reads as
	// 100644.
	if err := checkTrees(ctx, s.repo, s.Good.Tree, s.Bad.Tree); err != nil {
		return fmt.Errorf("the trees of %s and %s: %w", s.Good.Rev, s.Bad.Rev, err)
	}
	s.beyondFiles = err == nil
	return err
}

// checkTrees refuses the trees below two directories, as far as they differ, if
// they hold an entry that no tree may have. An id of "" is no directory.
func checkTrees(ctx context.Context, repo *git.Repo, good, bad git.ID) error {
	if good == bad {
		return nil
	}
	var ids [2]map[string]git.ID
	var names []string
	for i, id := range []git.ID{good, bad} {
		if id == "" {
			continue
		}
		entries, err := readTree(ctx, repo, id)
		if err != nil {
			return err
		}
		ids[i] = make(map[string]git.ID)
		for _, e := range entries {
			if e.Mode == git.Directory {
				ids[i][e.Name] = e.ID
				names = append(names, e.Name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := checkTrees(ctx, repo, ids[0][name], ids[1][name]); err != nil {
			return fmt.Errorf("%s: %w", printable(name), err)
		}
	}
	return nil
}
