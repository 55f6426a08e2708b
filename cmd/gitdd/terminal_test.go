//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gitdd/gitdd/internal/prose"
)

// A tmux is a terminal of 80 columns and 24 rows, with a shell in it that works in the
// directory repo of a field.
type tmux struct {
	*field
	socket string
}

func newTmux(f *field) *tmux {
	f.t.Helper()
	for _, name := range []string{"tmux", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			f.t.Skipf("%s is not on PATH: the live view is not looked at in a terminal", name)
		}
	}
	dir, err := os.MkdirTemp("", "tmux") // the name of a socket is short
	if err != nil {
		f.t.Fatal(err)
	}
	m := &tmux{field: f, socket: filepath.Join(dir, "s")}
	f.t.Cleanup(func() {
		exec.Command("tmux", "-S", m.socket, "kill-server").Run() // the context of the test is over
		os.RemoveAll(dir)
	})
	m.env = append(m.env, "TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR=", "HISTFILE=", "CI=")
	m.tell("-u", "-f", os.DevNull, "new-session", "-d", "-x", "80", "-y", "24", "-c", f.path("repo"), "PS1='$ ' exec bash --norc --noprofile -i")
	m.shows("a prompt", regexp.MustCompile(`(?m)^\$`))
	return m
}

func (m *tmux) tell(args ...string) string {
	m.t.Helper()
	return m.run(".", append([]string{"tmux", "-S", m.socket}, args...)...)
}

// keys types words, and the keys that have names.
func (m *tmux) keys(words ...string) {
	m.t.Helper()
	m.tell(append([]string{"send-keys"}, words...)...)
}

// screen is what is to be seen, with all that has left it at its upper end since that
// was forgotten.
func (m *tmux) screen(flags ...string) string {
	m.t.Helper()
	return m.tell(append([]string{"capture-pane", "-p", "-S", "-"}, flags...)...)
}

// resize makes the window so wide. What that breaks into more lines than there were
// above the cursor leaves the screen at its upper end, where no program has a hand.
func (m *tmux) resize(width int) {
	m.t.Helper()
	m.tell("resize-window", "-x", strconv.Itoa(width), ";", "clear-history")
}

// shows waits until all of some patterns are on the screen.
func (m *tmux) shows(what string, patterns ...*regexp.Regexp) {
	m.t.Helper()
	m.eventually(what, func(screen string) bool {
		for _, p := range patterns {
			if !p.MatchString(screen) {
				return false
			}
		}
		return true
	})
}

func (m *tmux) eventually(what string, done func(screen string) bool) {
	m.t.Helper()
	last := ""
	defer func() {
		if m.t.Failed() {
			m.t.Logf("the screen at the end:\n%s", last)
		}
	}()
	eventually(m.t, what, func() bool {
		last = m.screen()
		return done(last)
	})
}

// settings are those of the terminal, as a command finds them that the shell starts.
func (m *tmux) settings(name string) string {
	m.t.Helper()
	m.keys("stty -a >../"+name+"; echo >>../"+name, "Enter")
	var text []byte
	eventually(m.t, "stty is done", func() bool {
		text, _ = os.ReadFile(m.path(name))
		return strings.HasSuffix(string(text), "\n\n")
	})
	return string(text)
}

// once reports whether the view is to be seen just once, and nothing else of it.
func once(screen string) bool { return strings.Count(screen, "suspects  ") == 1 }

var (
	whole    = regexp.MustCompile(`suspects  █+  8 of 8 changes`)
	saying   = regexp.MustCompile(`(?m)^worker \d  trial \d, \d+[^:]*: trial \d is there`)
	closed   = regexp.MustCompile(`(?m)^keys      v, 0-1: what a trial prints`)
	open     = regexp.MustCompile(`(?m)^── worker \d, trial \d, stdout, \d+ B ─[─ ]*\n\\x1b\[2J is not done\ntrial \d is there$`)
	narrowed = regexp.MustCompile(`suspects  [█░]*░[█░]*  [1-4] of 8 changes`)
	stopped  = regexp.MustCompile(`Stopped .*gitdd run`)
	summed   = regexp.MustCompile(`(?m)^gitdd: \d+ trials: \d+ pass, \d+ fail, 0 unresolved; .*\nInterrupted: `)
	killed   = regexp.MustCompile(`(?m)^Killed`)
)

// newWaiting makes a repository of eight changes, of which one breaks the test. Trials
// print two lines, and those behind the ends wait until there is a file goN, or go.
func newWaiting(t *testing.T) *field {
	f := newField(t)
	f.env = append(f.env, "FIELD="+f.dir)
	f.run("", "git", "init", "-q", "-b", "main", "repo")
	check := `printf '\033[2J is not done\n\033[32mtrial %s is there\033[m\n' $GITDD_TRIAL
while [ $GITDD_TRIAL -gt 2 ] && [ ! -e $FIELD/go$GITDD_TRIAL ] && [ ! -e $FIELD/go ]; do sleep 0.05; done
! grep -q new c
`
	if err := os.WriteFile(f.path("repo/check"), []byte(check), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"old", "new"} {
		f.sh("repo", "for f in a b c d e f g h; do echo "+version+" >$f; done; git add .; git commit -qm "+version+"; git tag "+version)
	}
	return f
}

