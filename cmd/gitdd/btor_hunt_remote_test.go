//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/internal/seed"
)

// flawed makes a field with two solvers. ./solver crashes on graphs with redor, on others with concat it is killed, and it
// takes a graph with an and for unsatisfiable, which the other one, in lib, does not; it needs words that are in lib.
func flawed(t *testing.T) *field {
	s := newField(t)
	if err := os.Mkdir(s.path("lib"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.program("solver", `#!/bin/sh
if grep -q ' redor ' "$1"; then cat "$GITDD_DIR/lib/words" >&2; exit 1; fi
if grep -q ' concat ' "$1"; then kill -SEGV $$; fi
if grep -q ' and ' "$1"; then exit 20; fi
exit 10
`)
	s.program("lib/words", "Assertion failed\n")
	s.program("lib/other", "#!/bin/sh\necho sat\n")
	return s
}

// hunting is a hunt in a directory that ends behind some seeds, with more flags.
func (s *field) hunting(dir string, more ...string) []string {
	return slices.Concat([]string{"gitdd", "btor", "hunt", "-n", "6", "--vars", "2", "--noarrays", "--runs", "12", "--max-memory", "0", "-o", dir, "--against", "./lib/other {btor}"}, more, []string{"--", "./solver", "{}"})
}

// expectHunt holds a hunt to another one: its report, its manifest but for the times, and all files.
func (s *field) expectHunt(want, got, report, again string) {
	s.t.Helper()
	if again = strings.ReplaceAll(again, got+"/", want+"/"); strings.Replace(again, "files      "+got, "files      "+want, 1) != report {
		s.t.Errorf("%s:\n%s\n%s:\n%s", want, report, got, again)
	}
	if one, other := s.manifested(want), s.manifested(got); !slices.Equal(one, other) {
		s.t.Errorf("%s\n%s\n%s\n%s", want, strings.Join(one, "\n"), got, strings.Join(other, "\n"))
	}
	files := s.read(want)
	if len(files) < 8 || !slices.ContainsFunc(files, func(file string) bool { return strings.Contains(file, "reduced.btor") }) {
		s.t.Errorf("files %q", files)
	}
	if other := s.read(got); !slices.Equal(files, other) {
		s.t.Errorf("%q\n%q", files, other)
	}
}

// read returns the files of a hunt with their contents, but for the manifest.
func (s *field) read(dir string) (files []string) {
	s.t.Helper()
	names, err := filepath.Glob(s.path(dir + "/seed-*"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			s.t.Fatal(err)
		}
		files = append(files, filepath.Base(name)+"\n"+string(text))
	}
	return files
}

// A hunt on a cluster has the findings, the manifest and the files of a hunt here, for every number of workers and
// whatever fails about the cluster: crashes, kills and disagreements alike.
func TestHuntRemote(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	s := flawed(t)
	report := s.run("", s.hunting("here")...)
	for _, words := range []string{`printed "assertion", exit 1`, "killed by SIGSEGV", "the answers differ: solver unsat, other sat"} {
		if !strings.Contains(report, words) {
			t.Fatal(report)
		}
	}
	for _, test := range []struct {
		jobs   string
		faults []reapitest.Fault
	}{
		{"1", nil},
		{"3", []reapitest.Fault{reapitest.LostWorker, reapitest.BrokenExecute, reapitest.Vanished, reapitest.Preempted}},
		{"8", []reapitest.Fault{reapitest.LostOperation, reapitest.Exhausted, reapitest.LostOutput, reapitest.LostLater}},
	} {
		server := reapitest.Start(t, reapitest.Options{Linked: reapitest.LinkedFiles, Fault: inTurn(test.faults, reapitest.BrokenFind, reapitest.BrokenDownload)})
		dir := "there-" + test.jobs
		s.expectHunt("here", dir, report, s.run("", s.hunting(dir, "--remote", server.Endpoint(), "--remote-patience", "1m", "--overlay", "lib", "-j", test.jobs)...))
		counts := server.Counts()
		for _, f := range test.faults {
			if counts.Faults[f] == 0 {
				t.Errorf("%v befell nobody: %v", f, counts.Faults)
			}
		}
		server.Await(func(reapitest.Counts) bool { return server.Running() == 0 })
	}
}

// A hunt on a cluster whose gitdd is killed, whose server goes away, and which goes on here for a while, comes to the
// same; the machines are not asked again for what is in the manifest.
func TestHuntRemoteGone(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	s := flawed(t)
	report := s.run("", s.hunting("here")...)
	server := reapitest.Start(t, reapitest.Options{})
	args := func(patience string) []string {
		return s.hunting("there", "--remote", server.Endpoint(), "--remote-patience", patience, "--overlay", "lib", "-j", "3")
	}
	begin := func(patience string) (*exec.Cmd, *bytes.Buffer) {
		var stderr bytes.Buffer
		cmd := s.command("", args(patience)...)
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, &stderr
	}
	for _, stop := range []struct {
		at     int
		signal os.Signal
	}{{3, os.Kill}, {10, os.Kill}, {10, os.Interrupt}} {
		at, signal := server.Counts().Executions+stop.at, stop.signal
		cmd, _ := begin("1m")
		server.Await(func(c reapitest.Counts) bool { return c.Executions >= at })
		cmd.Process.Signal(signal)
		cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); signal == os.Interrupt && status != exitInterrupted {
			t.Errorf("exit status %d after Ctrl-C", status)
		}
	}
	cmd, stderr := begin("20s") // as long as it waits for the server that has gone
	finished := server.Counts().Finished
	server.Await(func(c reapitest.Counts) bool { return c.Finished >= finished+3 })
	server.Leave()
	cmd.Wait()
	if told := stderr.String(); cmd.ProcessState.ExitCode() != exitTrouble || !strings.Contains(told, "the machines are out of reach") || !strings.Contains(told, "the same hunt goes on") {
		t.Errorf("exit status %d, and not what happened, or not what to do, in\n%s", cmd.ProcessState.ExitCode(), told)
	}
	server.Return()
	server.Forget()
	s.run("", s.hunting("there", "--no-reduce")...)
	s.expectHunt("here", "there", report, s.run("", args("1m")...))
}

// What machines lose each time is no finding, and is run again by the same command.
func TestHuntRemoteLost(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 8)
	s := flawed(t)
	report := s.run("", s.hunting("here", "--no-reduce")...)
	server := reapitest.Start(t, reapitest.Options{Fault: func(f reapitest.Fault, _ string, _ int) bool { return f == reapitest.LostWorker }})
	args := func(server *reapitest.Server) []string {
		return s.hunting("there", "--no-reduce", "--remote", server.Endpoint(), "--remote-patience", "1m", "--overlay", "lib", "-j", "20")
	}
	status, lost, _ := s.status("", args(server)...)
	if status != exitNothing || !strings.Contains(lost, "No findings in 12 runs") || !strings.Contains(lost, "lost       12 files") {
		t.Errorf("exit status %d and\n%s", status, lost)
	}
	whole := reapitest.Start(t, reapitest.Options{Delay: time.Millisecond})
	if again := s.run("", args(whole)...); strings.Replace(strings.ReplaceAll(again, "there/", "here/"), "files      there", "files      here", 1) != report {
		t.Errorf("%s\n%s", report, again)
	}
}
