package changes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
)

func TestCounterparts(t *testing.T) {
	numbered := func(edits ...string) string {
		var b strings.Builder
		for i := 1; i <= 20; i++ {
			line := fmt.Sprintf("%d\n", i)
			for _, e := range edits {
				if at, to, _ := strings.Cut(e, "="); at == fmt.Sprint(i) {
					line = strings.ReplaceAll(to, "|", "\n")
				}
			}
			b.WriteString(line)
		}
		return b.String()
	}
	for _, c := range []struct {
		name               string
		good, before, last string // f as it was, one commit before the last, and in the last
		want               string // the counterparts of all that the last commit did
	}{
		{"alone", numbered(), numbered(), numbered("5=five|"), "5"},
		{"an earlier change stays apart", numbered(), numbered("5=five|"), numbered("5=five|", "9=nine|"), "9"},
		{"the earlier one moves it", numbered(), numbered("2=2|2a|2b|"), numbered("2=2|2a|2b|", "9=nine|"), "11"},
		{"neighbours are one hunk", numbered(), numbered("5=five|"), numbered("5=five|", "6=six|"), "5"},
		{"lines of both commits", numbered(), numbered("5=5|a|b|"), numbered("5=5|a|x|b|"), "6"},
		{"removed", numbered(), numbered("5=five|"), numbered("5=five|", "9="), "8"},
		{"removed beside an earlier change", numbered(), numbered("5=five|"), numbered("5=five|", "6="), "5"},
		{"removed what was added between", numbered(), numbered("5=5|a|b|c|"), numbered("5=5|a|c|"), "6"},
		{"put back", numbered(), numbered("5=five|"), numbered(), "none"},
		{"in a file that is new", "", numbered(), numbered("5=five|"), "created"},
		{"the new file itself", "", "", numbered(), "created"},
		{"gone", numbered(), numbered("5=five|"), "", "deleted"},
		{"gone that came between", "", numbered(), "", "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			history := []tree{{"a": text("a\n")}, {"a": text("b\n")}, {"a": text("c\n")}}
			for i, content := range []string{c.good, c.before, c.last} {
				if content != "" {
					history[i]["f"] = text(content)
				}
			}
			repo, revs := repository(t, "sha1", history...)
			whole, last := between(t, repo, revs[0], revs[2]), between(t, repo, revs[1], revs[2])
			found, ok := whole.Counterparts(last, ofPath(last, "f"))
			got := []string{}
			for _, i := range found {
				if d := whole.Changes[i]; d.Kind == Text {
					got = append(got, fmt.Sprint(d.NewStart))
				} else {
					got = append(got, d.Kind.String())
				}
			}
			if !ok {
				got = []string{"none"}
			}
			if diff := cmp.Diff([]string{c.want}, got); diff != "" {
				t.Errorf("counterparts (-want +got):\n%s", diff)
			}
		})
	}
}

func ofPath(s *Set, path string) (ids []int) {
	for i := range s.Changes {
		if s.Changes[i].Path == path {
			ids = append(ids, i)
		}
	}
	return ids
}

// Every change is its own counterpart, and no other's.
func TestCounterpartsOfTheSameSet(t *testing.T) {
	seed.SkipLong(t, 4)
	rng := seeded(t)
	for range 20 {
		lines := make([]string, 60)
		for i := range lines {
			lines[i] = fmt.Sprintf("%d\n", i)
		}
		old := strings.Join(lines, "")
		for range 1 + rng.IntN(12) {
			lines[rng.IntN(len(lines))] = []string{"", "x\n", "y\nz\n"}[rng.IntN(3)]
		}
		repo, revs := repository(t, "sha1", tree{"f": text(old)}, tree{"f": text(strings.Join(lines, ""))})
		s := between(t, repo, revs[0], revs[1])
		for i := range s.Changes {
			if found, ok := s.Counterparts(s, []int{i}); !ok || !slices.Equal(found, []int{i}) {
				t.Errorf("counterparts of change %d of %d: %v, %v", i, s.Len(), found, ok)
			}
		}
	}
}
