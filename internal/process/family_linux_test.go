package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func init() {
	roles["role-escape"] = escape
	roles["role-flee"] = flee
	roles["role-gitdd"] = gitdd
	roles["role-block-signals"] = blockSignals
	roles["role-headless"] = headless
	if len(os.Args) > 1 && os.Args[1] == "role-headless" {
		runtime.LockOSThread() // keeps the main goroutine on the first thread
	}
}

// escape forks as many times as its first argument says, each time into a new
// session, with an empty environment and no open file, and exits; the last one
// writes its number to the file of its second argument and stays. With a third
// argument it ignores SIGTERM.
func escape(args []string) {
	forks, err := strconv.Atoi(args[0])
	if err != nil {
		panic(err)
	}
	if forks > 0 {
		args[0] = strconv.Itoa(forks - 1)
		argv := append([]string{os.Args[0], "role-escape"}, args...)
		if _, err := syscall.ForkExec("/proc/self/exe", argv, &syscall.ProcAttr{
			Env: []string{},
			Sys: &syscall.SysProcAttr{Setsid: true},
		}); err != nil {
			panic(err)
		}
		return
	}
	signals := make(chan os.Signal, 1)
	if len(args) > 2 {
		signal.Notify(signals) // catches SIGTERM as well as ignoring it would
	}
	if err := os.WriteFile(args[1]+"~", fmt.Appendln(nil, os.Getpid()), 0o666); err != nil {
		panic(err)
	}
	if err := os.Rename(args[1]+"~", args[1]); err != nil {
		panic(err)
	}
	for {
		time.Sleep(time.Hour)
	}
}

// escapee is a script that starts an escapee and waits for it, then goes on.
func escapee(t testing.TB, name string, forks int, args, then string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("'%s' role-escape %d %s %s & until [ -s %s ]; do sleep 0.01; done; %s", self, forks, name, args, name, then)
}

// untilWritten runs a process that only its time limit ends, each time with twice the limit,
// until the process has written a file: on a busy machine an escapee takes seconds to start.
func untilWritten(p Command, file string, run func(Command)) {
	for p.Timeout = time.Second; p.Timeout < 2*time.Minute; p.Timeout *= 2 {
		run(p)
		if _, err := os.Stat(filepath.Join(p.Dir, file)); err == nil {
			return
		}
	}
}

// alive reports whether the process runs: one that only waits to be reaped by
// its parent does not.
func alive(t testing.TB, pid int) bool {
	t.Helper()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	s, ok := parseStat(pid, line)
	return ok && !s.dead()
}

func TestEscapees(t *testing.T) {
	for _, row := range []struct {
		name, args, then string
		forks            int
		timeout          bool
		code             int
	}{
		{"setsid", "", "exit 0", 1, false, 0},
		{"double fork", "", "exit 1", 2, false, 1},
		{"five forks, deaf to SIGTERM", "deaf", "exit 0", 5, false, 0},
		{"timeout", "", "sleep 60", 2, true, 143},
		{"timeout, deaf to SIGTERM", "deaf", "sleep 60", 2, true, 143},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := shell(t, escapee(t, "pid", row.forks, row.args, row.then))
			p.Grace = 2 * time.Second
			var e Exit
			run := func(p Command) { e = do(t, newSupervisor(t), p) }
			if row.timeout {
				untilWritten(p, "pid", run)
			} else {
				run(p)
			}
			if pid := number(t, filepath.Join(p.Dir, "pid")); alive(t, pid) {
				t.Errorf("process %d escaped", pid)
			}
			if e.Code != row.code || e.TimedOut != row.timeout {
				t.Errorf("got %+v", e)
			}
			// The forks before the last one may still be about to exit, and on a
			// timeout all get SIGTERM at once and end in any order.
			if e.Leftovers > row.forks+1 || e.Leftovers < 1 && !row.timeout {
				t.Errorf("%d processes left after %d forks", e.Leftovers, row.forks)
			}
		})
	}
}

