package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// findGood looks for the good end of a search that has none, and cuts the difference to bad. If there is none, or the
// search for it was cut short, the difference is that from the oldest commit that was tested, and found says so. told gets the
// commits among which it is looked for.
func findGood(ctx context.Context, repo *git.Repo, session *trial.Session, runner *trial.Runner, s *settings.Search, note func(string), told func([]git.Commit)) (set *changes.Set, found search.Found, err error) {
	bad := session.Header().Bad
	line, bound, err := older(ctx, repo, bad, s.Since)
	if err != nil {
		return nil, found, err
	}
	told(line)
	back, err := search.LookBack(ctx, runner, bad, line, s.MaxTrials)
	at := line[max(back.Distance, 1)]
	short := at.ID.Short()
	good := git.Revision{Rev: short, Commit: at.ID, Tree: at.Tree}
	// An interrupted search still says how far it came.
	set, err2 := settings.Between(context.WithoutCancel(ctx), repo, good, bad, s.Paths)
	if err2 != nil {
		return nil, found, errors.Join(err, err2)
	}
	if err == nil {
		note(fmt.Sprintf("%s, %s before %s, passes: searching between the two", short, prose.Count(back.Distance, "commit"), bad.Rev))
		return set, found, nil
	}
	var ends *trial.EndsError
	if errors.Is(err, isolate.ErrBudget) || errors.Is(err, context.Canceled) {
		note(fmt.Sprintf("no commit that passes was found yet, up to %s before %s", prose.Count(back.Distance, "commit"), bad.Rev))
	} else if errors.As(err, &ends) && back.Ends.Bad.Outcome == isolate.Fail {
		ends.What += "; " + bound
	}
	return set, search.Found{Answer: search.Untested(set), Ends: back.Ends}, err
}

// older returns the commits from bad on back in time, as far as they may be tested, and what bounds them: why there
// are no more, and what to do.
func older(ctx context.Context, repo *git.Repo, bad git.Revision, date string) (line []git.Commit, bound string, err error) {
	var since time.Time
	if date != "" {
		if since, err = repo.Date(ctx, date); err != nil {
			return nil, "", err
		}
	}
	if line, err = repo.Back(ctx, bad.Commit, since); err != nil {
		return nil, "", err
	}
	first := bad.Rev + " is the first commit"
	switch {
	case date != "" && (len(line) == 0 || len(line[len(line)-1].Parents) > 0):
		day := since.Format("2006-01-02 15:04")
		bound = "--since ends the search at " + day + ": an earlier date goes further back, and --good REV names a commit that passes"
		first = fmt.Sprintf("there is no commit before %s since %s", bad.Rev, day)
	case repo.IsShallow():
		bound = "this shallow clone ends there: `git fetch --unshallow` brings older commits, and --good REV names one that passes"
		first = "this shallow clone ends at " + bad.Rev
	default:
		bound = "that is the whole history along first parents: --good REV names a commit that passes, if another branch has one"
	}
	if len(line) < 2 {
		return nil, "", &settings.NothingError{What: "--good auto finds no older commit: " + first, Hint: bound}
	}
	return line, bound, nil
}
