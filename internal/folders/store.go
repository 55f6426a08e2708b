package folders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
)

// The branches of the repository.
const (
	goodBranch = "good"
	badBranch  = "bad"
)

// Options say who is told what.
type Options struct {
	Note     func(text string) // what of a folder is not in its tree, and why
	Progress func(text string) // how far a folder was read, every few seconds
}

// Store makes dir, which must not exist, a repository with the trees of two folders or archives, and returns the
// repository, which the caller closes. Each end has a tree and no commit, and is called as the folder is named.
func Store(ctx context.Context, dir, good, bad string, o Options) (repo *git.Repo, from, to git.Revision, err error) {
	names := []string{good, bad}
	for _, name := range names {
		if err := apart(name, dir); err != nil {
			return nil, from, to, err
		}
	}
	in, err := git.NewImport(ctx, dir, goodBranch)
	if err != nil {
		return nil, from, to, err
	}
	var ends [2]*end
	for i, name := range names {
		ends[i] = newEnd(ctx, name, in, o.Progress)
		if err == nil {
			err = ends[i].read()
		}
	}
	if err == nil {
		stripTops(ends, o.Note)
		note(ends, o.Note)
		err = errors.Join(commit(in, goodBranch, ends[0]), commit(in, badBranch, ends[1]))
	}
	if closed := in.Close(); err == nil || errors.As(closed, new(*git.Error)) {
		err = notStored(closed, dir) // what git says is why no more could be written
	}
	if err != nil {
		return nil, from, to, err
	}
	from.Rev, to.Rev = good, bad
	repo, from.Tree, to.Tree, err = open(ctx, dir)
	return repo, from, to, err
}

// Open opens the repository that Store has made in dir, with these trees. Where only its objects are left of it, as in a
// session that was brought from another machine, it is made again around them.
func Open(ctx context.Context, dir string, good, bad git.Revision) (*git.Repo, error) {
	repo, from, to, err := open(ctx, dir)
	if err == nil && from == good.Tree && to == bad.Tree {
		return repo, nil
	}
	if err == nil {
		err = repo.Close()
	}
	in, err2 := git.NewImport(ctx, dir, goodBranch)
	if err2 != nil {
		return nil, errors.Join(err, err2)
	}
	err = errors.Join(in.CommitTree(goodBranch, good.Rev, good.Tree), in.CommitTree(badBranch, bad.Rev, bad.Tree))
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, fmt.Errorf("the session lacks the files of %s or %s: %w", good.Rev, bad.Rev, err)
	}
	repo, _, _, err = open(ctx, dir)
	return repo, err
}

// open opens the repository in dir, and returns the trees of its branches.
func open(ctx context.Context, dir string) (repo *git.Repo, good, bad git.ID, err error) {
	if repo, err = git.OpenAt(ctx, dir); err != nil {
		return nil, "", "", err
	}
	from, err := repo.Resolve(ctx, "refs/heads/"+goodBranch)
	if err == nil {
		var to git.Revision
		if to, err = repo.Resolve(ctx, "refs/heads/"+badBranch); err == nil {
			return repo, from.Tree, to.Tree, nil
		}
	}
	return nil, "", "", errors.Join(err, repo.Close())
}

// notStored says what to do where git could not store the folders.
func notStored(err error, dir string) error {
	failed := (*git.Error)(nil)
	if errors.As(err, &failed) && (strings.Contains(failed.Stderr, "No space left") || strings.Contains(failed.Stderr, "Out of diskspace")) {
		return fmt.Errorf("there is no room for a copy of both folders in %s: make room there, or set GITDD_CACHE_DIR to a directory on another disk", filepath.Dir(dir))
	}
	return err
}

// apart refuses a folder in which the repository itself would lie.
func apart(name, dir string) error {
	folder, err := filepath.EvalSymlinks(name)
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(filepath.Dir(dir))
	}
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(folder, dir); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("gitdd's sessions lie in %s itself, at %s, and nothing is written there: set GITDD_CACHE_DIR to a directory elsewhere", name, rel)
	}
	return nil
}

