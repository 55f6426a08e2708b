//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/report"
)

// newFlaky is a field with a repository of eight commits that touch five files; the
// fifth breaks the test, in one of its hunks. Where it should fail, the test
// passes in 20 of 100 tries: which ones depends on SEED, on the files and on the
// number of the try alone, by a hash that makes tries independent (a checksum would
// not: it is linear). The test in the file both is wrong both ways, and takes
// a change of the third commit as well.
func newFlaky(t *testing.T) *quarry {
	s := &quarry{newField(t)}
	s.sh("", `
git init -q -b main repo
cd repo
cat > check <<'END'
[ -z "$FIELD" ] || echo $$ >> $FIELD/pids
grep -q bug c || exit 0
luck=$( { echo $SEED $GITDD_ATTEMPT; cat a b c d e; } | git hash-object --stdin | cut -c 1-6)
test $((0x$luck % 100)) -lt 20
END
cat > both <<'END'
luck=$( { echo $SEED $GITDD_ATTEMPT; cat a b c d e; } | git hash-object --stdin | cut -c 1-6)
luck=$((0x$luck % 100))
if grep -q bug c && grep -q bug d; then test $luck -lt 30; else test $luck -lt 92; fi
END
for f in a b c d e; do seq 40 > $f; done
git add .
git commit -qm start
git tag old
for k in 1 2 3 4 5 6 7 8; do
	for f in a b c d e; do sed "$((k * 4))s/.*/$f$k/" $f > new; mv new $f; done
	[ $k != 3 ] || { sed '2s/.*/bug/' d > new; mv new d; }
	[ $k != 5 ] || { sed '2s/.*/bug/' c > new; mv new c; }
	git commit -qam "step $k"
done`)
	return s
}

func (s *quarry) flaky(seed int, name string, args ...string) report.Result {
	s.t.Helper()
	one := &quarry{&field{t: s.t, dir: s.dir, env: append(s.env[:len(s.env):len(s.env)], fmt.Sprintf("SEED=%d", seed))}}
	return one.answer(name, append([]string{"run", "--good", "old", "--confidence", "0.99"}, args...)...)
}

// TestConfidence: of a test that wrongly passes one time in five, all answers are
// right, each says with which confidence, and they cost no more than is said.
func TestConfidence(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 12)
	s := newFlaky(t)
	const seeds = 20
	steady := s.answer("steady.json", "run", "--good", "old", "--", "sh", "-c", "! grep -q bug c")
	total, wrong, tries := 0, 0, 0
	for seed := range seeds {
		r := s.flaky(seed, "result.json", "--", "sh", "check")
		if len(r.Cause) != 1 || r.Cause[0].New != "bug\n" || r.Commit == nil || r.Commit.Subject != "step 5" || !r.Minimal || !r.Verified {
			t.Errorf("seed %d: %d changes, %+v, commit %+v", seed, len(r.Cause), r.Cause, r.Commit)
			continue
		}
		if r.Confidence < 0.99 || r.Cause[0].Confidence < r.Confidence || r.Flaky.Wanted != 0.99 {
			t.Errorf("seed %d: confidence %v, of the change %v, %+v", seed, r.Confidence, r.Cause[0].Confidence, r.Flaky)
		}
		total += r.Trials.Run
		wrong += r.Flaky.Failing.Pass
		tries += r.Flaky.Failing.Pass + r.Flaky.Failing.Fail
	}
	t.Logf("%d trials of a steady test, %.1f of a flaky one; %d of %d tries were wrong", steady.Trials.Run, float64(total)/seeds, wrong, tries)
	if mean := float64(total) / seeds; mean > 6*float64(steady.Trials.Run) {
		t.Errorf("%.1f trials on the average, of a steady test %d", mean, steady.Trials.Run)
	}
	if share := float64(wrong) / float64(tries); share < 0.1 || share > 0.3 {
		t.Errorf("%d of %d tries were wrong, want a fifth", wrong, tries)
	}
}

// TestConfidenceBothWays: of a test that passes three times in ten where it should
// fail, and fails once in twelve where it should pass, two changes that only fail
// together are found. An outcome that was wrong is seen to be as soon as what comes
// after speaks against it, which bounds the trials.
func TestConfidenceBothWays(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 12)
	s := newFlaky(t)
	total := 0
	const seeds = 5
	for seed := range seeds {
		r := s.flaky(seed, "result.json", "--no-history", "--", "sh", "both")
		if len(r.Cause) != 2 || r.Cause[0].New != "bug\n" || r.Cause[1].New != "bug\n" || !r.Minimal || r.Confidence < 0.99 {
			t.Errorf("seed %d: %d changes, %+v, confidence %v", seed, len(r.Cause), r.Cause, r.Confidence)
		}
		t.Logf("seed %d: %d trials", seed, r.Trials.Run)
		total += r.Trials.Run
	}
	if total > 300*seeds {
		t.Errorf("%d trials on the average", total/seeds)
	}
}

// TestKillConfidence: killed at random instants and resumed each time, a search that
// repeats trials comes to the answer of one that is not, with the same trials.
func TestKillConfidence(t *testing.T) {
	t.Parallel()
	seed.SkipLong(t, 12)
	seed := seed.New(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, jobs := range []string{"1", "3"} {
		s := newFlaky(t)
		s.raced = jobs != "1" // one gitdd from the begin to the end: a story names its parser
		s.env = append(s.env, "SEED=3", "FIELD="+s.dir)
		whole, killed, kills := s.killed(random, "run", "--good", "old", "--confidence", "0.99", "-j", jobs, "--json", "../result.json", "--", "sh", "check")
		// A trial that was cut short has a number, so that those after it have others.
		whole.Flaky.Torn, killed.Flaky.Torn = nil, nil
		if diff := answersDiffer(whole, killed); diff != "" {
			t.Errorf("-j %s: the answer without kills (-) and with %d (+):\n%s", jobs, kills, diff)
		}
		if err := unrepeated(s); err != nil {
			t.Error(err)
		}
		t.Logf("-j %s: %d kills", jobs, kills)
	}
}
