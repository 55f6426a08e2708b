package hints

import (
	"fmt"

	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// Earlier says that commits just before the failing one fail with the exit status of the failing end, but with other output, and
// quotes what one of them printed: the message of a failure changes in a history, and a user may look for the first commit that
// fails at all. It returns "" if there are no such commits, if one of the commits that could not be judged there has another
// reason, such as a signal, or if the user has said which failures count. Of commits that do not compile it says instead what
// tells them apart.
func Earlier(s *settings.Search, found search.Found, failing *trial.Record, records []trial.Record) string {
	b := found.Commits
	if s.TellsApart() || failing == nil || found.Ends.Direction == trial.Fix || !b.Narrowed() || b.Reversed {
		return ""
	}
	printed := map[git.ID]string{} // by commit
	for _, rec := range records {
		if rec.Commit != "" && rec.Other && rec.Exit == failing.Exit && rec.Signal == failing.Signal && !rec.TimedOut {
			printed[rec.Commit] = rec.Last
		}
	}
	between := map[git.ID]bool{}
	for _, c := range b.Left {
		between[c.ID] = true
	}
	n, last := 0, ""
	builds, ofBuild := 0, "" // those that do not compile
	for _, c := range b.Skipped {
		if !between[c.ID] {
			continue
		}
		line, otherwise := printed[c.ID]
		if !otherwise {
			return ""
		}
		n, last = n+1, line
		if s.Build == "" && failure.TellsCompileError(line) {
			builds, ofBuild = builds+1, line
		}
	}
	if builds > 0 {
		return fmt.Sprintf("%s before %s failed, too, but with an error of a compiler (%s): --build CMD tells builds that fail from tests that fail",
			prose.Count(builds, "commit"), b.To.ID.Short(), prose.Quote(prose.Brief(ofBuild)))
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s before %s failed, too, but printed something else (%s): if that is the same fault, --same-output status counts it and finds the first commit that has it",
		prose.Count(n, "commit"), b.To.ID.Short(), prose.Quote(prose.Brief(last)))
}
