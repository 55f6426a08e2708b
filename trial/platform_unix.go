//go:build unix

package trial

import (
	"os"

	"golang.org/x/sys/unix"
)

// openFilesPin says whether a directory with an open file cannot be renamed.
const openFilesPin = false

// endCommand is what ends a process, as a shell takes it.
const endCommand = "kill"

// shellProgram is what runs a command line.
func shellProgram() string { return "sh" }

// tryLock takes the lock of f, exclusive or shared, or reports at once that
// another process has it. The lock goes with the last handle of f, however the
// process ends.
func tryLock(f *os.File, exclusive bool) (had bool, err error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch err {
		case unix.EINTR:
			continue
		case unix.EWOULDBLOCK:
			return false, nil
		}
		return err == nil, os.NewSyscallError("flock", err)
	}
}
