//go:build unix

package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/isolate"
)

// A cluster performs tasks on this machine, each in a directory of its own, as a
// wrapper does on another one.
type cluster struct {
	t testing.TB

	// before, if not nil, may end a performance before it begins.
	before func(ctx context.Context, t Task) (TaskResult, error)

	mu    sync.Mutex
	tasks []Task // in the order in which they came
}

func (c *cluster) run(ctx context.Context, t Task) (result TaskResult, err error) {
	c.mu.Lock()
	c.tasks = append(c.tasks, t)
	c.mu.Unlock()
	t.Told(TaskEvent{Stage: "queued"})
	if c.before != nil {
		if result, err = c.before(ctx, t); err != nil || result.Test.Ran {
			return result, err
		}
	}
	t.Told(TaskEvent{Stage: "running", Machine: "node1"})
	result.Machine = "node1"
	top, state := t.Shared, t.State
	if t.Files != nil {
		base := c.t.TempDir()
		defer os.RemoveAll(base)
		top, state = filepath.Join(base, "w"), filepath.Join(base, "state")
		if err := os.Mkdir(top, 0o777); err != nil {
			return result, err
		}
		if err := materialise(ctx, t.Files, top); err != nil {
			return result, err
		}
	}
	part := func(p *Part, name string, argv []string, limit time.Duration) error {
		var files [2]*os.File
		for i, kind := range []string{"out", "err"} {
			if files[i], err = os.Create(t.Output(name + kind)); err != nil {
				return err
			}
			defer files[i].Close()
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir = filepath.Join(top, t.Dir)
		cmd.Env = append(append(os.Environ(), "GITDD_WORKSPACE="+top), t.Env...)
		cmd.Stdout, cmd.Stderr = files[0], files[1]
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		began := time.Now()
		p.Ran = true
		if err := cmd.Start(); err != nil {
			p.Exit = 127
			return nil
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		var timer <-chan time.Time
		if limit > 0 {
			timer = time.After(limit)
		}
		select {
		case <-ended:
		case <-timer:
			p.TimedOut = true
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		case <-ctx.Done():
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
			return ctx.Err()
		}
		p.Duration = time.Since(began).Truncate(time.Millisecond)
		status := cmd.ProcessState.Sys().(syscall.WaitStatus)
		if p.Exit = status.ExitStatus(); status.Signaled() {
			p.Exit = 128 + int(status.Signal())
		}
		return nil
	}
	if _, err := os.Stat(state); err != nil && t.Setup != "" {
		if err := part(&result.Setup, "setup.", []string{"sh", "-c", t.Setup}, 0); err != nil || result.Setup.failed() {
			return result, err
		}
		if err := os.Mkdir(state, 0o777); err != nil {
			return result, err
		}
	}
	if t.Build != "" {
		if err := part(&result.Build, "build.", []string{"sh", "-c", t.Build}, t.BuildLimit); err != nil || result.Build.failed() {
			return result, err
		}
	}
	return result, part(&result.Test, "", t.Command, t.Limit)
}

// lostTask is before of a cluster in which each trial is lost a few times.
func lostTask(times int) func(context.Context, Task) (TaskResult, error) {
	return func(_ context.Context, t Task) (TaskResult, error) {
		if t.Lost < times {
			return TaskResult{}, &LostError{Reason: "the worker was lost", Machine: fmt.Sprintf("bad%d", t.Lost)}
		}
		return TaskResult{}, nil
	}
}

// away is a bench whose trials run on a cluster, with shared workspaces or without.
func (h history) away(c *cluster, shared bool, set func(*Options)) *bench {
	h.t.Helper()
	return h.awayIn(h.session(h.t.TempDir()), c, shared, set)
}

func (h history) awayIn(s *Session, c *cluster, shared bool, set func(*Options)) *bench {
	h.t.Helper()
	c.t = h.t
	b := h.benchIn(s, func(o *Options) {
		set(o)
		o.Remote, o.Shared = c.run, shared
		if shared {
			o.WorkspaceRoot = h.t.TempDir()
		}
	})
	b.patience.first = time.Millisecond
	return b
}

// bothWays runs a test with staged and with shared workspaces.
func bothWays(t *testing.T, do func(t *testing.T, shared bool)) {
	for _, shared := range []bool{false, true} {
		name := map[bool]string{false: "staged", true: "shared"}[shared]
		t.Run(name, func(t *testing.T) { do(t, shared) })
	}
}

// TestAway: a trial elsewhere is recorded, counted and told as one here.
func TestAway(t *testing.T) {
	bothWays(t, func(t *testing.T, shared bool) {
		h := newHistory(t)
		h.commit("good", "d/a", "0\n", "run", "#!/bin/sh\ncat a built; echo $GITDD_ATTEMPT ${GITDD_TRIAL-none} >&2; exit $(cat a)\n")
		h.commit("bad", "d/a", "1\n", "d/b", "1\n")
		var c cluster
		var events []Event
		b := h.away(&c, shared, func(o *Options) {
			o.Setup, o.Build = "echo setup", "echo build; cat a > built; test ! -e broken"
			o.Dir, o.Command = "d", []string{"../run"}
			o.Observe = func(e Event) { events = append(events, e) }
		})
		if e := b.ends(); e.Good.Outcome != isolate.Pass || e.Bad.Outcome != isolate.Fail || e.Bad.Exit != 1 || e.Bad.Machine != "node1" {
			t.Errorf("%+v", e)
		}
		v := b.verdict(b.config("d/a"))
		if got := read(t, v.Stdout); v.Outcome != isolate.Fail || got != "1\n1\n" {
			t.Errorf("%+v printed %q", v, got)
		}
		want := map[bool]string{false: "1 none\n", true: "1 3\n"}[shared]
		if got := read(t, v.Stderr); got != want {
			t.Errorf("the environment is %q", got)
		}
		if v, err := b.Confirm(t.Context(), b.set, b.config("d/a"), isolate.Fail); err != nil || v.Outcome != isolate.Fail || v.Trial != 4 {
			t.Errorf("%+v, %v", v, err)
		}
		if s := b.Stats(); s.Run != 4 || s.Pass != 1 || s.Fail != 3 || s.Cached != 0 {
			t.Errorf("%+v", s)
		}
		for i, rec := range b.sess.Records() {
			if rec.Trial != i+1 || rec.Remote == nil || *rec.Remote != (Away{Machine: "node1"}) {
				t.Errorf("record %+v", rec)
			}
		}
		var salts []string
		for _, task := range c.tasks {
			salts = append(salts, task.Salt)
			if (task.Files == nil) != shared || (task.Shared == "") == shared || !strings.HasPrefix(task.Name, "gitdd-"+b.sess.Name()+"-1-") {
				t.Errorf("task %+v", task)
			}
			if limit := map[bool]time.Duration{false: 0, true: 10 * time.Second}[len(salts) > 2]; task.Limit != limit || task.BuildLimit != limit {
				t.Errorf("task %d has the limits %s and %s", len(salts), task.BuildLimit, task.Limit)
			}
		}
		if diff := cmp.Diff([]string{"", "", "", "confirm"}, salts); diff != "" {
			t.Error(diff)
		}
		var kinds []string
		for _, e := range events {
			if e.Trial == 3 {
				kinds = append(kinds, fmt.Sprint(e.Kind, e.Stage, e.Machine))
			}
		}
		if diff := cmp.Diff([]string{fmt.Sprint(Started), fmt.Sprint(Moved, "queued"), fmt.Sprint(Moved, "running", "node1"), fmt.Sprint(Finished)}, kinds); diff != "" {
			t.Error(diff)
		}
		outputs, err := filepath.Glob(filepath.Join(b.sess.Dir(), trialsDir, "*"))
		if err != nil || len(outputs) != 4*4 {
			t.Errorf("outputs: %v, %v", outputs, err)
		}
		for _, w := range b.workers {
			if w.keeper != nil || w.own.temp != "" {
				t.Error("a worker has a keeper, or a directory, here")
			}
		}
	})
}

// TestLost: a trial that is lost is performed again, on other machines, and counts
// once.
func TestLost(t *testing.T) {
	bothWays(t, func(t *testing.T, shared bool) {
		h := newHistory(t)
		h.commit("good", "a", "0\n")
		h.commit("bad", "a", "1\n")
		c := cluster{before: lostTask(4)}
		b := h.away(&c, shared, script("exit $(cat a)"))
		b.ends()
		if s := b.Stats(); s.Run != 2 || len(c.tasks) != 10 {
			t.Errorf("%+v, %d tasks", s, len(c.tasks))
		}
		names, places := map[string]bool{}, map[string]bool{}
		for i, task := range c.tasks {
			names[task.Name], places[task.Shared] = true, true
			if task.Lost != i%5 || len(task.Avoid) != i%5 || i%5 > 0 && task.Avoid[0] != "bad0" {
				t.Errorf("task %d was lost %d times, on %v", i, task.Lost, task.Avoid)
			}
		}
		if len(names) != 10 {
			t.Errorf("names %v", names)
		}
		if want := map[bool]int{false: 1, true: 9}[shared]; len(places) != want {
			t.Errorf("%d places", len(places))
		}
		for _, rec := range b.sess.Records() {
			if *rec.Remote != (Away{Machine: "node1", Lost: 4}) {
				t.Errorf("%+v", *rec.Remote)
			}
		}
	})
}

// TestGivenUp: what is always lost is unresolved, for now; but an end is an error that
// says so. Whoever resumes the session asks again.
func TestGivenUp(t *testing.T) {
	bothWays(t, func(t *testing.T, shared bool) {
		h := newHistory(t)
		h.commit("good", "a", "0\n", "b", "0\n")
		h.commit("bad", "a", "1\n", "b", "1\n")
		var c cluster
		root := t.TempDir()
		s := h.session(root)
		b := h.awayIn(s, &c, shared, func(o *Options) { script("exit $(cat a)")(o); o.Repeat = 2 })
		b.ends()
		ends := len(c.tasks)
		c.before = lostTask(1000)
		v := b.verdict(b.config("a"))
		if v.Outcome != isolate.Unresolved || v.Reason != "lost 5 times: the worker was lost" || len(c.tasks) != ends+5 {
			t.Errorf("%+v after %d tasks", v, len(c.tasks)-ends)
		}
		if again := b.verdict(b.config("a")); again.Trial != v.Trial || len(c.tasks) != ends+5 {
			t.Errorf("asked again: %+v", again)
		}
		if _, err := b.Confirm(t.Context(), b.set, b.config("a"), isolate.Fail); err == nil || !strings.Contains(err.Error(), "was lost 5 times: the worker was lost: that says nothing about it") {
			t.Errorf("to confirm: %v", err)
		}
		if f := b.Flakiness(); len(f.Torn) != 0 {
			t.Errorf("torn: %+v", f.Torn)
		}
		dir := s.Dir()
		b.close()

		s, err := OpenSession(dir)
		if err != nil {
			t.Fatal(err)
		}
		tasks := len(c.tasks)
		c.before = nil
		b = h.awayIn(s, &c, shared, func(o *Options) { script("exit $(cat a)")(o); o.Repeat = 2 })
		b.ends()
		if len(c.tasks) != tasks {
			t.Errorf("the ends were run again: %d tasks", len(c.tasks)-tasks)
		}
		if v := b.verdict(b.config("a")); v.Outcome != isolate.Fail || len(c.tasks) != tasks+2 {
			t.Errorf("resumed: %+v after %d tasks", v, len(c.tasks)-tasks)
		}
		b.close()

		c.before = lostTask(1000)
		b = h.away(&c, shared, script("exit $(cat a)"))
		_, err = b.Ends(t.Context(), b.set)
		if err == nil || !strings.HasPrefix(err.Error(), "trial 1, of good, was lost 5 times: the worker was lost: that says nothing about it, and the search cannot do without") {
			t.Errorf("a lost end: %v", err)
		}
		if s := b.Stats(); s.Run != 0 || len(b.sess.Records()) != 0 {
			t.Errorf("a lost end counts: %+v", s)
		}
	})
}

// TestRemoteError: an error that is no loss ends the search, and is not tried again.
func TestRemoteError(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	refused := errors.New("you may not")
	c := cluster{before: func(context.Context, Task) (TaskResult, error) { return TaskResult{}, refused }}
	b := h.away(&c, false, script("exit $(cat a)"))
	if _, err := b.Ends(t.Context(), b.set); !errors.Is(err, refused) || len(c.tasks) != 1 {
		t.Errorf("%v after %d tasks", err, len(c.tasks))
	}
}
