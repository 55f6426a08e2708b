//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/btor/hunt"
	"github.com/gitdd/gitdd/internal/seed"
)

// A hunt that is killed at random instants, and begun again each time by the same
// command, finds what one finds that is not, by the same files; no seed whose run was
// in the manifest is run again, and none is there twice.
func TestHuntKill(t *testing.T) {
	seed.SkipLong(t, 4)
	t.Parallel()
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	s := newField(t)
	s.env = append(s.env, "FIELD="+s.dir)
	s.program("solver", `#!/bin/sh
echo "${1##*/}" >>"$FIELD/log"
if grep -q ' redor ' "$1"; then echo "[main] CAUGHT SIGNAL 11"; exit 11; fi
if grep -q ' concat ' "$1"; then echo "Assertion 'x > 0' failed"; exit 1; fi
exit 20
`)
	args := func(dir string, jobs int) []string {
		return []string{"gitdd", "btor", "hunt", "-n", "6", "--vars", "2", "--noarrays", "--runs", "16", "-j", strconv.Itoa(jobs), "-o", dir, "--", s.path("solver"), "{}"}
	}
	start := time.Now()
	whole := s.run("", args("whole", 1)...)
	took := time.Since(start)
	if !strings.Contains(whole, " in 16 runs (seeds 0 to 15).") {
		t.Fatal(whole)
	}

	jobs := 1 + random.IntN(3)
	kills := 0
	known := map[string]bool{} // files that need not be run again
	told := 0                  // bytes of the log
	log := func() string {
		text, err := os.ReadFile(s.path("log"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	told = len(log())
	var killed string
	for {
		cmd := s.command("", args("killed", jobs)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// There is progress because its life becomes longer.
		life := time.Duration(random.Int64N(int64(took)/3+1)) + time.Duration(kills)*took/20
		timer := time.AfterFunc(life, func() { cmd.Process.Kill() })
		cmd.Wait()
		timer.Stop()
		now := log()
		for line := range strings.Lines(now[told:]) {
			if name := strings.TrimSpace(line); known[name] {
				t.Errorf("after %d kills %s is run again", kills, name)
			}
		}
		told = len(now)
		if cmd.ProcessState.Exited() {
			if !cmd.ProcessState.Success() {
				t.Fatalf("after %d kills: %v\n%s%s", kills, cmd.ProcessState, &stdout, &stderr)
			}
			killed = stdout.String()
			break
		}
		kills++
		for _, r := range s.manifest("killed") {
			if r.Run != nil && r.Run.Failure == nil {
				known[hunt.FileName(r.Run.Seed)+".btor"] = true
			}
		}
	}
	t.Logf("%d jobs, %d kills", jobs, kills)
	if killed = strings.ReplaceAll(killed, "killed/", "whole/"); strings.Replace(killed, "files      killed", "files      whole", 1) != whole {
		t.Errorf("after %d kills:\n%s\nwithout:\n%s", kills, killed, whole)
	}
	if one, other := s.manifested("whole"), s.manifested("killed"); !slices.Equal(one, other) {
		t.Errorf("the manifest says\n%v\nand after %d kills\n%v", one, kills, other)
	}
	s.run("", "sh", "-c", "for f in whole/*.btor; do cmp $f killed/${f#whole/} || exit 1; done; test $(ls whole | wc -l) = $(ls killed | wc -l)")
	s.run("", "sh", "-c", "! ls .sessions/*/*/journal.jsonl 2>/dev/null")
}

// program writes a file that can be executed.
func (s *field) program(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o777); err != nil {
		s.t.Fatal(err)
	}
}

// manifest reads the records of a hunt; the last line may be cut.
func (s *field) manifest(dir string) (records []hunt.Record) {
	s.t.Helper()
	text, err := os.ReadFile(s.path(dir + "/manifest.jsonl"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var r hunt.Record
		if bytes.HasSuffix(line, []byte("\n")) {
			if err := json.Unmarshal(line, &r); err != nil {
				s.t.Fatal(err)
			}
			records = append(records, r)
		}
	}
	return records
}

// manifested is what a manifest says, in the order of the seeds and without times.
func (s *field) manifested(dir string) (lines []string) {
	for _, r := range s.manifest(dir) {
		switch {
		case r.Run != nil:
			r.Run.Seconds = 0
			text, _ := json.Marshal(r.Run)
			lines = append(lines, fmt.Sprintf("%05d run %s", r.Run.Seed, text))
		case r.Reduction != nil:
			r.Reduction.Seconds = 0
			text, _ := json.Marshal(r.Reduction)
			lines = append(lines, fmt.Sprintf("%05d then %s", r.Reduction.Seed, text))
		}
	}
	slices.Sort(lines)
	return lines
}

// After Ctrl-C there is a summary of what was found so far, and the same command goes
// on.
func TestHuntInterrupt(t *testing.T) {
	t.Parallel()
	s := newField(t)
	s.env = append(s.env, "FIELD="+s.dir)
	s.program("solver", `#!/bin/sh
case $1 in *-1.btor) exit 1;; *-3.btor) while test ! -e "$FIELD/go"; do echo >"$FIELD/waiting"; sleep 0.02; done; esac
exit 10
`)
	args := []string{"gitdd", "btor", "hunt", "--runs", "5", "--no-reduce", "-o", "dir", "--", s.path("solver"), "{}"}
	s.interrupt("", args, "1 finding of 1 kind in 3 runs (seeds 0 to 2).", "stopped    by a signal; the same command goes on here")
	s.program("go", "")
	if text := s.run("", args...); !strings.Contains(text, "1 finding of 1 kind in 5 runs (seeds 0 to 4).") {
		t.Error(text)
	}
	if n := len(s.manifest("dir")); n != 6 {
		t.Errorf("%d lines", n)
	}
}
