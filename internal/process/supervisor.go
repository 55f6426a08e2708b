package process

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A supervisor is the client's end of a supervisor process: gitdd executed again, with
// the one duty of running commands one after the other and of leaving no
// process of a command behind.
//
// A command is not trusted to stay in its process group. The supervisor is the
// nearest subreaper of all it starts (Linux), so every orphan becomes its own
// child, whatever setsid, double fork or cleared environment it used, and a run
// is over when the supervisor has no child left. It takes a process per worker,
// because a subreaper cannot tell the orphans of two commands apart. The
// supervisor ends everything too when the pipe of its requests closes, so that
// nothing outlives a gitdd that was killed. Out of its reach are only processes
// which somebody else starts for a command: container daemons, cron, systemd.
//
// Elsewhere on Unix a process that left its group escapes. On Windows a job
// object holds the family together.
type supervisor struct {
	cmd      *exec.Cmd
	mu       sync.Mutex // one run at a time
	requests io.WriteCloser
	send     *gob.Encoder
	replies  chan reply    // of the runs, closed when the supervisor is gone
	gone     chan struct{} // closed with it; then err is set
	err      error
	closing  atomic.Bool
	patience time.Duration // how late a reply may be before the supervisor counts as stuck
}

// A request to a supervisor is a process to run or, with Cancel, the end of the
// one that runs. A Cancel that finds none is ignored: it crossed the reply.
type request struct {
	Cancel bool
	Run    Command
}

// A reply answers one Run; the very first one says that the supervisor is ready.
type reply struct {
	Exit      Exit
	Cancelled bool
	Error     string // the run says nothing about the command
}

// ErrGone is wrapped by the error of a run whose supervisor died. The next run of a [Runner] starts another one.
var ErrGone = errors.New("the supervisor of the processes is gone")

// supervisorMark is set in the environment of a supervisor, and in no other process.
const supervisorMark = "GITDD_SUPERVISOR"

// supervisors holds the process ids of the supervisors of this process. Its lock is
// held while one starts, so that a child in a session of its own is either
// listed or an orphan.
var supervisors = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// startSupervisor starts a supervisor process and waits until it is ready. The main
// function of the program has to call [Supervise] first.
func startSupervisor() (*supervisor, error) {
	if os.Getenv(supervisorMark) != "" {
		// Without this a program that forgot to call Supervisor would start itself for ever.
		return nil, fmt.Errorf("start a supervisor: %s is set: main must call trial.Supervisor first", supervisorMark)
	}
	self, err := executable()
	if err != nil {
		return nil, fmt.Errorf("start a supervisor: %w", err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(self)
	cmd.Args = []string{"gitdd-supervisor"}
	cmd.Env = append(os.Environ(), supervisorMark+"=1")
	// It must not pin a directory that gitdd wants to remove.
	cmd.Dir = filepath.VolumeName(self) + string(filepath.Separator)
	cmd.Stderr = &stderr
	cmd.SysProcAttr = detached()
	requests, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a supervisor: %w", err)
	}
	replies, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a supervisor: %w", err)
	}

	supervisors.Lock()
	if err = adopt(); err == nil {
		err = cmd.Start()
	}
	if err == nil {
		supervisors.pids[cmd.Process.Pid] = true
	}
	supervisors.Unlock()
	if err != nil {
		requests.Close()
		replies.Close()
		return nil, fmt.Errorf("start a supervisor: %w", err)
	}

	k := &supervisor{
		cmd:      cmd,
		requests: requests,
		send:     gob.NewEncoder(requests),
		replies:  make(chan reply, 1),
		gone:     make(chan struct{}),
		patience: killLimit + 10*time.Second,
	}
	go k.listen(replies, &stderr)
	select {
	case ready, ok := <-k.replies:
		if ok && ready.Error == "" {
			return k, nil
		}
		if ok {
			k.close()
			return nil, fmt.Errorf("start a supervisor: %s", ready.Error)
		}
	case <-time.After(k.patience):
		cmd.Process.Kill()
		<-k.gone
	}
	return nil, fmt.Errorf("start a supervisor: %w (main must call trial.Supervisor first)", k.err)
}

