//go:build unix

package trial

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
)

// A posixShell is one that wrappers are tested with.
type posixShell struct {
	name string
	path string   // what stands for /bin/sh
	args []string // before the name of the script
	env  []string // beside the test's own
}

// posixShells lists those that this machine has. Of busybox all programs are busybox's; a
// dash without setsid has none that POSIX does not name.
func posixShells(t *testing.T) []posixShell {
	var all []posixShell
	for _, name := range []string{"dash", "bash"} {
		if path, err := exec.LookPath(name); err == nil {
			all = append(all, posixShell{name: name, path: path})
		}
	}
	if path, err := exec.LookPath("bash"); err == nil {
		all = append(all, posixShell{name: "bash as sh", path: path, args: []string{"--posix"}})
	}
	if path, err := exec.LookPath("busybox"); err == nil {
		bin := t.TempDir()
		list, err := exec.Command(path, "--list").Output()
		if err != nil {
			t.Fatal(err)
		}
		for name := range strings.FieldsSeq(string(list)) {
			os.Symlink(path, filepath.Join(bin, name))
		}
		all = append(all, posixShell{name: "busybox", path: filepath.Join(bin, "sh"), env: []string{"PATH=" + bin}})
	}
	for _, s := range slices.Clone(all) {
		if s.name != "dash" && s.name != "bash" {
			continue
		}
		bin := t.TempDir()
		for _, name := range strings.Fields("sh cat chmod cp date dd df env find grep kill mkdir mv printf ps rm sleep tail touch tr wc") {
			if path, err := exec.LookPath(name); err == nil {
				os.Symlink(path, filepath.Join(bin, name))
			}
		}
		all = append(all, posixShell{name: s.name + " without setsid", path: s.path, env: []string{"PATH=" + bin}})
	}
	if len(all) == 0 {
		t.Skip("none of dash, bash and busybox is on PATH")
	}
	return all
}

// eachShell runs a test with each of them, one beside the other; with -short with one in three.
func eachShell(t *testing.T, test func(t *testing.T, s posixShell)) {
	for _, s := range posixShells(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			seed.SkipLong(t, 6)
			test(t, s)
		})
	}
}

// A wrapped is a task that a wrapper performs in a directory of its own.
type wrapped struct {
	task   Task
	layout Layout // relative to dir
	dir    string
	script string
}

// wrap writes the wrapper of a task and makes its workspace.
func (s posixShell) wrap(t *testing.T, task Task, layout Layout) wrapped {
	t.Helper()
	w := wrapped{task, layout, t.TempDir(), filepath.Join(t.TempDir(), "run.sh")}
	if err := os.MkdirAll(filepath.Join(w.dir, layout.Top), 0o777); err != nil {
		t.Fatal(err)
	}
	w.write(t, s)
	return w
}

func (w wrapped) write(t *testing.T, s posixShell) {
	t.Helper()
	text := bytes.ReplaceAll(w.task.Wrapper(w.layout), []byte("/bin/sh"), []byte(s.path))
	if err := os.WriteFile(w.script, text, 0o777); err != nil {
		t.Fatal(err)
	}
}

