package byhand

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/trial"
)

// A Session is an open session by hand with all that its search needs.
type Session struct {
	*trial.Session
	Repo     *git.Repo
	Set      *changes.Set // nil = the good end is to be found first
	Settings settings.Search
	State    State
	Before   int    // Last when Open was called: somebody else may have judged while it waited
	seen     git.ID // the tree that was to be judged then
}

// New returns the session of a search that was just begun.
func New(ctx context.Context, repo *git.Repo, session *trial.Session, search settings.Search) (*Session, error) {
	s := &Session{Session: session, Repo: repo, Settings: search}
	return s, s.cut(ctx)
}

// Open opens the session in a directory, to go on with it, and goes to where it was begun. The repository is what open returns for
// it; Close closes both.
func Open(ctx context.Context, dir string, open func(context.Context, *trial.Session) (*git.Repo, error)) (s *Session, err error) {
	// What the user has seen is what the session showed before it was waited for.
	before, err := trial.ReadSession(dir)
	if err != nil {
		return nil, err
	}
	seen, err := ReadState(before)
	if err != nil {
		return nil, err
	}
	session, err := trial.OpenSession(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			session.Close()
		}
	}()
	// The paths of the session's flags are relative to where it was begun.
	if err := os.Chdir(session.Header().Dir); err != nil {
		return nil, fmt.Errorf("go to where the session was begun: %w", err)
	}
	s = &Session{Session: session, Before: Last(before), seen: seen.Tree}
	if s.State, err = ReadState(session); err != nil {
		return nil, err
	}
	if s.Settings, err = settings.OfSearch(session.Header()); err != nil {
		return nil, err
	}
	if s.Repo, err = open(ctx, session); err != nil {
		return nil, err
	}
	if err = s.cut(ctx); err != nil {
		s.Repo.Close()
	}
	return s, err
}

// Close closes the session and its repository.
func (s *Session) Close() { s.Session.Close(); s.Repo.Close() }

// cut cuts the difference of the ends into changes, if both are known.
func (s *Session) cut(ctx context.Context) (err error) {
	if h := s.Header(); !h.Good.IsAuto() {
		s.Set, err = settings.Between(ctx, s.Repo, h.Good, h.Bad, s.Settings.Paths)
	}
	return err
}

// Into is the directory that configurations are put into.
func (s *Session) Into() string {
	if s.State.Into != "" {
		return s.State.Into
	}
	return DefaultDir(s.Repo, s.Session)
}

// At is a *BehindError if another trial was judged last than after says.
func (s *Session) At(after int) error {
	if last := Last(s.Session); after != last {
		return &BehindError{After: after, Last: last}
	}
	return nil
}

// Given makes of a judgement what Judge takes: what the user has seen is what the directory shows that gitdd was called in, which has the mark
// here, or else what the session showed. The error says so if there is nothing to judge, or if nothing shows it.
func (s *Session) Given(j trial.Judgement, here Mark) (*Given, error) {
	if _, err := s.ReadResult(); err == nil && s.State.Tree == "" {
		return nil, fmt.Errorf("session %s has nothing to judge: its search has ended; `gitdd show` has the answer, `gitdd undo` takes a judgement back", s.Name())
	}
	shown := s.seen
	switch {
	case here.Session == s.Dir():
		shown = here.Tree // another directory may show another one
	case shown == s.State.Tree && shown != "" && !s.State.Shows(s.Session):
		return nil, fmt.Errorf("%s does not show what is to be judged, so this judgement counts for nothing: `gitdd next` puts it there", s.Into())
	}
	return &Given{Tree: shown, Judgement: j}, nil
}

// Show puts the configuration of a request into the directory, and remembers that it is to be judged. saved are the files that Put kept.
func (s *Session) Show(ctx context.Context, q trial.Request, progress *Progress) (saved []string, err error) {
	if err := s.dropAnswer(); err != nil { // of a command that came to none
		return nil, err
	}
	dir := s.Into()
	if saved, err = Put(ctx, s.Repo, s.Session, q, dir); err != nil {
		if edited := (*git.EditedError)(nil); errors.As(err, &edited) {
			err = fmt.Errorf("%w\nput them aside by `git -C %s stash -u`; then `gitdd next` goes on, and no judgement is lost", err, prose.Words([]string{dir}))
		}
		return saved, err
	}
	s.State = State{
		Into: s.State.Into, Step: len(Judged(s.Session)) + 1, Tree: q.Tree.ID, After: Last(s.Session), Shown: dir,
		What: progress.What(q), Left: progress.Left(q), Best: progress.Best(),
	}
	switch {
	case q.Purpose == trial.Repaired: // which is cut out of bad; "" if the good end was looked for
		s.State.Good = s.Header().Good.ID()
	case q.Purpose != trial.Older:
		s.State.Good = q.Set.Good.ID()
	}
	return saved, s.State.Write(s.Session)
}

// End remembers that nothing is to be judged any more.
func (s *Session) End() error {
	s.State.Tree = ""
	return s.State.Write(s.Session)
}

// TakeBack takes the last n judgements back.
func (s *Session) TakeBack(n int) error {
	judged := Judged(s.Session)
	switch {
	case len(judged) == 0:
		return errors.New("there is no judgement to take back: nothing is judged yet but the two ends, which `gitdd start` has named")
	case n > len(judged):
		return fmt.Errorf("%d cannot be taken back: %s so far", n, prose.Count(len(judged), "judgement"))
	}
	var trials []int
	for _, rec := range judged[len(judged)-n:] {
		trials = append(trials, rec.Trial)
	}
	return errors.Join(s.dropAnswer(), s.Withdraw(trials))
}

// dropAnswer removes the answer of the session, if it has one.
func (s *Session) dropAnswer() error {
	return errors.Join(s.RemoveFile("result.json"), s.RemoveFile(record.File))
}

// Choose returns the session by hand that a name means: without one that of the directory of configurations with the mark here,
// or the newest of all.
func Choose(all []trial.Summary, names []string, here Mark) (trial.Summary, error) {
	if mine := filepath.Base(here.Session); len(names) == 0 && here.Session != "" {
		if !slices.ContainsFunc(all, func(s trial.Summary) bool { return s.Name == mine }) {
			return trial.Summary{}, fmt.Errorf("this directory has configurations of session %s, which was removed: begin another search where your repository is", mine)
		}
		names = []string{mine}
	}
	if len(names) == 0 {
		if all = slices.DeleteFunc(all, func(s trial.Summary) bool { return !Is(s.Header) }); len(all) == 0 {
			return trial.Summary{}, errors.New("no search by hand was begun here: `gitdd start GOOD BAD` begins one")
		}
	}
	found, err := trial.Choose(all, names)
	if err == nil && found.State == trial.StateDamaged {
		err = found.Err
	}
	if err == nil && !Is(found.Header) {
		err = fmt.Errorf("in session %s a command judges: `gitdd resume %s` goes on with it", found.Name, found.Name)
	}
	return found, err
}