// flee forks into a new session and exits, again and again, deaf to SIGTERM: no
// process of the chain lives long. Each adds a byte to the file of the second
// argument. The chain has an end, for the case that nobody catches it.
func flee(args []string) {
	signal.Ignore(unix.SIGTERM)
	hops, err := strconv.Atoi(args[0])
	if err != nil {
		panic(err)
	}
	f, err := os.OpenFile(args[1], os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		panic(err)
	}
	f.WriteString(".")
	if hops > 1 {
		argv := []string{os.Args[0], "role-flee", strconv.Itoa(hops - 1), args[1]}
		syscall.ForkExec("/proc/self/exe", argv, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Setsid: true}})
	}
}

// A process that is gone before the signal arrives is caught in its children.
func TestForkChain(t *testing.T) {
	t.Parallel()
	const hops = 10_000
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := shell(t, "")
	trace := filepath.Join(p.Dir, "trace")
	p.Argv = []string{self, "role-flee", strconv.Itoa(hops), trace}
	if e := do(t, newSupervisor(t), p); e.Code != 0 || e.Leftovers == 0 {
		t.Errorf("got %+v", e)
	}
	if n := len(read(t, trace)); n == hops {
		t.Error("the chain came to its own end")
	} else {
		t.Logf("caught after %d processes", n)
	}
}

// headless ends its first thread, and is an escapee in the others.
func headless(args []string) {
	go func() {
		for {
			line, err := os.ReadFile("/proc/self/stat")
			if err != nil {
				panic(err)
			}
			if s, ok := parseStat(os.Getpid(), line); ok && s.state == 'Z' {
				break
			}
			time.Sleep(time.Millisecond)
		}
		escape(append([]string{"0"}, args...))
	}()
	// Of the thread, not of the process; a raw call would take a processor of GOMAXPROCS
	// away with it, and on a machine with one the rest would wait for ever.
	unix.Syscall(unix.SYS_EXIT, 0, 0, 0)
}

// A process without its first thread looks dead in /proc, but is not.
func TestFirstThreadEnded(t *testing.T) {
	k := newSupervisor(t)
	p := shell(t, strings.Replace(escapee(t, "pid", 0, "", "exit 0"), "role-escape 0", "role-headless", 1))
	e := do(t, k, p)
	if pid := number(t, filepath.Join(p.Dir, "pid")); alive(t, pid) || e.Leftovers != 1 {
		t.Errorf("process %d, exit %+v", pid, e)
	}
}

