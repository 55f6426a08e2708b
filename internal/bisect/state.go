package bisect

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
)

// A State is what a search has from a git bisect in progress when it begins,
// beside its ends. A session keeps it: the bisect may be over when the search is
// resumed. The zero value is a search that has nothing from any.
type State struct {
	Goods   []string // ids of good commits beside the one that is tested
	Skipped []string // ids
	Paths   []string // as git keeps them, relative to the top of the work tree
	Terms   string   // OLD:NEW
	Log     string   // hash of the bisect's log, if both ends were taken from the bisect; else ""

	FirstParent bool      // the bisect's own; what counts is that of the settings
	Names       [2]string // the bisect's terms for the ends that were taken; "" for an end that the user named
}

// Take takes from a bisect in progress one end or both, as good and bad say, and all else that it knows.
// ends are the ids of the ends that were taken, "" of the other one; said is what was taken, in words.
func Take(ctx context.Context, repo *git.Repo, b *git.Bisect, good, bad bool) (t State, ends [2]string, said []string, err error) {
	if good {
		first, err := nearest(ctx, repo, b)
		if err != nil {
			return t, ends, nil, err
		}
		ends[0], t.Names[0] = string(first.ID), b.Old
		for _, c := range b.Goods {
			if c.ID != first.ID {
				t.Goods = append(t.Goods, string(c.ID))
			}
		}
		text := b.Old + " " + subjectOf(first)
		if n := len(t.Goods); n > 0 {
			text += fmt.Sprintf(" and %s more", prose.Number(n))
		}
		said = append(said, text)
	}
	if bad {
		ends[1], t.Names[1] = string(b.Bad.ID), b.New
		said = append(said, b.New+" "+subjectOf(b.Bad))
	}
	for _, id := range b.Skipped {
		t.Skipped = append(t.Skipped, string(id))
	}
	if n := len(b.Skipped); n > 0 {
		said = append(said, fmt.Sprintf("%s skipped", prose.Number(n)))
	}
	if t.Paths = b.Paths; len(t.Paths) > 0 {
		said = append(said, "commits that touch "+strings.Join(t.Paths, " "))
	}
	if t.FirstParent = b.FirstParent; b.FirstParent {
		said = append(said, "first parents only")
	}
	t.Terms = b.Old + ":" + b.New
	if good && bad {
		t.Log = fingerprint(b.Log)
	}
	return t, ends, said, nil
}

func subjectOf(c git.Commit) string { return search.Named(c.ID, []git.Commit{{}, c}) }

// nearest returns the good commit that leaves least to search: with the fewest
// commits from it to bad, one in bad's history if there is any.
func nearest(ctx context.Context, repo *git.Repo, b *git.Bisect) (git.Commit, error) {
	if len(b.Goods) == 1 || b.Bad.ID == "" {
		return b.Goods[0], nil
	}
	best, least, apart := git.Commit{}, 0, true
	for _, c := range b.Goods {
		bases, err := repo.MergeBases(ctx, b.Bad.ID, c.ID)
		if err != nil {
			return best, err
		}
		isApart := len(bases) != 1 || bases[0] != c.ID
		n, err := repo.CountCommits(ctx, b.Bad.ID, c.ID)
		if err != nil {
			return best, err
		}
		if best.ID == "" || apart && !isApart || apart == isApart && n < least {
			best, least, apart = c, n, isApart
		}
	}
	return best, nil
}

// Missing says that a bisect lacks an end, and what to do.
func Missing(b *git.Bisect, term string, lacks bool) error {
	if !lacks {
		return nil
	}
	return fmt.Errorf("the git bisect in progress has no %s commit yet: mark one with `git bisect %s REV`", term, term)
}

// Command returns the name of the gitdd command that the session is recorded under: "bisect" if both ends
// come from the bisect, otherwise "run".
func (t *State) Command() string {
	if t.Log != "" {
		return "bisect"
	}
	return "run"
}

// Name calls the ends as the bisect does.
func (t *State) Name(good, bad *git.Revision) {
	for i, end := range []*git.Revision{good, bad} {
		if t.Names[i] != "" {
			end.Rev = t.Names[i]
		}
	}
}

// AddTerms adds the terms to what is reported of the commits.
func (t *State) AddTerms(h *report.History) {
	if old, new, ok := strings.Cut(t.Terms, ":"); ok && h != nil {
		h.Terms = report.Terms{Old: old, New: new}
	}
}

// Known is what the bisect knows of the commits. Only first parents are searched if firstParent is true.
func (t *State) Known(ctx context.Context, repo *git.Repo, firstParent bool) (search.Known, error) {
	k := search.Known{Skipped: map[git.ID]bool{}, Paths: t.Paths, FirstParent: firstParent}
	for _, id := range t.Skipped {
		k.Skipped[git.ID(id)] = true
	}
	for _, id := range t.Goods {
		c, err := repo.CommitOf(ctx, git.ID(id))
		if err != nil {
			return k, err
		}
		k.Goods = append(k.Goods, c)
	}
	return k, nil
}

// fingerprint tells one log from another, and from itself when more was added.
func fingerprint(log []byte) string {
	return fmt.Sprintf("%d:%x", len(log), sha256.Sum256(log))
}

// Current returns the bisect that was taken over, of the ends good and bad. The error says what has become
// of it since.
func (t *State) Current(ctx context.Context, repo *git.Repo, good, bad string) (*git.Bisect, error) {
	now, err := repo.Bisect(ctx)
	if errors.Is(err, git.ErrNoBisect) {
		return nil, errors.New("--finish: the git bisect that this search took over was reset: there is nothing to write the verdict to")
	}
	if err != nil {
		return nil, err
	}
	length := 0
	fmt.Sscanf(t.Log, "%d:", &length)
	if length > len(now.Log) || fingerprint(now.Log[:length]) != t.Log {
		return nil, errors.New("--finish: the git bisect in progress is another one than this search took over")
	}
	if len(now.Log) > length { // unless by the verdict itself, which FinishBisect knows
		if l, err := git.ParseBisectLog(now.Log); err != nil || l.First == "" && len(l.Possible) == 0 {
			return nil, errors.New("--finish: the git bisect in progress has gone on since this search took it over; `git bisect log` shows it")
		}
	}
	was := &git.Bisect{
		Old: now.Old, New: now.New, Bad: git.Commit{ID: git.ID(bad)},
		Goods: []git.Commit{{ID: git.ID(good)}}, Paths: now.Paths, FirstParent: now.FirstParent, Log: now.Log[:length],
	}
	for _, id := range t.Goods {
		was.Goods = append(was.Goods, git.Commit{ID: git.ID(id)})
	}
	for _, id := range t.Skipped {
		was.Skipped = append(was.Skipped, git.ID(id))
	}
	return was, nil
}