// The live view as a person sees it, who presses keys and changes the window. Nothing
// of it stays, and the terminal is as it was, however the search ends.
func TestLiveInTerminal(t *testing.T) {
	t.Parallel()
	f := newWaiting(t)
	m := newTmux(f)
	before := m.settings("before")
	m.keys("clear; gitdd run --good old -j 2 --timeout 10m -- sh check", "Enter")
	m.shows("the bar, and what trials print", whole, saying, closed)
	if text := m.screen("-e"); !strings.Contains(text, "\x1b[33m") {
		t.Errorf("no colour in\n%s", text)
	}

	m.keys("v")
	m.shows("what a trial prints", open)
	m.keys("1")
	m.shows("what that of worker 1 prints", open, regexp.MustCompile(`── worker 1, `))

	for _, width := range []int{40, 80} {
		m.resize(width)
		hint := regexp.MustCompile(`(?m)^keys      v: hide; 0-1, n: another$`)
		ruler := regexp.MustCompile(fmt.Sprintf(`(?m)^suspects  █{%d}  8 of 8 changes$`, width-1-10-len("  8 of 8 changes")))
		m.shows("the view in another width", ruler, hint)
		m.eventually("nothing is left of the view before", once)
		for line := range strings.Lines(m.screen()) {
			if n := prose.Columns(strings.TrimRight(line, "\n")); n > width && strings.Contains(line, "trial") {
				t.Errorf("%d columns of %d: %q", n, width, line)
			}
		}
	}
	m.keys("v")
	m.eventually("the panel is closed", func(screen string) bool {
		return closed.MatchString(screen) && !strings.Contains(screen, "──") && once(screen)
	})

	m.keys("C-z")
	m.shows("it is stopped", stopped)
	if text := m.screen(); strings.Contains(text, "suspects") {
		t.Errorf("something is left of the view:\n%s", text)
	}
	if got := m.settings("stopped"); got != before {
		t.Errorf("when it is stopped the terminal is\n%s\nand was\n%s", got, before)
	}
	m.keys("bg; wait", "Enter")
	m.shows("it is in the background", regexp.MustCompile(`(?m)^\[1\]\+ gitdd run.* &$`))
	if text := m.screen(); strings.Contains(text, "suspects") {
		t.Errorf("it draws in the background:\n%s", text)
	}
	m.keys("C-c")
	m.shows("the shell waits no more", regexp.MustCompile(`(?m)^\^C\n\$$`))
	m.keys("fg", "Enter")
	m.shows("it goes on", whole, closed)
	m.keys("v")
	m.shows("and hears keys", open)
	m.keys("v")
	m.eventually("and leaves nothing above", once)

	f.sh("", ": >go3; : >go4")
	m.shows("the bar narrows, outcomes and a range", narrowed,
		regexp.MustCompile(`(?m)^outcomes  [pF]{3,}$`), regexp.MustCompile(`(?m)^to go     \d+-\d+ trials, `))
	m.keys("C-c")
	m.shows("the summary, and the report below", summed)
	if text := m.screen(); strings.Contains(text, "suspects  ") || strings.Contains(text, "keys  ") {
		t.Errorf("something is left of the view:\n%s", text)
	}
	if got := m.settings("after"); got != before {
		t.Errorf("afterwards the terminal is\n%s\nand was\n%s", got, before)
	}

	m.keys("clear; NO_COLOR=1 sh -c 'echo $$ >../pid; exec gitdd resume'", "Enter")
	m.shows("the view without colours", saying, closed)
	if text := m.screen("-e"); strings.Contains(text, "\x1b[") {
		t.Errorf("with NO_COLOR it is\n%q", text)
	}
	text, err := os.ReadFile(f.path("pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	m.shows("it was killed", killed)
	if got := m.settings("killed"); got != before { // by the shell, as after any command that a signal ends
		t.Errorf("when it was killed the terminal is\n%s\nand was\n%s", got, before)
	}

	f.sh("", ": >go")
	m.keys("clear; gitdd resume </dev/null", "Enter")
	m.shows("the answer", regexp.MustCompile(`(?m)^gitdd: \d+ trials: .*\nThe failure comes from 1 of 8 changes\.`))
	if text := m.screen(); strings.Contains(text, "keys  ") {
		t.Errorf("there are keys where standard input is no terminal:\n%s", text)
	}
}

// A person at a terminal is asked once whether to go into a dependency. Return alone is no, and a CI job is not asked.
func TestIntoAsked(t *testing.T) {
	t.Parallel()
	f := newField(t)
	f.run("", "git", "init", "-q", "-b", "main", "repo")
	for _, version := range []string{"v1.0.0", "v1.1.0"} {
		f.sh("repo", `mkdir -p vendor/example.com/lib
printf 'module example.com/app\n\nrequire example.com/lib `+version+`\n' >go.mod
cp go.mod vendor/modules.txt
printf 'one\n`+version+`\n' >vendor/example.com/lib/f
git add .; git commit -qm `+version)
	}
	m := newTmux(f)
	asked := regexp.MustCompile(`in\s+there\? \[y/N\]`)
	done := regexp.MustCompile(`hint +the cause updates example.com/lib v1.0.0 → v1.1.0: \S+\s+resume\s+--into`)
	over := regexp.MustCompile(`(?m)^over \d`) // what is typed before that may be lost with the settings of the terminal
	m.keys("clear; gitdd run --good HEAD~ -- sh -c '! grep v1.1.0 vendor/example.com/lib/f'; echo over $?", "Enter")
	m.shows("the question", asked)
	m.keys("Enter")
	m.shows("a no", asked, done, over)
	m.keys("clear; CI=1 gitdd resume; echo over ci $?", "Enter")
	m.shows("the answer of before", done, regexp.MustCompile(`(?m)^over ci \d`))
	if text := m.screen(); asked.MatchString(text) {
		t.Errorf("a CI job is asked:\n%s", text)
	}
	m.keys("clear; gitdd resume", "Enter")
	m.shows("the question", asked)
	m.keys("y", "Enter")
	m.shows("the lines inside", regexp.MustCompile(`(?m)^vendor/example.com/lib/f$`), regexp.MustCompile(`(?m)^\+v1.1.0$`))
}
