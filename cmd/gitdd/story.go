package main

import (
	"context"
	"fmt"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// environment is where the trials of a search ran, and how to repeat it.
func (a *app) environment(ctx context.Context, session *trial.Session, repo *git.Repo, s *settings.Search) report.Environment {
	return a.environmentOf(ctx, session, repo, s.Again(session.Header(), a.gone), &s.Machines)
}

// environmentOf is environment for a search or a reduction that repeat does from the beginning, on these machines.
func (a *app) environmentOf(ctx context.Context, session *trial.Session, repo *git.Repo, repeat [][]string, m *settings.Machines) report.Environment {
	e := record.Environment(ctx, released(), session.Header(), repo, repeat)
	if cluster := m.Report(nil); cluster != nil {
		e.Cluster = cluster.String()
	}
	return e
}

// keepStory puts a story beside the result of a session. The result is what counts:
// without the story there are no pictures of how the search went.
func (a *app) keepStory(session *trial.Session, story report.Story) {
	if err := record.Keep(session, story); err != nil {
		a.complain(fmt.Errorf("%w; `gitdd show --html FILE` will show less of how it went", err))
	}
}

// storyOf reads the story of a session's result, which counts so many trials.
func (a *app) storyOf(session *trial.Session, trials int) report.Story {
	story, complete, err := record.Read(session, trials)
	if err != nil {
		a.complain(fmt.Errorf("%w; showing the trials alone", err))
	}
	if !complete {
		story.Environment.Repeat = repeatOf(session)
	}
	return story
}

// trialsAlone is the story as far as a journal has it.
func trialsAlone(session *trial.Session) report.Story {
	story := record.Trials(session)
	story.Environment.Repeat = repeatOf(session)
	return story
}

// repeatOf are the command lines that do from the beginning what a search did; nil of a reduction, and
// where the session does not say it.
func repeatOf(session *trial.Session) [][]string {
	h := session.Header()
	if isReduction(h) {
		return nil
	}
	s, err := settings.OfSearch(h)
	if err != nil {
		return nil
	}
	return s.Again(h, false)
}

// storyOfReduction is storyOf for the result of a reduction. The files of its input
// are in the session.
func (a *app) storyOfReduction(session *trial.Session, r report.Reduction) report.Story {
	story := a.storyOf(session, r.Executed())
	if len(story.Files) == 0 {
		before, err := reduction.KeptInput(session, reduction.OriginalFile)
		if err != nil {
			return story
		}
		if after, err := reduction.KeptInput(session, reduction.OutputFile); err == nil {
			story.Files = record.Files(before, after, r.Formats, nil)
		}
	}
	if len(story.Environment.Repeat) == 0 {
		if s, err := settings.OfReduction(session.Header()); err == nil {
			story.Environment.Repeat = s.Again(session.Header())
		}
	}
	return story
}
