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

// An eventStream writes the events of a search: for programs of the user, and into its session for gitdd serve.
type eventStream struct {
	*events.Observer
	to *events.Output // of --events; nil = nobody wants them

	mu   sync.Mutex
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

// streamed returns a view whose events also go to the stream, of a search among n changes in a session.
func (a *app) streamed(view tui.Search, session *trial.Session, n, jobs int) tui.Search {
	if a.stream == nil {
		_ = a.openEvents("") // which opens nothing
	}
	_ = os.Remove(filepath.Join(session.Dir(), events.File))               // gitdd serve may read it
	kept, _ := events.Open(filepath.Join(session.Dir(), events.File), nil) // a search does not end for want of it
	a.stream.keep(kept)
	h := session.Header()
	a.stream.Begin(events.Begun{
		Gitdd: h.Version, Command: append([]string{}, h.Command...), Jobs: jobs, Changes: n,
		Good: events.RevisionOf(h.Good), Bad: events.RevisionOf(h.Bad),
	}, session)
	return &streamedSearch{view, a.stream}
}

// A streamedSearch is a view of a search whose events also go to a stream.
type streamedSearch struct {
	tui.Search
	stream *eventStream
}

func (v *streamedSearch) Trial(e trial.Event) {
	v.stream.Trial(e)
	v.Search.Trial(e)
}

func (v *streamedSearch) Event(e search.Event) {
	v.stream.Event(e)
	v.Search.Event(e)
}

func (v *streamedSearch) Note(text string) {
	v.stream.Note(text)
	v.Search.Note(text)
}

// Close ends what the session has of it, too: the session may be removed.
func (v *streamedSearch) Close() {
	v.Search.Close()
	v.stream.keep(nil)
}

// keep takes the place of the file in a session.
func (s *eventStream) keep(kept *events.Output) {
	s.mu.Lock()
	before := s.kept
	s.kept = kept
	s.mu.Unlock()
	if before != nil {
		_ = before.Close()
	}
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
