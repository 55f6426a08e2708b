package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// packs reads loose and packed sha1 objects in this process, with go-git.
//
// Only go-git's object storage is used. It needs an objects directory and
// nothing else, so extensions that make go-git refuse a repository (worktree
// config, reftable, relative worktrees) do not matter here: refs, worktrees and
// config are git's business.
type packs struct {
	mu     sync.Mutex // go-git's storage is not safe for concurrent use
	stores []*filesystem.ObjectStorage
}

// objectDirs returns the repository's objects directory and all its alternates,
// as git resolves them: absolute, recursive.
func (r *Repo) objectDirs(ctx context.Context) ([]string, error) {
	dirs := []string{filepath.Join(r.commonDir, "objects")}
	if _, err := os.Stat(filepath.Join(dirs[0], "info", "alternates")); err != nil {
		return append(dirs, r.added...), nil
	}
	out, err := r.Git(ctx, "count-objects", "-v") // the store that was added is one of them
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if dir, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "alternate: "); ok {
			if plain, err := strconv.Unquote(dir); err == nil { // git quotes what is odd
				dir = plain
			}
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// newPacks opens the object directories that go-git can open: it wants them to
// be called "objects". The others are left to git.
func newPacks(dirs []string) *packs {
	p := new(packs)
	// One cache of delta bases for all of them.
	shared := cache.NewObjectLRU(32 * cache.MiByte)
	for _, dir := range dirs {
		if filepath.Base(dir) != "objects" {
			continue
		}
		p.stores = append(p.stores, filesystem.NewObjectStorageWithOptions(
			dotgit.New(noAlternates{osfs.New(filepath.Dir(dir))}), shared, filesystem.Options{KeepDescriptors: true}))
	}
	return p
}

// noAlternates hides the file that names alternates. With it go-git would open all of them again for every object
// that a store lacks, and they are all stores of packs.
type noAlternates struct{ billy.Filesystem }

func (f noAlternates) Open(name string) (billy.File, error) {
	if filepath.ToSlash(name) == alternatesFile {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.Filesystem.Open(name)
}

// read reads one object. A panic of the decoder on damaged packs is an error
// like any other: git is asked next, and says what is wrong.
func (p *packs) read(_ context.Context, id ID) (kind string, content []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("go-git: %v", r)
		}
	}()
	hash := plumbing.NewHash(string(id))
	for _, store := range p.stores {
		// Once go-git has opened the packs, it looks there first, and for a loose object where they lack it.
		object, err := store.EncodedObject(plumbing.AnyObject, hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		} else if err != nil {
			return "", nil, err
		}
		content, err := contentOf(object)
		return object.Type().String(), content, err
	}
	return "", nil, errMissing
}

// contentOf returns a copy: go-git's cache keeps the original.
func contentOf(object plumbing.EncodedObject) ([]byte, error) {
	r, err := object.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content := make([]byte, object.Size())
	_, err = io.ReadFull(r, content)
	return content, err
}

func (p *packs) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, store := range p.stores {
		errs = append(errs, store.Close())
	}
	p.stores = nil
	return errors.Join(errs...)
}
