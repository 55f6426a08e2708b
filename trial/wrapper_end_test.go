//go:build unix

package trial

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
)

// runningWith counts the processes that have a word in their arguments. Where there is no
// /proc it cannot tell, and says none.
func runningWith(t *testing.T, word string) int {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	n := 0
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte(word)) {
			n++
		}
	}
	return n
}

// sleepers is a command that waits for ever beside a child, one in another process group
// and one in another session. Each has the word in its arguments. Where nothing but the
// command itself can be found again it is alone.
func (s posixShell) sleepers(word string) string {
	line := "sleep " + word + " & "
	if runtime.GOOS == "linux" {
		if setsid, err := exec.LookPath("setsid"); err == nil {
			line += setsid + " sleep " + word + " & "
		}
		if bash, err := exec.LookPath("bash"); err == nil {
			line += bash + " -mc 'sleep " + word + " & wait' 2>/dev/null & "
		}
	}
	return line
}

// aWord is a number of seconds that no other process waits for.
func aWord() string { return strconv.Itoa(100_000_000+os.Getpid()) + "." + randomDigits() }

func randomDigits() string { return strconv.FormatInt(time.Now().UnixNano()%1_000_000_000, 10) }

// temps lists the temporary directories of wrappers below that of the test.
func temps(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "gitdd-*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWrapperLimit: a command that takes too long is asked to end, and then killed, with
// all that it has started, wherever that went.
func TestWrapperLimit(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		for _, test := range []struct {
			name, line string
			exit       int
			err        string
		}{
			{"killed", "trap '' TERM; LINE sleep WORD; sleep WORD", 137, ""},
			{"ended", "LINE sleep WORD", 143, ""},
			{"answers", "trap 'echo bye >&2; exit 9' TERM; LINE sleep WORD & wait $!", 9, "bye\n"},
		} {
			word := aWord()
			line := strings.NewReplacer("LINE", s.sleepers(word), "WORD", word).Replace(test.line)
			w := s.wrap(t, Task{Command: []string{s.path, "-c", line}, Limit: 700 * time.Millisecond}, plainLayout)
			r := w.run(t, s)
			if p := r.Test; !p.TimedOut || p.Duration < 700*time.Millisecond && s.name != "busybox" || p.Exit != test.exit {
				t.Errorf("%s: %+v, want exit %d", test.name, p, test.exit)
			}
			if got := w.read(t, "err"); !strings.HasSuffix(got, test.err) { // a shell may say beside it what was ended
				t.Errorf("%s: it said %q", test.name, got)
			}
			if n := runningWith(t, word); n > 0 {
				t.Errorf("%s: %d processes are left", test.name, n)
			}
		}
		w := s.wrap(t, Task{Build: "sleep 3600", BuildLimit: 300 * time.Millisecond, Command: []string{"true"}}, plainLayout)
		if r := w.run(t, s); !r.Build.TimedOut || r.Test.Ran {
			t.Errorf("a build that takes too long: %+v", r)
		}
	})
}

// TestWrapperLeftovers: what a command leaves behind is ended before the next begins, and
// does not hold the wrapper up.
func TestWrapperLeftovers(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		if runtime.GOOS != "linux" && strings.Contains(s.name, "without") {
			t.Skip("nothing finds them again here")
		}
		word := aWord()
		w := s.wrap(t, Task{
			Build:   s.sleepers(word) + " true",
			Command: []string{s.path, "-c", "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f; echo; done 2>/dev/null | grep '^sleep " + word + "'; " + s.sleepers(word) + "exit 1"},
		}, plainLayout)
		if r := w.run(t, s); r.Build.Exit != 0 || r.Test.Exit != 1 || r.Test.TimedOut {
			t.Errorf("%+v", r)
		}
		if said := w.read(t, "out"); said != "" {
			t.Errorf("the build left %q", said)
		}
		if n := runningWith(t, word); n > 0 {
			t.Errorf("%d processes are left", n)
		}
	})
}

