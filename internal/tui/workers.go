package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

const (
	shownWorkers   = 8 // have a line each; of more than that only
	slowestWorkers = 5 // have one
)

// shownOf are the numbers of the workers that a view has lines for: all, or of many
// those that are at it for the longest, the slowest first.
func shownOf(workers []*worker) []int {
	var shown []int
	for i, w := range workers {
		if len(workers) <= shownWorkers || w.busy {
			shown = append(shown, i)
		}
	}
	if len(workers) <= shownWorkers {
		return shown
	}
	slices.SortStableFunc(shown, func(i, j int) int { return workers[i].since.Compare(workers[j].since) })
	return shown[:min(len(shown), slowestWorkers)]
}

// workerLabel is what the line of a worker begins with: of many its number, below the
// line that counts them.
func workerLabel(i, workers int) string {
	if workers > shownWorkers {
		return fmt.Sprintf("  %d", i)
	}
	return fmt.Sprintf("worker %d", i)
}

// countWorkers counts many workers by what they are at: "300: 212 running, 61 queued, 27 idle".
func countWorkers(workers []*worker) string {
	at := map[string]int{}
	for _, w := range workers {
		switch {
		case !w.busy:
			at["idle"]++
		case w.state == "copied":
			at["running"]++ // twice
		case w.state != "":
			at[w.state]++
		default:
			at["busy"]++
		}
	}
	var parts []string
	for _, state := range []string{"running", "queued", "uploading", "lost", "busy", "idle"} {
		if n := at[state]; n > 0 {
			parts = append(parts, prose.Number(n)+" "+stateWords[state])
		}
	}
	return prose.Number(len(workers)) + ": " + strings.Join(parts, ", ")
}

// stateWords are how a view calls the states of a trial on another machine.
var stateWords = map[string]string{
	"running": "running", "copied": "running twice", "queued": "queued", "uploading": "uploading", "lost": "lost",
	"busy": "busy", "idle": "idle",
}

// A cluster is what is known of the other machines that run trials.
type cluster struct {
	machines map[string]bool // that ran one
	lost     int             // trials were, and began again
	copies   int             // slow ones ran twice
	cached   int             // answers came from the cluster's cache
}

// take takes an event of a trial elsewhere.
func (f *cluster) take(e trial.Event) {
	if e.Machine != "" {
		if f.machines == nil {
			f.machines = map[string]bool{}
		}
		f.machines[e.Machine] = true
	}
	switch e.State {
	case "lost":
		f.lost++
	case "copied":
		f.copies++
	}
}

// String says it in words; "" where nothing is known.
func (f *cluster) String() string {
	var parts []string
	if n := len(f.machines); n > 0 {
		parts = append(parts, prose.Count(n, "machine"))
	}
	for _, p := range []struct {
		n    int
		what string
	}{{f.cached, "from the cache"}, {f.lost, "lost"}, {f.copies, "doubled"}} {
		if p.n > 0 {
			parts = append(parts, prose.Number(p.n)+" "+p.what)
		}
	}
	return strings.Join(parts, ", ")
}

// An ahead counts which trials the path of a search has come to, and which were run
// ahead of it.
type ahead struct {
	of     any                           // the set, or line, whose configurations are in ran
	ran    map[isolate.Configuration]int // trials of what the path has not asked for
	onPath int
	passed int // trials in sets and lines that the search has left, that it never asked for
}

// finished takes a trial of the search.
func (a *ahead) finished(c isolate.Configuration) {
	if a.ran == nil {
		a.ran = map[isolate.Configuration]int{}
	}
	a.ran[c]++
}

// step takes a step of the path, in this set or line.
func (a *ahead) step(of any, c isolate.Configuration) {
	if a.of != nil && a.of != of {
		a.passed = a.beyond()
		clear(a.ran)
	}
	a.of = of
	a.onPath += a.ran[c]
	delete(a.ran, c)
}

// beyond is how many trials are not on the path, so far.
func (a *ahead) beyond() int {
	n := a.passed
	for _, trials := range a.ran {
		n += trials
	}
	return n
}

func (a *ahead) String() string {
	return fmt.Sprintf("%s on the path, %s beyond it", prose.Number(a.onPath), prose.Number(a.beyond()))
}
