package main

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/tui"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// An eventStream writes the events of a search: for the view on the terminal, for programs of the user, and into its session
// for gitdd serve.
type eventStream struct {
	*events.Observer
	to *events.Output // of --events; nil = nobody wants them

	mu   sync.Mutex
	view tui.Search     // nil = the search has not begun
	kept *events.Output // in the session; nil = it is not open
}

// openEvents opens the stream of a search, for the file that --events names.
func (a *app) openEvents(name string) error {
	if a.stream != nil {
		return nil
	}
	s := &eventStream{}
	s.Observer = events.NewObserver(a.now, s.write)
	a.stream = s // also if the file cannot be opened: that is tried once
	if name == "" {
		return nil
	}
	var err error
	if s.to, err = events.Open(name, a.stdout); err != nil {
		return &outputError{Err: err}
	}
	return nil
}

func (s *eventStream) write(e *events.Event) {
	s.mu.Lock()
	view, kept := s.view, s.kept
	if s.to != nil || kept != nil {
		line := events.Line(e)
		if s.to != nil {
			s.to.Write(line)
		}
		if kept != nil {
			kept.Write(line)
		}
	}
	s.mu.Unlock()
	if view != nil { // last: a terminal may make it wait
		view.Take(e)
	}
}

// streamed begins the stream of a search among n changes in a session, which the view shows.
func (a *app) streamed(view tui.Search, session *trial.Session, n, jobs int) *eventStream {
	if a.stream == nil {
		_ = a.openEvents("") // which opens nothing
	}
	_ = os.Remove(filepath.Join(session.Dir(), events.File))               // gitdd serve may read it
	kept, _ := events.Open(filepath.Join(session.Dir(), events.File), nil) // a search does not end for want of it
	a.stream.show(view, kept)
	h := session.Header()
	a.stream.Begin(events.Begun{
		Gitdd: h.Version, Command: append([]string{}, h.Command...), Jobs: jobs, Changes: n,
		Good: events.RevisionOf(h.Good), Bad: events.RevisionOf(h.Bad),
	}, session)
	return a.stream
}

// show puts a view and the file in a session in the place of those before.
func (s *eventStream) show(view tui.Search, kept *events.Output) {
	s.mu.Lock()
	before := s.kept
	s.view, s.kept = view, kept
	s.mu.Unlock()
	if before != nil {
		_ = before.Close()
	}
}

// Close ends the view, and what the session has of the stream: the session may be removed.
func (s *eventStream) Close() {
	s.mu.Lock()
	view := s.view
	s.mu.Unlock()
	view.Close()
	s.show(view, nil) // trials that were run ahead may still end
}

// endEvents writes with what gitdd ends, and waits until that was read.
func (a *app) endEvents(status int) {
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
