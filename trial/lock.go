package trial

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// errRunning is wrapped by the error for a session that another process holds.
var errRunning = errors.New("is in use")

// lockPatience is how long lockSession waits for whoever only looks whether a
// session is running, which takes the lock for some microseconds, and for the
// last child of a killed gitdd: between fork and exec it holds the lock too,
// for longer than that on a busy machine.
const lockPatience = 2 * time.Second

// lockSession takes the lock of the session in dir and writes into it who
// holds it. The system gives the lock back when the process ends, however that
// comes.
func lockSession(dir string) (*os.File, error) {
	return lockDir(dir, "session "+filepath.Base(dir))
}

// LockDir takes a directory that several gitdd may not use at a time, until what it
// returns is closed or the process ends. The error says who has it.
func LockDir(dir string) (io.Closer, error) {
	f, err := lockDir(dir, dir)
	if err != nil {
		return nil, err // not a nil file
	}
	return f, nil
}

// lockDir locks a directory that is called what.
func lockDir(dir, what string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", what, err)
	}
	deadline := time.Now().Add(lockPatience)
	for {
		had, err := tryLock(f, true)
		if had {
			break
		}
		if err == nil && time.Now().Before(deadline) {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		defer f.Close()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", what, err)
		}
		holder, _ := io.ReadAll(io.LimitReader(f, 200))
		return nil, fmt.Errorf("%s %w by %s; wait for it, or stop it with `%s %s`",
			what, errRunning, strings.TrimSpace(string(holder)), endCommand, firstNumber(string(holder)))
	}
	host, _ := os.Hostname()
	text := fmt.Sprintf("process %d on %s\n", os.Getpid(), host)
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", what, err)
	}
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", what, err)
	}
	return f, nil
}

func firstNumber(holder string) string {
	words := strings.Fields(holder)
	if len(words) < 2 {
		return "PID"
	}
	return words[1]
}

// Running reports whether a process holds the session in dir.
func Running(dir string) bool { return running(dir) }

// running is Running.
func running(dir string) bool {
	f, err := os.Open(filepath.Join(dir, lockFile))
	if err != nil {
		return false
	}
	defer f.Close() // gives the lock back, if it was had
	had, err := tryLock(f, false)
	return !had && err == nil
}
