package main

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/fixtures"
	"github.com/gitdd/gitdd/internal/seed"
)

// A language is how the commands of TestBrokenSpans fail.
type language struct {
	name string
	// check runs the files value and noise; it says what the value is if it is not 2.
	check string
	// broken is a line that cannot be run.
	broken string
	// unknown: neither the exit status nor the words tell that such a line fails for another reason.
	unknown bool
}

var languages = []language{
	{"a shell that says where", ". ./noise; . ./value || exit 1; [ $v = 2 ] || { echo \"FAIL: $v\"; exit 1; }", "broken() { if then; }", false},
	{"a shell that says nothing", ". ./noise; (. ./value) || exit 1; . ./value; [ $v = 2 ]", "no-such-program || exit 1", false},
	{"a build before the test", `. ./noise
echo "compile $(cat noise)"
if grep -q broken value; then
	grep -n broken value | sed 's/:.*/: error: expected a value before this/; s/^/value:/' >&2
	echo 'make: *** [Makefile:2: test] Error 1' >&2
	exit 2
fi
. ./value
[ $v = 2 ] || { echo "check: expected 2, got $v"; echo 'make: *** [Makefile:2: test] Error 1' >&2; exit 2; }`, "broken", false},
	{"a protocol", `. ./noise
if grep -q broken value; then echo 'not ok 1 - load'; exit 1; fi
echo "ok 1 - load"
. ./value
if [ $v = 2 ]; then echo "ok 2 - value"; else echo "not ok 2 - value"; echo "# got $v"; exit 1; fi`, "broken", false},
	{"a traceback", `. ./noise
trace() { printf 'Traceback (most recent call last):\n  File "%s/%s", line %s, in <module>\n    %s\n%s\n' "$PWD" "$@" >&2; exit 1; }
if grep -q broken value; then trace value.py 3 'from noise import broken' "ImportError: cannot import name 'broken' from 'noise'"; fi
. ./value
[ $v = 2 ] || trace test.py 9 'assert value() == 2, value()' "AssertionError: $v"`, "broken", false},
	{"few words", ". ./noise; grep -q broken value && { echo FAIL not ready; exit 1; }; . ./value; [ $v = 2 ] || { echo FAIL $v; exit 1; }", "broken", true},
	{"words that have nothing in common", ". ./noise; grep -q broken value && { echo BROKEN; exit 1; }; . ./value; [ $v = 2 ] || { echo WRONG $v; exit 1; }", "broken", true},
	{"silence", ". ./noise; grep -q broken value && exit 1; . ./value; [ $v = 2 ]", "broken", true},
}

// TestBrokenSpans: commits that cannot be run, in the middle of a history, are not taken
// for the regression, whatever the commands say. Nor are they where the regression comes
// before them.
func TestBrokenSpans(t *testing.T) {
	histories := 6 * len(languages)
	if testing.Short() {
		histories = 2 * len(languages)
	}
	seed := seed.New(t)
	wrong, trials := 0, 0
	for i := range histories {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		l := languages[i%len(languages)]
		f := newField(t)
		p := &past{History: fixtures.New(f.path("repo"))}
		commits := 12 + random.IntN(9)
		culprit := 1 + random.IntN(commits)
		first := 1 + random.IntN(commits-1)
		last := min(commits-1, first+random.IntN(5))
		if first-1 <= culprit && culprit <= last+1 { // nobody could say which of them it is
			continue
		}
		value, broken := 2, ""
		for n := range commits + 1 {
			subject := fmt.Sprintf("Harmless %d", n)
			switch n {
			case first:
				subject, broken = "Break the build", l.broken
			case last + 1:
				subject, broken = "Mend the build", ""
			case culprit:
				subject, value = "Culprit", 3+random.IntN(99)
			default:
				if n > culprit && random.IntN(3) == 0 {
					value = 3 + random.IntN(99)
				}
			}
			p.step(subject, "check", l.check+"\n", "value", fmt.Sprintf("v=%d\n%s\n", value, broken), "noise", fmt.Sprintf("noise=%d\n", n))
			if n == 0 {
				p.Tag("v1")
			}
		}
		p.build(t)
		status, text, progress := f.status("repo", "gitdd", "run", "--good", "v1", "--json", "../result.json", "--", "sh", "check")
		r, err := readResult(f.path("result.json"))
		if status != 0 || err != nil || r.Commit == nil || r.Commit.Subject != "Culprit" {
			wrong++
			t.Errorf("history %d, %s, %d commits, broken from %d to %d, culprit %d: status %d, %v\n%s%s", i, l.name, commits, first, last, culprit, status, err, text, progress)
			continue
		}
		if others := r.Others.Trials; others > 0 && !strings.Contains(text, "failed otherwise than the failing end") {
			t.Errorf("history %d: the %d trials that failed otherwise are not told:\n%s", i, others, text)
		}
		// Two ends, halving, commits that cannot be judged, the second run of the failing end,
		// three changes, two confirmations, and two more of an end that is doubtful.
		most := 2 + bits.Len(uint(commits)) + (last - first + 1) + 1 + 4 + 4
		if l.unknown && first < culprit { // the search goes on behind a commit that a trial has told, among fewer commits
			most += bits.Len(uint(commits)) + 4 + 1
		}
		if r.Trials.Run > most {
			t.Errorf("history %d, %s: %d trials, at most %d are expected\n%s", i, l.name, r.Trials.Run, most, progress)
		}
		trials += r.Trials.Run
	}
	t.Logf("%d wrong, %d trials", wrong, trials)
}
