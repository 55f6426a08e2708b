//go:build unix

package main

import "syscall"

// apart is for a process that Ctrl-C on the terminal does not reach.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
