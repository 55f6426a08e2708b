package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
)

// A writer puts files into one directory and takes them away again. It trusts
// neither the names it is given nor what tests have left in the directory: no
// step goes through a symlink, and nothing outside is written, not even
// through a hard link.
type writer struct {
	root  *os.Root
	force bool // remove what stands where a directory has to be, instead of errDisturbed
}

// errDisturbed says that something other than a directory stands where the
// directory of a tracked file has to be.
var errDisturbed = errors.New("a directory has been replaced")

// An unfitError is a file that this file system cannot hold: see Impossible.
type unfitError struct {
	path string
	err  error
}

func (e *unfitError) Error() string { return fmt.Sprintf("write %q: %v", e.path, e.err) }
func (e *unfitError) Unwrap() error { return e.err }

// Impossible reports whether err says that a configuration cannot be shown: a file that this file system cannot
// hold, the files of a submodule that are not here, or a patch that does not apply.
func Impossible(err error) bool {
	var unfit *unfitError
	var absent *absentError
	var conflict *patchError
	return errors.As(err, &unfit) || errors.As(err, &absent) || errors.As(err, &conflict)
}

// checkPath refuses what no tree may hold. Trees are checked where they are
// read; this is the last door before the disk.
func checkPath(path string) error {
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") {
			return fmt.Errorf("write %q: no file may have such a path", path)
		}
	}
	return nil
}

// checkTarget returns an *unfitError if the mode is that of a symbolic link and the content is no target.
func checkTarget(path string, mode git.Mode, content []byte) error {
	if mode == git.Symlink && (len(content) == 0 || slices.Contains(content, 0)) {
		return &unfitError{path, errors.New("no file system has a symlink to such a target")}
	}
	return nil
}

// A chain holds the open directories from the root to the parent of a path.
type chain []*os.Root

// close closes all but the root, which is the writer's.
func (c chain) close() {
	for _, dir := range c[1:] {
		dir.Close()
	}
}

// descend opens the parent directory of path and returns the last name. Each
// directory is opened from the one before, and is the one that was seen not to
// be a symlink. Missing ones are made when create is set; else the error wraps
// fs.ErrNotExist.
func (w writer) descend(path string, create bool) (c chain, name string, err error) {
	if err := checkPath(path); err != nil {
		return nil, "", err
	}
	return w.open(path, create)
}

// open is descend without the ban of names: below a kept directory other
// repositories may lie, .git and all.
func (w writer) open(path string, create bool) (c chain, name string, err error) {
	c = chain{w.root}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	names := strings.Split(path, "/")
	for _, name := range names[:len(names)-1] {
		next, err := w.enter(c[len(c)-1], name, create)
		if err != nil {
			return c, "", err
		}
		c = append(c, next)
	}
	return c, names[len(names)-1], nil
}

// enter opens the directory name in dir.
func (w writer) enter(dir *os.Root, name string, create bool) (*os.Root, error) {
	info, err := dir.Lstat(name)
	if err == nil && !info.IsDir() && w.force {
		if err := dir.Remove(name); err != nil {
			return nil, err
		}
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if errors.Is(err, fs.ErrNotExist) && create {
		if err := dir.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		info, err = dir.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: %w by a %s", name, errDisturbed, kind(info.Mode()))
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = fmt.Errorf("%s: %w while it was opened", name, errDisturbed)
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "symlink"
	case mode.IsRegular():
		return "file"
	}
	return "special file"
}

// write makes path hold an entry of a tree: a file with the content and the
// modification time, a symlink to the content, or an empty directory for a
// submodule. Missing directories are made. What else has the name goes, a
// whole directory too; a directory stays where a submodule is wanted.
func (w writer) write(path string, mode git.Mode, content []byte, mtime time.Time) error {
	if err := checkTarget(path, mode, content); err != nil {
		return err
	}
	return w.put(path, mode, func(dir *os.Root, name string) error {
		switch mode {
		case git.Gitlink:
			return dir.Mkdir(name, 0o777)
		case git.Symlink:
			return dir.Symlink(string(content), name)
		}
		return writeFile(dir, name, mode, mtime, func(f io.Writer) error {
			_, err := f.Write(content)
			return err
		})
	})
}

// writeFrom is write for a file whose content fill writes.
func (w writer) writeFrom(path string, mode git.Mode, fill func(io.Writer) error, mtime time.Time) error {
	return w.put(path, mode, func(dir *os.Root, name string) error { return writeFile(dir, name, mode, mtime, fill) })
}

// put makes room for path and lets make make it.
func (w writer) put(path string, mode git.Mode, make func(dir *os.Root, name string) error) error {
	c, name, err := w.descend(path, true)
	if err != nil {
		return w.failed(path, err)
	}
	defer c.close()
	dir := c[len(c)-1]
	info, err := dir.Lstat(name)
	switch {
	case err == nil && mode == git.Gitlink && info.IsDir():
		return nil
	case err == nil:
		// Never written in place: the file may have other names.
		if err := removeEntry(dir, name, info); err != nil {
			return w.failed(path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return w.failed(path, err)
	}
	return w.failed(path, make(dir, name))
}

func writeFile(dir *os.Root, name string, mode git.Mode, mtime time.Time, fill func(io.Writer) error) error {
	perm := fs.FileMode(0o666)
	if mode&0o100 != 0 {
		perm = 0o777
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	err = fill(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return dir.Chtimes(name, mtime, mtime)
}

// removeEntry removes whatever has the name, the content of a directory too.
func removeEntry(dir *os.Root, name string, info fs.FileInfo) error {
	if !info.IsDir() {
		return dir.Remove(name)
	}
	err := dir.RemoveAll(name)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// Tests leave directories that they have write-protected.
	fs.WalkDir(dir.FS(), name, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			dir.Chmod(path, 0o700)
		}
		return nil
	})
	return dir.RemoveAll(name)
}

// remove takes the file or symlink away that has the path, and the directories
// that are empty then, as git does. A directory of that name is only removed
// when it is empty: what it holds is not tracked.
func (w writer) remove(path string) error {
	c, name, err := w.descend(path, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return w.failed(path, err)
	}
	defer c.close()
	names := strings.Split(path, "/")
	dir := c[len(c)-1]
	info, err := dir.Lstat(name)
	if err == nil {
		err = dir.Remove(name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if info != nil && info.IsDir() {
			return nil
		}
		return w.failed(path, err)
	}
	for depth := len(c) - 1; depth > 0; depth-- {
		if c[depth-1].Remove(names[depth-1]) != nil {
			break // it holds something else
		}
	}
	return nil
}

// failed gives err its operand, and its type when it is the name's fault.
func (w writer) failed(path string, err error) error {
	var unfit *unfitError
	switch {
	case err == nil || errors.As(err, &unfit):
		return err
	case disk.NotNameable(err):
		return &unfitError{path, err}
	case errors.Is(err, errDisturbed):
		return fmt.Errorf("write %q: %w", path, err)
	}
	return disk.Wrap(fmt.Sprintf("write %q in %s", path, w.root.Name()), err)
}
