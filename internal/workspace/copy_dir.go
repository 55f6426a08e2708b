package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// CopyDir makes the directory to, a copy of from: contents, permissions and times of
// files, directories and symlinks. What else there is, is left out. It is an error if files
// have more bytes than the limit; what has been copied then is left to the caller.
func CopyDir(ctx context.Context, from, to string, limit int64) error {
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
		} else if bytes += info.Size(); bytes > limit {
			return fmt.Errorf("%s has more than %d bytes", from, limit)
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
	return copyFile(from, info, root, name, nil)
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
