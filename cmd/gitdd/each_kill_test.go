//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
)

// A gitdd run --each that is killed at random instants, and resumed each time, comes to the answers of one that is not. A
// kill costs no more than the runs of the suite that it has cut short.
func TestEachKill(t *testing.T) {
	seed.SkipLong(t, 8)
	const suite = `
echo $$ >>$FIELD/pids
echo run >>$FIELD/runs
for f in b d g; do if grep -q old $f; then echo "ok - $f"; else echo "not ok - $f"; fi; done
if grep -q new b && grep -q new g; then echo 'not ok - both'; else echo 'ok - both'; fi
echo 1..4`
	seed := seed.New(t)
	for round := range uint64(4) {
		jobs := 1 + int(round%2)
		t.Run(fmt.Sprintf("-j %d, round %d", jobs, round), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, round))
			s := newHunt(t, round >= 2)
			s.raced = jobs != 1
			before := s.contents("repo")
			args := []string{"run", "--good", "old", "--each", "tap", "-j", strconv.Itoa(jobs), "--json", "../results.json", "--", "sh", "-c", suite}
			start := time.Now()
			s.run("repo", append([]string{"gitdd"}, args...)...)
			took := time.Since(start)
			whole := s.results()
			s.run("repo", "gitdd", "clean")
			if err := os.Remove(s.path("runs")); err != nil {
				t.Fatal(err)
			}
			kills := s.killAgainAndAgain(random, took, args, "resume", "--json", "../results.json")
			t.Logf("%d kills", kills)
			if diff := cmp.Diff(told(whole), told(s.results())); diff != "" {
				t.Errorf("the answers without kills (-) and with %d (+):\n%s", kills, diff)
			}
			runs, err := os.ReadFile(s.path("runs"))
			if err != nil {
				t.Fatal(err)
			}
			// With two workers each trial may have one beside it that was run ahead.
			if n, most := bytes.Count(runs, []byte("run")), jobs*(whole.Trials.Run+kills+1); n > most {
				t.Errorf("the suite ran %d times, without kills %d times, and there were %d kills", n, whole.Trials.Run, kills)
			}
			s.run("repo", "gitdd", "clean")
			if now := s.contents("repo"); now != before {
				t.Errorf("the repository was\n%s\nand is\n%s", before, now)
			}
		})
	}
}

// results reads the results that a search for each test wrote.
func (s *quarry) results() report.Results {
	s.t.Helper()
	text, err := os.ReadFile(s.path("results.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := report.ReadResults(bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// told is what results say of causes.
func told(r report.Results) (list []string) {
	for _, c := range r.Causes {
		text := fmt.Sprint(c.Number, c.Names(), c.Result.Minimal, c.Result.Verified, c.Result.Commit)
		for _, change := range c.Result.Cause {
			text += " " + change.Path
		}
		list = append(list, text)
	}
	return list
}
