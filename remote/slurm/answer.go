package slurm

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"sync"

	"github.com/gitdd/gitdd/trial"
)

// answer reads the outputs and the outcome. An error is one of this machine.
func (p *performance) answer(t trial.Task) (result trial.TaskResult, done bool, err error) {
	var outcome []byte
	archive := tar.NewReader(p.out)
	for {
		h, err := archive.Next()
		if err != nil && !errors.Is(err, io.EOF) {
			return result, false, nil
		}
		if err != nil {
			break
		}
		dir, name := path.Split(path.Clean(h.Name))
		switch {
		case dir != "out/" || h.Typeflag != tar.TypeReg:
		case name == trial.OutcomeFile:
			if outcome, err = io.ReadAll(io.LimitReader(archive, 1<<16)); err != nil {
				return result, false, nil
			}
		case slices.Contains(trial.OutputNames, name):
			if broken, err := save(t.Output(name), archive); err != nil || broken {
				return result, false, err
			}
		}
	}
	if outcome == nil {
		return result, false, nil
	}
	if result, err = trial.ReadOutcome(outcome); err != nil {
		return result, false, lost(p.machine, "the node answered what is no outcome: %v", err)
	}
	return result, true, nil
}

// save writes an output to its file; broken = the stream has ended before.
func save(name string, from io.Reader) (broken bool, err error) {
	f, err := os.Create(name)
	if err != nil {
		return false, err
	}
	w := &writer{to: f}
	_, err = io.Copy(w, from)
	if e := f.Close(); w.err == nil {
		w.err = e
	}
	if w.err != nil {
		return false, fmt.Errorf("keep what a command printed: %w", w.err)
	}
	return err != nil, nil
}

// A writer tells an error of writing from one of reading.
type writer struct {
	to  io.Writer
	err error
}

func (w *writer) Write(text []byte) (n int, err error) {
	n, w.err = w.to.Write(text)
	return n, w.err
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if most := 16 << 10; len(t.text) > 2*most {
		t.text = slices.Clone(t.text[len(t.text)-most:])
	}
	return len(text), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
