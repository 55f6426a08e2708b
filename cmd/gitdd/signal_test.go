//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
)

// eventually polls until done.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still not after %v: %s", patience, what)
		}
	}
}

// interrupt runs a command until a trial of it has made the file waiting, interrupts
// it, and wants its exit status and texts in what it prints.
func (f *field) interrupt(name string, argv []string, wants ...string) {
	f.t.Helper()
	cmd := f.command(name, argv...)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	eventually(f.t, "a trial hangs", func() bool { _, err := os.Stat(f.path("waiting")); return err == nil })
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		f.t.Errorf("exit status %d", code)
	}
	for _, want := range wants {
		if !strings.Contains(stdout.String(), want) {
			f.t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
}

// A quarry is a field with a repository of eight changes, two of which break
// the test together, in one commit or, where it is long, in one each. Each trial
// notes its processes in the file pids, one of which tries to get away. While the
// file wait is there, trials after the ends note their number in the file waiting,
// and hang.
type quarry struct{ *field }

func newHunt(t *testing.T, long bool) *quarry {
	s := &quarry{newField(t)}
	s.raced = true
	s.env = append(s.env, "FIELD="+s.dir)
	s.run("", "git", "init", "-q", "-b", "main", "repo")
	write := func(name, text string) {
		if err := os.WriteFile(s.path(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("repo/check", `
echo $$ >> $FIELD/pids
$(command -v setsid) sh -c 'echo $$ >> $FIELD/pids; exec sleep 600' >/dev/null 2>&1 &
while [ "$(tail -n 1 $FIELD/pids)" = $$ ]; do sleep 0.01; done
if [ -e $FIELD/wait ] && [ $GITDD_TRIAL -gt 2 ]; then
	[ -z "$IGNORE" ] || trap "" $IGNORE
	echo $GITDD_TRIAL >> $FIELD/waiting
	while [ -e $FIELD/wait ]; do sleep 0.05; done
fi
! grep -q new b || ! grep -q new g
`)
	commit := func(subject string) {
		s.run("repo", "git", "add", ".")
		s.run("repo", "git", "commit", "-qm", subject)
	}
	for _, version := range []string{"old", "new"} {
		for name := range strings.FieldsSeq("a b c d e f g h") {
			write("repo/"+name, version+"\n")
			if long && version == "new" {
				commit("new " + name)
			}
		}
		if !long || version == "old" {
			commit(version)
		}
		s.run("repo", "git", "tag", version)
	}
	return s
}

// start starts a gitdd in the repository.
func (s *quarry) start(args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	s.t.Helper()
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd = s.command("repo", append([]string{"gitdd"}, args...)...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return cmd, stdout, stderr
}

// waiting waits until a trial hangs.
func (s *quarry) waiting() {
	s.t.Helper()
	eventually(s.t, "a trial hangs", func() bool {
		text, err := os.ReadFile(s.path("waiting"))
		return err == nil && len(text) > 0
	})
}

// alone waits until no process of a trial is left.
func (s *quarry) alone() {
	s.t.Helper()
	text, err := os.ReadFile(s.path("pids"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	for pid := range strings.FieldsSeq(string(text)) {
		n, err := strconv.Atoi(pid)
		if err != nil {
			s.t.Fatal(err)
		}
		eventually(s.t, "process "+pid+" of a trial is gone", func() bool { return errors.Is(syscall.Kill(n, 0), syscall.ESRCH) })
	}
}

// answer runs a gitdd that must isolate, and returns its result.
func (s *quarry) answer(name string, args ...string) report.Result {
	s.t.Helper()
	s.run("repo", slices.Concat([]string{"gitdd", args[0], "--json", "../" + name}, args[1:])...)
	result, err := readResult(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return result
}

// What gitdd was begun to ignore, by nohup or by a shell that runs it in its
// background, does not end it.
func TestIgnored(t *testing.T) {
	t.Parallel()
	s := newHunt(t, false)
	s.sh("", ": > wait")
	cmd := s.command("repo", "sh", "-c", `trap "" HUP INT; exec gitdd run --good old -- sh check`)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.waiting()
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if err := cmd.Process.Signal(signal); err != nil {
			t.Error(err)
		}
	}
	if err := os.Remove(s.path("wait")); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &printed)
	}
	s.alone()
}

// An interrupt ends the search with its best answer and leaves nothing behind
// but the session, from which it goes on.
func TestInterrupt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, jobs := range []string{"1", "2"} {
			t.Run(signal.String()+" -j "+jobs, func(t *testing.T) {
				seed.SkipLong(t, 3)
				t.Parallel()
				headline := "Interrupted: none of the 8 changes was ruled out"
				long := signal == syscall.SIGTERM // so that it is interrupted among commits
				if long {
					headline = "Interrupted: the failure came with one of 8 commits"
				}
				s := newHunt(t, long)
				whole := s.answer("whole.json", "run", "--good", "old", "--", "sh", "check")
				before := s.contents("repo")

				s.sh("", ": > wait")
				cmd, stdout, stderr := s.start("run", "--good", "old", "-j", jobs, "--json", "../part.json", "--", "sh", "check")
				s.waiting()
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				cmd.Wait()
				if got := cmd.ProcessState.ExitCode(); got != 130 {
					t.Errorf("exit status %d, want 130\n%s%s", got, stdout, stderr)
				}
				if !strings.Contains(stdout.String(), headline) || !strings.Contains(stdout.String(), "gitdd resume") {
					t.Errorf("no best answer, or not how to go on, in\n%s", stdout)
				}
				part, err := readResult(s.path("part.json"))
				if err != nil {
					t.Fatal(err)
				}
				if part.Status != report.Interrupted || len(part.Cause) != 8 || part.Minimal || part.Verified {
					t.Errorf("result: %s, %d suspects, minimal %v, verified %v", part.Status, len(part.Cause), part.Minimal, part.Verified)
				}
				s.alone()
				if now := s.contents("repo"); now != before {
					t.Errorf("the repository was\n%s\nand is\n%s", before, now)
				}
				if left, err := filepath.Glob(s.path(".sessions/*/*/work")); len(left) > 0 || err != nil {
					t.Errorf("workspaces are left: %v, %v", left, err)
				}
				if list := s.run("repo", "gitdd", "list"); !strings.Contains(list, "  interrupted  2  ") {
					t.Errorf("not listed as interrupted after 2 trials:\n%s", list)
				}

				if err := os.Remove(s.path("wait")); err != nil {
					t.Fatal(err)
				}
				resumed := s.answer("resumed.json", "resume", "-j", "1")
				if diff := answersDiffer(whole, resumed); diff != "" {
					t.Errorf("the answer without interrupt (-) and with (+):\n%s", diff)
				}
				s.alone()
			})
		}
	}
}

// A session in which a gitdd is running is left alone by all others.
func TestRunning(t *testing.T) {
	t.Parallel()
	s := newHunt(t, false)
	s.sh("", ": > wait")
	cmd, stdout, stderr := s.start("run", "--good", "old", "--", "sh", "check")
	s.waiting()
	if list := s.run("repo", "gitdd", "list"); !strings.Contains(list, "  running ") {
		t.Errorf("not listed as running:\n%s", list)
	}
	s.run("repo", "gitdd", "clean")
	if log := s.run("repo", "gitdd", "log"); strings.Count(log, "\n") != 3 {
		t.Errorf("log: want a head and two trials, got\n%s", log)
	}
	status, _, message := s.status("repo", "gitdd", "resume")
	if want := "process " + strconv.Itoa(cmd.Process.Pid); status != 4 || !strings.Contains(message, want) {
		t.Errorf("resume: exit status %d, want 4; %q is not in\n%s", status, want, message)
	}
	status, _, message = s.status("repo", "gitdd", "show")
	if want := "is still running"; status != 4 || !strings.Contains(message, want) {
		t.Errorf("show: exit status %d, want 4; %q is not in\n%s", status, want, message)
	}
	// Without the file the trials go on.
	if err := os.Remove(s.path("wait")); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s%s", err, stdout, stderr)
	}
}

// The second interrupt ends gitdd at once, even while it waits for a test that
// does not want to end; the test ends all the same.
func TestSecondInterrupt(t *testing.T) {
	t.Parallel()
	s := newHunt(t, false)
	s.env = append(s.env, "IGNORE=TERM INT")
	before := s.contents("repo")
	s.sh("", ": > wait")
	cmd, stdout, stderr := s.start("run", "--good", "old", "--", "sh", "check")
	s.waiting()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
	}()
	eventually(t, "gitdd ends", func() bool {
		select {
		case <-ended:
			return true
		default:
			cmd.Process.Signal(syscall.SIGINT)
			return false
		}
	})
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGINT {
		t.Errorf("%v, want an end by the interrupt\n%s%s", cmd.ProcessState, stdout, stderr)
	}
	s.alone()
	if err := os.Remove(s.path("wait")); err != nil {
		t.Fatal(err)
	}
	s.answer("resumed.json", "resume")
	s.run("repo", "gitdd", "clean")
	if now := s.contents("repo"); now != before {
		t.Errorf("the repository was\n%s\nand is\n%s", before, now)
	}
}
