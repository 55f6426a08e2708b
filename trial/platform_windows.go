package trial

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"

	"github.com/gitdd/gitdd/internal/git"
)

// openFilesPin says whether a directory with an open file cannot be renamed.
const openFilesPin = true

// endCommand is what ends a process, as a shell takes it.
const endCommand = "taskkill /f /pid"

// shellProgram is what runs a command line: sh, if it is on PATH, else that of Git for
// Windows, which puts only cmd\git.exe there.
func shellProgram() string {
	if _, err := exec.LookPath("sh"); err == nil {
		return "sh"
	}
	program, err := exec.LookPath("git")
	if err != nil {
		return "sh"
	}
	top := filepath.Dir(filepath.Dir(program))
	for _, name := range []string{`bin\sh.exe`, `usr\bin\sh.exe`, `..\bin\sh.exe`} { // the last for mingw64\bin\git.exe
		if found := filepath.Join(top, name); exists(found) {
			return found
		}
	}
	return "sh"
}

func exists(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// tryLock takes the lock of f, exclusive or shared, or reports at once that
// another process has it.
func tryLock(f *os.File, exclusive bool) (had bool, err error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	// A byte far behind the text: locked bytes cannot be read by others.
	at := &windows.Overlapped{Offset: 1 << 20}
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, os.NewSyscallError("LockFileEx", err)
}

// A stamp tells whether a file is still as it was written.
type stamp struct {
	mode  fs.FileMode
	found bool
	size  int64
	mtime time.Time
}

// stampOf returns the stamp of path below dir, the zero stamp when there is
// nothing.
func stampOf(dir *os.File, path string) (stamp, error) {
	info, err := os.Lstat(filepath.Join(dir.Name(), filepath.FromSlash(path)))
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, err
	}
	return stamp{mode: info.Mode(), found: true, size: info.Size(), mtime: info.ModTime()}, nil
}

func (s stamp) exists() bool    { return s.found }
func (s stamp) directory() bool { return s.mode.IsDir() }

// looksLike reports whether the file is of the type that a tree's entry asks
// for. There are no mode bits here.
func (s stamp) looksLike(mode git.Mode) bool {
	if mode == git.Symlink {
		return s.mode&fs.ModeSymlink != 0
	}
	return s.mode.IsRegular() && mode != git.Gitlink
}

// notNameable reports whether err says that this file system cannot hold a
// file of that name.
func notNameable(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_NAME) || errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE)
}
