//go:build unix

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A gitdd that is killed at random instants, and resumed each time, comes to
// the answer of one that is not; it repeats no trial that had finished, no
// process stays, and the repository is as it was.
func TestKill(t *testing.T) {
	chosen := seed.New(t)
	for round := range uint64(6) {
		jobs := strconv.FormatUint(1+round%2, 10)
		t.Run(fmt.Sprintf("-j %s, round %d", jobs, round), func(t *testing.T) {
			seed.SkipLong(t, 6)
			t.Parallel()
			random := rand.New(rand.NewPCG(chosen, round))
			s := newHunt(t, round >= 3)
			s.raced = jobs != "1"
			before := s.contents("repo")
			whole, killed, kills := s.killed(random, "run", "--good", "old", "-j", jobs, "--json", "../result.json", "--", "sh", "check")
			t.Logf("%d kills", kills)
			if diff := answersDiffer(whole, killed); diff != "" {
				t.Errorf("the answer without kills (-) and with %d (+):\n%s", kills, diff)
			}
			if err := unrepeated(s); err != nil {
				t.Error(err)
			}
			s.run("repo", "gitdd", "clean")
			if now := s.contents("repo"); now != before {
				t.Errorf("the repository was\n%s\nand is\n%s", before, now)
			}
		})
	}
}

// killed runs gitdd undisturbed, and then killed at random instants and resumed each
// time, until it comes to its end; the arguments write a result as killed reads it.
func (s *quarry) killed(random *rand.Rand, args ...string) (whole, killed report.Result, kills int) {
	s.t.Helper()
	result := func() report.Result {
		r, err := readResult(s.path("result.json"))
		if err != nil {
			s.t.Fatal(err)
		}
		return r
	}
	start := time.Now()
	s.run("repo", append([]string{"gitdd"}, args...)...)
	took := time.Since(start)
	whole = result()
	story := s.story()
	s.run("repo", "gitdd", "clean")
	kills = s.killAgainAndAgain(random, took, args, "resume", "--json", "../result.json")
	if diff := storiesDiffer(story, s.story(), true); diff != "" {
		s.t.Errorf("the story without kills (-) and with %d (+):\n%s", kills, diff)
	}
	return whole, result(), kills
}

// killAgainAndAgain runs a gitdd that is killed at random instants, and resumed each time, until it comes to its end, and
// returns how often it was killed. Without kills it takes so long.
func (s *quarry) killAgainAndAgain(random *rand.Rand, took time.Duration, args []string, resume ...string) (kills int) {
	s.t.Helper()
	for {
		cmd, stdout, stderr := s.start(args...)
		// So short a life that some of these end before a trial; there is progress
		// because it becomes longer.
		life := time.Duration(random.Int64N(int64(took)/2+1)) + time.Duration(kills)*took/50
		timer := time.AfterFunc(life, func() { cmd.Process.Kill() })
		cmd.Wait()
		timer.Stop()
		s.alone()
		if cmd.ProcessState.Exited() {
			if !cmd.ProcessState.Success() {
				s.t.Fatalf("after %d kills: %v\n%s%s", kills, cmd.ProcessState, stdout, stderr)
			}
			return kills
		}
		kills++
		// A child between fork and exec holds the lock for a moment more.
		var list string
		eventually(s.t, "the session is not running", func() bool {
			list = s.run("repo", "gitdd", "list")
			return !strings.Contains(list, "running")
		})
		// Also when it was killed after its end: else there would be a second session.
		if strings.Contains(list, "interrupted") || strings.Contains(list, "finished") {
			args = resume
		} else if list != "" {
			s.t.Fatalf("after %d kills:\n%s", kills, list)
		}
	}
}

// story reads that of the one session that there is.
func (s *quarry) story() report.Story {
	s.t.Helper()
	names, err := filepath.Glob(s.path(".sessions/*/*/" + record.File))
	if err != nil || len(names) != 1 {
		s.t.Fatalf("stories %q: %v", names, err)
	}
	story, err := readStory(names[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return story
}

// unrepeated reports a trial that two records of a journal tell of.
func unrepeated(s *quarry) error {
	journals, err := filepath.Glob(s.path(".sessions/*/*/journal.jsonl"))
	if err != nil || len(journals) == 0 {
		return errors.Join(err, errors.New("there is no journal"))
	}
	for _, name := range journals {
		session, err := trial.ReadSession(filepath.Dir(name))
		if err != nil {
			return err
		}
		type key struct {
			tree, settings string
			confirm        bool
			attempt        int
		}
		seen := map[key]int{}
		for _, r := range session.Records() {
			k := key{string(r.Tree), r.Key, r.Purpose == trial.Confirm, r.Attempt}
			if first, ok := seen[k]; ok {
				return fmt.Errorf("trial %d repeats trial %d: %+v", r.Trial, first, k)
			}
			seen[k] = r.Trial
		}
	}
	return nil
}
