package main

import (
	"context"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// story is all that there is to say of how a reduction came to its result.
func (s *reducing) story(ctx context.Context, session *trial.Session, both versions, input testcase.Input, found shrunk) report.Story {
	story := report.Story{
		Schema:      report.StorySchema,
		Environment: environmentOf(ctx, session.Header(), both.repo, s.again(session.Header())),
		Trials:      storyTrials(session, ofNoStage),
		Files:       storyFiles(input, found.Result.Output, found.Result.Formats, found.Trails),
	}
	asked := map[string]bool{}
	for i := range story.Trials {
		t := &story.Trials[i]
		if !asked[t.Tree] && t.Purpose == string(trial.Search) {
			asked[t.Tree] = true
			t.Pass = found.Passes[t.Tree]
		}
	}
	return story
}

func ofNoStage(trial.Record) int { return -1 }

// storyOfReduction is storyOf for the result of a reduction. The files of its input
// are in the session.
func (a *app) storyOfReduction(session *trial.Session, r report.Reduction) report.Story {
	story := a.storyOf(session, r.Trials.Run)
	if len(story.Files) == 0 {
		before, err := keptInput(session, originalFile)
		if err != nil {
			return story
		}
		if after, err := keptInput(session, answerFile); err == nil {
			story.Files = storyFiles(before, after, r.Formats, nil)
		}
	}
	if len(story.Environment.Repeat) == 0 {
		if s, err := reducingOf(session.Header()); err == nil {
			story.Environment.Repeat = s.again(session.Header())
		}
	}
	return story
}

// again are the command lines that do what these settings do from the beginning.
func (s *reducing) again(h trial.Header) [][]string {
	read, flags := s.keptFlags()
	*read = *s
	read.paths = nil
	if s.good != "" {
		read.good, read.bad = idOf(h.Good), idOf(h.Bad)
	}
	line := []string{"gitdd", "reduce"}
	for _, name := range s.paths {
		if strings.HasPrefix(name, "-") && name != stdinPath {
			name = "./" + name
		}
		line = append(line, name)
	}
	return [][]string{slices.Concat(line, plainly(flags), []string{"--"}, h.Command)}
}
