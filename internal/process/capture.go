package process

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// A capture brings what a command prints into a file, of which it keeps a bounded
// part: the head, and the tail with a line in between that says how much was left
// out. The command writes into a pipe, so that not even a moment's flood reaches
// the disk.
type capture struct {
	file  *os.File
	pipe  *os.File // the reading end
	head  int64    // kept of the begin
	most  int      // kept of the end
	done  chan struct{}
	wrote int64  // into the file; with the rest valid when done
	tail  []byte // at most twice as long as what is kept
	cut   int64  // bytes left out
	err   error  // of the first write that did not succeed; what follows it is lost
}

// MostTail bounds what is kept of the end of an output: it is held in memory.
const MostTail = 4 << 20

// newCapture makes a capture that keeps at most limit bytes, and the end of its pipe for
// the command.
func newCapture(file *os.File, limit int64) (t *capture, write *os.File, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	most := min(limit/2, MostTail)
	return &capture{file: file, pipe: read, head: limit - most, most: int(most), done: make(chan struct{})}, write, nil
}

// run brings the output until no process has the pipe any more.
func (t *capture) run() {
	defer close(t.done)
	buffer := make([]byte, 64<<10)
	for {
		n, err := t.pipe.Read(buffer)
		t.take(buffer[:n])
		if err != nil {
			break // io.EOF, or finish had enough of waiting
		}
	}
	t.drop(t.most)
	if t.cut > 0 {
		t.write(fmt.Appendf(nil, "\n[gitdd: %d bytes of output were left out here]\n", t.cut))
	}
	t.write(t.tail)
	if err := errors.Join(t.file.Close(), t.pipe.Close()); t.err == nil {
		t.err = err
	}
}

func (t *capture) take(text []byte) {
	if room := t.head - t.wrote; room > 0 {
		n := min(int64(len(text)), room)
		t.write(text[:n])
		text = text[n:]
	}
	t.tail = append(t.tail, text...)
	if len(t.tail) > 2*t.most {
		t.drop(t.most)
	}
}

// drop leaves all but the last n bytes of the tail out.
func (t *capture) drop(n int) {
	if more := len(t.tail) - n; more > 0 {
		t.cut += int64(more)
		t.tail = append(t.tail[:0], t.tail[more:]...)
	}
}

func (t *capture) write(text []byte) {
	t.wrote += int64(len(text))
	if t.err != nil || len(text) == 0 {
		return
	}
	_, t.err = t.file.Write(text)
}

// finish waits for the end of the output, but not for a process that has
// escaped and keeps the pipe.
func (t *capture) finish() {
	select {
	case <-t.done:
		return
	case <-time.After(time.Second):
	}
	t.pipe.SetReadDeadline(time.Now())
	select {
	case <-t.done:
	case <-time.After(time.Second): // a system without deadlines for pipes
		t.pipe.Close()
		<-t.done
	}
}
