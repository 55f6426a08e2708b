//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// stateOf reads a stream whole.
func stateOfStream(t *testing.T, text []byte) *events.State {
	t.Helper()
	if err := checkEvents(text); err != nil {
		t.Error(err)
	}
	var s events.State
	if n, err := s.Read(text); err != nil || n != bytes.LastIndexByte(text, '\n')+1 {
		t.Fatalf("read %d of %d bytes: %v", n, len(text), err)
	}
	return &s
}

// What the stream tells is what the session has: the steps and suspects of the story, the trials of the journal,
// and the result. The file of the session has the same, but for the answer.
func TestEvents(t *testing.T) {
	for _, jobs := range []string{"1", "2"} {
		s := newHunt(t, false)
		s.run("repo", "gitdd", "run", "--good", "old", "-j", jobs, "--events", "../events.jsonl", "--json", "../result.json", "--", "sh", "check")
		text, err := os.ReadFile(s.path("events.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		got := stateOfStream(t, text)
		story := s.story()
		stages := got.Stages
		if len(stages) != len(story.Stages) {
			t.Fatalf("%d stages, and the story has %d", len(stages), len(story.Stages))
		}
		for i, want := range story.Stages {
			g := stages[i]
			steps, _ := g.Steps(len(want.Steps) + 1)
			if g.Plan.Elements != want.Elements || g.From != want.From || g.To != want.To || len(steps) != len(want.Steps) {
				t.Fatalf("stage %d: %d elements, %d steps; the story has %d and %d", i, g.Plan.Elements, len(steps), want.Elements, len(want.Steps))
			}
			for k, step := range want.Steps {
				step.Learned = nil
				if now := steps[k]; now.Trial != step.Trial || now.Outcome != step.Outcome || now.Suspects != step.Suspects || now.Count != step.Count {
					t.Errorf("stage %d, step %d: %+v, and the story has %+v", i, k, now, step)
				}
			}
		}
		trials, _ := got.Tried(len(story.Trials) + 1)
		for i := range story.Trials {
			story.Trials[i].Stage, story.Trials[i].Diagnostics = -1, ""
		}
		if diff := cmp.Diff(story.Trials, trials); diff != "" || got.Trials != len(story.Trials) {
			t.Errorf("%d trials; those of the story (-) and those that are told (+):\n%s", got.Trials, diff)
		}
		result, err := readResult(s.path("result.json"))
		if err != nil {
			t.Fatal(err)
		}
		if a := got.Answer; a == nil || a.Exit != 0 || a.Status != string(report.Isolated) || a.Session != result.Session {
			t.Fatalf("answer %+v", a)
		}
		told, err := report.ReadJSON(bytes.NewReader(got.Answer.Result))
		if err != nil {
			t.Fatal(err)
		}
		if diff := answersDiffer(result, told); diff != "" {
			t.Errorf("the result (-) and the one that is told (+):\n%s", diff)
		}
		var ids []string
		plan := got.Of(got.Best.Set)
		for i, c := range plan.Changes {
			if got.Best.Settled && has(t, got.Best.Cause, len(plan.Changes), i) {
				ids = append(ids, c.ID)
			}
		}
		for _, c := range result.Cause {
			if len(ids) == 0 || ids[0] != c.ID {
				t.Fatalf("the best answer has %q, and the cause begins with %s", ids, c.ID)
			}
			ids = ids[1:]
		}
		kept, err := filepath.Glob(s.path(".sessions/*/*/" + events.File))
		if err != nil || len(kept) != 1 {
			t.Fatalf("%q: %v", kept, err)
		}
		inSession, err := os.ReadFile(kept[0])
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := bytes.CutPrefix(text, inSession); !ok || bytes.Count(rest, []byte("\n")) != 1 || !bytes.Contains(rest, []byte(`"event":"answer"`)) {
			t.Errorf("beside those of the session the stream has %.300q", rest)
		}
	}
}

// has reports whether a set of n has a member.
func has(t *testing.T, runs string, n, member int) bool {
	c, err := isolate.FromRuns(n, runs)
	if err != nil {
		t.Fatal(err)
	}
	return c.Has(member)
}

// A gitdd that is killed leaves whole lines but for the last, and one that goes on with its session begins a new
// stream, with the trials that there are.
func TestEventsKilled(t *testing.T) {
	s := newHunt(t, false)
	if err := os.WriteFile(s.path("wait"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd, _, _ := s.start("run", "--good", "old", "--events", "../events.jsonl", "--", "sh", "check")
	s.waiting()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	s.alone()
	text, err := os.ReadFile(s.path("events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	before := stateOfStream(t, text)
	if now := before.Running(); before.Trials < 2 || before.Answer != nil || len(now) != 1 || now[0].Trial <= before.Trials || now[0].Outcome != "" {
		t.Errorf("%d trials, running %+v, answer %v", before.Trials, now, before.Answer)
	}
	if err := os.Remove(s.path("wait")); err != nil {
		t.Fatal(err)
	}
	s.run("repo", "gitdd", "resume", "--events", "../events.jsonl")
	text, err = os.ReadFile(s.path("events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	after := stateOfStream(t, text)
	if after.Begun.Replayed != before.Trials || strings.Count(string(text), `"replayed":{`) != before.Trials {
		t.Errorf("%d trials were there, %d are said to be replayed, and %d are", before.Trials, after.Begun.Replayed, strings.Count(string(text), `"replayed":{`))
	}
	journal, err := filepath.Glob(s.path(".sessions/*/*/journal.jsonl"))
	if err != nil || len(journal) != 1 {
		t.Fatalf("%q: %v", journal, err)
	}
	session, err := trial.ReadSession(filepath.Dir(journal[0]))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(session.Records()); after.Trials != n {
		t.Errorf("%d trials are told, and the journal has %d", after.Trials, n)
	}
	if after.Answer == nil || after.Answer.Exit != 0 {
		t.Errorf("answer %+v", after.Answer)
	}
}

// The program of the documents follows a search by a pipe.
func TestEventsFollow(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on PATH: the program of docs/events.md is not run")
	}
	document, err := os.ReadFile(filepath.Join(top, "docs/events.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(document), "\n```python\n")
	program, _, ok := strings.Cut(rest, "\n```\n")
	if n := strings.Count(program, "\n") + 1; !ok || n > 40 {
		t.Fatalf("the program has %d lines", n)
	}
	s := newHunt(t, true)
	follow := s.path("follow.py")
	if err := os.WriteFile(follow, []byte(program+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out := s.run("repo", "sh", "-c", `gitdd run -q --good old --events - -- sh check | "$0" "$1"`, python, follow)
	for _, want := range []string{"8 commits left in", "1 changes left in g\n", "status isolated exit 0\ng:1\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// A descriptor that gitdd was started with is closed to its commands: its reader sees the end, and one that goes away
// does not end the search.
func TestEventsDescriptor(t *testing.T) {
	s := newHunt(t, false)
	out := s.run("repo", "sh", "-c", `gitdd run -q --good old --events fd:7 -- sh check 7>&1 >../text | tail -n 1`)
	var e events.Event
	if err := json.Unmarshal([]byte(out), &e); err != nil || e.Answer == nil {
		t.Errorf("%v: %s", err, out)
	}
	s.run("repo", "sh", "-c", `{ gitdd run -q --good old --events fd:7 -- sh check 7>&1 >../text; echo $? >../status; } | true`)
	if text, err := os.ReadFile(s.path("status")); err != nil || string(text) != "0\n" {
		t.Errorf("%v: %s", err, text)
	}
	// The reader of a named pipe may come late.
	s.run("repo", "sh", "-c", `mkfifo ../pipe; (sleep 1; exec tail -n 1 <../pipe >../last) & gitdd run -q --good old --events ../pipe -- sh check >../text; wait`)
	if text, err := os.ReadFile(s.path("last")); err != nil || !strings.Contains(string(text), `"event":"answer"`) {
		t.Errorf("%v: %.200s", err, text)
	}
}
