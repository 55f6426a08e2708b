package tui

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// A panel shows below the view what the trial of a worker prints, while it runs. The
// key v opens and closes it, and the number of a worker chooses whose, or n the next.
// When that trial is over the panel has its end until the worker's next one prints.
type panel struct {
	shown  bool
	worker int
	chosen bool   // by the user; else it is the one whose trial runs for the longest
	of     string // "trial 8"
	tail   tail
}

// press takes a key, and reports whether it was one of the panel's.
func (p *panel) press(key byte, workers []*worker) bool {
	switch {
	case key == 'v' || key == 'V':
		p.shown = !p.shown
		if p.shown && !p.chosen {
			p.choose(longest(workers))
		}
		return true
	case key == 'n' && p.shown && len(workers) > 1:
		p.choose((p.worker + 1) % len(workers))
		p.chosen = true
		return true
	case key >= '0' && key <= '9' && int(key-'0') < len(workers):
		p.choose(int(key - '0'))
		p.shown, p.chosen = true, true
		return true
	}
	return false
}

func (p *panel) choose(worker int) {
	if p.worker != worker {
		p.of, p.tail = "", tail{}
	}
	p.worker = worker
}

// longest is the worker whose trial runs for the longest time.
func longest(workers []*worker) int {
	best := 0
	for i, w := range workers {
		if w.serial != 0 && (workers[best].serial == 0 || w.since.Before(workers[best].since)) {
			best = i
		}
	}
	return best
}

// take takes what a trial has printed so far.
func (p *panel) take(t tail, of string) {
	if p.of == "" || len(t.text) > 0 {
		p.of, p.tail = of, t
	}
}

// hint says which keys there are.
func (p *panel) hint(width int, workers []*worker) *prose.Line {
	text := "v: what a trial prints"
	switch {
	case p.shown && len(workers) > 1:
		text = fmt.Sprintf("v: hide; 0-%d, n: another", min(len(workers)-1, 9))
	case p.shown:
		text = "v: hide what it prints"
	case len(workers) > 1:
		text = fmt.Sprintf("v, 0-%d: what a trial prints", min(len(workers)-1, 9))
	}
	return (&prose.Line{}).Add(prose.Note, "keys"+strings.Repeat(" ", labels-len("keys"))+text).Cut(width - 1)
}

// render returns at most height lines: a head, and the last lines that the trial
// printed.
func (p *panel) render(width, height int) []*prose.Line {
	if height < 1 {
		return nil
	}
	head := fmt.Sprintf("── worker %d", p.worker)
	if p.of != "" {
		head += ", " + p.of + ", "
		if p.tail.size == 0 {
			head += "nothing yet"
		} else {
			head += streamOf(p.tail.file) + ", " + prose.Size(p.tail.size)
		}
	}
	head += " "
	head += strings.Repeat("─", max(0, min(width-1, 60+labels)-prose.Columns(head)))
	lines := []*prose.Line{(&prose.Line{}).Add(prose.Note, head).Cut(width - 1)}
	for _, line := range p.tail.lines(height - 1) {
		lines = append(lines, (&prose.Line{}).Add(prose.Plain, line).Cut(width-1))
	}
	return lines
}

// streamOf says in words what a file holds, by the end of its name.
func streamOf(file string) string {
	text := "stdout"
	if strings.HasSuffix(file, "err") {
		text = "stderr"
	}
	switch {
	case strings.Contains(file, ".build."):
		return "build's " + text
	case strings.Contains(file, ".good."):
		return "good's " + text
	}
	return text
}
