package main

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A telling tells how a search goes on: to the user's programs, and in its session to gitdd serve.
type telling struct {
	*events.Observer
	to *events.Output // of --events; nil = nobody wants them

	mu   sync.Mutex
	kept *events.Output // in the session; nil = it is not open
}

// tellTo opens the stream of a search, for the file that --events names.
func (a *app) tellTo(name string) error {
	if a.stream != nil {
		return nil
	}
	s := &telling{}
	if name != "" {
		var err error
		if s.to, err = events.Open(name, a.stdout); err != nil {
			return &outputError{Err: err}
		}
	}
	s.Observer = events.NewObserver(a.now, s.write)
	a.stream = s
	return nil
}

func (s *telling) write(e *events.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to == nil && s.kept == nil {
		return
	}
	line := events.Line(e)
	if s.to != nil {
		s.to.Write(line)
	}
	if s.kept != nil {
		s.kept.Write(line)
	}
}

// tell returns a view that also tells what it shows, of a search among n changes in a session.
func (a *app) tell(view tui.Search, session *trial.Session, n, jobs int) tui.Search {
	if a.stream == nil {
		_ = a.tellTo("") // which opens nothing
	}
	_ = os.Remove(filepath.Join(session.Dir(), events.File))               // gitdd serve may read it
	kept, _ := events.Open(filepath.Join(session.Dir(), events.File), nil) // a search does not end for want of it
	a.stream.keep(kept)
	h := session.Header()
	a.stream.Begin(events.Begun{
		Gitdd: h.Version, Command: append([]string{}, h.Command...), Jobs: jobs, Changes: n,
		Good: events.RevisionOf(h.Good), Bad: events.RevisionOf(h.Bad),
	}, session)
	return &toldSearch{view, a.stream}
}

// A toldSearch is a view of a search that is told, too.
type toldSearch struct {
	tui.Search
	stream *telling
}

func (v *toldSearch) Trial(e trial.Event) {
	v.stream.Trial(e)
	v.Search.Trial(e)
}

func (v *toldSearch) Event(e search.Event) {
	v.stream.Event(e)
	v.Search.Event(e)
}

func (v *toldSearch) Note(text string) {
	v.stream.Note(text)
	v.Search.Note(text)
}

// Close ends what the session has of it, too: the session may be removed.
func (v *toldSearch) Close() {
	v.Search.Close()
	v.stream.keep(nil)
}

// keep takes the place of the file in a session.
func (s *telling) keep(kept *events.Output) {
	s.mu.Lock()
	before := s.kept
	s.kept = kept
	s.mu.Unlock()
	if before != nil {
		_ = before.Close()
	}
}

// tellAnswer tells with what gitdd ends, and waits until that was read.
func (a *app) tellAnswer(status int) {
	if a.stream == nil || a.stream.to == nil {
		return
	}
	answer := events.Answer{Exit: status}
	if end, err := statusOf(a.result); err == nil {
		answer.Status = string(end)
	}
	if a.session != nil {
		answer.Session = a.session.Name()
		if a.answered && !a.gone {
			answer.File = filepath.Join(a.session.Dir(), "result.json")
		}
	}
	switch text := bytes.TrimSpace(a.result); report.SchemaOf(text) {
	case report.Schema:
		answer.Result = text
	case report.ResultsSchema:
		answer.Results = text
	}
	a.stream.Answer(answer)
	if err := a.stream.to.Close(); err != nil {
		a.complain(err)
	}
}
