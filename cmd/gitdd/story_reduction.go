package main

import (
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// storyOfReduction is storyOf for the result of a reduction. The files of its input
// are in the session.
func (a *app) storyOfReduction(session *trial.Session, r report.Reduction) report.Story {
	story := a.storyOf(session, r.Trials.Run)
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
		read.good, read.bad = string(h.Good.ID()), string(h.Bad.ID())
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
