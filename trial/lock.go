package trial

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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
	text := heldBy(os.Getpid(), host) + "\n"
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

// Holder returns the id of the process that holds the session in dir. The error says so if there is none, or one of another machine.
func Holder(dir string) (pid int, err error) {
	text := holder(dir)
	host, _ := os.Hostname()
	pid, _ = strconv.Atoi(firstNumber(text))
	switch {
	case !running(dir):
		return 0, fmt.Errorf("no gitdd runs in session %s any more", filepath.Base(dir))
	case text != heldBy(pid, host):
		return 0, fmt.Errorf("session %s is in use by %s: stop it there", filepath.Base(dir), text)
	}
	return pid, nil
}

// Stop asks the process that holds the session in dir to end with its best answer, as Ctrl-C does. Asked twice, it ends at once.
func Stop(dir string) error {
	pid, err := Holder(dir)
	if err != nil {
		return err
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("stop process %d: %w", pid, err)
	}
	defer process.Release()
	// If it holds the session still, what was found is the holder, and no process that got its number later.
	if again, err := Holder(dir); err != nil || again != pid {
		return fmt.Errorf("no gitdd runs in session %s any more", filepath.Base(dir))
	}
	if err := process.Signal(syscall.SIGTERM); err != nil { // a shell may have begun it so that it ignores SIGINT
		return fmt.Errorf("stop process %d: %w; end it where it was begun, by Ctrl-C", pid, err)
	}
	return nil
}

// heldBy is what the lock of a session says of the process that holds it.
func heldBy(pid int, host string) string { return fmt.Sprintf("process %d on %s", pid, host) }

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
