package trial

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/windows"
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