// TestWrapperBlindGrep: beside an env of GNU there may be a grep that does not see what is
// behind a NUL, as that of busybox with musl. What a command leaves behind is found all the same.
func TestWrapperBlindGrep(t *testing.T) {
	sed, err := exec.LookPath("sed")
	grep, err2 := exec.LookPath("grep")
	if errors.Join(err, err2) != nil || runtime.GOOS != "linux" {
		t.Skip("needs sed, grep and /proc")
	}
	if text, err := exec.Command("sh", "-c", `printf 'a\000b' | sed 's/\x00.*//'`).Output(); err != nil || string(text) != "a" {
		t.Skip("sed cannot cut lines at a NUL")
	}
	blind := strings.NewReplacer("SED", sed+` 's/\x00.*//'`, "GREP", grep).Replace(`case $1 in
-l)
	pattern=$2
	shift 2
	GREP -l "$pattern" "$@" 2>/dev/null | while read -r file; do
		SED "$file" 2>/dev/null | GREP -q "$pattern" && echo "$file"
	done
	exit 0
	;;
esac
SED | GREP "$@"
exit $?`)
	eachShell(t, func(t *testing.T, s posixShell) {
		if s.name != "dash" && s.name != "bash" {
			t.Skip("that is slow")
		}
		path, _ := logged(t, s, map[string]string{"grep": blind})
		word := aWord()
		defer endAll(t, word)
		w := s.wrap(t, Task{Command: []string{"sh", "-c", s.sleepers(word) + ":"}}, plainLayout)
		w.runAt(t, s, path)
		if n := runningWith(t, word); n > 0 {
			t.Errorf("%d processes are left", n)
		}
	})
}

// TestWrapperStopped: a wrapper that is asked to end ends all that it has started and
// says no outcome; one that is killed has none to say either.
func TestWrapperStopped(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		for _, test := range []struct {
			name string
			sign syscall.Signal
			all  bool // the command gets it as well, as when a whole cgroup does
			keep int64
		}{
			{"asked", syscall.SIGTERM, false, 0},
			{"all asked", syscall.SIGTERM, true, 1000},
			{"killed", syscall.SIGKILL, false, 1000},
		} {
			word, temp := aWord(), shortDir(t)
			w := s.wrap(t, Task{Command: []string{s.path, "-c", s.sleepers(word) + "echo $$; sleep " + word}, Keep: test.keep, Limit: time.Duration(test.keep) * time.Hour}, plainLayout)
			cmd, said := w.command(t, s)
			cmd.Env = append(cmd.Env, "TMPDIR="+temp)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var pid int
			eventually(t, "the command begins", func() bool {
				text, _ := os.ReadFile(w.out("out"))
				pid, _ = strconv.Atoi(strings.TrimSuffix(string(text), "\n"))
				return strings.HasSuffix(string(text), "\n") && (runtime.GOOS != "linux" || runningWith(t, "sleep\x00"+word) > 1)
			})
			if test.all {
				syscall.Kill(pid, test.sign)
			}
			cmd.Process.Signal(test.sign)
			err := cmd.Wait()
			if _, err := os.Lstat(w.out(OutcomeFile)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: there is an outcome: %v", test.name, err)
			}
			if test.sign == syscall.SIGKILL { // it is missed after a while
				if runtime.GOOS == "linux" {
					eventually(t, "all of a killed wrapper end", func() bool { return runningWith(t, word) == 0 && len(temps(t, temp)) == 0 })
				}
				endAll(t, word)
				endAll(t, temp)
				continue
			}
			if cmd.ProcessState.ExitCode() != 143 {
				t.Errorf("%s: %v: %s", test.name, err, said)
			}
			if n := runningWith(t, word); n > 0 && (runtime.GOOS == "linux" || !strings.Contains(s.name, "without")) {
				t.Errorf("%s: %d processes are left", test.name, n)
				endAll(t, word)
			}
			if left := temps(t, temp); len(left) > 0 {
				t.Errorf("%s: %v is left", test.name, left)
			}
		}
	})
}

