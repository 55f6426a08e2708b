package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile makes path name a file with the content, or leaves it as it was. Both the
// content and the name are on the disk when WriteFile returns. The file can be read by
// everybody and written by its owner.
func WriteFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	if err := Replace(f, path, 0o644, Content(content)); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// Content returns what writes the content, for Replace.
func Content(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}
}

// Replace lets write fill f, a new file on the disk of path, puts the content on the disk, closes f, and
// renames it to path. If there is an error, f is removed and what path names stays. The new name is on
// the disk after SyncDir.
func Replace(f *os.File, path string, permissions fs.FileMode, write func(io.Writer) error) error {
	err := write(f)
	if err == nil {
		err = errors.Join(f.Chmod(permissions), f.Sync())
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// RemoveAll is os.RemoveAll, also where a test left directories without the
// permission to change them, as the go command's module cache has.
func RemoveAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	MakeWritable(dir)
	return os.RemoveAll(dir)
}

// MakeWritable lets the owner change all directories from dir on, as far as
// that can be had. It follows no symbolic link.
func MakeWritable(dir string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d == nil || !d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().Perm()&0o700 != 0o700 {
			os.Chmod(path, info.Mode().Perm()|0o700)
		}
		return nil
	})
}

// Usage returns how many bytes of disk all that lies in some directories
// takes. What cannot be looked at, or goes meanwhile, is not counted.
func Usage(dirs ...string) int64 {
	var sum int64
	seen := map[fileID]bool{} // of files with several names
	for _, dir := range dirs {
		filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			if info, err := d.Info(); err == nil {
				sum += occupied(info, seen)
			}
			return nil
		})
	}
	return sum
}
