//go:build unix

package trial

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/testcase"
)

func newExecutor(t *testing.T, limits Limits) *Executor {
	t.Helper()
	start := t.TempDir()
	e, err := NewExecutor(filepath.Join(t.TempDir(), "a 'place'"), start, 3, limits)
	if err != nil {
		t.Fatal(err)
	}
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

func TestExecute(t *testing.T) {
	e := newExecutor(t, Limits{Timeout: time.Minute})
	ends := newExecutor(t, Limits{Timeout: time.Second})
	if err := os.WriteFile(filepath.Join(e.start, "tool"), []byte("#!/bin/sh\necho the tool: $1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	files := []testcase.File{{Path: "a.txt", Mode: 0o644, Content: []byte("alpha\n")}, {Path: "b.txt", Mode: 0o644, Content: []byte("beta\n")}}
	names := map[string]string{"{}": "a.txt", "{b}": "b.txt"}
	for _, test := range []struct {
		name string
		job  Job
		want Execution // Stdout and Stderr are parts
	}{
		{"files", Job{Command: []string{"sh", "-c", `cat "$1" "$2"; ls; echo >&2 to the other`, "sh", "{}", "{b}"}}, Execution{Stdout: []byte("alpha\nbeta\na.txt\nb.txt\n"), Stderr: []byte("to the other\n")}},
		{"a line of shell", Job{Line: "cat {b} {}"}, Execution{Stdout: []byte("beta\nalpha\n")}},
		{"a line of shell from where it was started", Job{Line: " ./tool {b}|cat"}, Execution{Stdout: []byte("/in/b.txt\n")}},
		{"environment", Job{Command: []string{"sh", "-c", `echo "$GITDD_WORKER"; cat "$GITDD_INPUT"; cd "$TMPDIR" && ls; cd "$GITDD_DIR" && ls`}}, Execution{Stdout: []byte("3\nalpha\ntool\n")}},
		{"from where it was started", Job{Command: []string{"./tool", "{b}"}}, Execution{Stdout: []byte("/in/b.txt\n")}},
		{"exit status", Job{Command: []string{"sh", "-c", "exit 20"}}, Execution{Exit: 20}},
		{"signal", Job{Command: []string{"sh", "-c", "kill -SEGV $$"}}, Execution{Exit: 139, Signal: "SIGSEGV"}},
		{"caught signal", Job{Command: []string{"sh", "-c", "trap 'exit 11' SEGV; kill -SEGV $$"}}, Execution{Exit: 11}},
		{"no end", Job{Command: []string{"sh", "-c", "echo a; sleep 60"}}, Execution{Exit: 143, Signal: "SIGTERM", TimedOut: true, Stdout: []byte("a\n")}},
		{"no command", Job{Command: []string{"there-is-none"}}, Execution{Exit: 127, Missing: "there-is-none"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.job.Files, test.job.Names = files, names
			e := e
			if test.want.TimedOut {
				e = ends
			}
			x, err := e.Run(t.Context(), test.job)
			if err != nil {
				t.Fatal(err)
			}
			w := test.want
			if x.Exit != w.Exit || x.Signal != w.Signal || x.TimedOut != w.TimedOut || x.Swelled || !strings.Contains(x.Missing, w.Missing) || (x.Missing == "") != (w.Missing == "") {
				t.Errorf("got %+v", x)
			}
			if !strings.HasSuffix(string(x.Stdout), string(w.Stdout)) || !strings.HasSuffix(string(x.Stderr), string(w.Stderr)) {
				t.Errorf("printed %q and %q", x.Stdout, x.Stderr)
			}
			if x.Cut != 0 || test.want.Missing == "" && x.Duration <= 0 {
				t.Errorf("cut %d, took %v", x.Cut, x.Duration)
			}
			if left, err := os.ReadDir(filepath.Dir(e.dir)); err != nil || len(left) > 0 {
				t.Errorf("left %v, %v", left, err)
			}
		})
	}
}

func TestExecuteKilledTwice(t *testing.T) {
	e := newExecutor(t, Limits{})
	script := `echo >>"$GITDD_DIR/runs"; test "$(wc -l <"$GITDD_DIR/runs")" -gt $1 || kill -KILL $$`
	for _, test := range []struct {
		kills  string
		signal string
	}{{"1", ""}, {"9", "SIGKILL"}} {
		os.Remove(filepath.Join(e.start, "runs"))
		x, err := e.Run(t.Context(), Job{Command: []string{"sh", "-c", script, "sh", test.kills}})
		if err != nil || x.Signal != test.signal {
			t.Errorf("killed %s times: %+v, %v", test.kills, x, err)
		}
		if text := read(t, filepath.Join(e.start, "runs")); len(text) != 2 {
			t.Errorf("killed %s times: %d runs", test.kills, len(text))
		}
	}
}

func TestExecuteCut(t *testing.T) {
	e := newExecutor(t, Limits{Output: 100})
	x, err := e.Run(t.Context(), Job{Command: []string{"sh", "-c", "echo begin; seq 1000; echo end"}})
	if err != nil || x.Cut == 0 || !strings.HasPrefix(string(x.Stdout), "begin\n") || !strings.HasSuffix(string(x.Stdout), "end\n") {
		t.Errorf("%+v, %v", x, err)
	}
}

func TestExecuteCancelled(t *testing.T) {
	e := newExecutor(t, Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if x, err := e.Run(ctx, Job{Command: []string{"sleep", "60"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", x, err)
	}
	if x, err := e.Run(t.Context(), Job{Command: []string{"true"}}); err != nil || x.Exit != 0 {
		t.Errorf("the next one: %+v, %v", x, err)
	}
}

func TestExecuteMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		if _, err := NewExecutor(t.TempDir(), "", 0, Limits{Memory: 1}); err == nil {
			t.Error("memory is bounded here?")
		}
		t.Skip("nobody looks at memory here")
	}
	e := newExecutor(t, Limits{Memory: 64 << 20, Timeout: time.Minute})
	x, err := e.Run(t.Context(), Job{Command: []string{"awk", `BEGIN { s = "x"; while (length(s) < 500000000) s = s s; system("sleep 60") }`}})
	if err != nil || !x.Swelled || x.TimedOut || x.Memory < 64<<20 {
		t.Errorf("%+v, %v", x, err)
	}
}

func TestLockDir(t *testing.T) {
	dir := t.TempDir()
	lock, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := LockDir(dir); again != nil || !errors.Is(err, errRunning) || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v, %v", again, err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	lock, err = LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
}
