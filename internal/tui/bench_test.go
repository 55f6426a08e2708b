package tui

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// BenchmarkLiveView counts what the view of a search costs, among 10,000 changes with
// 64 workers: percent is the share of a core that it takes at most, by as many frames
// and looks at files as there are in a second, and µs/trial what its two events
// and a part of a step cost each trial, which takes milliseconds without its command.
func BenchmarkLiveView(b *testing.B) {
	const n, jobs = 10_000, 64
	c := newClock()
	s := newSearchModel(searchOn(nil, jobs, c))
	var told []*events.Event
	search := streamTo(b, n, jobs, c, func(e *events.Event) { told = append(told, e) })
	dir := b.TempDir()
	s.output = func(trial int, kind string) string { return filepath.Join(dir, fmt.Sprint(trial%jobs, ".", kind)) }
	for w := range jobs {
		for _, kind := range []string{"out", "err"} {
			if err := os.WriteFile(s.output(w, kind), bytes.Repeat([]byte("ok  	example.com/some/package	0.123s\n"), 10_000), 0o666); err != nil {
				b.Fatal(err)
			}
		}
	}
	v := &canvas{
		out: io.Discard, size: func() (int, int, error) { return 160, 50, nil }, now: c.now, model: s,
		foreground: func() bool { return true }, panel: panel{shown: true}, color: true,
	}
	a, half, number := story(n), isolate.Empty(n), 0
	for i := 0; i < n; i += 2 {
		half = half.With(i)
	}
	var steps, frames, looks time.Duration
	for b.Loop() {
		for w := range jobs {
			number++
			search.Trial(finished(w, number, trial.Search, half, isolate.Pass, "ok"))
			search.Trial(started(w, number+jobs, trial.Search, half))
		}
		passing := half.Minus(isolate.Of(n, 2*(number/jobs%2))) // another one than before: its picture is drawn again
		search.step(a, isolate.Step{Config: half, Passing: passing, Failing: isolate.Full(n), Suspects: n / 2, Least: 9, Most: 30})
		began := time.Now()
		for _, e := range told {
			v.change(func() { s.take(e, c.now()) })
		}
		told = nil
		stepped := time.Now()
		c.pass(lookEvery)
		v.look()
		looked := time.Now()
		v.draw()
		steps, looks, frames = steps+stepped.Sub(began), looks+looked.Sub(stepped), frames+time.Since(looked)
	}
	each := func(d time.Duration) float64 { return d.Seconds() / float64(b.N) }
	b.ReportMetric(100*(each(looks)*float64(time.Second/lookEvery)+each(frames)*float64(time.Second/frame)), "percent")
	b.ReportMetric(each(steps)/jobs*1e6, "µs/trial")
}
