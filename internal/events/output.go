package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
)

const (
	mostBehind = 64 << 20         // bytes that a reader may be behind
	patience   = 10 * time.Second // without progress, at the end
)

// An Output writes lines to a reader that may be slow, or gone: by a goroutine of its own, each in one write. A
// reader that is too far behind gets no more, so that none is left out among others.
type Output struct {
	name string
	open func() (io.WriteCloser, error) // may wait for a reader

	mu      sync.Mutex
	more    *sync.Cond
	waiting [][]byte
	behind  int // bytes of waiting
	taken   int // lines that were written
	closed  bool
	err     error // why nothing more is written
	done    chan struct{}
}

// Descriptor returns the number of a file descriptor that a name stands for: fd:N or /dev/fd/N, from 3 on.
func Descriptor(name string) (n int, ok bool) {
	text, ok := strings.CutPrefix(name, "fd:")
	if !ok {
		text, ok = strings.CutPrefix(name, "/dev/fd/")
	}
	n, err := strconv.Atoi(text)
	return n, ok && err == nil && n > 2
}

// Open opens the output of a name: a file, which is emptied, a named pipe, whose reader may come later, a descriptor
// that gitdd was started with, or - for stdout.
func Open(name string, stdout io.Writer) (*Output, error) {
	if name == "-" {
		return newOutput("standard output", func() (io.WriteCloser, error) { return lasting{stdout}, nil }), nil
	}
	if n, ok := Descriptor(name); ok {
		f, err := inherited(n)
		if err != nil {
			return nil, fmt.Errorf("--events %s: %w; start gitdd with %d>FILE", name, err, n)
		}
		return newOutput(name, func() (io.WriteCloser, error) { return f, nil }), nil
	}
	if strings.HasPrefix(name, "fd:") {
		return nil, fmt.Errorf("--events %s: want the number of a descriptor from 3 on, or - for standard output; ./%s is a file", name, name)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return newOutput(name, func() (io.WriteCloser, error) { return os.OpenFile(name, os.O_WRONLY, 0) }), nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("--events: %w", err)
	}
	return newOutput(name, func() (io.WriteCloser, error) { return f, nil }), nil
}

// lasting is a stream that others use, too.
type lasting struct{ io.Writer }

func (lasting) Close() error { return nil }

func newOutput(name string, open func() (io.WriteCloser, error)) *Output {
	o := &Output{name: name, open: open, done: make(chan struct{})}
	o.more = sync.NewCond(&o.mu)
	go o.run()
	return o
}

// Write gives a line to the reader. It never waits.
func (o *Output) Write(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || o.closed {
		return
	}
	if o.behind += len(line); o.behind > mostBehind {
		o.err = fmt.Errorf("its reader is %s behind, and gets no more", prose.Size(mostBehind))
		o.waiting = nil
	} else {
		o.waiting = append(o.waiting, line)
	}
	o.more.Signal()
}

// run writes until Close.
func (o *Output) run() {
	defer close(o.done)
	w, err := o.open()
	for err == nil {
		line, ok := o.next()
		if !ok {
			err = w.Close()
			break
		}
		if _, err = w.Write(line); err == nil {
			o.mu.Lock()
			o.behind -= len(line)
			o.taken++
			o.mu.Unlock()
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	o.waiting = nil
	if w != nil {
		_ = w.Close() // again, or after an error that is told
	}
}

// next waits for a line; not ok when there is none any more.
func (o *Output) next() (line []byte, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) == 0 {
		if o.closed || o.err != nil {
			return nil, false
		}
		o.more.Wait()
	}
	line = o.waiting[0]
	o.waiting = o.waiting[1:]
	return line, true
}

// Close waits until all was written, as long as lines are taken, and returns why something was not. A reader that
// has gone away is no reason.
func (o *Output) Close() error { return o.closeWithin(patience) }

func (o *Output) closeWithin(patience time.Duration) error {
	o.mu.Lock()
	o.closed = true
	o.more.Signal()
	o.mu.Unlock()
	for before := -1; ; {
		select {
		case <-o.done:
			o.mu.Lock()
			defer o.mu.Unlock()
			if o.err == nil || errors.Is(o.err, syscall.EPIPE) {
				return nil
			}
			return fmt.Errorf("--events %s: %w", o.name, o.err)
		case <-time.After(patience):
		}
		o.mu.Lock()
		taken, left := o.taken, o.behind
		o.mu.Unlock()
		if taken == before || before < 0 && taken == 0 {
			return fmt.Errorf("--events %s: its reader takes nothing: %s were not read", o.name, prose.Size(int64(left)))
		}
		before = taken
	}
}

// Line is an event as a line.
func Line(e *Event) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		panic(err) // it has only texts and numbers, and results that were encoded before
	}
	return text.Bytes()
}
