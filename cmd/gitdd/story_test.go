package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gitdd/gitdd/internal/record"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// storiesHold looks at all sessions that tests leave below a directory: where one has
// a result and its story, they say the same.
func storiesHold(root string) error {
	journals, err := filepath.Glob(filepath.Join(root, "*", "*", "journal.jsonl"))
	ofTests, err2 := filepath.Glob(filepath.Join(root, "*", "*", testsDir, "*", "journal.jsonl"))
	journals = append(journals, ofTests...)
	problems := []error{err, err2}
	for _, journal := range journals {
		session, err := trial.ReadSession(filepath.Dir(journal))
		if err != nil {
			continue // a test has damaged it
		}
		if err := storyHolds(session); err != nil {
			problems = append(problems, fmt.Errorf("the story of session %s: %w", session.Name(), err))
		}
	}
	return errors.Join(problems...)
}

func storyHolds(session *trial.Session) error {
	text, err := session.ReadFile(record.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	story, err := report.ReadStory(bytes.NewReader(text))
	if err != nil {
		return err
	}
	if text, err = session.ReadResult(); err != nil {
		return err
	}
	if isReduction(session.Header()) {
		r, err := report.ReadReduction(bytes.NewReader(text))
		if err == nil && r.Trials.Run == len(story.Trials) { // else it was killed between the two
			err = tells(story, report.Result{Status: r.Status, Trials: r.Trials})
		}
		return err
	}
	if report.SchemaOf(text) == report.ResultsSchema {
		if len(story.Trials) > 0 {
			return fmt.Errorf("it has %d trials, which are those of its tests", len(story.Trials))
		}
		return storiesHold(session.Dir())
	}
	r, err := report.ReadJSON(bytes.NewReader(text))
	if err == nil && r.Trials.Run+r.Checks.Rejected == len(story.Trials) {
		err = tells(story, r)
	}
	return err
}

// tells reports where a story and the result that it is of do not fit each other.
func tells(s report.Story, r report.Result) error {
	var problems []error
	complain := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }

	trials := map[int]report.Trial{}
	count := map[string]int{}
	last, rejected := 0, 0
	for _, t := range s.Trials {
		if t.Number <= last || t.Attempt < 1 || t.Process < 1 || t.Stage < -1 || t.Stage >= len(s.Stages) || t.Tree == "" {
			complain("trial %d after %d: %+v", t.Number, last, t)
		}
		if t.Diagnostics != "" && t.Outcome != isolate.Unresolved.String() {
			complain("trial %d has diagnostics, and is %s", t.Number, t.Outcome)
		}
		last = t.Number
		trials[t.Number] = t
		if t.Rejected {
			rejected++
		} else {
			count[t.Outcome]++
		}
		if t.Rejected && t.Outcome != "unresolved" {
			complain("trial %d was rejected, and is %s", t.Number, t.Outcome)
		}
	}
	if rejected != r.Checks.Rejected {
		complain("%d were rejected, in the result %+v", rejected, r.Checks)
	}
	if count["pass"] != r.Trials.Pass || count["fail"] != r.Trials.Fail || count["unresolved"] != r.Trials.Unresolved {
		complain("the trials are %v, in the result %+v", count, r.Trials)
	}

	found := -1 // the last stage that led to the cause
	for i := range s.Stages {
		stage := &s.Stages[i]
		if err := stageHolds(stage, trials); err != nil {
			complain("stage %d: %w", i, err)
		}
		if stage.Of == "changes" && stage.Answer == 0 && stage.Left == "" {
			found = i
		}
	}
	if r.Status == report.Isolated && r.Schema != "" {
		problems = append(problems, answerHolds(s, r, found, trials))
	}
	return errors.Join(problems...)
}

