package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"time"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// stageOf says which stage a trial belongs to: the first one that has it on its
// path; of one that was run ahead and never needed, the one that was about the same.
func (t *Recorder) stageOf() func(trial.Record) int {
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

// storyTrials are the trials of a session as a story has them. stageOf says to which stage a trial belongs;
// -1 = to none.
func storyTrials(session *trial.Session, stageOf func(trial.Record) int) []report.Trial {
	commits := endCommits(session.Header())
	quoted := 0
	var list []report.Trial
	for _, r := range session.InOrder() {
		t := trialOf(r, commits)
		t.Stage = stageOf(r)
		if isolate.Outcome(r.Outcome) == isolate.Unresolved && quoted < quotedTrials {
			quoted++
			t.Diagnostics = diagnosticsOf(session, r)
		}
		list = append(list, t)
	}
	return list
}

// trialOf is a trial without its stage and diagnostics. commits are those of the ends, by their trees.
func trialOf(r trial.Record, commits map[git.ID]git.ID) report.Trial {
	t := report.Trial{
		Number: r.Trial, Purpose: string(r.Purpose), Stage: -1,
		Tree: string(r.Tree), Commit: string(r.Commit), Applied: int(r.Size),
		Attempt: r.Attempt, Worker: r.Worker, Process: max(r.Process, 1),
		Outcome: isolate.Outcome(r.Outcome).String(), Other: r.Other, Reason: strings.ToValidUTF8(r.Reason, "\ufffd"),
		Rejected: r.Rejected, CheckSeconds: roundedSeconds(r.CheckSeconds),
		Seconds: roundedSeconds(r.Seconds), BuildSeconds: roundedSeconds(r.BuildSeconds), Ended: roundedSeconds(r.Elapsed), Value: r.Value,
	}
	if away := r.Remote; away != nil {
		t.Machine, t.Cached, t.Lost = strings.ToValidUTF8(away.Machine, "\ufffd"), away.Cached, away.Lost
	}
	if t.Commit == "" {
		t.Commit = string(commits[r.Tree])
	}
	if c, err := isolate.FromRuns(1<<30, r.Config); err == nil && c.Len() > 0 { // of changes, and not of an input
		t.Applied = c.Len()
	}
	return t
}

// Listed are trials of a session as a story has them, but for their stages and diagnostics.
func Listed(h trial.Header, records []trial.Record) []report.Trial {
	commits := endCommits(h)
	list := make([]report.Trial, 0, len(records))
	for _, r := range records {
		list = append(list, trialOf(r, commits))
	}
	return list
}

// endCommits are the commits of both ends, by their trees.
func endCommits(h trial.Header) map[git.ID]git.ID {
	return map[git.ID]git.ID{h.Good.Tree: h.Good.Commit, h.Bad.Tree: h.Bad.Commit}
}

// roundedSeconds is a time in seconds as exact as anybody looks at it.
func roundedSeconds(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

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

// Trials returns the story of a session as far as its journal has it: its trials.
func Trials(session *trial.Session) report.Story {
	h := session.Header()
	return report.Story{
		Schema:      report.StorySchema,
		Environment: report.Environment{Gitdd: h.Version, Started: h.Started.Format(time.RFC3339)},
		Trials:      storyTrials(session, ofNoStage),
	}
}

func ofNoStage(trial.Record) int { return -1 }

// File is the name of the file in which a session has the story of its result.
const File = "story.json"

// Keep writes a story beside the result of a session.
func Keep(session *trial.Session, story report.Story) error {
	var text bytes.Buffer
	if err := report.StoryJSON(&text, story); err != nil {
		return err
	}
	return session.WriteFile(File, text.Bytes())
}

// Read reads the story of a session's result. trials is the number of trials in the result, with those
// that the cache of a cluster had. If the session has no story of so many trials, because its result is
// of an older version or was cut short when it was written, complete is false and the story is that of
// Trials. The error says what is wrong with a story that is there; the story is that of Trials then, too.
func Read(session *trial.Session, trials int) (story report.Story, complete bool, err error) {
	text, err := session.ReadFile(File)
	if err == nil {
		story, err = report.ReadStory(bytes.NewReader(text))
	}
	if err == nil && len(story.Trials) == trials {
		return story, true, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", File, err)
	}
	return Trials(session), false, err
}
