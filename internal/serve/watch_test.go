package serve

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gitdd/gitdd/internal/events"
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

// The page has words for what a trial is for that the search has not asked for.
func TestPurposes(t *testing.T) {
	for _, p := range []trial.Purpose{trial.End, trial.Confirm, trial.Again, trial.Repaired, trial.Older} {
		if purposes[string(p)] == "" {
			t.Errorf("there are no words for a trial that is run for %q", p)
		}
	}
}
