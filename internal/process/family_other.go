//go:build unix && !linux

package process

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// On these systems an orphan goes to process 1 and cannot be found again, so a
// family is a process group: a process that calls setsid or setpgid escapes.

func executable() (string, error) { return os.Executable() }

func adopt() error { return nil }

// endOrphans has nothing to go by: the orphans of a supervisor that died are
// children of process 1.
func endOrphans(map[int]bool) error { return nil }

// unblockSignals does nothing: x/sys/unix has no sigprocmask here, and the Go
// runtime unblocks what it needs itself.
func unblockSignals() error {
	runtime.LockOSThread()
	return nil
}

// An identity stands for all leftovers in one process group.
type identity struct{ group int }

// reap collects the command when it has exited and reports whether its group
// is empty.
func (f *family) reap() (empty bool) {
	for !f.exited {
		var status unix.WaitStatus
		var usage unix.Rusage
		pid, err := unix.Wait4(f.pid, &status, unix.WNOHANG, &usage)
		if err == unix.EINTR {
			continue
		}
		if pid != f.pid {
			return false
		}
		f.spent(usage)
		f.waited(status)
	}
	return unix.Kill(-f.pid, 0) == unix.ESRCH
}

func (f *family) terminate() {
	f.signal(unix.SIGTERM)
	unix.Kill(-f.pid, unix.SIGCONT) // a stopped process cannot hear
}

func (f *family) kill() { f.signal(unix.SIGKILL) }

func (f *family) signal(s unix.Signal) {
	if err := unix.Kill(-f.pid, s); err == nil && f.exited {
		f.counted[identity{f.pid}] = true // how many they were is not known
	}
}

func (f *family) survivors() string { return fmt.Sprintf("in process group %d", f.pid) }
