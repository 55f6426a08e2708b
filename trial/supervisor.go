package trial

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

// A keeper is the client's end of a keeper process: gitdd executed again, with
// the one duty of running commands one after the other and of leaving no
// process of a command behind.
//
// A command is not trusted to stay in its process group. The keeper is the
// nearest subreaper of all it starts (Linux), so every orphan becomes its own
// child, whatever setsid, double fork or cleared environment it used, and a run
// is over when the keeper has no child left. It takes a process per worker,
// because a subreaper cannot tell the orphans of two commands apart. The
// keeper ends everything too when the pipe of its requests closes, so that
// nothing outlives a gitdd that was killed. Out of its reach are only processes
// which somebody else starts for a command: container daemons, cron, systemd.
//
// Elsewhere on Unix a process that left its group escapes. On Windows a job
// object holds the family together.
type keeper struct {
	cmd      *exec.Cmd
	mu       sync.Mutex // one run at a time
	requests io.WriteCloser
	send     *gob.Encoder
	replies  chan reply    // of the runs, closed when the keeper is gone
	gone     chan struct{} // closed with it; then err is set
	err      error
	closing  atomic.Bool
	patience time.Duration // how late a reply may be before the keeper counts as stuck
}

// A request to a keeper is a process to run or, with Cancel, the end of the
// one that runs. A Cancel that finds none is ignored: it crossed the reply.
type request struct {
	Cancel bool
	Run    process
}

// A reply answers one Run; the very first one says that the keeper is ready.
type reply struct {
	Exit      exit
	Cancelled bool
	Error     string // the run says nothing about the command
}

// errKeeperGone is wrapped by the error of a run whose keeper died; start another.
var errKeeperGone = errors.New("the keeper of the processes is gone")

// keeperMark is set in the environment of a keeper, and in no other process.
const keeperMark = "GITDD_KEEPER"

// keepers holds the process ids of the keepers of this process. Its lock is
// held while one starts, so that a child in a session of its own is either
// listed or an orphan.
var keepers = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// startKeeper starts a keeper process and waits until it is ready. The main
// function of the program has to call [Keeper] first.
func startKeeper() (*keeper, error) {
	if os.Getenv(keeperMark) != "" {
		// Without this a program that forgot to call Keeper would start itself for ever.
		return nil, fmt.Errorf("start a keeper: %s is set: main must call trial.Keeper first", keeperMark)
	}
	self, err := executable()
	if err != nil {
		return nil, fmt.Errorf("start a keeper: %w", err)
	}
	var stderr bytes.Buffer
	cmd := exec.Command(self)
	cmd.Args = []string{"gitdd-keeper"}
	cmd.Env = append(os.Environ(), keeperMark+"=1")
	// It must not pin a directory that gitdd wants to remove.
	cmd.Dir = filepath.VolumeName(self) + string(filepath.Separator)
	cmd.Stderr = &stderr
	cmd.SysProcAttr = detached()
	requests, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a keeper: %w", err)
	}
	replies, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a keeper: %w", err)
	}

	keepers.Lock()
	if err = adopt(); err == nil {
		err = cmd.Start()
	}
	if err == nil {
		keepers.pids[cmd.Process.Pid] = true
	}
	keepers.Unlock()
	if err != nil {
		requests.Close()
		replies.Close()
		return nil, fmt.Errorf("start a keeper: %w", err)
	}

	k := &keeper{
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
			return nil, fmt.Errorf("start a keeper: %s", ready.Error)
		}
	case <-time.After(k.patience):
		cmd.Process.Kill()
		<-k.gone
	}
	return nil, fmt.Errorf("start a keeper: %w (main must call trial.Keeper first)", k.err)
}

// listen passes the replies on until the keeper is gone, and then ends what it
// may have left.
func (k *keeper) listen(replies io.Reader, stderr *bytes.Buffer) {
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

	keepers.Lock()
	delete(keepers.pids, k.cmd.Process.Pid)
	if err != nil {
		err = errors.Join(err, endOrphans(keepers.pids))
	}
	keepers.Unlock()

	if err != nil || !k.closing.Load() {
		k.err = errKeeperGone
		if err != nil {
			k.err = fmt.Errorf("%w (%w)", errKeeperGone, err)
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
// [errKeeperGone] asks for another keeper, any other leaves this one usable.
// Cost beside the command: one vfork and exec, two pipe messages.
func (k *keeper) run(ctx context.Context, p process) (exit, error) {
	p, err := p.complete()
	if err != nil {
		return exit{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return exit{}, err
	}
	if err := k.send.Encode(request{Run: p}); err != nil {
		k.cmd.Process.Kill() // a half sent request cannot be taken back
	}

	// A keeper cannot be stopped by its own timer when a trial has stopped the
	// keeper (SIGSTOP): late is the client's view of the same limit.
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
				return exit{}, k.ended(p)
			case r.Cancelled && ctx.Err() != nil:
				return exit{}, ctx.Err()
			case r.Error != "":
				return exit{}, fmt.Errorf("run %s: %s", p.Argv[0], r.Error)
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

// ended is the error of a run whose keeper is gone.
func (k *keeper) ended(p process) error {
	if k.closing.Load() {
		return fmt.Errorf("run %s: %w: it was closed", p.Argv[0], errKeeperGone)
	}
	return fmt.Errorf("run %s: %w; did the command kill its parent process?", p.Argv[0], k.err)
}

// close ends the running command, if any, and the keeper. Later calls return
// the same.
func (k *keeper) close() error {
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

// A kept runs processes under a keeper, which is started for the first one, and anew
// for the next when it is gone.
type kept struct {
	keeper *keeper // nil = there is none
}

func (k *kept) run(ctx context.Context, p process) (exit, error) {
	if k.keeper == nil {
		keeper, err := startKeeper()
		if err != nil {
			return exit{}, err
		}
		k.keeper = keeper
	}
	x, err := k.keeper.run(ctx, p)
	if errors.Is(err, errKeeperGone) {
		k.keeper.close()
		k.keeper = nil
	}
	return x, err
}

func (k *kept) close() error {
	if k.keeper == nil {
		return nil
	}
	return k.keeper.close()
}
