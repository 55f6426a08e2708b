package tui

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
)

// frame is how often the view is drawn at most.
const frame = 100 * time.Millisecond

// lookEvery is how often what the running trials print is looked at, at most.
const lookEvery = time.Second

// A model is what the events so far have told of something that goes on. A canvas shows it.
type model interface {
	// render draws it for a screen, in lines of less than width columns.
	render(width, height int, now time.Time) []*prose.Line
	// summary is what stays on the screen in the end, "" for nothing.
	summary(now time.Time) string
	// running are its workers. What they point to is only touched while the canvas
	// holds its lock.
	running() []*worker
	// looked says that one of these has printed something.
	looked()
}

// canvas draws a model on a terminal, in place, and below it, when the user asks for
// it, what a running trial prints.
//
// The cursor is never hidden and always waits on the line below the view, so there is
// nothing on the screen to restore however the process ends. Of the terminal's settings
// the canvas changes what it takes to get single keys, see keyboard: that is given back
// at every end that a process can see, before it is stopped, and as soon as it was
// interrupted, so that a second Ctrl-C finds it done.
type canvas struct {
	out         io.Writer
	size        func() (width, height int, err error)
	now         func() time.Time
	color       bool
	foreground  func() bool // the screen is this process's
	interrupted <-chan struct{}

	mu     sync.Mutex
	keys   *keyboard // nil = there are none to be had
	model  model
	panel  panel
	dirty  bool      // it has changed since it was drawn
	at     time.Time // it was drawn
	seen   time.Time // what trials print was looked at
	rows   []int     // columns of each line on the screen
	closed bool

	stop chan struct{} // closed by Close
	done sync.WaitGroup
}

// newCanvas draws m on o.Out, a terminal of that size.
func newCanvas(size func() (int, int, error), o Options, m model) *canvas {
	v := &canvas{
		out: o.Out, size: size, now: o.Now, color: o.Color, interrupted: o.Interrupted, keys: keyboardOf(o.Keys), foreground: foregroundOf(o.Out),
		model: m, dirty: true, seen: o.Now(), stop: make(chan struct{}),
	}
	v.done.Go(v.loop)
	return v
}

// loop draws what has changed, at once if it is the size of the screen, and the running
// times once a second; and it looks for keys. It waits for nothing but time and signals,
// so it ends soon after Close.
func (v *canvas) loop() {
	v.change(func() { v.keys.take() })
	defer v.keys.give() // without the lock, which a panic may hold: who draws has seen that it is closed
	tick := time.NewTicker(frame)
	defer tick.Stop()
	signals, stop := notifyTerminal()
	defer stop()
	interrupted := v.interrupted
	for {
		select {
		case <-v.stop:
			return
		case <-interrupted:
			interrupted = nil
			v.mu.Lock()
			v.keys.give()
			v.keys = nil
			v.panel.shown, v.dirty = false, true
			v.mu.Unlock()
		case s := <-signals:
			v.signal(s)
		case <-tick.C:
			v.look()
			if !v.typed(v.pressed()) {
				v.suspend(signals)
			}
			v.mu.Lock()
			if v.dirty || v.now().Sub(v.at) >= time.Second {
				v.draw()
			}
			v.mu.Unlock()
		}
	}
}

// signal does what a signal asks for.
func (v *canvas) signal(s terminalSignal) {
	switch s {
	case continued:
		// The shell has written below the view: leave that alone.
		v.mu.Lock()
		v.rows, v.dirty = nil, true
		v.keys.take()
		v.mu.Unlock()
	case resized:
		v.mu.Lock()
		v.draw()
		v.mu.Unlock()
	case quit:
		v.change(func() { v.keys.give() })
		endByQuit()
	}
}

// pressed returns the keys that were pressed by now.
func (v *canvas) pressed() []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.keys != nil && !v.keys.taken() {
		v.keys.take() // a shell tells nobody that a job which runs is in the foreground again
		v.dirty = true
	}
	return v.keys.read()
}

// typed does what keys ask for. It returns false when that is to stop the process.
func (v *canvas) typed(pressed []byte) bool {
	for _, key := range pressed {
		switch key {
		case suspendKey:
			return false
		case redrawKey:
			v.mu.Lock()
			v.dirty = true
			v.mu.Unlock()
		default:
			v.mu.Lock()
			if v.panel.press(key, v.model.running()) {
				v.dirty, v.seen = true, time.Time{}
			}
			v.mu.Unlock()
			v.look()
		}
	}
	return true
}

