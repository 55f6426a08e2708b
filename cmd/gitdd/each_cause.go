package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// causeFlag adds --cause.
func causeFlag(cmd *cobra.Command, number *int) {
	cmd.Flags().IntVar(number, "cause", 0, "cause `N` of an answer with several")
}

// resultOf reads the result of a search, or of the cause of a number if that is not 0.
func resultOf(text []byte, number int) (report.Result, error) {
	r, err := report.ReadJSON(bytes.NewReader(text))
	if err == nil && number != 0 {
		return r.CauseOf(number)
	}
	return r, err
}

// causeOf returns a cause of a session of --each: the one of a number, or the only one if none is named. what is what
// the user wants with it.
func causeOf(session *trial.Session, text []byte, number int, what string) (report.Cause, error) {
	r, err := report.ReadResults(bytes.NewReader(text))
	if err != nil {
		return report.Cause{}, err
	}
	switch n := len(r.Causes); {
	case n == 0:
		return report.Cause{}, fmt.Errorf("session %s has found no cause %s; `gitdd show %s` says why", session.Name(), what, session.Name())
	case number == 0 && n > 1:
		return report.Cause{}, fmt.Errorf("session %s has %s: choose one %s, as --cause 1; `gitdd show %s` lists them", session.Name(), prose.Count(n, "cause"), what, session.Name())
	case number == 0:
		number = 1
	}
	return r.Cause(number)
}

// sessionOf opens the session of a cause for reading.
func sessionOf(session *trial.Session, c report.Cause) (*trial.Session, error) {
	return trial.ReadSession(filepath.Join(session.Dir(), testsDir, filepath.Base(c.Session)))
}

// causeSession opens the session of the cause of a number for reading.
func (a *app) causeSession(session *trial.Session, number int) (*trial.Session, error) {
	text, err := session.ReadResult()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("session %s has no result yet, and so no cause %d", session.Name(), number)
	}
	if err != nil {
		return nil, err
	}
	if report.SchemaOf(text) != report.ResultsSchema {
		_, err := resultOf(text, number) // its causes share one search
		return session, err
	}
	c, err := causeOf(session, text, number, "to show")
	if err != nil {
		return nil, err
	}
	return sessionOf(session, c)
}

// showEach shows the results of a search for each test of a suite again, or those of one cause.
func (a *app) showEach(session *trial.Session, text []byte, number int, o forms.Files) error {
	r, err := report.ReadResults(bytes.NewReader(text))
	if err != nil {
		return err
	}
	a.warnOutdated(session, r.Status, r.Trials.Run)
	if number == 0 {
		if err := o.CheckEach(); err != nil {
			return err
		}
		return a.give(session, o, forms.OfEach(r, o.HTML, a.storiesOf(session, r)))
	}
	c, err := r.Cause(number)
	if err != nil {
		return err
	}
	own, err := sessionOf(session, c)
	if err != nil {
		return err
	}
	return a.show(own, c.Result, func() report.Story { return a.storyOf(own, c.Result.Executed()) }, o)
}

// storiesOf returns a function that reads the story of the search for a cause by its number, or for 0 that of the
// session: it says where the suite ran, and its trials are in those of the causes.
func (a *app) storiesOf(session *trial.Session, r report.Results) func(number int) report.Story {
	return func(number int) report.Story {
		if number == 0 {
			return a.storyOf(session, 0)
		}
		c, err := r.Cause(number)
		if err == nil {
			var own *trial.Session
			if own, err = sessionOf(session, c); err == nil {
				return a.storyOf(own, c.Result.Executed())
			}
		}
		a.complain(fmt.Errorf("%w; showing nothing of how cause %d was found", err, number))
		return report.Story{Schema: report.StorySchema}
	}
}
