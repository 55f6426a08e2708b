package tui

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// In the background the screen is the shell's, or an editor's: notes and the summary
// are written there as any text is, and nothing is moved or erased.
func TestCanvasInBackground(t *testing.T) {
	c := newClock()
	s, told := modelOn(t, 4, 1, c)
	told.Trial(finished(0, 1, trial.Search, isolate.Of(4, 1), isolate.Pass, ""))
	var out strings.Builder
	v := &canvas{
		out: &out, size: func() (int, int, error) { return 80, 24, nil }, now: c.now, model: s,
		foreground: func() bool { return false }, stop: make(chan struct{}),
	}
	v.Note("first")
	v.Close()
	v.Note("last")
	if got, want := out.String(), "gitdd: first\n"+s.summary(c.now())+"\ngitdd: last\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What was read of a trial is shown as that trial's, also when the next one has begun
// in the meantime.
func TestLookBehindTrial(t *testing.T) {
	c := newClock()
	s, told := modelOn(t, 4, 1, c)
	s.output = func(trial int, kind string) string { return filepath.Join("trials", kind) }
	v := &canvas{out: io.Discard, now: c.now, model: s, panel: panel{shown: true}}
	told.Trial(started(0, 7, trial.Search, isolate.Of(4, 1)))
	c.pass(lookEvery)
	looked := v.printing()
	if len(looked) != 1 {
		t.Fatalf("%d workers print", len(looked))
	}
	for _, next := range []trial.Event{
		finished(0, 7, trial.Search, isolate.Of(4, 1), isolate.Pass, ""),
		started(0, 8, trial.Search, isolate.Of(4, 2)),
	} {
		told.Trial(next)
		v.panel.of = ""
		v.read(looked[0], tail{file: "out", size: 4, text: []byte("old\n")})
		if v.panel.of != "trial 7" || s.workers[0].said != "" {
			t.Errorf("the panel is of %q, the worker says %q", v.panel.of, s.workers[0].said)
		}
	}
	if len(v.printing()) != 0 {
		t.Error("it looks again at once")
	}
}