// shortDir is a temporary directory short enough for the wrapper's, on the file system of t.TempDir, which
// GOTMPDIR may name.
func shortDir(t *testing.T) string {
	t.Helper()
	in := cmp.Or(os.Getenv("GOTMPDIR"), os.TempDir())
	if len(in) > 30 {
		in = "/tmp"
	}
	dir, err := os.MkdirTemp(in, "w")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// endAll kills the processes that have a word in their arguments or environment.
func endAll(t *testing.T, word string) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*")
	for _, file := range files {
		pid, _ := strconv.Atoi(filepath.Base(file))
		args, _ := os.ReadFile(filepath.Join(file, "cmdline"))
		environ, _ := os.ReadFile(filepath.Join(file, "environ"))
		if pid != os.Getpid() && (bytes.Contains(args, []byte(word)) || bytes.Contains(environ, []byte(word))) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// TestWrapperCut: of a long output the head and the tail are kept, and a line in between
// says how much is missing; what just fits stays as it is.
func TestWrapperCut(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		text := make([]byte, 100_000)
		for i := range text {
			text[i] = byte(i * i >> 3) // with NUL and all others
		}
		for _, test := range []struct{ size, keep int64 }{{0, 10}, {1000, 1000}, {1001, 1000}, {100_000, 1001}, {100_000, 99_999}, {100_000, 1}, {5000, 0}} {
			w := s.wrap(t, Task{Command: []string{s.path, "-c", "cat text; cat text >&2; printf x >&2"}, Keep: test.keep}, plainLayout)
			w.file(t, "text", string(text[:test.size]), 0o666)
			r := w.run(t, s)
			var cut int64
			for name, size := range map[string]int64{"out": test.size, "err": test.size + 1} {
				want := string(append(bytes.Clone(text[:test.size]), "x"...)[:size])
				if missing := size - test.keep; test.keep > 0 && missing > 0 {
					cut += missing
					want = want[:test.keep-test.keep/2] + fmt.Sprintf("\n[gitdd: %d bytes of output were left out here]\n", missing) + want[size-test.keep/2:]
				}
				if got := w.read(t, name); got != want {
					t.Errorf("%d of %d: %s has %d bytes, want %d", test.keep, test.size, name, len(got), len(want))
				}
			}
			if r.Test.Cut != cut || r.Test.Exit != 0 {
				t.Errorf("%d of %d: %+v, want %d cut", test.keep, test.size, r.Test, cut)
			}
		}
	})
}

// TestWrapperFlood: a command that prints without end does not fill the disk.
func TestWrapperFlood(t *testing.T) {
	seed.SkipLong(t, 6)
	eachShell(t, func(t *testing.T, s posixShell) {
		const keep = 10_000
		w := s.wrap(t, Task{Command: []string{s.path, "-c", `
			echo first
			cat text # by one process: what is printed while the wrapper looks may be lost
			while [ "$(wc -c <../out/out)" -gt 1000000 ]; do sleep 0.1; done # the wrapper has looked
			echo last`}, Keep: keep}, plainLayout)
		w.file(t, "text", strings.Repeat("flood\n", 40*30_000), 0o666)
		r := w.run(t, s)
		got := w.read(t, "out")
		if len(got) < keep || len(got) > keep+100 || !strings.HasPrefix(got, "first\nflood\n") || !strings.HasSuffix(got, "flood\nlast\n") {
			t.Errorf("%d bytes are left", len(got))
		}
		if want := int64(6 + 5 + 40*6*30_000 - keep); r.Test.Cut != want || r.Test.Exit != 0 {
			t.Errorf("%+v, want %d cut", r.Test, want)
		}
	})
}

// TestWrapperSetup: a setup is done once for each workspace, and again when it is another.
func TestWrapperSetup(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		task := Task{Setup: "echo once >>setups", Command: []string{"true"}}
		w := s.wrap(t, task, plainLayout)
		for i, want := range []bool{true, false, false} {
			if r := w.run(t, s); r.Setup.Ran != want || !r.Test.Ran {
				t.Errorf("task %d: %+v", i, r)
			}
		}
		w.task.Setup = "echo again >>setups; exit $(($(wc -l <setups) < 3))"
		w.write(t, s)
		for i, want := range []Part{{Ran: true, Exit: 1}, {Ran: true}, {}} {
			if r := w.run(t, s); r.Setup.Ran != want.Ran || r.Setup.Exit != want.Exit || r.Test.Ran != (want.Exit == 0) {
				t.Errorf("other setup, task %d: %+v", i, r)
			}
		}
		w.layout.State = ""
		w.write(t, s)
		for range 2 {
			if r := w.run(t, s); !r.Setup.Ran {
				t.Errorf("without a state: %+v", r)
			}
		}
	})
}

