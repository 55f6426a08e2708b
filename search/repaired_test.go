package search_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// Where later commits have changed the lines around an answer, the failing revision cannot be tested without it. Then
// the end of the answer that is more likely a mistake is tested once more: here the commit that was tested last has the wrong outcome
// twice, in the search and when it is confirmed.
func TestDoubtfulEnd(t *testing.T) {
	seed.SkipLong(t, 8)
	t.Parallel()
	const n = 8
	l := newLab(t)
	var ids []string
	for k := range n + 1 {
		var text strings.Builder
		for i := range n { // without lines between them
			word := "old"
			if i < k {
				word = "new"
			}
			fmt.Fprintf(&text, "line %d %s\n", i, word)
		}
		if err := os.WriteFile(filepath.Join(l.dir, "f"), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		l.git("add", "f")
		l.git("commit", "-q", "-m", fmt.Sprint("commit ", k))
		ids = append(ids, l.git("rev-parse", "HEAD"))
	}
	for _, test := range []struct {
		name           string
		culprit, wrong int // commits
		times          int // how often wrong has the wrong outcome
		flaky          bool
	}{
		{"steady", 6, 0, 0, false},
		{"a wrong failure", 6, 5, 2, true},
		{"a wrong pass", 6, 6, 2, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked := map[int]int{}
			m := func(applied []bool) (int, string) {
				k := 0
				for k < n && applied[k] {
					k++
				}
				asked[k]++
				fails := k >= test.culprit
				if k == test.wrong && asked[k] <= test.times {
					fails = !fails
				}
				if fails {
					return 1, "FAIL\n"
				}
				return 0, "ok\n"
			}
			set, err := changes.Between(t.Context(), l.repo, ids[0], ids[n], changes.Options{})
			if err != nil {
				t.Fatal(err)
			}
			session, err := trial.CreateSession(filepath.Join(t.TempDir(), "sessions"), trial.Header{
				CommonDir: l.repo.CommonDir(), Good: set.Good, Bad: set.Bad, Command: []string{"test"},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			found, trials, err := l.searchIn(session, set, n, m, search.Options{})
			if flaky := (*trial.FlakyError)(nil); errors.As(err, &flaky) != test.flaky {
				t.Fatalf("error %v, commit %s", err, found.Commits.To.ID)
			}
			if test.flaky {
				return
			}
			if err != nil || string(found.Commits.To.ID) != ids[test.culprit] || found.Repaired.Outcome != "" {
				t.Fatalf("error %v, commit %s, repaired %q", err, found.Commits.To.ID, found.Repaired.Outcome)
			}
			if got, most := trials, 9; got > most { // ends, three commits, both ends of the answer, one in doubt, and this one
				t.Errorf("%d trials, at most %d wanted: %v", got, most, asked)
			}
		})
	}
}
