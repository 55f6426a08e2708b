//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// ownSession starts cmd as the leader of a new session, and so of a new process
// group without a terminal, and makes its context end the whole group.
func ownSession(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killSession ends what a cancelled cmd left running in its group.
func killSession(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