// A trial that kills its supervisor loses the run, but nothing escapes either:
// then gitdd is the subreaper.
func TestCommandKillsItsSupervisor(t *testing.T) {
	other := newSupervisor(t)
	otherCommand := shell(t, escapee(t, "pid", 2, "", "until [ -e done ]; do sleep 0.01; done"))
	var e Exit
	var wait sync.WaitGroup
	wait.Go(func() { e = do(t, other, otherCommand) })
	eventually(t, "the other command runs", func() bool { return fileHasText(filepath.Join(otherCommand.Dir, "pid")) })

	for _, args := range []string{"", "deaf"} {
		k := newSupervisor(t)
		p := shell(t, escapee(t, "pid", 3, args, "echo $$ >self; kill -KILL $PPID; sleep 60"))
		if _, err := k.run(t.Context(), p); !errors.Is(err, ErrGone) {
			t.Fatalf("error %v", err)
		} else if !strings.Contains(err.Error(), "killed") {
			t.Errorf("the error does not say what happened: %v", err)
		}
		for _, name := range []string{"pid", "self"} {
			if pid := number(t, filepath.Join(p.Dir, name)); alive(t, pid) {
				t.Errorf("process %d (%s) is still there", pid, name)
			}
		}
		if err := k.close(); !errors.Is(err, ErrGone) {
			t.Errorf("close: %v", err)
		}
	}

	if pid := number(t, filepath.Join(otherCommand.Dir, "pid")); !alive(t, pid) {
		t.Error("a process of another supervisor was ended")
	}
	if err := os.WriteFile(filepath.Join(otherCommand.Dir, "done"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	wait.Wait()
	if e.Code != 0 || e.Leftovers < 1 {
		t.Errorf("the command of the other supervisor: %+v", e)
	}
}

// A stopped supervisor cannot keep the time any more.
func TestCommandStopsItsSupervisor(t *testing.T) {
	t.Parallel()
	p := shell(t, escapee(t, "pid", 2, "deaf", "kill -STOP $PPID; : >stopped; sleep 60"))
	p.Grace = 100 * time.Millisecond
	var err error
	untilWritten(p, "stopped", func(p Command) {
		k := newSupervisor(t)
		k.patience = 100 * time.Millisecond
		_, err = k.run(t.Context(), p)
	})
	if !errors.Is(err, ErrGone) {
		t.Fatalf("error %v", err)
	}
	if pid := number(t, filepath.Join(p.Dir, "pid")); alive(t, pid) {
		t.Errorf("process %d is still there", pid)
	}
}

// gitdd runs the command of its arguments under a supervisor.
func gitdd(args []string) {
	k, err := startSupervisor()
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile("supervisor", fmt.Appendln(nil, k.cmd.Process.Pid), 0o666); err != nil {
		panic(err)
	}
	if _, err := k.run(context.Background(), Command{Argv: args, Dir: ".", Stdout: "stdout"}); err != nil {
		panic(err)
	}
}

func TestKillGitdd(t *testing.T) {
	for _, args := range []string{"", "deaf"} {
		dir := t.TempDir()
		gitdd := exec.Command("/proc/self/exe", "role-gitdd", "sh", "-c", escapee(t, "pid", 2, args, "echo $$ >self; sleep 60"))
		gitdd.Dir = dir
		if err := gitdd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the command runs", func() bool { return fileHasText(filepath.Join(dir, "self")) })
		if err := gitdd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		gitdd.Wait()
		for _, name := range []string{"supervisor", "pid", "self"} {
			pid := number(t, filepath.Join(dir, name))
			eventually(t, name+" is gone", func() bool { return !alive(t, pid) })
		}
	}
}

// Two supervisors sweep at the same time, and each only its own.
func TestSupervisorsInParallel(t *testing.T) {
	steady, busy := newSupervisor(t), newSupervisor(t)
	p := shell(t, escapee(t, "pid", 2, "", "until [ -e done ]; do sleep 0.01; done; exit 6"))
	var e Exit
	var wait sync.WaitGroup
	wait.Go(func() { e = do(t, steady, p) })
	eventually(t, "the command runs", func() bool { return fileHasText(filepath.Join(p.Dir, "pid")) })
	for range 10 {
		if e := do(t, busy, shell(t, "setsid sleep 60 & sleep 60 & exit 0")); e.Code != 0 || e.Leftovers < 1 {
			t.Errorf("got %+v", e)
		}
	}
	if pid := number(t, filepath.Join(p.Dir, "pid")); !alive(t, pid) {
		t.Error("a process of the other supervisor was ended")
	}
	if err := os.WriteFile(filepath.Join(p.Dir, "done"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	wait.Wait()
	if e.Code != 6 || e.Leftovers < 1 {
		t.Errorf("the undisturbed command: %+v", e)
	}
}

func TestNoFileIsInherited(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	leak, err := unix.Dup(int(f.Fd())) // without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	k := newSupervisor(t)
	unix.Close(leak)
	if _, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", k.cmd.Process.Pid, leak)); err != nil {
		t.Fatalf("the supervisor has no file to leak: %v", err)
	}
	p := shell(t, "exec ls -l /proc/self/fd") // ls has one more, the directory
	do(t, k, p)
	out := read(t, p.Stdout)
	for _, want := range []string{" 0 -> /dev/null", " 1 -> " + p.Stdout, " 2 -> " + p.Stderr, " 3 -> /proc/"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if n := strings.Count(out, " -> "); n != 4 {
		t.Errorf("%d files, want 4:\n%s", n, out)
	}
}

func TestNoFileLeaks(t *testing.T) {
	k := newSupervisor(t)
	count := func(pid int) int {
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	first := shell(t, "true")
	do(t, k, first)
	here, there := count(os.Getpid()), count(k.cmd.Process.Pid)
	for i := range 50 {
		p := shell(t, "true")
		switch i % 5 {
		case 1:
			p.Argv = []string{"./absent"}
		case 2:
			p.Argv[2] = "setsid sleep 60 &"
		case 3:
			p.Dir = filepath.Join(p.Dir, "absent")
		case 4:
			p.Stderr = p.Stdout
		}
		do(t, k, p)
	}
	if now := count(k.cmd.Process.Pid); now != there {
		t.Errorf("the supervisor had %d files open, has %d", there, now)
	}
	if now := count(os.Getpid()); now != here {
		t.Errorf("gitdd had %d files open, has %d", here, now)
	}
}

// blockSignals blocks some signals and becomes the command of its arguments.
func blockSignals(args []string) {
	runtime.LockOSThread()
	var set unix.Sigset_t
	for _, s := range []syscall.Signal{unix.SIGINT, unix.SIGUSR2, unix.SIGCHLD, unix.SIGTERM} {
		set.Val[0] |= 1 << (s - 1)
	}
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil); err != nil {
		panic(err)
	}
	panic(syscall.Exec("/proc/self/exe", append(os.Args[:1:1], args...), os.Environ()))
}

// However gitdd was started, a command starts with no signal ignored or blocked.
func TestSignalDispositions(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// No shell below the supervisor: it has views of its own about masks.
	gitdd := exec.Command("sh", "-c", `trap '' HUP INT QUIT PIPE TERM TSTP TTIN TTOU CHLD USR1 ALRM; exec "$0" "$@"`,
		self, "role-block-signals", "role-gitdd", "grep", "^Sig", "/proc/self/status")
	gitdd.Dir = dir
	if out, err := gitdd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	masks := read(t, filepath.Join(dir, "stdout"))
	for line := range strings.Lines(masks) {
		name, digits, _ := strings.Cut(line, ":")
		if name != "SigBlk" && name != "SigIgn" {
			continue
		}
		mask, err := strconv.ParseUint(strings.TrimSpace(digits), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		// Signals 32 and 33 are the C library's own: neither it nor Go lets a
		// program touch them, so they are what they were outside of the test.
		if mask &^= 3 << 31; mask != 0 {
			t.Errorf("%s is %x", name, mask)
		}
	}
	if strings.Count(masks, "Sig") < 3 {
		t.Errorf("no masks in %q", masks)
	}
}

func TestParseStat(t *testing.T) {
	const rest = " 1 2 3 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 4 0 123456 0 0\n"
	for _, name := range []string{"sh", "", ") R 9 9", "a b", "((", "\xff\n"} {
		s, ok := parseStat(7, []byte("7 ("+name+") Z"+rest))
		if !ok || s.name != name || s.state != 'Z' || s.parent != 1 || s.group != 2 || s.session != 3 || s.threads != 4 || s.identity != (identity{7, 123456}) {
			t.Errorf("%q: %+v, %v", name, s, ok)
		}
	}
	for _, line := range []string{"", "7 sh S 1", "7 (sh", "7 )sh( S" + rest, "7 (sh) S 1 2 3", "7 (sh) S x" + rest} {
		if s, ok := parseStat(7, []byte(line)); ok {
			t.Errorf("%q: read as %+v", line, s)
		}
	}
	self := os.Getpid()
	for _, s := range processes() {
		if s.pid == self && s.parent == os.Getppid() && s.threads > 0 && !s.dead() {
			return
		}
	}
	t.Error("this process is not listed")
}
