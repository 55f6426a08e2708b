package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
)

// elapsed is a time that runs, to the second.
func elapsed(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return prose.Duration(d)
}

const labels = 10 // columns, as in the report

// A screenful is what a view shows: labelled lines, of which some can be left out where
// the screen has no room for all.
type screenful struct {
	width int
	lines []*prose.Line
	ranks []int // of each line; the highest go first
}

// add adds a line that is left out before those of a lower rank.
func (p *screenful) add(rank int, label string, l *prose.Line) {
	labelled := (&prose.Line{}).Add(prose.Note, label).Add(prose.Plain, strings.Repeat(" ", max(labels-len(label), 1)))
	p.lines, p.ranks = append(p.lines, labelled.Join(l).Cut(p.width-1)), append(p.ranks, rank)
}

func (p *screenful) text(rank int, label, text string) {
	p.add(rank, label, (&prose.Line{}).Add(prose.Plain, text))
}

// fit returns the lines that there is room for: less than height, but two at least.
func (p *screenful) fit(height int) []*prose.Line {
	for len(p.lines) > max(height-1, 2) {
		worst := 0
		for i, rank := range p.ranks {
			if rank >= p.ranks[worst] {
				worst = i
			}
		}
		p.lines, p.ranks = slices.Delete(p.lines, worst, worst+1), slices.Delete(p.ranks, worst, worst+1)
	}
	return p.lines
}

// Ranks of lines: what is needed most to see that it goes on, and where it stands.
const (
	always = iota
	working
	expecting
	moreWorking
	best
	lastOne
	outcomes
)
