package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// On Windows a supervisor lives in a job object that no process leaves. The family
// is all of the job but the supervisor, and when the supervisor ends, however, the last
// handle of the job closes and the system kills the rest.

var (
	job     windows.Handle
	changed = make(chan os.Signal, 1)
)

// A family is what one command has become: itself and all that it started.
type family struct {
	pid     int
	began   time.Time
	exited  bool // the command itself; then code and ended are set
	code    int
	ended   time.Time
	done    chan int
	counted map[uint32]bool // the leftovers, see exit.Leftovers
}

func executable() (string, error) { return os.Executable() }

func adopt() error { return nil }

// endOrphans has nothing to do: the job of a supervisor dies with it.
func endOrphans(map[int]bool) error { return nil }

// detached keeps Ctrl-C, which goes to a whole console, from the supervisor.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

// becomeSupervisor puts this process into a new job; its children inherit it.
func becomeSupervisor() (<-chan os.Signal, error) {
	var err error
	if job, err = windows.CreateJobObject(nil, nil); err != nil {
		return nil, fmt.Errorf("create a job object: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return nil, fmt.Errorf("limit the job object: %w", err)
	}
	if err := windows.AssignProcessToJobObject(job, windows.CurrentProcess()); err != nil {
		return nil, fmt.Errorf("enter the job object: %w", err)
	}
	return changed, nil
}

func launch(p Command, files [3]*os.File) (*family, Exit, error) {
	if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
		return nil, notStarted(noDirectory, "the directory %s does not exist", p.Dir), nil
	}
	name := p.Argv[0]
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		name = filepath.Join(p.Dir, name)
	}
	cmd := exec.Command(name, p.Argv[1:]...)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	f := &family{began: time.Now(), done: make(chan int, 1), counted: map[uint32]bool{}}
	switch err := cmd.Start(); {
	case p.Argv[0] == "sh" && errors.Is(err, exec.ErrNotFound):
		return nil, notStarted(notFound, "sh: command not found: a command line needs it, put it on PATH or install Git for Windows"), nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, notStarted(notFound, "%s: command not found", p.Argv[0]), nil
	case err != nil:
		return nil, notStarted(notExecutable, "%s: %v", p.Argv[0], err), nil
	}
	f.pid = cmd.Process.Pid
	go func() {
		cmd.Wait()
		f.done <- cmd.ProcessState.ExitCode()
		select {
		case changed <- os.Kill:
		default:
		}
	}()
	return f, Exit{}, nil
}

// reap notes that the command has exited and reports whether nothing but the
// supervisor is left in the job.
func (f *family) reap() (empty bool) {
	if !f.exited {
		select {
		case f.code = <-f.done:
			f.exited, f.ended = true, time.Now()
		default:
			return false
		}
	}
	return len(f.members()) == 0
}

// terminate does nothing: there is no signal that a program without a window
// would hear. They have the grace to end on their own.
func (f *family) terminate() {}

func (f *family) kill() {
	for _, pid := range f.members() {
		h, err := windows.OpenProcess(windows.PROCESS_TERMINATE|windows.PROCESS_QUERY_INFORMATION, false, pid)
		if err != nil {
			continue
		}
		// The number may have been given to another process since.
		var inside bool
		if isProcessInJob(h, job, &inside) == nil && inside {
			windows.TerminateProcess(h, 1)
			if f.exited {
				f.counted[pid] = true
			}
		}
		windows.CloseHandle(h)
	}
}

func (f *family) survivors() string { return fmt.Sprint(f.members()) }

var procIsProcessInJob = windows.NewLazySystemDLL("kernel32.dll").NewProc("IsProcessInJob")

func isProcessInJob(process, job windows.Handle, inside *bool) error {
	var result int32
	if ok, _, err := procIsProcessInJob.Call(uintptr(process), uintptr(job), uintptr(unsafe.Pointer(&result))); ok == 0 {
		return err
	}
	*inside = result != 0
	return nil
}

// members lists the process ids in the job, without that of the supervisor.
func (f *family) members() []uint32 {
	// JOBOBJECT_BASIC_PROCESS_ID_LIST
	var list struct {
		Assigned, Listed uint32
		IDs              [4096]uintptr
	}
	// More than fit is an error, but those that fit are listed: the next pass
	// finds the others.
	windows.QueryInformationJobObject(job, windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	var pids []uint32
	for _, id := range list.IDs[:min(int(list.Listed), len(list.IDs))] {
		if pid := uint32(id); pid != windows.GetCurrentProcessId() {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (f *family) exit() Exit {
	if !f.exited {
		return Exit{Started: true, Code: -1, Duration: time.Since(f.began), Leftovers: len(f.counted)}
	}
	return Exit{Started: true, Code: f.code, Duration: f.ended.Sub(f.began), Leftovers: len(f.counted)}
}

// SignalName is what a signal is called: signals have no names here.
func SignalName(number int) string { return fmt.Sprintf("SIG%d", number) }