// listen passes the replies on until the supervisor is gone, and then ends what it
// may have left.
func (k *supervisor) listen(replies io.Reader, stderr *bytes.Buffer) {
	decoder := gob.NewDecoder(replies)
	for {
		var r reply
		if err := decoder.Decode(&r); err != nil {
			if !errors.Is(err, io.EOF) {
				k.cmd.Process.Kill() // what it says makes no sense
			}
			break
		}
		k.replies <- r
	}
	err := k.cmd.Wait()

	supervisors.Lock()
	delete(supervisors.pids, k.cmd.Process.Pid)
	if err != nil {
		err = errors.Join(err, endOrphans(supervisors.pids))
	}
	supervisors.Unlock()

	if err != nil || !k.closing.Load() {
		k.err = ErrGone
		if err != nil {
			k.err = fmt.Errorf("%w (%w)", ErrGone, err)
		}
		if said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n"); said != "" {
			k.err = fmt.Errorf("%w: %s", k.err, said)
		}
	}
	close(k.gone)
	close(k.replies)
}

// run runs p and returns when none of its processes is left. A command that
// cannot be started is an exit, not an error. When ctx is done first, all
// processes are ended and the error is that of ctx. An error that wraps
// [ErrGone] asks for another supervisor, any other leaves this one usable.
// Cost beside the command: one vfork and exec, two pipe messages.
func (k *supervisor) run(ctx context.Context, p Command) (Exit, error) {
	p, err := p.complete()
	if err != nil {
		return Exit{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Exit{}, err
	}
	if err := k.send.Encode(request{Run: p}); err != nil {
		k.cmd.Process.Kill() // a half sent request cannot be taken back
	}

	// A supervisor cannot be stopped by its own timer when a trial has stopped the
	// supervisor (SIGSTOP): late is the client's view of the same limit.
	late := time.NewTimer(0)
	late.Stop()
	defer late.Stop()
	if p.Timeout > 0 {
		late.Reset(p.Timeout + p.Grace + k.patience)
	}
	done := ctx.Done()
	for {
		select {
		case r, ok := <-k.replies:
			switch {
			case !ok:
				return Exit{}, k.ended(p)
			case r.Cancelled && ctx.Err() != nil:
				return Exit{}, ctx.Err()
			case r.Error != "":
				return Exit{}, fmt.Errorf("run %s: %s", p.Argv[0], r.Error)
			}
			return r.Exit, nil
		case <-done:
			done = nil
			late.Reset(p.Grace + k.patience)
			if err := k.send.Encode(request{Cancel: true}); err != nil {
				k.cmd.Process.Kill()
			}
		case <-late.C:
			k.cmd.Process.Kill()
		}
	}
}

// ended is the error of a run whose supervisor is gone.
func (k *supervisor) ended(p Command) error {
	if k.closing.Load() {
		return fmt.Errorf("run %s: %w: it was closed", p.Argv[0], ErrGone)
	}
	return fmt.Errorf("run %s: %w; did the command kill its parent process?", p.Argv[0], k.err)
}

// close ends the running command, if any, and the supervisor. Later calls return
// the same.
func (k *supervisor) close() error {
	k.closing.Store(true)
	k.requests.Close()
	select {
	case <-k.gone:
	case <-time.After(k.patience):
		k.cmd.Process.Kill()
		<-k.gone
	}
	return k.err
}

// A Runner runs commands one after the other under a supervisor, which is started for the first one, and anew
// for the next one after it is gone. The zero value is ready. Its methods are not for several goroutines at once.
type Runner struct {
	supervisor *supervisor // nil = there is none
}

// Run runs p and returns when none of its processes is left. A command that
// cannot be started is an Exit, not an error. When ctx is done first, all
// processes are ended and the error is that of ctx. An error that wraps
// [ErrGone] says that the supervisor was lost with the command: the next command gets another one.
func (k *Runner) Run(ctx context.Context, p Command) (Exit, error) {
	if k.supervisor == nil {
		supervisor, err := startSupervisor()
		if err != nil {
			return Exit{}, err
		}
		k.supervisor = supervisor
	}
	x, err := k.supervisor.run(ctx, p)
	if errors.Is(err, ErrGone) {
		k.supervisor.close()
		k.supervisor = nil
	}
	return x, err
}

// Close ends the running command, if any, and the supervisor.
func (k *Runner) Close() error {
	if k.supervisor == nil {
		return nil
	}
	return k.supervisor.close()
}
