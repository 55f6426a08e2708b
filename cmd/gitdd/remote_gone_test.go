//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/trial"
)

// A server goes away in mid-search, and stays away until gitdd gives up: that is trouble
// with the machines, and no outcome. Whoever resumes the session when the server is back
// gets the answer of a search that nothing befell, and nothing that was done is done again.
func TestRemoteGone(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	s := newPrey(t)
	here, story := s.here()

	server := s.server(reapitest.Options{})
	s.sh("", ": > wait")
	cmd, stdout, stderr := s.start(chase("--remote", server.Endpoint(), "--remote-patience", "30s")...)
	s.waiting()
	server.Leave()
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != exitTrouble {
		t.Errorf("exit status %d\n%s%s", got, stdout, stderr)
	}
	told := stderr.String()
	if strings.Count(told, "gitdd: trial 3 was lost") != trial.MostLosses-1 || !strings.Contains(told, "the machines are out of reach") || !strings.Contains(told, "`gitdd resume`") {
		t.Errorf("not what happened, or not what to do, in\n%s", told)
	}
	if list := s.run("repo", "gitdd", "list"); !strings.Contains(list, "interrupted") {
		t.Errorf("the session cannot be resumed:\n%s", list)
	}

	s.sh("", "rm wait")
	server.Return()
	there := s.answer("there.json", "resume")
	there.Trials = here.Trials
	s.expectSame(here, there, story)
	if err := unrepeated(s); err != nil {
		t.Error(err)
	}
	if n := server.Counts(); n.Finished != here.Trials.Run || n.Executions != here.Trials.Run+1 {
		t.Errorf("executed %d actions, of which %d ended, for %d trials", n.Executions, n.Finished, here.Trials.Run)
	}
}

// Execution and storage have two addresses, which a session keeps.
func TestRemoteStorage(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	s := newPrey(t)
	here, story := s.here()
	storage := s.server(reapitest.Options{NoExecution: true})
	server := s.server(reapitest.Options{Storage: storage})
	if status, out, message := s.status("repo", append([]string{"gitdd"}, chase("--remote", server.Endpoint())...)...); status != exitTrouble ||
		!strings.Contains(message, "--remote-cache") {
		t.Errorf("without the storage: exit status %d\n%s%s", status, out, message)
	}
	args := append([]string{"gitdd"}, chase("--remote", server.Endpoint(), "--remote-cache", storage.Endpoint(), "--max-trials", "3")...)
	if status, out, message := s.status("repo", args...); status != exitBudget {
		t.Errorf("exit status %d\n%s%s", status, out, message)
	}
	there := s.answer("there.json", "resume")
	if there.Remote == nil || there.Remote.Storage != storage.Endpoint() {
		t.Errorf("%+v", there.Remote)
	}
	s.expectSame(here, there, story)
	if n := server.Counts().Executions; n != here.Trials.Run {
		t.Errorf("executed %d actions, for %d trials", n, here.Trials.Run)
	}
}
