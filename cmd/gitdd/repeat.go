package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// environment is where the trials of a search ran, and how to repeat it.
func (s *settings) environment(ctx context.Context, session *trial.Session, repo *git.Repo, demo bool) report.Environment {
	e := record.Environment(ctx, released(), session.Header(), repo, s.again(session.Header(), demo))
	if cluster := s.machines.Report(nil); cluster != nil {
		e.Cluster = cluster.String()
	}
	return e
}

// again are the command lines that do what these settings do from the beginning,
// whatever the revisions are called by then. What a git bisect told beside its ends
// takes one like it, which checks nothing out.
func (s *settings) again(h trial.Header, demo bool) [][]string {
	named := *s
	named.good, named.bad = string(h.Good.ID()), string(h.Bad.ID())
	named.bisect = bisectState{}
	command := append([]string{"--"}, h.Command...)
	if demo {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		var read settings
		read.searchFlags(flags)
		read.jobsFlag(flags)
		read.machines.flags(flags)
		read = named
		read.noCommits = false // as the demo says itself
		return [][]string{append([]string{"gitdd", "demo"}, plainly(flags)...)}
	}
	t := s.bisect
	if len(t.Goods) == 0 && len(t.Skipped) == 0 && len(t.Paths) == 0 {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		var read settings
		read.flags(flags)
		read = named
		return [][]string{slices.Concat([]string{"gitdd", "run"}, plainly(flags), command)}
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	var read settings
	read.trialFlags(flags)
	read.searchFlags(flags)
	read.machines.flags(flags)
	read = named
	start := []string{"git", "bisect", "start", "--no-checkout"}
	if t.FirstParent {
		start = append(start, "--first-parent")
		read.firstParent = false // as the bisect says
	}
	if old, new, ok := strings.Cut(t.Terms, ":"); ok && (old != "good" || new != "bad") {
		start = append(start, "--term-old="+old, "--term-new="+new)
	}
	start = slices.Concat(start, []string{named.bad, named.good}, t.Goods)
	if len(t.Paths) > 0 {
		start = append(append(start, "--"), t.Paths...)
	}
	lines := [][]string{start}
	if len(t.Skipped) > 0 {
		lines = append(lines, append([]string{"git", "bisect", "skip"}, t.Skipped...))
	}
	take := []string{"gitdd", "run"}
	if t.Log != "" {
		take, read.commits = []string{"gitdd", "bisect"}, false
	}
	return append(lines, slices.Concat(take, plainly(flags), command), []string{"git", "bisect", "reset"})
}

// plainly are flagWords as people write them: without the value of what is a switch.
func plainly(flags *pflag.FlagSet) []string {
	var words []string
	for _, word := range flagWords(flags) {
		name, value, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if f := flags.Lookup(name); f != nil && f.Value.Type() == "bool" && value == "true" {
			word = "--" + name
		}
		words = append(words, word)
	}
	return words
}

// keepStory puts a story beside the result of a session. The result is what counts:
// without the story there are no pictures of how the search went.
func (a *app) keepStory(session *trial.Session, story report.Story) {
	if err := record.Keep(session, story); err != nil {
		a.complain(fmt.Errorf("%w; `gitdd show --html` will show less of how it went", err))
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
	s, err := settingsOf(h)
	if err != nil {
		return nil
	}
	return s.again(h, false)
}
