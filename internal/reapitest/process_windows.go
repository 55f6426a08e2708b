package reapitest

import (
	"os"
	"syscall"
)

func groupOfItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// killGroup ends the first process only.
func killGroup(first *os.Process) { first.Kill() }

func killMarked(string) bool { return false }

func signalOf(*os.ProcessState) int { return 9 }
