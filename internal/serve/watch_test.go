package serve

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// A stream is read as it grows, a line that is not whole when it is, and one that was begun anew from its begin.
func TestStream(t *testing.T) {
	name := filepath.Join(t.TempDir(), events.File)
	begun := events.Line(&events.Event{Schema: events.Schema, Event: "begun", Begun: &events.Begun{Session: "one"}})
	again := events.Line(&events.Event{Schema: events.Schema, Event: "begun", Seconds: 1, Begun: &events.Begun{Session: "two"}})
	note := func(text string) []byte {
		return events.Line(&events.Event{Schema: events.Schema, Event: "note", Note: &events.Note{Text: text}})
	}
	var s stream
	file := []byte{}
	step := func(what string, text []byte, session string, notes int) {
		t.Helper()
		file = append(file, text...)
		if err := os.WriteFile(name, file, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := s.read(name); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got := ""
		if s.state.Begun != nil {
			got = s.state.Begun.Session
		}
		if got != session || len(s.state.Notes) != notes {
			t.Errorf("%s: session %q with %d notes, want %q with %d", what, got, len(s.state.Notes), session, notes)
		}
	}
	step("half of its begin", begun[:20], "", 0)
	step("the other half", begun[20:], "one", 0)
	step("two notes and a half", append(append(note("a"), note("b")...), note("c")[:9]...), "one", 2)
	step("nothing new", nil, "one", 2)
	step("the rest", note("c")[9:], "one", 3)
	length := len(file)
	file = nil
	step("another stream, longer than the one before", append(append(again, note("d")...), note(string(make([]byte, length)))...), "two", 2)
	file = nil
	step("a shorter one", begun, "one", 0)
	step("three notes", append(append(note("a"), note("b")...), note("c")...), "one", 3)
	file = nil
	anew := events.Line(&events.Event{Schema: events.Schema, Event: "begun", Begun: &events.Begun{Began: "2026-01-02T03:04:05.000000006Z", Session: "one"}})
	step("another one of the same session, at the same second, and longer", append(append(anew, note(string(make([]byte, length)))...), note("e")...), "one", 2)
}

// The page of a search that runs shows the trials of its stream, and reads no journal: what is appended to that here is no
// record. When the search has ended it is read.
func TestTrialsOfStream(t *testing.T) {
	session, err := trial.CreateSession(filepath.Join(t.TempDir(), "sessions"), trial.Header{Started: time.Now(), Command: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	appendTo := func(name string, text ...[]byte) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(session.Dir(), name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
		if err == nil {
			_, err = f.Write(bytes.Join(text, nil))
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	line := func(e events.Event) []byte {
		e.Schema = events.Schema
		return events.Line(&e)
	}
	appendTo(events.File, line(events.Event{Begun: &events.Begun{Session: session.Name()}}))
	w := &watch{dir: session.Dir(), now: time.Now}
	look := func() (trials []report.Trial, problem string) {
		t.Helper()
		w.again()
		if err := w.refresh(); err != nil {
			t.Fatal(err)
		}
		return w.searched().Story.Trials, w.problem
	}
	if trials, problem := look(); len(trials) > 0 || problem != "" {
		t.Errorf("before its first trial: %+v, %q", trials, problem)
	}
	appendTo("journal.jsonl", []byte("no record\n"))
	appendTo(events.File,
		line(events.Event{TrialStarted: &events.TrialStarted{Trial: 1, Attempt: 1, Purpose: "end", Tree: "abc", Applied: 3}}),
		line(events.Event{TrialEnded: &events.TrialEnded{Trial: 1, Outcome: "fail", Reason: "exit 1", BuildSeconds: 2}}),
		line(events.Event{TrialEnded: &events.TrialEnded{Trial: 1, Outcome: "unresolved", Reason: "exit 1", Amended: &events.TrialStarted{Trial: 1, Attempt: 1, Purpose: "end", Tree: "abc", Applied: 3}}}),
		line(events.Event{TrialStarted: &events.TrialStarted{Trial: 2, Attempt: 1}}),
		line(events.Event{TrialEnded: &events.TrialEnded{Trial: 2, Outcome: events.Cancelled}}),
	)
	trials, problem := look()
	want := []report.Trial{{Number: 1, Purpose: "end", Stage: -1, Tree: "abc", Applied: 3, Attempt: 1, Process: 1, Outcome: "unresolved", Reason: "exit 1"}}
	if diff := cmp.Diff(want, trials); diff != "" || problem != "" {
		t.Errorf("problem %q, trials (-want +got):\n%s", problem, diff)
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	if _, problem := look(); !strings.Contains(problem, "journal") {
		t.Errorf("when the search has ended: problem %q", problem)
	}
}

// The page has words for what a trial is for that the search has not asked for.
func TestPurposes(t *testing.T) {
	for _, p := range []trial.Purpose{trial.End, trial.Confirm, trial.Again, trial.Repaired, trial.Older} {
		if purposes[string(p)] == "" {
			t.Errorf("there are no words for a trial that is run for %q", p)
		}
	}
}
