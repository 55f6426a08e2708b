//go:build unix

package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/snapshot"
	"github.com/gitdd/gitdd/isolate"
)

// A cluster performs tasks on this machine, each in a directory of its own, as a
// wrapper does on another one.
type cluster struct {
	t testing.TB

	// before, if not nil, may end a performance before it begins.
	before func(ctx context.Context, t Task) (TaskResult, error)

	wrapped bool // tasks are performed by their wrappers, as adapters have it

	mu    sync.Mutex
	tasks []Task // in the order in which they came
}

func (c *cluster) run(ctx context.Context, t Task) (result TaskResult, err error) {
	c.mu.Lock()
	c.tasks = append(c.tasks, t)
	c.mu.Unlock()
	if t.Told == nil {
		t.Told = func(TaskEvent) {}
	}
	t.Told(TaskEvent{State: "queued"})
	if c.before != nil {
		if result, err = c.before(ctx, t); err != nil || result.Build.Ran || result.Test.Ran {
			return result, err
		}
	}
	t.Told(TaskEvent{State: "running", Machine: "node1"})
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
	if c.wrapped {
		return c.wrap(ctx, t, Layout{Top: top, Out: c.t.TempDir(), State: state})
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

// wrap performs a task by its wrapper.
func (c *cluster) wrap(ctx context.Context, t Task, l Layout) (result TaskResult, err error) {
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Stdin = bytes.NewReader(t.Wrapper(l))
	if out, err := cmd.CombinedOutput(); err != nil {
		return result, fmt.Errorf("%w: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(l.Out, OutcomeFile))
	if err == nil {
		result, err = ReadOutcome(text)
	}
	for _, kind := range OutputNames {
		printed, missing := os.ReadFile(filepath.Join(l.Out, kind))
		if missing == nil {
			err = errors.Join(err, os.WriteFile(t.Output(kind), printed, 0o666))
		}
	}
	result.Machine = "node1"
	return result, err
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
	for _, wrapped := range []bool{false, true} {
		testAway(t, wrapped)
	}
}

func testAway(t *testing.T, wrapped bool) {
	bothWays(t, func(t *testing.T, shared bool) {
		h := newHistory(t)
		h.commit("good", "d/a", "0\n", "run", "#!/bin/sh\ncat a built; echo $GITDD_ATTEMPT ${GITDD_TRIAL-none} >&2; exit $(cat a)\n")
		h.commit("bad", "d/a", "1\n", "d/b", "1\n")
		c := cluster{wrapped: wrapped}
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
			if rec.Trial != i+1 || cmp.Diff(&Away{Machine: "node1"}, rec.Remote) != "" {
				t.Errorf("record %+v", rec)
			}
		}
		var salts []string
		for _, task := range c.tasks {
			salts = append(salts, task.Salt)
			if task.Fresh != (task.Salt == "confirm") || (task.Files == nil) != shared || (task.Shared == "") == shared || !strings.HasPrefix(task.Name, "gitdd-"+b.sess.Name()+"-1-") {
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
				kinds = append(kinds, fmt.Sprint(e.Kind, e.State, e.Machine))
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
			if w.processes != (process.Runner{}) || w.own.temp != "" {
				t.Error("a worker has a supervisor, or a directory, here")
			}
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

// TestKilledAway: what is killed is tried once more, under another name for caches, and
// is then unresolved; unless that is how it fails.
func TestKilledAway(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n", "build", "true\n", "setup", "true\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "build", "true\n", "setup", "true\n", "c", "1\n")
	for _, test := range []struct {
		name, script, build, setup string
		salts                      []string // of the trial in between
		want                       isolate.Outcome
		reason                     string
	}{
		{"once", "test -e c && exit 1; test $(cat a) = 0 || test -n \"$AGAIN\" || kill -9 $$", "", "", []string{"", "+killed"}, isolate.Pass, "exit 0"},
		{"twice", "test -e c && exit 1; test $(cat a) = 0 || kill -9 $$", "", "", []string{"", "+killed"}, isolate.Unresolved,
			"another failure: exit 137; at the failing end: exit 1, twice: as what is killed, for want of memory most of the time"},
		{"in the build", "test ! -e c", "test -e c || test $(cat a) = 0 || kill -9 $$", "", []string{"", "+killed"}, isolate.Unresolved,
			"the build failed: exit 137, twice: as what is killed, for want of memory most of the time"},
		{"in the setup", "test ! -e c", "", "test -e c || test $(cat a) = 0 || kill -9 $$", []string{"", "+killed"}, isolate.Unresolved,
			"the setup failed: exit 137, twice: as what is killed, for want of memory most of the time"},
		{"as the failing end", "test $(cat a) = 0 || kill -9 $$", "", "", []string{""}, isolate.Fail, "exit 137"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := history{t, h.dir}
			var c cluster
			b := h.away(&c, false, func(o *Options) {
				script(test.script)(o)
				o.Build, o.Setup = test.build, test.setup
			})
			c.before = func(_ context.Context, task Task) (TaskResult, error) {
				if task.Salt == "+killed" && test.name == "once" {
					return TaskResult{Test: Part{Ran: true}, Cached: true}, nil
				}
				return TaskResult{}, nil
			}
			b.ends()
			ends := len(c.tasks)
			v := b.verdict(b.config("a"))
			var salts []string
			for _, task := range c.tasks[ends:] {
				salts = append(salts, task.Salt)
			}
			if diff := cmp.Diff(test.salts, salts); diff != "" || v.Outcome != test.want || v.Reason != test.reason || v.Cached {
				t.Errorf("%s%v, %q; want %v, %q", diff, v.Outcome, v.Reason, test.want, test.reason)
			}
			if s := b.Stats(); s.Run != 3 || s.Cached != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestLateAway: what has no end in time on one machine is performed once more, under
// another name for caches and on another machine, for the first may have been slow; not
// where the failing end has none.
func TestLateAway(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n", "c", "1\n")
	late, inTime := Part{Ran: true, Exit: 143, TimedOut: true}, Part{Ran: true}
	for _, test := range []struct {
		name          string
		bad           Part       // of the failing end
		first, second TaskResult // of the trial in between
		salts         []string   // of that
		want          isolate.Outcome
		reason        string
	}{
		{"once", Part{Ran: true, Exit: 1}, TaskResult{Test: late}, TaskResult{Test: inTime}, []string{"", "+late"}, isolate.Pass, "exit 0"},
		{"twice", Part{Ran: true, Exit: 1}, TaskResult{Test: late}, TaskResult{Test: late}, []string{"", "+late"}, isolate.Unresolved,
			"another failure: timed out after 20s; at the failing end: exit 1, twice"},
		{"in the build", Part{Ran: true, Exit: 1}, TaskResult{Build: late}, TaskResult{Build: inTime, Test: inTime}, []string{"", "+late"}, isolate.Pass, "exit 0"},
		{"as the failing end", late, TaskResult{Test: late}, TaskResult{}, []string{""}, isolate.Fail, "timed out after 20s"},
		{"in the build, and not as the failing end", late, TaskResult{Build: late}, TaskResult{Build: late}, []string{"", "+late"}, isolate.Unresolved,
			"the build failed: timed out after 10s, twice"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := history{t, h.dir}
			var c cluster
			ends := 0
			b := h.away(&c, false, func(o *Options) {
				script("exit 9")(o)
				o.Build, o.Timeout = "true", 20*time.Second
			})
			c.before = func(_ context.Context, task Task) (TaskResult, error) {
				r := test.first
				switch {
				case ends == 0:
					r = TaskResult{Test: inTime}
					if entry, _ := snapshot.Find(task.Files.Root, "c"); entry.File != nil {
						r.Test = test.bad
					}
				case strings.HasSuffix(task.Salt, "+late"):
					r = test.second
					if !slices.Equal(task.Avoid, []string{"slow"}) {
						t.Errorf("it avoids %q", task.Avoid)
					}
				default:
					r.Machine = "slow"
				}
				r.Build.Ran = true
				return r, nil
			}
			b.ends()
			ends = len(c.tasks)
			v := b.verdict(b.config("a"))
			var salts []string
			for _, task := range c.tasks[ends:] {
				salts = append(salts, task.Salt)
			}
			if diff := cmp.Diff(test.salts, salts); diff != "" || v.Outcome != test.want || v.Reason != test.reason {
				t.Errorf("%s%v, %q; want %v, %q", diff, v.Outcome, v.Reason, test.want, test.reason)
			}
		})
	}
}

// TestAwaySetup: a setup that fails is an error at an end, and else as a build.
func TestAwaySetup(t *testing.T) {
	bothWays(t, func(t *testing.T, shared bool) {
		h := newHistory(t)
		h.commit("good", "a", "0\n", "b", "0\n")
		h.commit("bad", "a", "1\n", "b", "1\n")
		var c cluster
		b := h.away(&c, shared, func(o *Options) { o.Setup = "echo sorry; exit 3" })
		_, err := b.Ends(t.Context(), b.set)
		want := `"echo sorry; exit 3" on another machine, for good: the setup failed: exit 3, output line "sorry"; all that it printed is in `
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Fatalf("%v", err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(err.Error(), want), " and .err")
		if got := read(t, name); got != "sorry\n" {
			t.Errorf("%s holds %q", name, got)
		}
		b.close()
		b = h.away(&c, shared, func(o *Options) {
			o.Setup, o.Clean = "echo $(cat a b) >&2; test \"$(cat a b | tr -d '\\n')\" != 10", true
			script("exit $(cat b)")(o)
		})
		b.ends()
		v := b.verdict(b.config("a"))
		if v.Outcome != isolate.Unresolved || v.Reason != "the setup failed: exit 1" || v.LastLine != "1 0" || read(t, v.Stderr) != "1 0\n" {
			t.Errorf("%+v", v)
		}
		if v := b.verdict(b.config("b")); v.Outcome != isolate.Fail {
			t.Errorf("%+v", v)
		}
	})
}

// TestAwayCached: an outcome that a cache of the cluster had is no trial, but has a
// record; what confirms and repeats does not ask for the same.
func TestAwayCached(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n", "b", "0\n")
	h.commit("bad", "a", "1\n", "b", "1\n")
	cache := map[string]TaskResult{}
	both := func() (*cluster, *bench) {
		var c cluster
		b := h.away(&c, false, func(o *Options) { script("exit $(cat a)")(o); o.Repeat = 2 })
		inner := b.opts.Remote
		b.opts.Remote = func(ctx context.Context, task Task) (TaskResult, error) {
			var files strings.Builder
			walkSnapshot(task.Files.Root, "", func(path string, e Entry) {
				if e.File != nil {
					fmt.Fprintln(&files, path, e.File.Sum)
				}
			})
			key := fmt.Sprint(files.String(), task.Command, task.Env, task.Limit, task.Salt)
			if had, ok := cache[key]; ok {
				had.Cached, had.Machine = true, ""
				return had, nil
			}
			result, err := inner(ctx, task)
			result.Test.Duration = 1250 * time.Millisecond
			cache[key] = result
			return result, err
		}
		b.ends()
		b.verdict(b.config("a"))
		for range 2 {
			if v, err := b.Confirm(t.Context(), b.set, b.config("a"), isolate.Fail); err != nil || v.Outcome != isolate.Fail {
				t.Errorf("%+v, %v", v, err)
			}
		}
		return &c, b
	}
	_, first := both()
	if s := first.Stats(); s.Run != 10 || s.Cached != 0 || len(cache) != 10 || s.Testing != 10*1250*time.Millisecond {
		t.Errorf("at first %+v, %d in the cache", s, len(cache))
	}
	c, second := both()
	if s := second.Stats(); s.Run != 0 || s.Cached != 10 || s.Pass+s.Fail+s.Unresolved != 0 || s.Testing != 0 || len(c.tasks) != 0 {
		t.Errorf("then %+v", s)
	}
	for i, rec := range second.sess.Records() {
		if rec.Trial != i+1 || !rec.Remote.Cached || rec.Seconds != 1.25 {
			t.Errorf("%+v", rec)
		}
	}
	if l := second.rules().limits; l.test != 20*time.Second || l.build != 10*time.Second {
		t.Errorf("limits of %s and %s", l.build, l.test)
	}
	if v := second.verdict(second.config("a")); !v.Cached || v.Duration != 1250*time.Millisecond {
		t.Errorf("%+v", v)
	}
}

func TestSharedLimit(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{
		0: 10 * time.Second, 10 * time.Second: 10 * time.Second, 10*time.Second + 1: 20 * time.Second,
		40 * time.Second: 40 * time.Second, 45 * time.Second: 80 * time.Second, 24 * time.Hour: 163840 * time.Second,
	} {
		if got := sharedLimit(d); got != want {
			t.Errorf("%s becomes %s, want %s", d, got, want)
		}
	}
}

func TestPatience(t *testing.T) {
	p := patienceOf(Options{})
	for losses := 1; losses < 100; losses++ {
		mean := min(time.Second<<min(losses-1, 20), 30*time.Second)
		seen := map[time.Duration]bool{}
		for trial := range 50 {
			d := p.wait(trial, losses, 0)
			if seen[d] = true; d < mean*3/4 || d > mean*5/4 {
				t.Errorf("after %d losses trial %d waits %s", losses, trial, d)
			}
		}
		if len(seen) < 25 {
			t.Errorf("after %d losses 50 trials wait %d times", losses, len(seen))
		}
	}
	for asked, want := range map[time.Duration]time.Duration{5 * time.Minute: 5 * time.Minute, 365 * 24 * time.Hour: 15 * time.Minute} {
		if d := p.wait(1, 1, asked); d != want {
			t.Errorf("it waits %s where %s were asked for", d, asked)
		}
	}
	if p := patienceOf(Options{Patience: 10 * time.Second}); p.first > 20*time.Millisecond || p.most > time.Second {
		t.Errorf("who is not patient waits %s, and %s at last", p.first, p.most)
	}
}

// TestRemoteRefused: what other machines cannot keep to is said at once.
func TestRemoteRefused(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	remote := (&cluster{}).run
	for want, set := range map[string]func(*Options){
		"trials on other machines only":           func(o *Options) { o.Shared = true },
		"no directory for workspaces":             func(o *Options) { o.Remote, o.Shared = remote, true },
		"cannot be bounded on other machines":     func(o *Options) { o.Remote, o.MaxDisk = remote, 1 },
		"cannot be bounded on other":              func(o *Options) { o.Remote, o.MaxMemory = remote, 1 },
		"artifacts of trials on other machines c": func(o *Options) { o.Remote, o.Artifacts = remote, []string{"a"} },
	} {
		if _, err := h.tryBench(h.session(t.TempDir()), set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestAwayCannotRun: where the command is not there, the other machine may be at fault.
func TestAwayCannotRun(t *testing.T) {
	h := newHistory(t)
	h.commit("good", "a", "0\n")
	h.commit("bad", "a", "1\n")
	for _, test := range []struct {
		command []string
		hint    string
	}{
		{[]string{"nosuch-command"}, "it ran on another machine, which has programs of its own: `gitdd doctor` looks there"},
		{[]string{"sh", "-c", "nosuch-command"}, "it ran on another machine, which has programs of its own: `gitdd doctor` looks there"},
		{[]string{"test -e a"}, "the command is run without a shell, and this is one word of it: for a line of shell, -- sh -c 'test -e a'"},
	} {
		b := h.away(&cluster{}, false, func(o *Options) { o.Command = test.command })
		_, err := b.Ends(t.Context(), b.set)
		var cannot *CommandError
		if !errors.As(err, &cannot) || cannot.Exit != 127 || cannot.Hint != test.hint {
			t.Errorf("%q: %+v", test.command, err)
		}
	}
}
