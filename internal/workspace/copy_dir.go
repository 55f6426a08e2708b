package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
		return Copier{}.copyEntry(path, d, root, name)
	})
	if err != nil {
		return err
	}
	return finishDirs(root, dirs)
}

// finishDirs gives directories what they have of their originals, the inner ones first.
func finishDirs(root *os.Root, dirs map[string]fs.FileInfo) error {
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(dirs))) {
		info := dirs[name]
		if err := errors.Join(root.Chtimes(name, info.ModTime(), info.ModTime()), root.Chmod(name, info.Mode().Perm())); err != nil {
			return err
		}
	}
	return nil
}
