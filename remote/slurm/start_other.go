//go:build !linux

package slurm

import "syscall"

// mortal says nothing here: a job of a gitdd that died ends when its input does.
func mortal() *syscall.SysProcAttr { return nil }