// suspend leaves the terminal as it was, and stops the process and all of its job. It
// returns when that goes on.
func (v *canvas) suspend(signals <-chan terminalSignal) {
	v.mu.Lock()
	width, _ := v.screen()
	io.WriteString(v.out, v.erase(width))
	v.keys.give()
	v.mu.Unlock()
	stopJob()
	// A job that nobody could bring back is not stopped. One that was has its timer run
	// out while it was: the signal that brought it back is there at once, too.
	late := time.After(time.Second)
	for again := true; ; {
		select {
		case s := <-signals:
			v.signal(s)
			if s == continued {
				return
			}
		case <-late:
			if !again {
				v.signal(continued)
				return
			}
			late, again = time.After(frame), false
		}
	}
}

// look reads the ends of what the running trials print that are shown, if that was
// not done for a while.
func (v *canvas) look() {
	for _, p := range v.printing() {
		t := tailOf(p.files, p.most) // nobody waits for that
		v.mu.Lock()
		v.read(p, t)
		v.mu.Unlock()
	}
}

// A printing is what a worker ran when its files were to be looked at.
type printing struct {
	worker  *worker
	serial  int
	doing   string
	files   []string
	most    int64 // bytes of them that are shown
	inPanel bool
}

// printing returns what is to be looked at now.
func (v *canvas) printing() []printing {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.now().Sub(v.seen) < lookEvery {
		return nil
	}
	v.seen = v.now()
	var all []printing
	workers := v.model.running()
	shown := shownOf(workers)
	for i, w := range workers {
		p := printing{worker: w, serial: w.serial, doing: w.doing, files: w.files, most: lineBytes, inPanel: v.panel.shown && i == v.panel.worker}
		if w.serial == 0 || !p.inPanel && !slices.Contains(shown, i) {
			continue
		}
		if p.inPanel {
			p.most = panelBytes
		}
		all = append(all, p)
	}
	return all
}

// read takes what was read of p, whose worker may run something else by now. mu is held.
func (v *canvas) read(p printing, t tail) {
	if p.worker.serial == p.serial {
		if said := t.last(); said != p.worker.said {
			p.worker.said, v.dirty = said, true
		}
		if p.worker.said != "" {
			v.model.looked()
		}
	}
	if p.inPanel {
		v.panel.take(t, p.doing)
		v.dirty = true
	}
}

func (v *canvas) change(f func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f()
	v.dirty = true
}

// Note writes a line that stays, above the view.
func (v *canvas) Note(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	width, _ := v.screen()
	fmt.Fprintf(v.out, "%sgitdd: %s\n", v.erase(width), prose.Printable(text))
	if !v.closed {
		v.draw()
	}
}

// Close puts one line in the place of the view.
func (v *canvas) Close() {
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
	if summary := v.model.summary(v.now()); summary != "" {
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
// it does not flicker. In the background it leaves the screen to others.
func (v *canvas) draw() {
	if !v.foreground() {
		v.rows = nil
		return
	}
	width, height := v.screen()
	now := v.now()
	var b strings.Builder
	b.WriteString(v.home(width, height))
	for _, l := range v.compose(width, height, now) {
		b.WriteString(l.Render(v.color) + "\x1b[K\n")
		v.rows = append(v.rows, l.Columns())
	}
	b.WriteString("\x1b[J")
	io.WriteString(v.out, b.String())
	v.dirty, v.at = false, now
}

// compose returns the lines of the view, and of the panel below it.
func (v *canvas) compose(width, height int, now time.Time) []*prose.Line {
	if !v.keys.taken() && !v.panel.shown {
		return v.model.render(width, height, now)
	}
	below := 1 // for the hint
	if v.panel.shown {
		below = max(min(max(height/2, 4), height-4), 0) // and the panel has half of the screen at least
	}
	lines := v.model.render(width, max(height-below, 3), now)
	if len(lines)+1 < height {
		lines = append(lines, v.panel.hint(width, v.model.running()))
	}
	if v.panel.shown {
		// A terminal that is cleared as a whole may keep what was on it, so a line stays.
		lines = append(lines, v.panel.render(width, height-2-len(lines))...)
	}
	return lines
}

// erase is what takes the view off the screen: line by line, for a terminal that is
// cleared from its first line on may keep what was there above it. In the background
// nothing of it is there, and what is belongs to others.
func (v *canvas) erase(width int) string {
	if !v.foreground() {
		v.rows = nil
		return ""
	}
	_, height := v.screen()
	up := v.above(width, height)
	v.rows = nil
	return upwards(up) + strings.Repeat("\x1b[K\n", up) + "\x1b[J" + upwards(up)
}

// home is what moves the cursor from below the view to its begin, and forgets the view.
func (v *canvas) home(width, height int) string {
	up := v.above(width, height)
	v.rows = nil
	return upwards(up)
}

// above is how many rows of the screen the view takes. A terminal that became narrower
// has broken its lines; what it moved off its upper end is out of reach.
func (v *canvas) above(width, height int) int {
	up := 0
	for _, columns := range v.rows {
		up += max((columns+width-1)/width, 1)
	}
	return min(up, height-1)
}

func upwards(rows int) string {
	if rows <= 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", rows)
}
