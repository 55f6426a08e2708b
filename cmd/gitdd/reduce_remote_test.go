//go:build unix

package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// remotely is a reduction on a server.
func (s *shrinkage) remotely(input string, server *reapitest.Server, more ...string) []string {
	return s.args(input, slices.Concat([]string{"--remote", server.Endpoint()}, more)...)
}

// expectSame holds a reduction to one on this machine.
func (s *shrinkage) expectSame(here report.Reduction, output string, there report.Reduction, again string) {
	s.t.Helper()
	if there.Remote == nil {
		s.t.Error("the answer does not say where the trials ran")
	}
	if diff := sameReduction(here, there); diff != "" || again != output {
		s.t.Errorf("the answer of this machine and of others differ: %s\n%q\n%q", diff, output, again)
	}
}

// Whatever fails about a server, its workers and the network, and however many workers there are: the answer is
// that of this machine, and so are the trials on the path to it.
func TestReduceRemoteFaults(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	always := []reapitest.Fault{
		reapitest.BrokenFind, reapitest.BrokenBatch, reapitest.PartBatch, reapitest.BusyBatch,
		reapitest.BrokenUpload, reapitest.BrokenDownload, reapitest.BrokenWait, reapitest.SlowAnswer,
	}
	for _, test := range []struct {
		input, jobs string
		faults      []reapitest.Fault
	}{
		{"in.txt", "1", []reapitest.Fault{reapitest.LostWorker, reapitest.BrokenExecute, reapitest.Vanished, reapitest.Memory, reapitest.LostOutput}},
		{"dir", "8", []reapitest.Fault{reapitest.LostOperation, reapitest.Exhausted, reapitest.EndedExecute, reapitest.Preempted, reapitest.Refused}},
		{"in.btor", "64", []reapitest.Fault{reapitest.LostLater, reapitest.Straggler, reapitest.Deadline, reapitest.Vanished, reapitest.LostWorker}},
	} {
		t.Run(test.input, func(t *testing.T) {
			t.Parallel()
			s := newShrinkage(t)
			here, output := s.reduction(test.input, s.args(test.input)...)
			server := reapitest.Start(t, reapitest.Options{MaxBatch: 1000, Delay: time.Millisecond, Linked: reapitest.LinkedFiles, Fault: inTurn(test.faults, always...)})
			there, again := s.reduction(test.input, s.remotely(test.input, server, "--remote-patience", "1m", "-j", test.jobs)...)
			s.expectSame(here, output, there, again)
			counts := server.Counts()
			for _, f := range test.faults {
				if counts.Faults[f] == 0 {
					t.Errorf("%v befell nobody: %v", f, counts.Faults)
				}
			}
			server.Await(func(reapitest.Counts) bool { return server.Running() == 0 })
		})
	}
}

// A server goes away in the middle of a reduction, and stays away until gitdd gives up; gitdd is killed; the server
// forgets what it has. Whoever resumes the session gets the answer of a reduction that nothing befell.
func TestReduceRemoteGone(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	s := newShrinkage(t)
	here, output := s.reduction("dir", s.args("dir")...)
	s.run("work", "gitdd", "clean")
	s.sh("work", "rm -rf dir.reduced")
	server := reapitest.Start(t, reapitest.Options{})

	begin := func(args ...string) (wait func() (status int, stderr string)) {
		cmd := s.command("work", append([]string{"gitdd"}, args...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		finished := server.Counts().Finished
		server.Await(func(c reapitest.Counts) bool { return c.Finished >= finished+5 })
		return func() (int, string) {
			cmd.Wait()
			return cmd.ProcessState.ExitCode(), stderr.String()
		}
	}
	wait := begin(s.remotely("dir", server, "--remote-patience", "5s", "-j", "2")...)
	server.Leave()
	if status, told := wait(); status != exitTrouble || !strings.Contains(told, "the machines are out of reach") || !strings.Contains(told, "`gitdd resume`") {
		t.Errorf("exit status %d, and not what happened, or not what to do, in\n%s", status, told)
	}
	server.Return()
	server.Forget()
	there, again := s.reduction("dir", "resume", "--json", "../result.json", "-j", "20")
	s.expectSame(here, output, there, again)
	if there.Remote != nil && there.Remote.GaveUp > trial.MostLosses {
		t.Errorf("%+v", there.Remote)
	}
	if _, err := os.Stat(s.path("work/dir.reduced")); err != nil {
		t.Error(err)
	}
}

// A reduction that is killed and resumed has what was done by then.
func TestReduceRemoteKill(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	s := newShrinkage(t)
	here, output := s.reduction("in.btor", s.args("in.btor")...)
	s.run("work", "gitdd", "clean")
	server := reapitest.Start(t, reapitest.Options{})
	args := s.remotely("in.btor", server, "-j", "24")
	for _, at := range []int{2, 9, 30} {
		cmd := s.command("work", append([]string{"gitdd"}, args...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		server.Await(func(c reapitest.Counts) bool { return c.Executions >= at })
		cmd.Process.Kill()
		cmd.Wait()
		eventually(t, "the session is running", func() bool { return !strings.Contains(s.run("work", "gitdd", "list"), "running") })
		args = []string{"resume"}
	}
	there, again := s.reduction("in.btor", "resume", "--json", "../result.json")
	s.expectSame(here, output, there, again)
}
