//go:build unix

package main

import (
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
)

// newPrey is a quarry whose trials can run on other machines: all that they need is in
// the repository. It has ten changes; the machines know it as FIELD. While the file wait
// is there, trials of mixtures note so in the file waiting, and hang.
func newPrey(t *testing.T) *quarry {
	s := &quarry{newField(t)}
	s.raced = true
	s.env = append(s.env, "FIELD="+s.dir)
	s.run("", "git", "init", "-q", "-b", "main", "repo")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(s.path("repo/"+name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write("check", `#!/bin/sh
if [ -e "$FIELD/wait" ] && cat ? | grep -q old && cat ? | grep -q new; then
	echo >>"$FIELD/waiting"
	while [ -e "$FIELD/wait" ]; do sleep 0.05; done
fi
! grep -q new b || ! grep -q new g
`)
	for _, version := range []string{"old", "new"} {
		for name := range strings.FieldsSeq("a b c d e f g h i j") {
			write(name, version+"\n")
		}
		s.run("repo", "git", "add", ".")
		s.run("repo", "git", "commit", "-qm", version)
		s.run("repo", "git", "tag", version)
	}
	return s
}

// here is what a search on this machine finds, and how: what one elsewhere has to find.
// Nothing of it is left that the other could go on from.
func (s *quarry) here() (report.Result, report.Story) {
	s.t.Helper()
	result := s.answer("here.json", chase()...)
	story := s.story()
	s.run("repo", "gitdd", "clean")
	return result, story
}

// server starts one for the trials of s.
func (s *quarry) server(o reapitest.Options) *reapitest.Server {
	o.Env = append(o.Env, "FIELD="+s.dir)
	return reapitest.Start(s.t, o)
}

// chase is a command line that searches the prey, here or with the flags for elsewhere.
func chase(flags ...string) []string {
	return slices.Concat([]string{"run", "--good", "old"}, flags, []string{"--", "./check"})
}

// expectSame holds an answer, and the story of how it was come to, to those of a search
// on this machine, but for what they say of the machines.
func (s *quarry) expectSame(here, there report.Result, story report.Story) {
	s.t.Helper()
	if there.Remote == nil {
		s.t.Error("the answer does not say where the trials ran")
	}
	there.Remote = nil
	if diff := answersDiffer(here, there); diff != "" {
		s.t.Errorf("the answer of this machine (-) and of others (+):\n%s", diff)
	}
	told := s.story()
	told.Environment.Cluster = ""
	for i := range told.Trials {
		told.Trials[i].Machine, told.Trials[i].Cached, told.Trials[i].Lost = "", false, 0
	}
	if diff := storiesDiffer(story, told, there.Jobs > 1); diff != "" {
		s.t.Errorf("the story of this machine (-) and of others (+):\n%s", diff)
	}
}

// Trials on a server take the path that they take here, to the answer that they come to
// here; whoever asks the same of the server runs none.
func TestRemote(t *testing.T) {
	t.Parallel()
	s := newPrey(t)
	here, story := s.here()
	before := s.contents("repo")

	server := s.server(reapitest.Options{})
	there := s.answer("there.json", chase("--remote", server.Endpoint())...)
	s.expectSame(here, there, story)
	if there.Trials.Run != here.Trials.Run {
		t.Errorf("%d trials here, %d there", here.Trials.Run, there.Trials.Run)
	}
	once := server.Counts()
	if once.Executions != here.Trials.Run {
		t.Errorf("%d trials here, and the server executed %d", here.Trials.Run, once.Executions)
	}

	// Another user, who knows nothing of the first.
	s.env = append(s.env, "GITDD_CACHE_DIR="+s.path(".other"))
	again := s.answer("again.json", chase("--remote", server.Endpoint())...)
	if again.Trials.Run != 0 || again.Remote.Cached != here.Trials.Run {
		t.Errorf("the second search ran %d trials, and found %d", again.Trials.Run, again.Remote.Cached)
	}
	again.Trials, again.Remote = there.Trials, there.Remote
	if diff := answersDiffer(there, again); diff != "" {
		t.Errorf("the first answer (-) and the second (+):\n%s", diff)
	}
	twice := server.Counts()
	if twice.Executions != once.Executions || twice.Blobs != once.Blobs {
		t.Errorf("the second search executed %d actions, and uploaded %d blobs", twice.Executions-once.Executions, twice.Blobs-once.Blobs)
	}
	if now := s.contents("repo"); now != before {
		t.Errorf("the repository was\n%s\nand is\n%s", before, now)
	}
}

// inTurn is a script for faults: each of the list befalls two actions, and no action has
// more than one of them. With more, each of those befalls everybody once.
func inTurn(list []reapitest.Fault, more ...reapitest.Fault) func(reapitest.Fault, string, int) bool {
	var mu sync.Mutex
	struck, hit := map[reapitest.Fault]int{}, map[string]bool{}
	return func(f reapitest.Fault, subject string, nth int) bool {
		if nth > 1 || !slices.Contains(list, f) {
			return nth == 1 && slices.Contains(more, f)
		}
		mu.Lock()
		defer mu.Unlock()
		least := 2
		for _, g := range list {
			least = min(least, struck[g])
		}
		// Invariant: an action that comes to its end meets all occasions, so one of those
		// that struck least.
		if hit[subject] || least == 2 || struck[f] > least {
			return false
		}
		struck[f]++
		hit[subject] = true
		return true
	}
}

// Whatever fails about a server, its workers and the network: the trials are those of this
// machine, and so is the answer.
func TestRemoteFaults(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	s := newPrey(t)
	here := s.answer("here.json", chase()...)
	story := s.story()
	// What befalls each blob, or each request, befalls it in every round.
	always := []reapitest.Fault{
		reapitest.BrokenFind, reapitest.BrokenBatch, reapitest.PartBatch, reapitest.BusyBatch,
		reapitest.BrokenUpload, reapitest.BrokenDownload, reapitest.BrokenWait, reapitest.SlowAnswer,
	}
	for _, round := range []struct {
		jobs   string
		faults []reapitest.Fault
	}{
		{"1", []reapitest.Fault{reapitest.LostWorker, reapitest.BrokenExecute, reapitest.Vanished, reapitest.Memory, reapitest.LostOutput}},
		{"8", []reapitest.Fault{reapitest.LostOperation, reapitest.Exhausted, reapitest.EndedExecute, reapitest.Preempted, reapitest.Refused, reapitest.BrokenExecute}},
		{"64", []reapitest.Fault{reapitest.LostLater, reapitest.Straggler, reapitest.Deadline, reapitest.Vanished, reapitest.LostWorker, reapitest.LostOutput}},
	} {
		t.Run("-j "+round.jobs, func(t *testing.T) {
			t.Parallel()
			s := newPrey(t)
			server := s.server(reapitest.Options{MaxBatch: 1000, Delay: time.Millisecond, Fault: inTurn(round.faults, always...)})
			there := s.answer("there.json", chase("--remote", server.Endpoint(), "--remote-patience", "1m", "-j", round.jobs)...)
			s.expectSame(here, there, story)
			if round.jobs == "1" { // what runs ahead may not come to its end
				s.expectLosses("; lost before on worker-", "reapitest: the worker was lost", "ended with exit code 137")
			}
			counts := server.Counts()
			for _, f := range round.faults {
				if counts.Faults[f] == 0 {
					t.Errorf("%v befell nobody: %v", f, counts.Faults)
				}
			}
			server.Await(func(reapitest.Counts) bool { return server.Running() == 0 })
		})
	}
}

// expectLosses holds the log to why trials were lost: in the list, and in each trial.
func (s *quarry) expectLosses(wants ...string) {
	s.t.Helper()
	list := s.run("repo", "gitdd", "log")
	var trials strings.Builder
	for line := range strings.Lines(list) {
		if strings.Contains(line, "; lost ") {
			number, _, _ := strings.Cut(line, " ")
			trials.WriteString(s.run("repo", "gitdd", "log", "--trial", number))
		}
	}
	for _, want := range wants {
		if !strings.Contains(list, want) {
			s.t.Errorf("not %q in\n%s", want, list)
		}
		if want = strings.Replace(want, "; lost before on ", "lost on ", 1); !strings.Contains(trials.String(), want) {
			s.t.Errorf("not %q in\n%s", want, trials.String())
		}
	}
}

// A search that is killed and resumed has nothing executed twice: what was under way
// when gitdd died is there when it asks again.
func TestRemoteKill(t *testing.T) {
	t.Parallel()
	s := newPrey(t)
	here, story := s.here()
	before := s.contents("repo")

	server := s.server(reapitest.Options{})
	args := chase("--remote", server.Endpoint())
	for _, at := range []int{1, 3, 4, here.Trials.Run - 1} {
		cmd, stdout, stderr := s.start(args...)
		server.Await(func(c reapitest.Counts) bool { return c.Executions >= at })
		cmd.Process.Kill()
		cmd.Wait()
		if cmd.ProcessState.Exited() {
			t.Fatalf("%v\n%s%s", cmd.ProcessState, stdout, stderr)
		}
		eventually(t, "the session is not running", func() bool { return !strings.Contains(s.run("repo", "gitdd", "list"), "running") })
		args = []string{"resume"}
	}
	there := s.answer("there.json", "resume")
	there.Trials = here.Trials // what the server had done for those who were killed is no trial of anybody
	s.expectSame(here, there, story)
	if err := unrepeated(s); err != nil {
		t.Error(err)
	}
	if n := server.Counts().Executions; n != here.Trials.Run {
		t.Errorf("executed %d actions, for %d trials", n, here.Trials.Run)
	}
	s.run("repo", "gitdd", "clean")
	if now := s.contents("repo"); now != before {
		t.Errorf("the repository was\n%s\nand is\n%s", before, now)
	}
}

// An interrupt ends what runs on the server, too, with and without its help.
func TestRemoteInterrupt(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	for name, o := range map[string]reapitest.Options{
		"CancelOperation": {},
		"closed streams":  {NoCancel: true, Abandon: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPrey(t)
			server := s.server(o)
			s.sh("", ": > wait")
			cmd, stdout, stderr := s.start(chase("--remote", server.Endpoint(), "-j", "2")...)
			s.waiting()
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
				t.Errorf("exit status %d\n%s%s", got, stdout, stderr)
			}
			if !strings.Contains(stdout.String(), "gitdd resume") {
				t.Errorf("not how to go on, in\n%s", stdout)
			}
			server.Await(func(c reapitest.Counts) bool { return c.Cancelled > 0 && server.Running() == 0 })
			if err := os.Remove(s.path("wait")); err != nil {
				t.Fatal(err)
			}
			s.answer("resumed.json", "resume")
		})
	}
}

