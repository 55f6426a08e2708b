//go:build unix

package process

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A family is what one command has become: itself and all that it started.
type family struct {
	pid     int // of the command and of its process group
	began   time.Time
	exited  bool // the command itself; then status and ended are set
	status  unix.WaitStatus
	ended   time.Time
	counted map[identity]bool // the leftovers, see exit.Leftovers
	maxrss  int64             // bytes, of the largest process that was reaped
	cpu     time.Duration     // of all that were reaped
}

// detached puts the supervisor into a session of its own, where neither Ctrl-C nor
// the end of the terminal reaches it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// becomeSupervisor prepares this process. The channel gets a value after a child
// has changed its state.
func becomeSupervisor() (<-chan os.Signal, error) {
	// Everything that can be caught is caught, and not ignored: what is ignored
	// stays ignored across exec, a handler does not. So the command starts with
	// the default dispositions even when gitdd itself ignores some (nohup), and
	// nothing but SIGKILL and SIGSTOP troubles the supervisor.
	signal.Notify(make(chan os.Signal, 1))
	changed := make(chan os.Signal, 1) // one is enough: a reap takes all there is
	signal.Notify(changed, unix.SIGCHLD)
	if err := unblockSignals(); err != nil {
		return nil, fmt.Errorf("unblock signals: %w", err)
	}
	if err := closeOnExec(); err != nil {
		return nil, fmt.Errorf("mark files close-on-exec: %w", err)
	}
	if err := adopt(); err != nil {
		return nil, err
	}
	return changed, nil
}

// closeOnExec keeps the files which gitdd inherited without knowing (a shell's
// "9>lock") from the commands.
func closeOnExec() error {
	names, err := os.ReadDir("/dev/fd")
	if err != nil {
		return err
	}
	for _, name := range names {
		if fd, err := strconv.Atoi(name.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// launch starts p. It returns a family, or the exit of a command that cannot
// be executed, or an error that has nothing to do with the command.
//
// Like execvp(3) it tries one candidate after the other, goes on when one is
// absent or not permitted, and gives a file that the kernel does not recognize
// to /bin/sh: a script without "#!" works in every shell, so it does here.
func launch(p Command, files [3]*os.File) (*family, Exit, error) {
	if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
		return nil, notStarted(noDirectory, "the directory %s does not exist", p.Dir), nil
	}
	for _, file := range files {
		// Of a pipe the command's end is as any command expects it.
		if err := unix.SetNonblock(int(file.Fd()), false); err != nil {
			return nil, Exit{}, fmt.Errorf("execute %s: %w", p.Argv[0], err)
		}
	}
	attr := &syscall.ProcAttr{
		Dir:   p.Dir,
		Env:   p.Env,
		Files: []uintptr{files[0].Fd(), files[1].Fd(), files[2].Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	}
	name := p.Argv[0]
	refused := notStarted(notFound, "%s: command not found in PATH", name)
	if name == "" || strings.Contains(name, "/") {
		refused = notStarted(notFound, "%s: no such file (in %s)", strconv.Quote(name), p.Dir)
	}
	for _, file := range candidates(name, p.Env) {
		seen := filepath.Join(p.Dir, file)
		if filepath.IsAbs(file) {
			seen = file
		}
		info, err := os.Stat(seen)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
			continue // saves a fork for every directory of PATH
		}
		began := time.Now()
		pid, err := forkExec(file, p.Argv, attr)
		if errors.Is(err, unix.ENOEXEC) && isText(seen) {
			pid, err = forkExec("/bin/sh", append([]string{"/bin/sh", file}, p.Argv[1:]...), attr)
		}
		switch {
		case err == nil:
			return &family{pid: pid, began: began, counted: map[identity]bool{}}, Exit{}, nil
		case info != nil && info.IsDir():
			refused = notStarted(notExecutable, "%s: is a directory", file)
		case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
			refused = notStarted(notExecutable, "%s: permission denied (is it executable?)", file)
		case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
			refused = notStarted(notExecutable, "%s: the interpreter or loader that it names does not exist", file)
		case errors.Is(err, unix.ENOEXEC):
			return nil, notStarted(notExecutable, "%s: not a program for this machine", file), nil
		case errors.Is(err, unix.E2BIG), errors.Is(err, unix.ENAMETOOLONG), errors.Is(err, unix.ELOOP), errors.Is(err, unix.ETXTBSY):
			return nil, notStarted(notExecutable, "%s: %v", file, err), nil
		default: // no memory, too many processes
			return nil, Exit{}, fmt.Errorf("execute %s: %w", file, err)
		}
	}
	return nil, refused, nil
}

// candidates lists the files that name may mean, in order. Relative ones are
// relative to the directory of the command.
func candidates(name string, env []string) []string {
	if name == "" {
		return nil
	}
	if strings.Contains(name, "/") {
		return []string{name}
	}
	path := "/bin:/usr/bin" // what execvp searches when there is no PATH
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			path = value
		}
	}
	var files []string
	for dir := range strings.SplitSeq(path, ":") {
		if dir == "" {
			dir = "."
		}
		files = append(files, dir+"/"+name)
	}
	return files
}

// forkExec is syscall.ForkExec, patient with a file that was written a moment
// ago: a child forked at that moment by gitdd holds it open for writing until
// its own exec (golang.org/issue/22315).
func forkExec(file string, argv []string, attr *syscall.ProcAttr) (int, error) {
	for deadline := time.Now().Add(time.Second); ; time.Sleep(time.Millisecond) {
		pid, err := syscall.ForkExec(file, argv, attr)
		if !errors.Is(err, unix.ETXTBSY) || time.Now().After(deadline) {
			return pid, err
		}
	}
}

// isText reports whether a shell would take the file for a script: no NUL in
// its first line.
func isText(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 128)
	n, err := io.ReadFull(f, head)
	if err != nil && n == 0 {
		return errors.Is(err, io.EOF) // an empty script does nothing, and well
	}
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	return !bytes.Contains(line, []byte{0})
}

// spent adds the processor time of a process that was reaped, and of those that it has waited for.
func (f *family) spent(usage unix.Rusage) {
	f.cpu += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// waited records how the command ended.
func (f *family) waited(status unix.WaitStatus) {
	f.exited, f.status, f.ended = true, status, time.Now()
}

// exit tells how the command ended.
func (f *family) exit() Exit {
	e := Exit{Started: true, Duration: f.ended.Sub(f.began), Leftovers: len(f.counted), CPU: f.cpu}
	switch {
	case !f.exited: // it could not even be killed: the error of the run says so
		e.Code, e.Duration = -1, time.Since(f.began)
	case f.status.Signaled():
		e.Code = 128 + int(f.status.Signal())
		e.Signal = SignalName(int(f.status.Signal()))
	default:
		e.Code = f.status.ExitStatus()
	}
	return e
}

// SignalName is what a signal is called, such as "SIGSEGV"; "SIG40" where it has no
// name, as those for real time.
func SignalName(number int) string {
	return cmp.Or(unix.SignalName(syscall.Signal(number)), fmt.Sprintf("SIG%d", number))
}
