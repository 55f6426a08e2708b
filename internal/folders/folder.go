package folders

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

// isDir reports whether a name is a folder, to which a symbolic link may lead, and not an archive.
func isDir(name string) (bool, error) {
	info, err := os.Stat(name)
	if err != nil {
		return false, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is neither a folder nor an archive, but a %s", name, kind(info.Mode()))
	}
	return info.IsDir(), nil
}

// readFolder stores the files below a folder. No symbolic link but the folder itself is followed.
func (e *end) readFolder() error {
	dir, err := filepath.EvalSymlinks(e.name)
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.Name() == ".git" {
			e.left = append(e.left, rel)
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return e.enterDir(rel)
		}
		return e.readFile(name, rel, d)
	})
}

// readFile stores a file or a symbolic link.
func (e *end) readFile(name, rel string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	switch info.Mode().Type() {
	case fs.ModeSymlink:
		target, err := os.Readlink(name)
		if err != nil {
			return err
		}
		target = filepath.ToSlash(target)
		return e.add(rel, git.Symlink, int64(len(target)), strings.NewReader(target))
	case 0:
	default:
		return fmt.Errorf("%s: %s is a %s, and no file: remove it, or name a folder without it", e.name, shown(rel), kind(info.Mode()))
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, opened) {
		return e.changed(rel)
	}
	return e.readOpened(f, opened, rel)
}

// readOpened stores an open file, of which info was said before.
func (e *end) readOpened(f *os.File, info fs.FileInfo, rel string) error {
	mode := git.Regular
	if info.Mode()&0o100 != 0 {
		mode = git.Executable
	}
	if err := e.add(rel, mode, info.Size(), f); err != nil {
		return err
	}
	after, err := f.Stat()
	if err == nil && (after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime())) {
		return e.changed(rel)
	}
	return err
}

// kind names what is no file.
func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}