// stageHolds reports what cannot be in a stage.
func stageHolds(s *report.Stage, trials map[int]report.Trial) error {
	var problems []error
	complain := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if s.Of != "changes" && s.Of != "commits" || s.Answer < 0 {
		complain("%+v", s)
	}
	for k, step := range s.Steps {
		t, ok := trials[step.Trial]
		switch {
		case step.Trial != 0 && !ok:
			complain("step %d is by trial %d, which there is not", k, step.Trial)
		case ok && t.Outcome != step.Outcome && t.Value == nil: // a number tells another outcome than the exit status
			complain("step %d is %s, its trial %d %s", k, step.Outcome, t.Number, t.Outcome)
		case ok && t.Purpose == string(trial.Search) && t.Stage < 0:
			complain("step %d is by trial %d, which belongs to no stage", k, t.Number)
		}
		suspects, err := isolate.FromRuns(s.Elements, step.Suspects)
		if err != nil || suspects.Len() != step.Count || step.Applied < 0 || step.Applied > s.Elements {
			complain("step %d of %d elements: %+v: %v", k, s.Elements, step, err)
		}
		for _, pair := range step.Learned {
			if min(pair[0], pair[1]) < 0 || max(pair[0], pair[1]) >= s.Elements || pair[0] == pair[1] {
				complain("step %d learned %v of %d elements", k, pair, s.Elements)
			}
		}
	}
	covered := make([]bool, s.Elements)
	var around []report.Group // the groups that the next one may be in
	for _, g := range s.Groups {
		for len(around) > 0 && around[len(around)-1].To <= g.From {
			around = around[:len(around)-1]
		}
		inside := report.Group{To: s.Elements}
		if len(around) > 0 {
			inside = around[len(around)-1]
		}
		if g.From < inside.From || g.To > inside.To || g.From >= g.To || g.Level == "" {
			complain("group %+v within %+v", g, inside)
			break
		}
		around = append(around, g)
		for i := g.From; i < g.To; i++ {
			covered[i] = true
		}
	}
	if len(s.Groups) > 0 && s.Elements < 1000 && slices.Contains(covered, false) {
		complain("%d groups do not cover the %d elements", len(s.Groups), s.Elements)
	}
	for _, e := range s.Requires {
		if e.From.ID == "" || e.To.ID == "" || e.From == e.To || !slices.Contains([]string{"structural", "predicted", "learned"}, e.Kind) {
			complain("requirement %+v", e)
		}
	}
	return errors.Join(problems...)
}

// answerHolds reports where the stage that found the cause, and the trials that show
// that its members are needed, do not fit the answer.
func answerHolds(s report.Story, r report.Result, found int, trials map[int]report.Trial) error {
	if found < 0 || len(s.Stages[found].Steps) == 0 {
		return errors.New("no stage has found the cause")
	}
	var problems []error
	steps := s.Stages[found].Steps
	if n := steps[len(steps)-1].Count; n != len(r.Cause) {
		problems = append(problems, fmt.Errorf("%d suspects are left at the end of stage %d, the cause has %d members", n, found, len(r.Cause)))
	}
	failed := isolate.Fail
	if r.Direction == report.Fix {
		failed = isolate.Pass
	}
	needed := map[string][]int{}
	for _, n := range s.Needed {
		needed[n.Change] = n.Trials
		for _, number := range n.Trials {
			if t, ok := trials[number]; !ok || (t.Outcome == failed.String()) != (r.Goal == "revert") {
				problems = append(problems, fmt.Errorf("trial %d is to show that %s is needed: %+v", number, n.Change, t))
			}
		}
	}
	for _, c := range r.Cause {
		list, ok := needed[c.ID]
		if !ok || len(list) == 0 && (r.Minimal || r.Status == report.Isolated && len(r.Unproven) > 0 && !r.Inseparable) && !slices.Contains(r.Unproven, c.ID) {
			problems = append(problems, fmt.Errorf("no trial shows that %s is needed", c.ID))
		}
	}
	return errors.Join(problems...)
}

// storiesDiffer compares two stories of one search but for what may differ from run
// to run: times, workers, the number of processes and, with several jobs, which trials
// there were and their numbers.
func storiesDiffer(a, b report.Story, jobs bool) string {
	ignored := cmp.Options{
		cmpopts.IgnoreFields(report.Environment{}, "Started", "Repeat"),
		cmpopts.IgnoreFields(report.Trial{}, "Worker", "Process", "Seconds", "BuildSeconds", "Ended"),
	}
	if jobs {
		ignored = append(ignored, cmpopts.IgnoreFields(report.Story{}, "Trials"), cmpopts.IgnoreFields(report.Step{}, "Trial"), cmpopts.IgnoreFields(report.Needed{}, "Trials"))
	}
	return cmp.Diff(a, b, ignored)
}

// readStory reads the story in a file.
func readStory(name string) (report.Story, error) {
	f, err := os.Open(name)
	if err != nil {
		return report.Story{}, err
	}
	defer f.Close()
	return report.ReadStory(f)
}

// retold checks that the stories of two sessions are the same; with -j their trials
// may have other numbers.
func retold(ts *testscript.TestScript, neg bool, args []string) {
	jobs := len(args) > 0 && args[0] == "-j"
	if jobs {
		args = args[1:]
	}
	if neg || len(args) != 2 {
		ts.Fatalf("usage: retold [-j] SESSION SESSION")
	}
	var stories [2]report.Story
	for i, name := range args {
		var err error
		stories[i], err = readStory(filepath.Join(ts.MkAbs(name), record.File))
		ts.Check(err)
	}
	if diff := storiesDiffer(stories[0], stories[1], jobs); diff != "" {
		ts.Fatalf("the stories differ:\n%s", diff)
	}
}
