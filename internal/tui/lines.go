package tui

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/prose"
)

// lines are progress in a file: each is written once, and stays.
type lines struct {
	mu      sync.Mutex
	out     io.Writer
	verbose bool

	interesting bool // what outcomes are called: as with --interesting
	unjudged    bool // a number does not tell an outcome yet
}

// trial writes the line of one trial. mu is held.
func (l *lines) trial(e ended, what, left string) {
	went := e.wentAs(l.interesting) + e.number()
	if l.unjudged && e.Value != nil {
		went = e.amount()
	}
	line := fmt.Sprintf("gitdd: %s: %s ... %s%s", e.numbered(), what, went, left)
	if l.verbose {
		line += fmt.Sprintf(" (%s, %s)", prose.Printable(e.Reason), prose.Duration(seconds(e.Seconds)))
	}
	fmt.Fprintln(l.out, line)
}

// seconds is a time of an event.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// correct says that a trial, whose line has been written, is counted otherwise by now. mu is held.
func (l *lines) correct(e ended) {
	line := fmt.Sprintf("gitdd: %s: now %s: it fails otherwise than the failing end", e.numbered(), e.wentAs(l.interesting))
	if l.verbose {
		line += " (" + prose.Printable(e.Reason) + ")"
	}
	fmt.Fprintf(l.out, "%s (gitdd log --trial %d)\n", line, e.Trial)
}

func (l *lines) Note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(text)
}

// note writes a note. mu is held.
func (l *lines) note(text string) { fmt.Fprintf(l.out, "gitdd: %s\n", prose.Printable(text)) }

func (l *lines) Close() {}

// lost tells of a trial that another machine may have lost. mu is held.
func (l *lines) lost(of *events.TrialStarted, m *events.TrialMoved) {
	if m.State != "lost" {
		return
	}
	where := ""
	if m.Machine != "" {
		where = " on " + m.Machine
	}
	l.note(fmt.Sprintf("%s was lost%s, and begins again: %s", numbered(of), where, prose.Printable(m.Loss)))
}
