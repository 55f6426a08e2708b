package events

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writes keeps what each write was.
type writes struct{ list []string }

func (w *writes) Write(text []byte) (int, error) {
	w.list = append(w.list, string(text))
	return len(text), nil
}

// Each line is one write.
func TestOutput(t *testing.T) {
	var w writes
	o, err := Open("-", &w)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Event{{Note: &Note{"one <b>"}}, {Note: &Note{strings.Repeat("x", 1<<17)}}, {Preparing: &Preparing{Worker: 3}}} {
		o.Write(Line(&e))
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if len(w.list) != 3 {
		t.Fatalf("3 lines are %d writes", len(w.list))
	}
	for _, text := range w.list {
		if strings.Index(text, "\n") != len(text)-1 {
			t.Errorf("not one line: %.100q", text)
		}
	}
	if !strings.Contains(w.list[0], "one <b>") {
		t.Errorf("got %q", w.list[0])
	}
}

// A reader that takes nothing keeps nobody waiting, and what it has not taken is bounded.
func TestOutputSlow(t *testing.T) {
	r, w := io.Pipe() // a write waits for its reader
	defer r.Close()
	o := newOutput("slow", func() (io.WriteCloser, error) { return w, nil })
	line := []byte(strings.Repeat("x", 1<<20) + "\n")
	for range 2 * mostBehind / len(line) {
		o.Write(line)
	}
	o.mu.Lock()
	kept := len(o.waiting)
	o.mu.Unlock()
	if kept > mostBehind/len(line) {
		t.Errorf("%d lines of a MiB are kept", kept)
	}
	if err := o.closeWithin(time.Millisecond); err == nil || !strings.Contains(err.Error(), "--events slow: its reader") {
		t.Errorf("got %v", err)
	}
	r2, w2 := io.Pipe()
	defer r2.Close()
	o = newOutput("slow", func() (io.WriteCloser, error) { return w2, nil })
	o.Write([]byte("line\n"))
	if err := o.closeWithin(time.Millisecond); err == nil || !strings.Contains(err.Error(), "its reader takes nothing: 5 B were not read") {
		t.Errorf("got %v", err)
	}
}

// A reader that was too far behind finds the lines up to there, and no others.
func TestOutputBehind(t *testing.T) {
	r, w := io.Pipe()
	o := newOutput("slow", func() (io.WriteCloser, error) { return w, nil })
	o.Write([]byte("first\n"))
	line := []byte(strings.Repeat("x", mostBehind) + "\n")
	o.Write(line)
	o.Write([]byte("last\n"))
	got := make(chan string)
	go func() {
		text, _ := io.ReadAll(r)
		got <- string(text)
	}()
	err := o.Close()
	if err == nil || !strings.Contains(err.Error(), "behind, and gets no more") {
		t.Errorf("got %v", err)
	}
	if text := <-got; text != "first\n" && text != "" {
		t.Errorf("read %d bytes: %.20q", len(text), text)
	}
}

// One that went away is no error.
func TestOutputGone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	o := newOutput("gone", func() (io.WriteCloser, error) { return w, nil })
	for range 100 {
		o.Write([]byte("line\n"))
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}

// A disk that is full is one.
func TestOutputFails(t *testing.T) {
	full := errors.New("no room")
	o := newOutput("file", func() (io.WriteCloser, error) { return nil, full })
	o.Write([]byte("line\n"))
	if err := o.Close(); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none", "file"), nil); err == nil || !strings.Contains(err.Error(), "--events") {
		t.Errorf("a directory that is not there: %v", err)
	}
	if _, err := Open("fd:987", nil); err == nil || !strings.Contains(err.Error(), "start gitdd with 987>FILE") {
		t.Errorf("a descriptor that is not open: %v", err)
	}
}
