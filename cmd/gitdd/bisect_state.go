package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
)

// A bisectState is what a search has from a git bisect in progress when it begins,
// beside its ends. A session keeps it: the bisect may be over when the search is
// resumed. The zero value is a search that has nothing from any.
type bisectState struct {
	goods   []string // ids of good commits beside the one that is tested
	skipped []string // ids
	paths   []string // as git keeps them, relative to the top of the work tree
	terms   string   // OLD:NEW
	log     string   // fingerprint of the log that both ends are from; "" = they are not
	finish  bool

	firstParent bool      // the bisect's own; what counts is that of the settings
	names       [2]string // what the ends are called, "" as the user did
}

// flags are the words of a session; none of them is the user's.
func (t *bisectState) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&t.goods, "bisect-good", nil, "")
	flags.StringArrayVar(&t.skipped, "bisect-skip", nil, "")
	flags.StringArrayVar(&t.paths, "bisect-path", nil, "")
	flags.StringVar(&t.terms, "bisect-terms", "", "")
	flags.StringVar(&t.log, "bisect-log", "", "")
	t.finishFlag(flags)
}

func (t *bisectState) finishFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&t.finish, "finish", false, "write the verdict into the git bisect in progress, for git bisect log and replay")
}

// command is the name of the command that begins a session.
func (t *bisectState) command() string {
	if t.log != "" {
		return "bisect"
	}
	return "run"
}

// name calls the ends as the bisect does.
func (t *bisectState) name(good, bad *git.Revision) {
	for i, end := range []*git.Revision{good, bad} {
		if t.names[i] != "" {
			end.Rev = t.names[i]
		}
	}
}

// tell adds the terms to what is reported of the commits.
func (t *bisectState) tell(h *report.History) {
	if old, new, ok := strings.Cut(t.terms, ":"); ok && h != nil {
		h.Terms = report.Terms{Old: old, New: new}
	}
}

// known is what these settings know of the commits.
func (s *settings) known(ctx context.Context, repo *git.Repo) (search.Known, error) {
	k := search.Known{Skipped: map[git.ID]bool{}, Paths: s.bisect.paths, FirstParent: s.firstParent}
	for _, id := range s.bisect.skipped {
		k.Skipped[git.ID(id)] = true
	}
	for _, id := range s.bisect.goods {
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

// state is the bisect that was taken over. An error says what has become of it.
func (s *settings) state(ctx context.Context, repo *git.Repo) (*git.Bisect, error) {
	now, err := repo.Bisect(ctx)
	if errors.Is(err, git.ErrNoBisect) {
		return nil, errors.New("--finish: the git bisect that this search took over was reset: there is nothing to write the verdict to")
	}
	if err != nil {
		return nil, err
	}
	length := 0
	fmt.Sscanf(s.bisect.log, "%d:", &length)
	if length > len(now.Log) || fingerprint(now.Log[:length]) != s.bisect.log {
		return nil, errors.New("--finish: the git bisect in progress is another one than this search took over")
	}
	if len(now.Log) > length { // unless by the verdict itself, which FinishBisect knows
		if l, err := git.ParseBisectLog(now.Log); err != nil || l.First == "" && len(l.Possible) == 0 {
			return nil, errors.New("--finish: the git bisect in progress has gone on since this search took it over; `git bisect log` shows it")
		}
	}
	was := &git.Bisect{
		Old: now.Old, New: now.New, Bad: git.Commit{ID: git.ID(s.bad)},
		Goods: []git.Commit{{ID: git.ID(s.good)}}, Paths: now.Paths, FirstParent: now.FirstParent, Log: now.Log[:length],
	}
	for _, id := range s.bisect.goods {
		was.Goods = append(was.Goods, git.Commit{ID: git.ID(id)})
	}
	for _, id := range s.bisect.skipped {
		was.Skipped = append(was.Skipped, git.ID(id))
	}
	return was, nil
}

// canFinish finds out before a search whether it may end in vain.
func (s *settings) canFinish(ctx context.Context, repo *git.Repo) error {
	if !s.bisect.finish {
		return nil
	}
	_, err := s.state(ctx, repo)
	if err != nil {
		err = fmt.Errorf("%w; without --finish the search goes on all the same", err)
	}
	return err
}

// finish writes the verdict of a search that has one into the bisect, and says
// what it has become.
func (a *app) finish(ctx context.Context, repo *git.Repo, s settings, b *search.Bisection, status report.Status) error {
	was, err := s.state(ctx, repo)
	if err != nil {
		return err
	}
	switch {
	case status != report.Isolated || b == nil || !b.Narrowed():
		fmt.Fprintln(a.stderr, "gitdd: the git bisect was left as it is: no commit was singled out")
		return nil
	case b.Reversed:
		fmt.Fprintf(a.stderr, "gitdd: the git bisect was left as it is: git does not look for what came before %s\n", was.Old)
		return nil
	}
	v := git.Verdict{Bad: b.To.ID}
	for _, id := range b.To.Parents {
		if o, ok := b.Outcomes[id]; ok && o == isolate.Pass {
			v.Goods = append(v.Goods, id)
		}
	}
	if len(b.Sides) == 0 && len(v.Goods) == 0 {
		v.Goods = append(v.Goods, b.From.ID)
	}
	v.Goods = append(v.Goods, b.Passed...)
	for _, c := range b.Left {
		if o, ok := b.Outcomes[c.ID]; ok && o == isolate.Unresolved {
			v.Skipped = append(v.Skipped, c.ID)
		}
	}
	left, err := repo.FinishBisect(ctx, was, v)
	if err != nil {
		return fmt.Errorf("--finish: %w", err)
	}
	text := fmt.Sprintf("%s is the first %s commit", b.To.ID.Short(), was.New)
	if len(left) != 1 || left[0].ID != b.To.ID {
		text = fmt.Sprintf("the first %s commit is one of %d", was.New, len(left))
	}
	fmt.Fprintf(a.aside(), "gitdd: `git bisect log` now says: %s\n", text)
	return nil
}
