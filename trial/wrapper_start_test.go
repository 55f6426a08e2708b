//go:build unix

package trial

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// logged makes programs that note their name in a file and become the real ones, with
// others in the place of some. It returns a PATH of nothing else, and what reads the notes.
func logged(t *testing.T, s posixShell, others map[string]string) (path string, notes func() []string) {
	t.Helper()
	path = t.TempDir()
	log := filepath.Join(path, "log")
	for _, name := range strings.Fields("cat chmod cp date dd df env false find grep kill mkdir mv ps rm setsid sleep tail touch tr true wc") {
		real, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		text := fmt.Sprintf("#!%s\necho %s >>%s\nOTHER\nexec %s \"$@\"\n", s.path, name, log, real)
		if err := os.WriteFile(filepath.Join(path, name), []byte(strings.Replace(text, "OTHER", others[name], 1)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(s.path, filepath.Join(path, "sh")); err != nil {
		t.Fatal(err)
	}
	return path, func() []string {
		text, err := os.ReadFile(log)
		os.Remove(log)
		if err != nil {
			t.Error(err)
		}
		names := strings.Fields(string(text))
		slices.Sort(names)
		return names
	}
}

// runAt performs a task with a PATH.
func (w wrapped) runAt(t *testing.T, s posixShell, path string) TaskResult {
	t.Helper()
	s.env = append(slices.Clone(s.env), "PATH="+path)
	return w.run(t, s)
}

// TestWrapperStarts: most tasks cost the start of few programs beside their own. That of
// grep, which looks at all processes there are, is needed where the task took long.
func TestWrapperStarts(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/random/uuid"); err != nil {
		t.Skip("asks the system of Linux")
	}
	eachShell(t, func(t *testing.T, s posixShell) {
		if s.name == "busybox" {
			t.Skip("it starts itself")
		}
		path, notes := logged(t, s, nil)
		for _, test := range []struct {
			more    string // program that it needs
			command []string
		}{{"", []string{"true"}}, {"df", []string{"false"}}, {"wc", []string{"sh", "-c", "echo a"}}} {
			w := s.wrap(t, Task{Command: test.command, Limit: time.Hour, Keep: 1000}, Layout{Top: "w", Out: "out", State: "state", Whole: true})
			for _, dir := range []string{"out", "tmp/tmp"} {
				if err := os.MkdirAll(filepath.Join(w.dir, dir), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			// The name of the temporary directory of a test may be too long for sockets.
			own := shortDir(t)
			if err := os.Rename(w.dir, filepath.Join(own, "d")); err != nil {
				t.Fatal(err)
			}
			w.dir = filepath.Join(own, "d")
			w.runAt(t, s, path)
			for _, name := range notes() {
				if !slices.Contains([]string{test.command[0], test.more, "env", "grep", "setsid", "sleep"}, name) {
					t.Errorf("%q: it starts %s", test.command, name)
				}
			}
		}
	})
}

// TestWrapperOtherEnv: where env does not reset signals the commands run without it, once,
// and what it says about that is not what they say.
func TestWrapperOtherEnv(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		if s.name == "busybox" {
			t.Skip("TestWrapperOutcomes has its env")
		}
		for _, code := range []int{1, 125} {
			path, notes := logged(t, s, map[string]string{"env": fmt.Sprintf("case ${1:-} in -*) echo no such option >&2; exit %d ;; esac", code)})
			for _, test := range []struct {
				build, command string
				exit           int
			}{{"", "echo a >>log; echo said >&2", 0}, {"", "echo a >>log; echo said >&2; exit 125", 125}, {"echo b >>log", "echo a >>log; echo said >&2; exit 1", 1}} {
				w := s.wrap(t, Task{Build: test.build, Command: []string{"sh", "-c", test.command}, Keep: 1000}, plainLayout)
				r := w.runAt(t, s, path)
				if r.Test.Exit != test.exit || r.Build.Ran != (test.build != "") || r.Build.Exit != 0 || r.Test.TimedOut {
					t.Errorf("%+v", r)
				}
				if said := w.read(t, "err"); said != "said\n" {
					t.Errorf("it said %q", said)
				}
				log, err := os.ReadFile(filepath.Join(w.dir, "w", "log"))
				if want := strings.Repeat("b\n", len(test.build)/len("echo b >>log")) + "a\n"; err != nil || string(log) != want {
					t.Errorf("%q was done, want %q: %v", log, want, err)
				}
				if n := len(slices.DeleteFunc(notes(), func(name string) bool { return name != "env" })); n > 2 {
					t.Errorf("env was asked %d times", n)
				}
			}
		}
	})
}

// TestWrapperGiven: a directory for temporary files that is there is used, unless another
// task has left something in it, and nothing of this one stays.
func TestWrapperGiven(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		for _, test := range []struct{ name, before, line string }{
			{"empty", "tmp/tmp/", ":"},
			{"used", "tmp/tmp/", "echo a >$TMPDIR/a; mkdir $TMPDIR/d; echo b >$TMPDIR/d/b; chmod 0 $TMPDIR/d"},
			{"hidden", "tmp/tmp/", "echo a >$TMPDIR/..a"},
			{"a file there", "tmp/tmp/.old", ":"},
			{"a note there", "tmp/1.late", ":"},
			{"a broken link left", "tmp/tmp/", "ln -s none $TMPDIR/a"},
		} {
			w := s.wrap(t, Task{Command: []string{"sh", "-c", "echo $TMPDIR; ls -A $TMPDIR; ls -A $TMPDIR/.. | grep -c late; " + test.line}}, plainLayout)
			w.dir = shortDir(t)
			for _, dir := range []string{"w", "tmp/tmp"} {
				if err := os.MkdirAll(filepath.Join(w.dir, dir), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if !strings.HasSuffix(test.before, "/") {
				if err := os.WriteFile(filepath.Join(w.dir, test.before), nil, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			w.run(t, s)
			if got, want := w.read(t, "out"), filepath.Join(w.dir, "tmp/tmp")+"\n0\n"; got != want {
				t.Errorf("%s: %q, want %q", test.name, got, want)
			}
			left, err := filepath.Glob(filepath.Join(w.dir, "tmp/tmp/*"))
			hidden, _ := filepath.Glob(filepath.Join(w.dir, "tmp/tmp/.*"))
			if len(left)+len(hidden) > 0 || err != nil {
				t.Errorf("%s: %q and %q are left", test.name, left, hidden)
			}
		}
	})
}

// TestWrapperWhole: with Layout.Whole steps that do not run have outputs too, but not those
// that the task does not have.
func TestWrapperWhole(t *testing.T) {
	eachShell(t, func(t *testing.T, s posixShell) {
		for _, test := range []struct {
			task Task
			want string
		}{
			{Task{Command: []string{"true"}}, "err out outcome.json"},
			{Task{Setup: "true", Build: "echo no; exit 1", Command: []string{"true"}}, "build.err build.out err out outcome.json setup.err setup.out"},
			{Task{Setup: "exit 1", Command: []string{"true"}}, "err out outcome.json setup.err setup.out"},
		} {
			w := s.wrap(t, test.task, Layout{Top: "w", Out: "out", Whole: true})
			w.run(t, s)
			entries, err := os.ReadDir(w.out(""))
			var names []string
			for _, e := range entries {
				names = append(names, e.Name())
			}
			if got := strings.Join(names, " "); err != nil || got != test.want {
				t.Errorf("%q, want %q: %v", got, test.want, err)
			}
		}
	})
}
