package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Copier copies files and directories from below one directory to the same
// place below another. Symlinks stay symlinks, modes and times stay; what is
// there already is left alone; devices, sockets and pipes are left out.
type Copier struct {
	from string
	to   *os.Root
	skip func(rel string) bool
}

// Copy copies what has the path rel, relative and slash-separated, and of a directory all that it holds.
func (c Copier) Copy(rel string) error {
	source := filepath.Join(c.from, filepath.FromSlash(rel))
	w := writer{root: c.to}
	return filepath.WalkDir(source, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(c.from, name)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		if c.skip != nil && c.skip(below) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		parents, last, err := w.open(below, true)
		if err != nil {
			return err
		}
		defer parents.close()
		return c.copyEntry(name, d, parents[len(parents)-1], last)
	})
}

// copyEntry copies one file, symlink or directory (without its content).
func (c Copier) copyEntry(source string, d fs.DirEntry, to *os.Root, name string) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	if there, err := to.Lstat(name); err == nil && !(there.IsDir() && d.IsDir()) {
		return nil
	}
	switch {
	case d.IsDir():
		// Writable while it is filled, whatever it was.
		if err := to.Mkdir(name, info.Mode().Perm()|0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(source)
		if err != nil {
			return err
		}
		return to.Symlink(c.target(source, target), name)
	case !info.Mode().IsRegular():
		return nil
	}
	return copyFile(source, info, to, name)
}

// target is what the copy of a symlink names: where the original leads into the
// directory that is copied from by an absolute path, the same place beside the
// copy, for a test must not write into the user's checkout.
func (c Copier) target(source, target string) string {
	if !filepath.IsAbs(target) {
		return target
	}
	if rel, err := filepath.Rel(c.from, target); err != nil || !filepath.IsLocal(rel) {
		return target
	}
	rel, err := filepath.Rel(filepath.Dir(source), target)
	if err != nil {
		return target
	}
	return rel
}

func copyFile(source string, info fs.FileInfo, to *os.Root, name string) error {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in) // shares the blocks where the file system can
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	if err := to.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return to.Chmod(name, info.Mode().Perm())
	}
	return nil
}

// As copies the file with that name to the path rel, relative and slash-separated, unless something is there already.
func (c Copier) As(name, rel string) error {
	if _, err := c.to.Lstat(filepath.FromSlash(rel)); err == nil {
		return nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	parents, last, err := writer{root: c.to}.open(rel, true)
	if err != nil {
		return err
	}
	defer parents.close()
	return copyFile(name, info, parents[len(parents)-1], last)
}