func commit(in *git.Import, branch string, e *end) error {
	files := make([]git.Imported, len(e.files))
	for i, f := range e.files {
		files[i] = git.Imported{Path: strings.TrimPrefix(f.path, e.stripped), Mode: f.mode, Content: f.content}
	}
	return in.Commit(branch, e.name, files)
}

// An end is a folder or an archive that is being stored.
type end struct {
	ctx      context.Context
	name     string // as the user named it
	in       *git.Import
	progress func(string)

	files    []file
	at       map[string]int  // the index in files, by path
	dirs     map[string]bool // whether a file lies below, by path
	bytes    int64
	told     time.Time // when progress was told last
	archive  bool
	stripped string   // the directory that is taken off all paths, with its slash
	left     []string // paths of .git, which are left out
}

// A file is one that was stored.
type file struct {
	path    string
	mode    git.Mode
	content git.Stored
}

func newEnd(ctx context.Context, name string, in *git.Import, progress func(string)) *end {
	return &end{ctx: ctx, name: name, in: in, progress: progress, at: map[string]int{}, dirs: map[string]bool{}, told: time.Now()}
}

// read stores all files of the end.
func (e *end) read() error {
	is, err := isDir(e.name)
	if err == nil {
		if is {
			err = e.readFolder()
		} else {
			e.archive = true
			err = e.readArchive()
		}
	}
	if err == nil && len(e.files) == 0 {
		err = fmt.Errorf("%s has no files", e.name)
	}
	if err == nil && ignoresCase {
		err = collision(e.name, e.files)
	}
	return err
}

// What is taken of one folder or archive. A test lowers the limits.
var (
	mostFile  int64 = 4 << 30 // in bytes
	mostBytes int64 = 64 << 30
	mostFiles       = 5_000_000
)

// add stores a file of that size, or a symbolic link whose target content gives.
func (e *end) add(path string, mode git.Mode, size int64, content io.Reader) error {
	if size > mostFile {
		return fmt.Errorf("%s: %s has %d bytes, and gitdd takes files of up to %d: leave it out of both folders", e.name, shown(path), size, mostFile)
	}
	if e.bytes += size; e.bytes > mostBytes {
		return fmt.Errorf("%s has more than %d GB, which is more than gitdd takes: name smaller folders in it", e.name, mostBytes>>30)
	}
	if err := e.enter(path, mode); err != nil {
		return err
	}
	stored, err := e.in.Store(size, content)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return e.changed(path)
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", e.name, shown(path), err)
	}
	if n, err := content.Read(make([]byte, 1)); n > 0 {
		return e.changed(path)
	} else if err != nil && err != io.EOF {
		return fmt.Errorf("%s: %s: %w", e.name, shown(path), err)
	}
	e.files[len(e.files)-1].content = stored
	return e.tell()
}

// link adds a file with the content of another one, which was added before.
func (e *end) link(path, to string) error {
	i, ok := e.at[to]
	if !ok {
		return fmt.Errorf("%s: %s is a hard link to %s, which is no file before it in the archive: pack it again, or unpack it into a folder and name that", e.name, shown(path), shown(to))
	}
	if err := e.enter(path, e.files[i].mode); err != nil {
		return err
	}
	e.files[len(e.files)-1].content = e.files[i].content
	return e.tell()
}

// changed says that a file is not what it was, or what an archive says of it.
func (e *end) changed(path string) error {
	if e.archive {
		return fmt.Errorf("%s is damaged: %s has another size than the archive says", e.name, shown(path))
	}
	return fmt.Errorf("%s: %s has changed while it was read: nothing may write there until gitdd has read it", e.name, shown(path))
}

// tell tells how far the folder was read if the last time is a while ago, and whether to go on.
func (e *end) tell() error {
	const often = 3 * time.Second
	if now := time.Now(); now.Sub(e.told) > often {
		e.told = now
		e.progress(fmt.Sprintf("reading %s: %s, %s so far", e.name, prose.Count(len(e.files), "file"), prose.Size(e.bytes)))
	}
	return context.Cause(e.ctx)
}
