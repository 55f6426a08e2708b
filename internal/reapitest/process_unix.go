//go:build unix

package reapitest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

func groupOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the process group of a command that ended just now, or did not yet.
func killGroup(first *os.Process) { syscall.Kill(-first.Pid, syscall.SIGKILL) }

// killMarked kills the processes that have the mark in their environment, wherever they
// went, and reports whether there was one. Without /proc it finds none.
func killMarked(mark string) bool {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return false
	}
	found := false
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
			continue // gone, another's, or a zombie
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			syscall.Kill(pid, syscall.SIGKILL)
			found = true
		}
	}
	return found
}

func signalOf(state *os.ProcessState) int {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
