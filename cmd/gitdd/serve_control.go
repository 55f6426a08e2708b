package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// commandLines are command lines of gitdd that a page has begun, each a process of its own. They end with ctx, as by Ctrl-C.
type commandLines struct {
	ctx context.Context

	mu   sync.Mutex
	over bool // no other one is begun
	all  sync.WaitGroup
}

// enter reports whether one more may begin; wait waits for it then.
func (l *commandLines) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.all.Add(1)
	}
	return !l.over
}

// wait waits until all have ended.
func (l *commandLines) wait() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.all.Wait()
}

// endPatience is how long they have for their best answer then.
const endPatience = time.Minute

// gitdd runs a command line where this process is, and returns when it has ended. The error is what it said, if it did
// not do what it is for. An answer, of whatever kind, is in the session.
func (l *commandLines) gitdd(args ...string) error {
	if !l.enter() {
		return errors.New("gitdd serve ends")
	}
	defer l.all.Done()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(l.ctx, self)
	cmd.Args = append([]string{os.Args[0], "--color=never", "--quiet"}, args...)
	cmd.SysProcAttr = apart() // Ctrl-C comes once, by Cancel: twice it would end the process without an answer
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endPatience
	var said bytes.Buffer
	cmd.Stderr = &said
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		switch exit.ExitCode() {
		case exitNothing, exitBudget, exitInterrupted:
			return nil
		}
		if text := strings.TrimSpace(strings.ReplaceAll(said.String(), "gitdd: ", "")); text != "" {
			return errors.New(text)
		}
	}
	return err
}