// file writes a file of the workspace.
func (w wrapped) file(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	name = filepath.Join(w.dir, w.layout.Top, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// command is the wrapper's process; what it prints on its standard error is in said. Its
// temporary directory is below that of the test.
func (w wrapped) command(t *testing.T, s posixShell) (cmd *exec.Cmd, said *bytes.Buffer) {
	cmd, said = exec.Command(s.path, append(slices.Clone(s.args), w.script)...), new(bytes.Buffer)
	cmd.Dir, cmd.Stderr, cmd.Stdout = w.dir, said, said
	cmd.Env = append(cmd.Environ(), s.env...)
	cmd.WaitDelay = time.Minute
	return cmd, said
}

// run performs the task and reads the outcome, which there has to be.
func (w wrapped) run(t *testing.T, s posixShell) TaskResult {
	t.Helper()
	cmd, said := w.command(t, s)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if said.Len() > 0 {
		t.Errorf("the wrapper said %q", said)
	}
	text, err := os.ReadFile(w.out(OutcomeFile))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadOutcome(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return r
}

func (w wrapped) out(name string) string { return filepath.Join(w.dir, w.layout.Out, name) }

// read is what a command printed.
func (w wrapped) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(w.out(name))
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

var plainLayout = Layout{Top: "w", Out: "out", State: "state"}

// TestWrapperOutcomes: how commands end is written down as a shell counts it.
func TestWrapperOutcomes(t *testing.T) {
	sh := func(line string) []string { return []string{"/bin/sh", "-c", line} }
	tests := []struct {
		name string
		task Task

		setup, check, build, test Part // without durations

		out, err string
		buildErr string
	}{
		{name: "pass", task: Task{Command: sh("echo a; echo b >&2")}, test: Part{Ran: true}, out: "a\n", err: "b\n"},
		{name: "fail", task: Task{Command: sh("exit 7")}, test: Part{Ran: true, Exit: 7}},
		{name: "unresolved", task: Task{Command: sh("exit 125")}, test: Part{Ran: true, Exit: 125}},
		{name: "highest", task: Task{Command: sh("exit 255")}, test: Part{Ran: true, Exit: 255}},
		{name: "signal", task: Task{Command: sh("kill -SEGV $$")}, test: Part{Ran: true, Exit: 139}},
		{name: "own signal", task: Task{Command: sh("kill -TERM $$")}, test: Part{Ran: true, Exit: 143}},
		{name: "input", task: Task{Command: sh("read -r x; echo \"$? $x\"")}, test: Part{Ran: true}, out: "1 \n"},
		{name: "build", task: Task{Build: "echo built >b; echo no >&2", Command: sh("cat b")}, build: Part{Ran: true}, test: Part{Ran: true}, out: "built\n", buildErr: "no\n"},
		{name: "build fails", task: Task{Build: "echo no >&2; exit 3", Command: sh("echo a")}, build: Part{Ran: true, Exit: 3}, buildErr: "no\n"},
		{name: "setup fails", task: Task{Setup: "exit 4", Build: "true", Command: sh("echo a")}, setup: Part{Ran: true, Exit: 4}},
		{name: "check fails", task: Task{Check: "exit 4", Build: "true", Command: sh("echo a")}, check: Part{Ran: true, Exit: 4}},
		{name: "check takes too long", task: Task{Check: "trap 'exit 0' TERM; sleep 3600 & wait", CheckLimit: 300 * time.Millisecond, Command: sh("echo a")}, check: Part{Ran: true, TimedOut: true}},
		{name: "all", task: Task{Setup: "echo 1 >>f", Check: "echo 2 >>f", Build: "echo 3 >>f", Command: sh("cat f")}, setup: Part{Ran: true}, check: Part{Ran: true}, build: Part{Ran: true}, test: Part{Ran: true}, out: "1\n2\n3\n"},
		{name: "directory", task: Task{Dir: "sub", Command: sh("cat here")}, test: Part{Ran: true}, out: "in sub\n"},
		{name: "limits", task: Task{BuildLimit: time.Hour, Limit: time.Hour, Build: "true", Command: sh("true")}, build: Part{Ran: true}, test: Part{Ran: true}},
		{name: "no shebang", task: Task{Command: []string{"./plain", "x"}}, test: Part{Ran: true}, out: "plain x\n"},
		{name: "relative", task: Task{Dir: "sub", Command: []string{"../plain", "y"}}, test: Part{Ran: true}, out: "plain y\n"},
		{name: "shadowed", task: Task{Command: []string{"step"}, Env: []string{"PATH=" + os.Getenv("PATH")}}, test: Part{Ran: true, Exit: 127}, err: "*"},
		{name: "not found", task: Task{Command: []string{"no such command"}}, test: Part{Ran: true, Exit: 127}, err: "*"},
		{name: "no such file", task: Task{Command: []string{"./none"}}, test: Part{Ran: true, Exit: 127}, err: "*"},
		{name: "not executable", task: Task{Command: []string{"./sub/here"}}, test: Part{Ran: true, Exit: 126}, err: "*"},
		{name: "a directory", task: Task{Command: []string{"./sub"}}, test: Part{Ran: true, Exit: 126}, err: "*"},
		{name: "no directory", task: Task{Dir: "none", Setup: "pwd >&2", Command: sh("echo a")}, setup: Part{Ran: true}, test: Part{Ran: true, Exit: 127}, err: "*"},
	}
	eachShell(t, func(t *testing.T, s posixShell) {
		for _, test := range tests {
			task := test.task
			task.Command = slices.Clone(task.Command)
			w := s.wrap(t, task, plainLayout)
			w.file(t, "sub/here", "in sub\n", 0o666)
			w.file(t, "plain", "echo plain \"$1\"\n", 0o777)
			r := w.run(t, s)
			for _, p := range []*Part{&r.Setup, &r.Check, &r.Build, &r.Test} {
				if p.Duration > 5*time.Minute {
					t.Errorf("%s: it took %v", test.name, p.Duration)
				}
				p.Duration = 0
			}
			if r.Setup != test.setup || r.Check != test.check || r.Build != test.build || r.Test != test.test {
				t.Errorf("%s: setup %+v, check %+v, build %+v, test %+v, want %+v, %+v, %+v, %+v", test.name, r.Setup, r.Check, r.Build, r.Test, test.setup, test.check, test.build, test.test)
			}
			for _, name := range OutputNames {
				want, ran := "", map[string]bool{"setup.out": test.setup.Ran, "setup.err": test.setup.Ran, "check.out": test.check.Ran, "check.err": test.check.Ran, "build.out": test.build.Ran, "build.err": test.build.Ran, "out": test.test.Ran, "err": test.test.Ran}[name]
				switch name {
				case "out":
					want = test.out
				case "err":
					want = test.err
				case "build.err":
					want = test.buildErr
				case "setup.err":
					want = "*"
				}
				if _, err := os.Lstat(w.out(name)); (err == nil) != ran {
					t.Errorf("%s: %s: %v, though it is %v that this step ran", test.name, name, err, ran)
				} else if err == nil {
					if got := w.read(t, name); want == "*" && name == "err" && got == "" || want != "*" && got != want {
						t.Errorf("%s: %s is %q, want %q", test.name, name, got, want)
					}
				}
			}
			if t.Failed() {
				return
			}
		}
	})
}

// odd draws a value that a shell may trip over.
func odd(random *rand.Rand, more string) string {
	pieces := []string{"'", "\"", "\\", "\n", "\r", "\t", " ", "$", "`", "$(echo no)", "${x}", "*", "?", "[a]", "~", "#", "!", ";", "&", "|", "<", ">", "(", ")", "{a,b}", "%s", "%", "-", "--", "-n", "-e", "\\n", "\\0", "é", "\xff", "\x80", "\x81", "\x88", "\x01", "\x7f", "\xc3", "\xe2\x80", "日本", "\x1b[0m", "a", "b", "7", "''", "\\'", "'\\''", "EOF\n", "\n\n"}
	for range random.IntN(3) {
		pieces = append(pieces, more)
	}
	var b strings.Builder
	for range random.IntN(6) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return b.String()
}

// oddName draws a file name.
func oddName(random *rand.Rand) string {
	for {
		if name := strings.ReplaceAll(odd(random, "="), "/", ""); name != "" && name != "." && name != ".." {
			return name
		}
	}
}

// TestWrapperValues: any argument, variable, line and directory arrives byte for byte.
func TestWrapperValues(t *testing.T) {
	first := seed.New(t)
	eachShell(t, func(t *testing.T, s posixShell) {
		random := rand.New(rand.NewPCG(first, 0))
		for range 6 {
			s.values(t, random)
		}
	})
}

func (s posixShell) values(t *testing.T, random *rand.Rand) {
	said := []string{odd(random, "="), odd(random, "=")}
	task := Task{Dir: oddName(random), Setup: "printf %s " + quoted(said[0]) + " >s", Build: "printf %s " + quoted(said[1]) + "\t>b", Keep: int64(random.IntN(2) << 20), Limit: time.Duration(random.IntN(2)) * time.Hour}
	for random.IntN(3) == 0 {
		task.Dir += "/" + oddName(random)
	}
	layout := Layout{Top: oddName(random), Out: "o" + oddName(random), State: "s" + oddName(random)}
	if random.IntN(2) == 0 {
		layout = Layout{Top: filepath.Join(layout.Top, layout.Out), Out: filepath.Join(layout.Top, layout.State)}
	}
	name := oddName(random) + ".tell" // of the command: prints its arguments, and its environment
	task.Command = []string{"./" + name}
	path := cmp.Or(os.Getenv("PATH"), "/usr/bin:/bin")
	for _, v := range s.env {
		path = strings.TrimPrefix(v, "PATH=")
	}
	want := map[string]string{"EMPTY": "", "OUT": odd(random, "="), "g": odd(random, "="), "out": odd(random, "="), "IFS": odd(random, "="), "CDPATH": "/:/tmp", "ODD.NAME": odd(random, "=")}
	if random.IntN(2) == 0 {
		delete(want, "ODD.NAME")
	}
	var viaPath string
	if random.IntN(2) == 0 { // by PATH
		viaPath = t.TempDir()
		task.Command[0] = name
		want["PATH"] = viaPath + ":" + path
	}
	for range random.IntN(5) {
		want["V"+strconv.Itoa(random.IntN(9))] = odd(random, "=")
	}
	for range random.IntN(6) {
		task.Command = append(task.Command, odd(random, "="))
	}
	if !slices.Equal(plainCommand(task.Command), task.Command) { // the two oddities do not go together
		delete(want, "ODD.NAME")
		delete(want, "IFS")
	}
	for name, value := range want {
		task.Env = append(task.Env, name+"="+value)
	}
	w := s.wrap(t, task, layout)
	w.file(t, filepath.Join(task.Dir, "here"), "", 0o666)
	tell := "#!" + s.path + "\nprintf '%s\\0' \"$@\"\n[ ! -e /proc/self/environ ] || cat /proc/$$/environ >environ\n"
	if viaPath == "" {
		w.file(t, filepath.Join(task.Dir, name), tell, 0o777)
	} else if err := os.WriteFile(filepath.Join(viaPath, name), []byte(tell), 0o777); err != nil {
		t.Fatal(err)
	}
	r := w.run(t, s)
	if !r.Test.Ran || r.Test.Exit != 0 || !r.Build.Ran || !r.Setup.Ran {
		t.Fatalf("%+v: %q\ntask %+v\nlayout %+v", r, w.read(t, "err"), task, layout)
	}
	if got, args := w.read(t, "out"), strings.Join(append(slices.Clone(task.Command[1:]), ""), "\x00"); got != args && !(len(task.Command) == 1 && got == "\x00") {
		t.Errorf("the arguments were %q, want %q", got, args)
	}
	for i, name := range []string{"s", "b"} {
		text, err := os.ReadFile(filepath.Join(w.dir, layout.Top, task.Dir, name))
		if err != nil || string(text) != said[i] {
			t.Errorf("a line printed %q, want %q: %v", text, said[i], err)
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	text, err := os.ReadFile(filepath.Join(w.dir, layout.Top, task.Dir, "environ"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for v := range strings.SplitSeq(strings.TrimSuffix(string(text), "\x00"), "\x00") {
		name, value, _ := strings.Cut(v, "=")
		got[name] = value
	}
	want["GITDD_WORKSPACE"] = filepath.Join(w.dir, layout.Top)
	want["PWD"] = filepath.Join(w.dir, layout.Top, task.Dir)
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
	for name := range got {
		if strings.HasPrefix(name, "g_") {
			t.Errorf("the variable %s of the wrapper came along", name)
		}
	}
	if temp := got["TMPDIR"]; temp == "" || got["TMP"] != temp || got["TEMP"] != temp {
		t.Errorf("temporary files go to %q, %q and %q", temp, got["TMP"], got["TEMP"])
	} else if _, err := os.Lstat(temp); err == nil {
		t.Errorf("%s is still there", temp)
	}
}
