package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/gitdd/gitdd/report"
)

// frame is how often the view is drawn at most.
const frame = 100 * time.Millisecond

// A picture is what a canvas shows of something that goes on.
type picture interface {
	// render draws it for a screen, in lines of less than width columns.
	render(width, height int, now time.Time) []*report.Line
	// summary is what stays on the screen in the end, "" for nothing.
	summary(now time.Time) string
}

// canvas draws a picture on a terminal, in place.
//
// The cursor is never hidden and always waits on the line below the view, so
// there is nothing to restore however the process ends.
type canvas struct {
	out   io.Writer
	size  func() (width, height int, err error)
	now   func() time.Time
	color bool

	mu      sync.Mutex
	picture picture
	dirty   bool      // it has changed since it was drawn
	at      time.Time // it was drawn
	rows    []int     // columns of each line on the screen
	closed  bool

	stop chan struct{} // closed by close
	done sync.WaitGroup
}

func newCanvas(out io.Writer, size func() (int, int, error), o progressOptions, p picture) *canvas {
	v := &canvas{out: out, size: size, now: o.now, color: o.color, picture: p, dirty: true, stop: make(chan struct{})}
	v.done.Go(v.loop)
	return v
}

// loop draws what has changed, and the running times once a second.
func (v *canvas) loop() {
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

func (v *canvas) change(f func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f()
	v.dirty = true
}

// note writes a line that stays, above the view.
func (v *canvas) note(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	width, _ := v.screen()
	fmt.Fprintf(v.out, "%sgitdd: %s\n", v.erase(width), printable(text))
	if !v.closed {
		v.draw()
	}
}

// close puts one line in the place of the view.
func (v *canvas) close() {
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
	if summary := v.picture.summary(v.now()); summary != "" {
		text += summary + "\n"
	}
	io.WriteString(v.out, text)
}

// screen is the size of the terminal as it is now.
func (v *canvas) screen() (width, height int) {
	width, height, err := v.size()
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// draw replaces the view, in one write and without clearing it first, so that
// it does not flicker.
func (v *canvas) draw() {
	width, height := v.screen()
	now := v.now()
	var b strings.Builder
	b.WriteString(v.home(width))
	for _, l := range v.picture.render(width, height, now) {
		b.WriteString(l.Render(v.color) + "\x1b[K\n")
		v.rows = append(v.rows, l.Columns())
	}
	b.WriteString("\x1b[J")
	io.WriteString(v.out, b.String())
	v.dirty, v.at = false, now
}

// erase is what takes the view off the screen.
func (v *canvas) erase(width int) string { return v.home(width) + "\x1b[J" }

// home is what moves the cursor from below the view to its begin, and forgets
// the view. A terminal that became narrower has broken its lines.
func (v *canvas) home(width int) string {
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
