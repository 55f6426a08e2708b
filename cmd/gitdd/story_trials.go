package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// storyFile is where a session keeps the story of its result.
const storyFile = "story.json"

// story is all that there is to say of how a search came to its result.
func (s *settings) story(ctx context.Context, session *trial.Session, repo *git.Repo, path *recorder, demo bool) report.Story {
	stages := path.finish()
	environment := environmentOf(ctx, session.Header(), repo, s.again(session.Header(), demo))
	if cluster := s.remoteOf(); cluster != nil {
		environment.Cluster = cluster.String()
	}
	return report.Story{
		Schema:      report.StorySchema,
		Environment: environment,
		Trials:      storyTrials(session, path.stageOf()),
		Stages:      stages,
		Needed:      path.needed,
	}
}

// stageOf says which stage a trial belongs to: the first one that has it on its
// path; of one that was run ahead and never needed, the one that was about the same.
func (t *recorder) stageOf() func(trial.Record) int {
	on, of := map[int]int{}, map[int]int{}
	for i, s := range t.stages {
		for _, step := range s.steps {
			if _, ok := on[step.Trial]; !ok {
				on[step.Trial] = i
			}
		}
		for _, set := range s.sets {
			if _, ok := of[set]; !ok {
				of[set] = i
			}
		}
	}
	return func(r trial.Record) int {
		if r.Purpose != trial.End && r.Purpose != trial.Confirm {
			if i, ok := on[r.Trial]; ok {
				return i
			}
			if i, ok := of[r.Set]; ok {
				return i
			}
		}
		return -1
	}
}

// quoted is of how many unresolved trials a story has diagnostics, and how many
// lines of each, of which so many bytes.
const (
	quotedTrials = 300
	quotedLines  = 10
	quotedBytes  = 300
)

// storyTrials are the trials of a session as a story tells them.
func storyTrials(session *trial.Session, stageOf func(trial.Record) int) []report.Trial {
	header := session.Header()
	commits := map[git.ID]git.ID{header.Good.Tree: header.Good.Commit, header.Bad.Tree: header.Bad.Commit}
	quoted := 0
	var list []report.Trial
	for _, r := range records(session) {
		t := report.Trial{
			Number: r.Trial, Purpose: string(r.Purpose), Stage: stageOf(r),
			Tree: string(r.Tree), Commit: string(r.Commit), Applied: int(r.Size),
			Attempt: r.Attempt, Worker: r.Worker, Process: max(r.Process, 1),
			Outcome: isolate.Outcome(r.Outcome).String(), Other: r.Other, Reason: strings.ToValidUTF8(r.Reason, "\ufffd"),
			Rejected: r.Rejected, CheckSeconds: inMilliseconds(r.CheckSeconds),
			Seconds: inMilliseconds(r.Seconds), BuildSeconds: inMilliseconds(r.BuildSeconds), Ended: inMilliseconds(r.Elapsed),
		}
		if away := r.Remote; away != nil {
			t.Machine, t.Cached, t.Lost = strings.ToValidUTF8(away.Machine, "\ufffd"), away.Cached, away.Lost
		}
		if !isReduction(header) {
			if t.Commit == "" {
				t.Commit = string(commits[r.Tree])
			}
			if c, err := isolate.FromRuns(1<<30, r.Config); err == nil {
				t.Applied = c.Len()
			}
		}
		if isolate.Outcome(r.Outcome) == isolate.Unresolved && quoted < quotedTrials {
			quoted++
			t.Diagnostics = diagnosticsOf(session, r)
		}
		list = append(list, t)
	}
	return list
}

// inMilliseconds is a time in seconds as exact as anybody looks at it.
func inMilliseconds(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

// diagnosticsOf are the lines of the output of a trial that say most.
func diagnosticsOf(session *trial.Session, r trial.Record) string {
	output, _ := session.Printed(r)
	lines := grouping.Quote(output, quotedLines)
	for i, line := range lines {
		if len(line) > quotedBytes {
			lines[i] = strings.ToValidUTF8(line[:quotedBytes], "") + "…"
		}
	}
	return strings.Join(lines, "\n")
}

// environmentOf is where the trials ran; repo is nil for none.
func environmentOf(ctx context.Context, h trial.Header, repo *git.Repo, repeat [][]string) report.Environment {
	e := report.Environment{
		Gitdd: released(), System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(),
		Parser: grouping.Parser, Started: h.Started.Format(time.RFC3339), Repeat: repeat,
	}
	if repo != nil {
		e.Repository = originOf(ctx, repo)
		e.Git, e.Subdir = repo.Version(), strings.ToValidUTF8(repo.Prefix(), "\ufffd")
	}
	return e
}

// again are the command lines that do what these settings do from the beginning,
// whatever the revisions are called by then. What a git bisect told beside its ends
// takes one like it, which checks nothing out.
func (s *settings) again(h trial.Header, demo bool) [][]string {
	named := *s
	named.good, named.bad = idOf(h.Good), idOf(h.Bad)
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
	if len(t.goods) == 0 && len(t.skipped) == 0 && len(t.paths) == 0 {
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
	if t.firstParent {
		start = append(start, "--first-parent")
		read.firstParent = false // as the bisect says
	}
	if old, new, ok := strings.Cut(t.terms, ":"); ok && (old != "good" || new != "bad") {
		start = append(start, "--term-old="+old, "--term-new="+new)
	}
	start = slices.Concat(start, []string{named.bad, named.good}, t.goods)
	if len(t.paths) > 0 {
		start = append(append(start, "--"), t.paths...)
	}
	lines := [][]string{start}
	if len(t.skipped) > 0 {
		lines = append(lines, append([]string{"git", "bisect", "skip"}, t.skipped...))
	}
	take := []string{"gitdd", "run"}
	if t.log != "" {
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
	var text bytes.Buffer
	err := report.StoryJSON(&text, story)
	if err == nil {
		err = session.WriteFile(storyFile, text.Bytes())
	}
	if err != nil {
		a.complain(fmt.Errorf("%w; `gitdd show --html` will show less of how it went", err))
	}
}

// storyOf reads the story of a session's result, which counts so many trials, those that
// the cache of a cluster had among them. That of
// an older version, or of one that was cut short when it wrote its result, is told by
// its trials alone.
func (a *app) storyOf(session *trial.Session, trials int) report.Story {
	text, err := session.ReadFile(storyFile)
	var story report.Story
	if err == nil {
		story, err = report.ReadStory(bytes.NewReader(text))
	}
	if err == nil && len(story.Trials) == trials {
		return story
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.complain(fmt.Errorf("%s: %w; telling the trials alone", storyFile, err))
	}
	return trialsAlone(session)
}

// trialsAlone is the story as far as a journal tells it.
func trialsAlone(session *trial.Session) report.Story {
	h := session.Header()
	story := report.Story{
		Schema:      report.StorySchema,
		Environment: report.Environment{Gitdd: h.Version, Started: h.Started.Format(time.RFC3339)},
		Trials:      storyTrials(session, ofNoStage),
	}
	if isReduction(h) {
		return story
	}
	if s, err := settingsOf(h); err == nil {
		story.Environment.Repeat = s.again(h, false)
	}
	return story
}