// A server may go away and come back; while it stays away, gitdd says so, and the session
// can be resumed.
func TestRemoteAway(t *testing.T) {
	t.Parallel()
	s := newPrey(t)
	here, story := s.here()

	server := s.server(reapitest.Options{})
	s.sh("", ": > wait")
	cmd, stdout, stderr := s.start(chase("--remote", server.Endpoint())...)
	s.waiting()
	server.Leave()
	s.sh("", "rm wait")
	server.Return()
	server.Forget() // nor has it what it had
	server.Await(func(c reapitest.Counts) bool { return c.Finished >= 4 })
	server.Leave()
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
		t.Fatalf("exit status %d\n%s%s", got, stdout, stderr)
	}
	status, out, message := s.status("repo", "gitdd", "resume", "--remote-patience", "1s")
	if want := server.Endpoint() + " does not answer"; status != exitTrouble || !strings.Contains(message, want) {
		t.Errorf("without a server: exit status %d, want %q in\n%s%s", status, want, out, message)
	}
	server.Return()
	there := s.answer("there.json", "resume")
	there.Trials = here.Trials
	s.expectSame(here, there, story)
}

// Who is not let in is told so, and nothing is begun.
func TestRemoteCredentials(t *testing.T) {
	t.Parallel()
	s := newPrey(t)
	server := s.server(reapitest.Options{ClientCert: true, Header: [2]string{"x-api-key", "open sesame"}})
	cert, key := server.Client()
	stranger, strangeKey := server.Stranger()
	flags := func(header, cert, key string) []string {
		return chase("--remote", server.Endpoint(), "--remote-ca", server.Authority(), "--remote-header", "x-api-key="+header,
			"--remote-cert", cert, "--remote-key", key)
	}
	for name, args := range map[string][]string{
		"header": flags("guess", cert, key), "certificate": flags("open sesame", stranger, strangeKey),
	} {
		status, out, message := s.status("repo", append([]string{"gitdd"}, args...)...)
		if status == 0 || status == 1 || !strings.Contains(message, "--remote-") {
			t.Errorf("wrong %s: exit status %d\n%s%s", name, status, out, message)
		}
	}
	if list := s.run("repo", "gitdd", "list"); strings.Contains(list, "interrupted") {
		t.Errorf("a session is left:\n%s", list)
	}
	s.answer("there.json", flags("open sesame", cert, key)...)
	if status, where, _ := s.status(".sessions", "grep", "-r", "-a", "-l", "-e", "open sesame", "."); status != 1 {
		t.Errorf("the session keeps a secret in %q", where)
	}
}
