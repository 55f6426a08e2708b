package hints

import (
	"fmt"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// Earlier says that commits just before the failing one fail as well, but print something else than the failing end: the message
// of a failure changes in a history, and a user may look for the first commit that fails at all. It returns "" if there are none, if
// one of the commits that could not be judged there has another reason, or if the user has said which failures count.
func Earlier(s *settings.Search, found search.Found, records []trial.Record) string {
	b := found.Commits
	if s.TellsApart() || found.Ends.Direction == trial.Fix || !b.Narrowed() || b.Reversed {
		return ""
	}
	other := map[string]bool{}
	for _, rec := range records {
		if rec.Commit != "" && rec.Other {
			other[string(rec.Commit)] = true
		}
	}
	left := map[string]bool{}
	for _, c := range b.Left {
		left[string(c.ID)] = true
	}
	n := 0
	for _, c := range b.Skipped {
		switch id := string(c.ID); {
		case !left[id]:
		case !other[id]:
			return ""
		default:
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s before %s failed, too, but printed something else: --same-output status counts these failures, and so finds the first commit that fails at all",
		prose.Count(n, "commit"), b.To.ID.Short())
}
