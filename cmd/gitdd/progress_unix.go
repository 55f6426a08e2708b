//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyResumed tells when the process goes on after it was stopped (Ctrl-Z).
func notifyResumed() (resumed <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	return c, func() { signal.Stop(c) }
}