// TestWrapperLost: what the machine lacks is said, and there is no outcome, not even that
// of an earlier task.
func TestWrapperLost(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		w := s.wrap(t, Task{Command: []string{"true"}}, plainLayout)
		w.run(t, s)
		if err := os.RemoveAll(filepath.Join(w.dir, "w")); err != nil {
			t.Fatal(err)
		}
		check := func(want string) {
			t.Helper()
			cmd, said := w.command(t, s)
			if cmd.Run(); cmd.ProcessState.ExitCode() != 3 || !strings.HasPrefix(said.String(), "gitdd: ") || !strings.Contains(said.String(), want) {
				t.Errorf("exit %d, %q, want %q", cmd.ProcessState.ExitCode(), said, want)
			}
		}
		check("there is no directory " + filepath.Join(w.dir, "w"))
		if err := os.Mkdir(filepath.Join(w.dir, "w"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(w.out("")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(w.out(""), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd, said := w.command(t, s)
		if cmd.Run(); cmd.ProcessState.ExitCode() != 3 || !strings.Contains(said.String(), "cannot be made") {
			t.Errorf("exit %d, %q", cmd.ProcessState.ExitCode(), said)
		}
	})
}

// TestWrapperSignals: the commands begin as in a terminal, with no signal ignored.
func TestWrapperSignals(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	eachShell(t, func(t *testing.T, s posixShell) {
		if s.name == "busybox" || s.name == "dash without setsid" {
			t.Skip("nothing resets them there: see Task.Wrapper")
		}
		w := s.wrap(t, Task{Command: []string{"grep", "SigIgn", "/proc/self/status"}}, plainLayout)
		w.run(t, s)
		ours, err := exec.Command("grep", "SigIgn", "/proc/self/status").Output()
		if err != nil {
			t.Fatal(err)
		}
		ignored := func(status string) uint64 {
			_, mask, _ := strings.Cut(status, ":")
			bits, err := strconv.ParseUint(strings.TrimSpace(mask), 16, 64)
			if err != nil {
				t.Fatalf("%q: %v", status, err)
			}
			return bits
		}
		// Some may be ignored by what runs this test: nohup, or a shell in its background.
		if got := w.read(t, "out"); ignored(got)&^ignored(string(ours)) != 0 {
			t.Errorf("%q, and here %q", got, ours)
		}
	})
}

// TestWrapperBare: a machine that gives no environment at all does for most commands.
func TestWrapperBare(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		w := s.wrap(t, Task{Command: []string{"sh", "-c", "env | grep -c '^PATH=/'; touch \"$HOME/x\" && cd \"$TMPDIR\" && ls x"}}, plainLayout)
		cmd, said := w.command(t, s)
		cmd.Env = []string{"TMPDIR=" + shortDir(t)}
		if err := cmd.Run(); err != nil || w.read(t, "out") != "1\nx\n" {
			t.Errorf("%v, %s, %q, %q", err, said, w.read(t, "out"), w.read(t, "err"))
		}
	})
}

// TestWrapperOwn: what a task writes to its temporary directory lies where the task's own
// files do, so that a machine that kills all of a task at once loses track of nothing;
// unless a socket would not fit there.
func TestWrapperOwn(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		for _, long := range []bool{false, true} {
			temp := shortDir(t)
			w := s.wrap(t, Task{Command: []string{"sh", "-c", "echo $TMPDIR; set -- " + temp + "/gitdd-*; [ ! -e $1 ]; echo $?"}}, plainLayout)
			if w.dir = shortDir(t); long {
				w.dir = filepath.Join(w.dir, strings.Repeat("d", 72))
			}
			if err := os.MkdirAll(filepath.Join(w.dir, "w"), 0o777); err != nil {
				t.Fatal(err)
			}
			cmd, said := w.command(t, s)
			cmd.Env = append(cmd.Env, "TMPDIR="+temp)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			lines := strings.Split(w.read(t, "out"), "\n")
			if own := strings.HasPrefix(lines[0], w.dir+"/"); own == long || (lines[1] == "0") == long {
				t.Errorf("%d bytes of directory: %q", len(w.dir), lines)
			}
			if _, err := os.Lstat(lines[0]); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is left: %v", lines[0], err)
			}
		}
	})
}

// TestWrapperEqual: equal tasks have equal wrappers, whoever asks.
func TestWrapperEqual(t *testing.T) {
	task := Task{Dir: "d", Setup: "s", Build: "b", Command: []string{"c"}, Env: []string{"A=1"}, Limit: time.Second, Keep: 7}
	other := task
	other.Name, other.Salt, other.Shared, other.Files = "n", "confirm", "/x", &Snapshot{}
	if !bytes.Equal(task.Wrapper(plainLayout), other.Wrapper(plainLayout)) {
		t.Error("the name or the salt of a task changes its wrapper")
	}
	for i, change := range []func(*Task){
		func(t *Task) { t.Dir = "e" }, func(t *Task) { t.Setup = "t" }, func(t *Task) { t.Build = "" }, func(t *Task) { t.Command = []string{"c", ""} },
		func(t *Task) { t.Env = nil }, func(t *Task) { t.Limit++ }, func(t *Task) { t.BuildLimit++ }, func(t *Task) { t.Keep++ },
	} {
		other := task
		change(&other)
		if bytes.Equal(task.Wrapper(plainLayout), other.Wrapper(plainLayout)) {
			t.Errorf("change %d does not change the wrapper", i)
		}
	}
}
