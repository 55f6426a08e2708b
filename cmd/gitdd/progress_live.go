package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// frame is how often the view is drawn at most.
const frame = 100 * time.Millisecond

// live draws the state of the search on a terminal, in place.
//
// The cursor is never hidden and always waits on the line below the view, so
// there is nothing to restore however the process ends.
type live struct {
	out   io.Writer
	size  func() (width, height int, err error)
	now   func() time.Time
	color bool

	mu     sync.Mutex
	state  *state
	dirty  bool      // the state has changed since it was drawn
	at     time.Time // it was drawn
	rows   []int     // columns of each line on the screen
	closed bool

	stop chan struct{} // closed by close
	done sync.WaitGroup
}

func newLive(out io.Writer, size func() (int, int, error), o progressOptions) *live {
	v := &live{
		out: out, size: size, now: o.now, color: o.color,
		state: newState(o.total, o.jobs, o.now()), dirty: true, stop: make(chan struct{}),
	}
	v.state.stage.goal = o.goal
	v.done.Go(v.loop)
	return v
}

// loop draws what has changed, and the running times once a second.
func (v *live) loop() {
	tick := time.NewTicker(frame)
	defer tick.Stop()
	resumed, stop := notifyResumed()
	defer stop()
	for {
		select {
		case <-v.stop:
			return
		case <-resumed:
			// The shell has written below the view: leave that alone.
			v.mu.Lock()
			v.rows, v.dirty = nil, true
			v.mu.Unlock()
		case <-tick.C:
			v.mu.Lock()
			if v.dirty || v.now().Sub(v.at) >= time.Second {
				v.draw()
			}
			v.mu.Unlock()
		}
	}
}

func (v *live) event(e trial.Event) {
	v.change(func() { v.state.event(e, v.now()) })
}

func (v *live) ends(e trial.Ends) {
	v.change(func() { v.state.fix = e.Direction == trial.Fix })
}

func (v *live) line(commits []git.Commit) {
	v.change(func() { v.state.line = commits })
}

func (v *live) commit(s isolate.Step) {
	v.change(func() { v.state.commit(s) })
}

func (v *live) step(a answer, s isolate.Step) {
	v.change(func() { v.state.step(a, s) })
}

func (v *live) found(a answer) {
	v.change(func() { v.state.found(a) })
}

func (v *live) change(f func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f()
	v.dirty = true
}

// note writes a line that stays, above the view.
func (v *live) note(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	width, _ := v.screen()
	fmt.Fprintf(v.out, "%sgitdd: %s\n", v.erase(width), printable(text))
	if !v.closed {
		v.draw()
	}
}

// close puts one line in the place of the view.
func (v *live) close() {
	v.mu.Lock()
	if v.closed {
		v.mu.Unlock()
		return
	}
	v.closed = true
	v.mu.Unlock()
	close(v.stop)
	v.done.Wait()

	v.mu.Lock() // a trial that was run ahead may still tell how it ended
	defer v.mu.Unlock()
	width, _ := v.screen()
	text := v.erase(width)
	if v.state.trials() > 0 {
		text += summary(v.state, v.now()) + "\n"
	}
	io.WriteString(v.out, text)
}

// screen is the size of the terminal as it is now.
func (v *live) screen() (width, height int) {
	width, height, err := v.size()
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// draw replaces the view, in one write and without clearing it first, so that
// it does not flicker.
func (v *live) draw() {
	width, height := v.screen()
	now := v.now()
	var b strings.Builder
	b.WriteString(v.home(width))
	for _, l := range render(v.state, width, height, now) {
		b.WriteString(l.Render(v.color) + "\x1b[K\n")
		v.rows = append(v.rows, l.Columns())
	}
	b.WriteString("\x1b[J")
	io.WriteString(v.out, b.String())
	v.dirty, v.at = false, now
}

// erase is what takes the view off the screen.
func (v *live) erase(width int) string { return v.home(width) + "\x1b[J" }

// home is what moves the cursor from below the view to its begin, and forgets
// the view. A terminal that became narrower has broken its lines.
func (v *live) home(width int) string {
	up := 0
	for _, columns := range v.rows {
		up += max((columns+width-1)/width, 1)
	}
	v.rows = nil
	if up == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", up)
}
