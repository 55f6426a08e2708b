//go:build unix

package trial

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/testcase"
)

// newRemoteExecutor makes an executor that runs its commands on a cluster, with auxiliary files.
func newRemoteExecutor(t *testing.T, c *cluster, o AuxiliaryOptions, limits Limits) *Executor {
	t.Helper()
	a, err := NewAuxiliary(t.Context(), filepath.Join(t.TempDir(), "auxiliary"), o)
	if err != nil {
		t.Fatal(err)
	}
	c.wrapped = true
	e, err := NewRemoteExecutor(filepath.Join(t.TempDir(), "place"), 3, limits, RemoteOptions{Remote: c.run, Auxiliary: a})
	if err != nil {
		t.Fatal(err)
	}
	e.remote.patience.first = time.Millisecond
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(e.dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("its directory is still there: %v", err)
		}
	})
	return e
}

// On another machine a command ends as it does here, prints the same, and finds its files, its program and what is
// brought along.
func TestExecuteRemotely(t *testing.T) {
	seed.SkipLong(t, 6)
	limits := Limits{Timeout: time.Second, Output: 100}
	here := newExecutor(t, limits)
	here.dir = t.TempDir() // a name without quotes, as that of the other machine
	writeFiles(t, here.start, "tool", "#!/bin/sh\necho the tool: ${1##*/}; cat \"$1\"\n", "lib/words", "of lib\n")
	writeFiles(t, here.dir+".other", "helper", "#!/bin/sh\necho helps\n")
	helper := here.dir + ".other/helper"
	files := []testcase.File{{Path: "a.txt", Mode: 0o644, Content: []byte("alpha\n")}, {Path: "b c.txt", Mode: 0o644, Content: []byte("beta\n")}}
	names := map[string]string{"{}": "a.txt", "{b}": "b c.txt"}
	jobs := []Job{
		{Command: []string{"sh", "-c", `cat "$1" "$2"; ls; echo >&2 to the other`, "sh", "{}", "{b}"}},
		{Line: "cat {b} '{}' | cat"},
		{Line: " ./tool {b}|cat"},
		{Command: []string{"./tool", "{b}"}},
		{Command: []string{helper}},
		{Command: []string{"sh", "-c", `exec "$0"`, helper}},
		{Command: []string{"sh", "-c", `cat "$GITDD_INPUT"; cd "$GITDD_DIR" && cat lib/words; ls`}},
		{Command: []string{"sh", "-c", "exit 20"}},
		{Command: []string{"sh", "-c", "kill -SEGV $$"}},
		{Command: []string{"sh", "-c", "echo a; sleep 60"}},
		{Command: []string{"there-is-none"}},
		{Command: []string{"sh", "-c", "seq 1000"}},
	}
	c := &cluster{t: t}
	there := newRemoteExecutor(t, c, AuxiliaryOptions{Start: here.start, Paths: []string{"lib", "lib/words"}, Jobs: jobs, Programs: []string{helper}}, limits)
	for _, job := range jobs {
		job.Files, job.Names = files, names
		want, err := here.Run(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		got, err := there.Run(t.Context(), job)
		if err != nil {
			t.Fatalf("%v%s: %v", job.Command, job.Line, err)
		}
		if got.Duration > 2*time.Second {
			t.Errorf("%v: %v", job.Command, got.Duration)
		}
		said := want.Missing == "" && (string(got.Stdout) != string(want.Stdout) || string(got.Stderr) != string(want.Stderr))
		if got.Exit != want.Exit || got.TimedOut != want.TimedOut || got.Cut != want.Cut || said {
			t.Errorf("%v%s: got\n%+v, %q, %q, want\n%+v, %q, %q", job.Command, job.Line, got, got.Stdout, got.Stderr, want, want.Stdout, want.Stderr)
		}
	}
	for _, task := range c.tasks {
		if task.Files.Root.Entries[0].Folder != c.tasks[0].Files.Root.Entries[0].Folder {
			t.Error("the tasks do not share the auxiliary files")
		}
	}
	if _, err := NewRemoteExecutor(t.TempDir(), 1, Limits{Memory: 1}, RemoteOptions{}); err == nil {
		t.Error("memory is bounded")
	}
}

// A job that is lost is performed again, on another machine, and is an error at last. What was killed, or late, is
// performed once more, and so is what ran before and has to run again: no cache may answer.
func TestExecuteRemotelyAgain(t *testing.T) {
	c := &cluster{t: t, before: lostTask(2)}
	e := newRemoteExecutor(t, c, AuxiliaryOptions{Start: t.TempDir()}, Limits{Timeout: 100 * time.Millisecond})
	run := func(line string, again bool) (Execution, error) {
		c.tasks = nil
		return e.Run(t.Context(), Job{Line: line, Again: again})
	}
	if x, err := run("exit 3", false); err != nil || x.Exit != 3 || len(c.tasks) != 3 || !slices.Equal(c.tasks[2].Avoid, []string{"bad0", "bad1"}) || c.tasks[2].Lost != 2 {
		t.Errorf("%+v, %v, %d tasks", x, err, len(c.tasks))
	}
	c.before = lostTask(MostLosses)
	var lost *LostError
	if x, err := run("exit 3", false); !errors.As(err, &lost) || lost.Away || !strings.HasPrefix(err.Error(), "lost 5 times: ") {
		t.Errorf("%+v, %v", x, err)
	}
	c.before = nil
	for _, line := range []string{"kill -9 $$", "sleep 60"} {
		if _, err := run(line, false); err != nil || len(c.tasks) != 2 || c.tasks[0].Salt != "" || c.tasks[1].Salt != "+again" || !slices.Equal(c.tasks[1].Avoid, []string{"node1"}) {
			t.Errorf("%s: %v, %+v", line, err, c.tasks)
		}
	}
	if _, err := run("exit 3", true); err != nil || c.tasks[0].Salt != "again" || !c.tasks[0].Fresh {
		t.Errorf("%v, %+v", err, c.tasks)
	}
	c.before = func(context.Context, Task) (TaskResult, error) {
		return TaskResult{}, &LostError{Reason: "nobody answers", Away: true}
	}
	if _, err := run("exit 3", false); !errors.As(err, &lost) || !lost.Away {
		t.Error(err)
	}
}
