//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// do runs p with k; an error ends the test.
func do(t testing.TB, k *supervisor, p Command) Exit {
	t.Helper()
	e, err := k.run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestExitCodes(t *testing.T) {
	k := newSupervisor(t)
	for _, code := range []int{0, 1, 125, 126, 127, 200, 255} {
		p := shell(t, fmt.Sprintf("echo out; echo err >&2; exit %d", code))
		e, err := k.run(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if e.Duration <= 0 || e.Duration > time.Minute {
			t.Errorf("exit %d: duration %v", code, e.Duration)
		}
		e.Duration, e.CPU, e.Memory = 0, 0, 0 // its memory is seen if it takes long enough for a look
		if want := (Exit{Code: code, Started: true}); e != want {
			t.Errorf("exit %d: got %+v", code, e)
		}
		if out, errs := read(t, p.Stdout), read(t, p.Stderr); out != "out\n" || errs != "err\n" {
			t.Errorf("exit %d: stdout %q, stderr %q", code, out, errs)
		}
	}
}

func TestKilledBySignal(t *testing.T) {
	k := newSupervisor(t)
	for _, s := range []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGPIPE, unix.SIGSEGV, unix.SIGABRT, unix.SIGKILL, unix.SIGTERM} {
		e := do(t, k, shell(t, fmt.Sprintf("kill -%d $$; sleep 60", s)))
		if e.Code != 128+int(s) || e.Signal != unix.SignalName(s) || e.TimedOut || !e.Started {
			t.Errorf("%s: got %+v", unix.SignalName(s), e)
		}
	}
}

// A command is found, refused and given to a shell as execvp(3) does it.
func TestLookup(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("test.sh", "#!/bin/sh\necho \"$@\"\nexit 3\n", 0o777)
	write("bin/tool", "#!/bin/sh\nexit 4\n", 0o777)
	write("locked/tool", "#!/bin/sh\nexit 5\n", 0o666)
	write("plain", "exit 6\n", 0o777)
	write("empty", "", 0o777)
	write("data", "exit 0\n", 0o666)
	write("orphan", "#!/no/such/interpreter\n", 0o777)
	write("garbage", "\x7fELX\x00\x01\x02", 0o777)
	write("tree/file", "", 0o666)

	abs := filepath.Join(dir, "test.sh")
	k := newSupervisor(t)
	for _, row := range []struct {
		name string
		path string // PATH, "-" for none
		code int
		why  failure
	}{
		{"sh", "/usr/bin:/bin", 0, 0},
		{"sh", "-", 0, 0},
		{"./test.sh", "/bin", 3, 0},
		{abs, "/bin", 3, 0},
		{"tool", "/nowhere:bin", 4, 0},
		{"test.sh", "/bin:", 3, 0},
		{"tool", "locked:bin", 4, 0},
		{"tool", "bin/tool:bin", 4, 0},
		{"./plain", "/bin", 6, 0},
		{"plain", ".", 6, 0},
		{"./empty", "/bin", 0, 0},
		{"tool", "locked", 126, notExecutable},
		{"tool", "locked:/nowhere", 126, notExecutable},
		{"./data", "/bin", 126, notExecutable},
		{"./tree", "/bin", 126, notExecutable},
		{"tree", ".", 126, notExecutable},
		{"./orphan", "/bin", 126, notExecutable},
		{"./garbage", "/bin", 126, notExecutable},
		{"./absent", "/bin", 127, notFound},
		{"./test.sh/absent", "/bin", 127, notFound},
		{"gitdd-absent", "/bin", 127, notFound},
		{"test.sh", "/bin", 127, notFound},
		{"", "/bin", 127, notFound},
	} {
		p := Command{Argv: []string{row.name, "-c", "exit 0"}, Dir: dir, Env: []string{"PATH=" + row.path}}
		if row.path == "-" {
			p.Env = []string{}
		}
		e := do(t, k, p)
		if e.Code != row.code || e.Failure != row.why || e.Started != (row.why == 0) || (e.Error == "") != e.Started {
			t.Errorf("%q with PATH=%s: got %+v, want code %d, failure %d", row.name, row.path, e, row.code, row.why)
		}
	}

	p := Command{Argv: []string{"./test.sh", "a", "b c", "\xff"}, Dir: dir, Stdout: filepath.Join(dir, "out")}
	do(t, k, p)
	if got := read(t, p.Stdout); got != "a b c \xff\n" {
		t.Errorf("arguments: %q", got)
	}
	p.Dir = filepath.Join(dir, "absent")
	if e := do(t, k, p); e.Failure != noDirectory || e.Code != 127 || !strings.Contains(e.Error, p.Dir) {
		t.Errorf("absent directory: %+v", e)
	}
	p.Dir, p.Stdout = dir, filepath.Join(dir, "absent", "out")
	if _, err := k.run(t.Context(), p); err == nil || !strings.Contains(err.Error(), p.Stdout) {
		t.Errorf("output file in an absent directory: error %v", err)
	}
}

// A file that somebody still holds open for writing is waited for.
func TestTextFileBusy(t *testing.T) {
	k := newSupervisor(t)
	p := shell(t, "")
	p.Argv = []string{"./command"}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(p.Dir, "command"), os.O_CREATE|os.O_WRONLY, 0o777)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(program); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { f.Close() })
	p.Argv = append(p.Argv, "-test.run=^$")
	if e := do(t, k, p); e.Code != 0 {
		t.Errorf("got %+v, stderr %q", e, read(t, p.Stderr))
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("GITDD_TEST_INHERITED", "yes")
	k := newSupervisor(t)
	p := shell(t, "env; cat; pwd")
	do(t, k, p)
	lines := strings.Split(read(t, p.Stdout), "\n")
	if !slices.Contains(lines, "GITDD_TEST_INHERITED=yes") {
		t.Error("nil does not mean the environment of gitdd")
	}
	if !slices.Contains(lines, "PWD="+p.Dir) {
		t.Errorf("PWD is not the directory: %q", lines)
	}
	for _, line := range lines {
		if strings.HasPrefix(line, supervisorMark+"=") {
			t.Errorf("the command sees %s", line)
		}
	}
	p.Argv = []string{"/usr/bin/env"}
	p.Env = []string{"A=1", "B=2", "A=3", "PWD=/", "C=\xff"}
	do(t, k, p)
	got := strings.Split(strings.TrimSpace(read(t, p.Stdout)), "\n")
	slices.Sort(got)
	if want := []string{"A=3", "B=2", "C=\xff", "PWD=" + p.Dir}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOutputFiles(t *testing.T) {
	k := newSupervisor(t)
	p := shell(t, "echo 1; echo 2 >&2; echo 3; echo 4 >&2")
	p.Stderr = p.Stdout
	if err := os.WriteFile(p.Stdout, []byte("the output of the trial before\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	do(t, k, p)
	if got := read(t, p.Stdout); got != "1\n2\n3\n4\n" {
		t.Errorf("one file for both: %q", got)
	}
	// The second echo empties the file; a plain offset would then leave a hole.
	p.Argv[2] = "echo before; echo 2 >/dev/stdout; echo 3"
	do(t, k, p)
	if got := read(t, p.Stdout); got != "2\n3\n" {
		t.Errorf("file emptied by the command: %q", got)
	}
	p.Stdout, p.Stderr = "", ""
	if e := do(t, k, p); e.Code != 0 {
		t.Errorf("output discarded: %+v", e)
	}
}

func TestHugeOutput(t *testing.T) {
	t.Parallel()
	k := newSupervisor(t)
	const size = 100_000_000
	p := shell(t, fmt.Sprintf("head -c %d /dev/zero; head -c %d /dev/zero >&2", size, size))
	if e := do(t, k, p); e.Code != 0 {
		t.Fatalf("got %+v", e)
	}
	for _, name := range []string{p.Stdout, p.Stderr} {
		if info, err := os.Stat(name); err != nil || info.Size() != size {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestTimeout(t *testing.T) {
	for _, row := range []struct {
		script string
		grace  time.Duration
		code   int
		signal string
	}{
		{"sleep 60", 0, 143, "SIGTERM"},
		{"exec sleep 60", 0, 143, "SIGTERM"},
		{"trap 'echo cleaned; exit 7' TERM; sleep 60", 0, 7, ""},
		{"trap 'exit 0' TERM; sleep 60 & wait", 0, 0, ""},
		{"trap '' TERM; sleep 60", 20 * time.Millisecond, 137, "SIGKILL"},
		{"kill -STOP $$; sleep 60", 0, 143, "SIGTERM"},
	} {
		t.Run(row.script, func(t *testing.T) {
			t.Parallel()
			p := shell(t, row.script)
			p.Timeout, p.Grace = time.Second, row.grace
			e := do(t, newSupervisor(t), p)
			if !e.TimedOut || e.Code != row.code || e.Signal != row.signal || e.Duration < p.Timeout {
				t.Errorf("got %+v", e)
			}
			if strings.Contains(row.script, "cleaned") && read(t, p.Stdout) != "cleaned\n" {
				t.Error("had no time to clean up")
			}
		})
	}
	p := shell(t, "exit 3")
	p.Timeout = time.Hour
	if e := do(t, newSupervisor(t), p); e.TimedOut || e.Code != 3 {
		t.Errorf("not timed out: %+v", e)
	}
}

func TestCancel(t *testing.T) {
	k := newSupervisor(t)
	for _, script := range []string{"sleep 60", "trap '' TERM; sleep 60 & wait; wait"} {
		p := shell(t, "echo $$ >pid; "+script)
		p.Grace = 20 * time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			defer cancel()
			eventually(t, "the command runs", func() bool { return fileHasText(filepath.Join(p.Dir, "pid")) })
		}()
		if _, err := k.run(ctx, p); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: error %v", script, err)
		}
		if group := number(t, filepath.Join(p.Dir, "pid")); unix.Kill(-group, 0) == nil {
			t.Errorf("%s: process group %d is still there", script, group)
		}
		if _, err := k.run(ctx, p); !errors.Is(err, context.Canceled) {
			t.Errorf("started although cancelled: error %v", err)
		}
		if e := do(t, k, shell(t, "exit 9")); e.Code != 9 {
			t.Errorf("the run after a cancelled one: %+v", e)
		}
	}
}

// A cancel that crosses the reply must not hit the next run.
func TestCancelCrossesReply(t *testing.T) {
	k := newSupervisor(t)
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		p := shell(t, "")
		p.Argv = []string{"true"}
		go cancel()
		if e, err := k.run(ctx, p); err == nil && e.Code != 0 || err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("got %+v, %v", e, err)
		}
		if e := do(t, k, shell(t, "exit 5")); e.Code != 5 {
			t.Fatalf("the run after: %+v", e)
		}
		cancel()
	}
}

func TestCloseEndsTheCommand(t *testing.T) {
	k := newSupervisor(t)
	p := shell(t, "echo $$ >pid; sleep 60")
	result := make(chan error)
	go func() {
		_, err := k.run(t.Context(), p)
		result <- err
	}()
	eventually(t, "the command runs", func() bool { return fileHasText(filepath.Join(p.Dir, "pid")) })
	if err := k.close(); err != nil {
		t.Error(err)
	}
	if err := <-result; !errors.Is(err, ErrGone) {
		t.Errorf("error of the run: %v", err)
	}
	if group := number(t, filepath.Join(p.Dir, "pid")); unix.Kill(-group, 0) == nil {
		t.Errorf("process group %d is still there", group)
	}
}

// Nothing that a terminal or an idle hand sends ends a supervisor.
func TestSupervisorIgnoresSignals(t *testing.T) {
	k := newSupervisor(t)
	for _, s := range []syscall.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGTSTP, unix.SIGPIPE, unix.SIGABRT, unix.SIGUSR1, unix.SIGALRM} {
		p := shell(t, fmt.Sprintf("kill -%d $PPID; exit 4", s))
		if e := do(t, k, p); e.Code != 4 {
			t.Errorf("%s: got %+v", unix.SignalName(s), e)
		}
	}
}

func TestBackgroundProcessAfterExit(t *testing.T) {
	k := newSupervisor(t)
	p := shell(t, "sleep 1000 & echo $! >pid; exit 0")
	e := do(t, k, p)
	if e.Code != 0 || e.Signal != "" || e.TimedOut || e.Leftovers != 1 {
		t.Errorf("got %+v", e)
	}
	if e.Duration > 10*time.Minute {
		t.Errorf("duration %v is that of the background process", e.Duration)
	}
	if pid := number(t, filepath.Join(p.Dir, "pid")); unix.Kill(pid, 0) == nil {
		t.Errorf("process %d is still there", pid)
	}
}

func fileHasText(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && strings.HasSuffix(string(text), "\n")
}

func number(t testing.TB, path string) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(read(t, path), &n); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return n
}
