package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
)

// RemoteOptions say on which machines an Executor runs commands, and which files the machines get.
type RemoteOptions struct {
	Remote    Remote
	Auxiliary *Auxiliary    // files that the commands need
	Patience  time.Duration // as that of Options
}

// A remoteExecutor is the state of an Executor that runs commands on other machines.
type remoteExecutor struct {
	RemoteOptions
	patience patience
	began    time.Time
	made     int // tasks
}

// NewRemoteExecutor makes an executor that runs commands on other machines. Each command runs in a new directory with
// its files. GITDD_DIR names a second directory, with the files of the Auxiliary. dir and number are as in NewExecutor.
// limits.Memory must be 0: the cluster has to bound the memory.
//
// Run repeats a command once if it was killed or had no end in time, because the machine may have been short of memory,
// or slow. It repeats a command that the machines lost. When it gives up, the error is a *LostError, which says
// nothing about the files of the command; its field Away is set if the cluster is out of reach.
func NewRemoteExecutor(dir string, number int, limits Limits, o RemoteOptions) (*Executor, error) {
	if limits.Memory > 0 {
		return nil, errors.New("the memory of commands cannot be bounded on other machines: let the cluster do that")
	}
	e, err := NewExecutor(dir, o.Auxiliary.start, number, limits)
	if err == nil {
		e.remote = &remoteExecutor{RemoteOptions: o, patience: patienceOf(Options{Patience: o.Patience}), began: time.Now()}
	}
	return e, err
}

func (e *Executor) runRemotely(ctx context.Context, job Job) (x Execution, err error) {
	task := e.task(job)
	result, err := e.perform(ctx, task)
	if err == nil && (result.Test.TimedOut || result.Test.Exit == exitKilled) {
		task.Salt += "+again"
		task.Avoid = avoided(result.Machine, nil)
		result, err = e.perform(ctx, task)
	}
	if err != nil {
		return x, errors.Join(err, e.clear())
	}
	test := result.Test
	x = Execution{Exit: test.Exit, TimedOut: test.TimedOut, Cut: test.Cut, Duration: test.Duration}
	if !test.Ran {
		return x, fmt.Errorf("%s did not run the command, and does not say why", cmp.Or(result.Machine, "the machine"))
	}
	err = e.read(&x)
	return x, err
}

// task is a job as other machines get it.
func (e *Executor) task(job Job) Task {
	at := func(file string) string { return path.Join(inputTop, file) }
	t := Task{
		Files: e.remote.Auxiliary.beside(&Folder{}, job.Files), Dir: inputTop,
		Command: e.remote.Auxiliary.names(job.argv(func(file string) string { return TopDir + "/" + at(file) }, e.remote.Auxiliary.program)),
		Limit:   e.limits.Timeout, Keep: e.limits.Output, Fresh: job.Again,
		Output: func(name string) string { return path.Join(e.dir, name) },
	}
	if job.Command == nil {
		t.Command[0] = "sh"
	}
	if job.Again {
		t.Salt = "again"
	}
	if len(job.Files) > 0 {
		t.Env = inputEnv(at(job.Files[0].Path))
	}
	return t
}

// perform runs a task, and runs it again if the machines lose it.
func (e *Executor) perform(ctx context.Context, t Task) (TaskResult, error) {
	r := e.remote
	var losses []*LostError
	avoid := t.Avoid
	for {
		r.made++
		t.Name = fmt.Sprintf("gitdd-%d-%d-%d", r.began.UnixMilli(), e.number, r.made)
		t.Lost, t.Avoid = len(losses), append(avoided("", losses), avoid...)
		if err := errors.Join(e.clear(), os.MkdirAll(e.dir, 0o777)); err != nil {
			return TaskResult{}, disk.Wrap("make a directory for what a command prints", err)
		}
		result, err := r.Remote(ctx, t)
		if err == nil {
			return result, ctx.Err()
		}
		if err := r.patience.tryAgain(ctx, r.made, &losses, err, func(*LostError) {}); err != nil {
			return result, lostAtLast(err, len(losses))
		}
	}
}

// lostAtLast returns the error of a task that is given up.
func lostAtLast(err error, losses int) error {
	var lost *LostError
	switch {
	case !errors.As(err, &lost):
		return err
	case lost.Away:
		return &LostError{Reason: "the machines are out of reach", Machine: lost.Machine, Away: true, Err: err}
	}
	return &LostError{Reason: fmt.Sprintf("lost %d times", losses), Machine: lost.Machine, Err: err}
}
