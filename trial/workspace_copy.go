package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
)

// A copy of a workspace has the path of the workspace while it is used, so that tools
// find there what they remember by path.

const (
	// copyLimit is how long a copy may take to be made, and copyBytes how large it may be.
	// A thousand files took half a second where three times as much ran as there were
	// processors for.
	copyLimit = 5 * time.Second
	copyBytes = 256 << 20
)

// errLarge says that a workspace is too large to be copied on the side.
var errLarge = errors.New("the workspace is too large for a copy")

// standIn puts a copy of the workspace in its place, until back is called: then the
// workspace is as it was. back is nil when there can be no copy, and then there is none
// from now on. The error says that the workspace is not what it was, or that ctx ended.
func (s site) standIn(ctx context.Context) (back func() error, err error) {
	made, aside := s.dir+".copy", s.dir+".aside"
	err = errors.Join(disk.RemoveAll(made), disk.RemoveAll(aside))
	if err == nil {
		err = copyDir(ctx, s.dir, made)
	}
	if err == nil {
		err = os.Rename(s.dir, aside)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.r.brief.Store(true)
		}
		_ = disk.RemoveAll(made) // else it goes with the workspaces
		return nil, ctx.Err()
	}
	back = func() error {
		err := disk.RemoveAll(s.dir)
		if err != nil { // it is in the way
			err = os.Rename(s.dir, made)
			s.r.brief.Store(true)
		}
		if err == nil {
			err = os.Rename(aside, s.dir)
		}
		if err != nil {
			return fmt.Errorf("bring the workspace %s back: %w", s.dir, err)
		}
		return nil
	}
	if err := os.Rename(made, s.dir); err != nil {
		return nil, errors.Join(err, back())
	}
	return back, nil
}

// copyDir makes the directory to a copy of from: contents, permissions and times of
// files, directories and symlinks. What else there is, is left out.
func copyDir(ctx context.Context, from, to string) error {
	ctx, cancel := context.WithTimeout(ctx, copyLimit)
	defer cancel()
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	bytes := int64(0)
	dirs := map[string]fs.FileInfo{}
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() {
			dirs[name] = info
		} else if bytes += info.Size(); bytes > copyBytes {
			return errLarge
		}
		if name == "." {
			return nil
		}
		return copyOne(path, info, root, name)
	})
	if err != nil {
		return err
	}
	return finishDirs(root, dirs)
}

func copyOne(from string, info fs.FileInfo, root *os.Root, name string) error {
	switch {
	case info.IsDir():
		return root.Mkdir(name, 0o700) // writable while it is filled
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return root.Symlink(target, name)
	case !info.Mode().IsRegular():
		return nil
	}
	return copyFile(from, info, root, name)
}

// finishDirs gives directories what they have of their originals, the inner ones first.
func finishDirs(root *os.Root, dirs map[string]fs.FileInfo) error {
	names := make([]string, 0, len(dirs))
	for name := range dirs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Backward(names) {
		info := dirs[name]
		if err := errors.Join(root.Chtimes(name, info.ModTime(), info.ModTime()), root.Chmod(name, info.Mode().Perm())); err != nil {
			return err
		}
	}
	return nil
}
