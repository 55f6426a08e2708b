package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A Copier copies files and directories from below one directory to the same
// place below another. Symlinks stay symlinks, modes and times stay; what is
// there already is left alone; devices, sockets and pipes are left out.
type Copier struct {
	from     string
	to       *os.Root
	skip     func(rel string) bool
	tops     []string    // further spellings of from
	relocate *relocation // of contents; nil: they stay
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
	return copyFile(source, info, to, name, c.relocate)
}

// target is what the copy of a symlink names: where the original leads into the
// directory that is copied from by an absolute path, the same place beside the
// copy, for a test must not write into the user's checkout.
func (c Copier) target(source, target string) string {
	if !filepath.IsAbs(target) {
		return target
	}
	for _, top := range append([]string{c.from}, c.tops...) {
		inside, err := filepath.Rel(top, target)
		if err != nil || !filepath.IsLocal(inside) {
			continue
		}
		if rel, err := filepath.Rel(filepath.Dir(source), filepath.Join(c.from, inside)); err == nil {
			return rel
		}
	}
	return target
}

// copyFile copies a regular file, with its time. What is relocated and has the same size gets a time one second later, so
// that bytecode of Python, which goes by both, is not taken for that of the copy.
func copyFile(source string, info fs.FileInfo, to *os.Root, name string, r *relocation) error {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := r.read(in, info)
	if err != nil {
		return err
	}
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	modified := info.ModTime()
	if text == nil {
		_, err = io.Copy(out, in) // shares the blocks where the file system can
	} else {
		_, err = out.Write(text)
		if int64(len(text)) == info.Size() {
			modified = modified.Add(time.Second)
		}
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	if err := to.Chtimes(name, modified, modified); err != nil {
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
	return copyFile(name, info, parents[len(parents)-1], last, nil)
}
