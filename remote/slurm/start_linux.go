package slurm

import "syscall"

// mortal is for a process that neither Ctrl-C nor the death of gitdd shall surprise: in
// a group of its own, and asked to end when gitdd is gone.
func mortal() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
