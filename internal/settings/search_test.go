package settings

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/trial"
)

// Who allows no trial ahead gets none; isolate.Options has it the other way round.
func TestCost(t *testing.T) {
	for flag, want := range map[int]int{noLimit: 0, 0: -1, 1: 1, 200: 200} {
		s := Search{maxCost: flag}
		if got := s.cost(); got != want {
			t.Errorf("--max-cost %d is %d, want %d", flag, got, want)
		}
	}
}

// The command lines that repeat a search are those that began it, with the ids of its ends.
func TestAgain(t *testing.T) {
	h := trial.Header{Command: []string{"make", "test"}, Good: git.Revision{Commit: "1"}, Bad: git.Revision{Commit: "2"}}
	const start, end = "git bisect start --no-checkout 2 1 3", "git bisect reset"
	for line, want := range map[string]string{
		"":                                  "gitdd run --good=1 --bad=2 -- make test",
		"--all --timeout 90s":               "gitdd run --good=1 --bad=2 --timeout=1m30s --all -- make test",
		"--good auto --since @5":            "gitdd run --good=auto --bad=2 --since=@5 -- make test",
		"--bisect-good 3 --all --keep auto": start + "\ngitdd run --all --keep=auto -- make test\n" + end,
		"--bisect-good 3 --bisect-log 0: --history --finish": start + "\ngitdd bisect -- make test\n" + end,
		"--good-dir a --bad-dir b --all":                     "gitdd run --good-dir=a --bad-dir=b --all -- make test",
		"--by-hand --all":                                    "gitdd start 1 2 --all",
		"--by-hand --good-dir a --bad-dir b --all":           "gitdd start --good-dir=a --bad-dir=b --all",
	} {
		args, h := strings.Fields(line), h
		switch {
		case strings.Contains(line, "--good-dir"):
			h.Good, h.Bad = git.Revision{Tree: "1"}, git.Revision{Tree: "2"}
		case strings.HasPrefix(line, "--good"):
			h.Good = git.Revision{Rev: git.Auto}
		default:
			args = append(args, "--good=v1")
		}
		s, err := OfSearch(trial.Header{Args: args})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, words := range s.Again(h, false) {
			lines = append(lines, strings.Join(words, " "))
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("%s: %s\nwant %s", line, got, want)
		}
	}
}
