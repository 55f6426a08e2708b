package tui

import (
	"fmt"
	"io"
	"sync"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/trial"
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
func (l *lines) trial(e trial.Event, what, left string) {
	went := wentAs(e, l.interesting) + number(e)
	if l.unjudged && e.Verdict.Value != nil {
		went = amount(e)
	}
	line := fmt.Sprintf("gitdd: %s: %s ... %s%s", numbered(e), what, went, left)
	if l.verbose {
		line += fmt.Sprintf(" (%s, %s)", prose.Printable(e.Verdict.Reason), prose.Duration(e.Verdict.Duration))
	}
	fmt.Fprintln(l.out, line)
}

// correct says that a trial, whose line has been written, is counted otherwise by now. mu is held.
func (l *lines) correct(e trial.Event) {
	line := fmt.Sprintf("gitdd: %s: now %s: it fails otherwise than the failing end", numbered(e), wentAs(e, l.interesting))
	if l.verbose {
		line += " (" + prose.Printable(e.Verdict.Reason) + ")"
	}
	fmt.Fprintf(l.out, "%s (gitdd log --trial %d)\n", line, e.Trial)
}

func (l *lines) Note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, "gitdd: %s\n", prose.Printable(text))
}

func (l *lines) Close() {}

// lost tells of a trial that another machine has lost.
func (l *lines) lost(e trial.Event) {
	if e.Kind != trial.Moved || e.State != "lost" {
		return
	}
	where := ""
	if e.Machine != "" {
		where = " on " + e.Machine
	}
	l.Note(fmt.Sprintf("%s was lost%s, and begins again: %s", numbered(e), where, prose.Printable(e.Loss)))
}
