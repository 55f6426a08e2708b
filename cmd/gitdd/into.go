package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/inside"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// An outsideError says why there is no answer inside a dependency.
type outsideError struct {
	reason  string
	session string // in which it was tried; "" = in none
}

func (e *outsideError) Error() string { return e.reason }

// goInto searches in the dependencies whose update is an answer, and prints what it finds: see package inside. The error is an *outsideError if
// that comes to no answer, and then nothing was printed.
func (a *app) goInto(ctx context.Context, repo *git.Repo, from *trial.Session, r report.Result, list []inside.Update, s settings.Search, o forms.Files) error {
	fmt.Fprintf(a.aside(), "gitdd: the cause is the update of %s, by session %s: going into it\n", inside.Titles(list), from.Name())
	project := inside.Project{
		Repo: repo, Good: from.Header().Good, Bad: from.Header().Bad,
		Older: inside.Older(r), Newer: git.Revision{Rev: r.Bad.Rev, Tree: inside.Newer(r)},
		Within: s.Insides(), Clone: s.Clone, Progress: a.storing().Progress, Note: a.hint,
	}
	if r.History != nil && r.History.FirstBad != "" && r.History.FirstBad != r.Bad.Commit {
		project.Newer.Rev = git.ID(r.History.FirstBad).Short()
	}
	s.Paths, s.Bisect, s.All = nil, settings.Bisect{}, false
	header, err := a.header("", nil, s.Command)
	if err != nil {
		return err
	}
	header.CommonDir, header.Name = repo.CommonDir(), from.Header().Name
	session, err := trial.CreateSessionWith(filepath.Dir(from.Dir()), header, func(dir string, h *trial.Header) error {
		store, err := repo.NewScratch(filepath.Join(dir, worktreeDir))
		if err != nil {
			return err
		}
		var kept []settings.Inside
		if h.Good, h.Bad, kept, err = project.Ends(ctx, store, list, filepath.Join(dir, trial.FoldersDir)); err != nil {
			return err
		}
		s.Inside = slices.Clone(s.Inside)
		for _, in := range kept {
			in.Session = from.Name()
			s.Inside = append(s.Inside, in.Word())
		}
		h.Args = s.Words()
		return nil
	})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return &outsideError{reason: err.Error()}
	}
	defer session.Close()
	set, err := settings.Between(ctx, repo, session.Header().Good, session.Header().Bad, nil)
	if err != nil {
		return errors.Join(&outsideError{reason: err.Error()}, session.Discard())
	}
	defer func(outer string) { a.within = outer }(a.within)
	a.within = from.Name()
	return a.isolate(ctx, repo, session, set, s, o)
}

// inside goes from an answer that is the update of a dependency into that, if it is to, and else tells the user what can be
// done. into is true if nothing of the result is to be printed: err is then what gitdd ends with, and the session has the result.
func (a *app) inside(ctx context.Context, repo *git.Repo, session *trial.Session, r *report.Result, story report.Story, s settings.Search, o forms.Files) (into bool, err error) {
	hint := func(text string) { r.Hints = append(r.Hints, text) }
	in := s.Insides()
	if len(in) > 0 && a.within != "" && r.Status == report.NotIsolated {
		return true, &outsideError{reason: r.Reason, session: session.Name()}
	}
	defer func() {
		if len(in) > 0 && !into {
			hint("`gitdd show " + in[0].Session + "` shows the update itself, which `gitdd apply --revert " + in[0].Session + "` takes off your working tree")
		}
	}()
	if r.Status != report.Isolated || ctx.Err() != nil || s.Into == settings.IntoNever || s.Each != "" || s.ByHand || s.GoodDir != "" || s.Goal != "cause" || !s.Measure.IsZero() {
		return false, nil
	}
	all, err := inside.Of(ctx, repo, *r, in)
	if err != nil {
		hint(err.Error())
		return false, nil
	}
	var list, left []inside.Update // what is gone into, and what the user may want to
	for _, u := range all {
		switch {
		case u.Pin && s.Submodules, !u.Pin && s.Into == settings.IntoAlways:
			list = append(list, u)
		case !u.Pin:
			left = append(left, u)
		}
	}
	asking := len(list) == 0 && len(left) > 0 && a.attended()
	if len(list) > 0 || asking { // whatever happens then, there is an answer
		if err := a.keep(session, story, func(w io.Writer) error { return report.JSON(w, *r) }); err != nil {
			return true, err
		}
	}
	if asking && a.confirm(ctx, "gitdd: the cause is the update of "+inside.Titles(left)+": search on for the lines in there?", answerTime) {
		list, s.Into = left, settings.IntoAlways
	}
	switch {
	case len(list) > 0:
	case len(left) > 0:
		hint("the cause updates " + inside.Titles(left) + ": `gitdd resume --into " + session.Name() + "` searches on for the lines in there")
		return false, nil
	case len(in) == 0 && s.Into == settings.IntoAlways:
		hint("--into: nothing to go into: the cause changes no version in a go.mod or a lock file of npm that is there before and after it, and no pin of a submodule that --recurse-submodules fills")
		return false, nil
	default:
		return false, nil
	}
	err = a.goInto(ctx, repo, session, *r, list, s, o)
	var outside *outsideError
	switch {
	case errors.As(err, &outside):
	case err != nil && !a.answered && ctx.Err() == nil: // such as a setup that wants the submodule to be one
		outside = &outsideError{reason: err.Error()}
	default:
		return true, err
	}
	hint("gitdd could not go into " + inside.Titles(list) + ": " + outside.reason)
	if outside.session != "" {
		hint("there the command was run in the failing configuration with the old files of the dependency in place, and with the new ones: `gitdd log " + outside.session + "` shows these trials")
	}
	return false, nil
}
