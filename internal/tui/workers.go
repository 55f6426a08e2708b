package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/events"
	"github.com/gitdd/gitdd/internal/prose"
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

// take takes where a trial is.
func (f *cluster) take(e *events.TrialMoved) {
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

// An ahead counts the trials of a search that this process has run, and those of them that its path has come to.
type ahead struct{ ran, onPath int }

func (a *ahead) String() string {
	return fmt.Sprintf("%s on the path, %s beyond it", prose.Number(a.onPath), prose.Number(a.ran-a.onPath))
}
