//go:build linux

package slurm_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/slurmtest"
	"github.com/gitdd/gitdd/remote/slurm"
	"github.com/gitdd/gitdd/trial"
)

// running performs a task, and hears of what it is told.
type running struct {
	task   trial.Task
	states chan string
	ended  chan struct{}
	result trial.TaskResult
	err    error
}

func run(t *testing.T, ctx context.Context, c *slurm.Cluster, line string) *running {
	t.Helper()
	task, _ := task(t, line)
	task.Shared = t.TempDir()
	r := &running{task: task, states: make(chan string, 1000), ended: make(chan struct{})}
	r.task.Told = func(e trial.TaskEvent) { r.states <- e.State }
	go func() {
		defer close(r.ended)
		r.result, r.err = c.Run(ctx, r.task)
	}()
	return r
}

// passes waits for its end.
func (r *running) passes(t *testing.T, what string) {
	t.Helper()
	if <-r.ended; r.err != nil || r.result.Test.Exit != 0 {
		t.Errorf("%s: %+v, %v", what, r.result, r.err)
	}
}

// A cluster that takes no more jobs of a user is waited for: nothing is lost.
func testFull(t *testing.T, cluster *slurmtest.Cluster) {
	c := connect(t, slurm.Options{Shared: true})
	hasty := connect(t, slurm.Options{Shared: true})
	hasty.SetPatience(0)
	cluster.Refuse(true)
	defer cluster.Refuse(false)
	r := run(t, t.Context(), c, "true")
	for queued := 0; queued < 2; { // it was refused once
		if <-r.states == "queued" {
			queued++
		}
	}
	var lost *trial.LostError
	h := run(t, t.Context(), hasty, "true")
	if <-h.ended; h.err == nil || errors.As(h.err, &lost) || !strings.Contains(h.err.Error(), "AssocMaxSubmitJobLimit") || !strings.Contains(h.err.Error(), "`gitdd resume`") {
		t.Errorf("%v", h.err)
	}
	cluster.Refuse(false)
	r.passes(t, "refused at first")
}

// A controller that hangs, and is started again, is waited for: what runs goes on, what
// shall begin begins when it is back, and nothing is lost.
func testAway(t *testing.T, cluster *slurmtest.Cluster) {
	c, hasty := connect(t, slurm.Options{Shared: true}), connect(t, slurm.Options{Shared: true})
	hasty.SetPatience(0)
	signs := t.TempDir()
	long := run(t, t.Context(), c, "touch "+signs+"/began; until [ -e "+signs+"/go ]; do sleep 0.05; done")
	cluster.Await("the task begins", func() bool { _, err := os.Stat(filepath.Join(signs, "began")); return err == nil })
	cluster.Hang()
	begun := run(t, t.Context(), c, "true")
	ctx, cancel := context.WithCancel(t.Context())
	obsolete := run(t, ctx, c, "true")
	given := run(t, t.Context(), hasty, "true")
	if err := os.WriteFile(filepath.Join(signs, "go"), nil, 0o666); err != nil {
		t.Error(err)
	}
	var lost *trial.LostError
	if <-given.ended; given.err == nil || errors.As(given.err, &lost) || !strings.Contains(given.err.Error(), "`gitdd resume` goes on") {
		t.Errorf("%v", given.err)
	}
	cancel()
	if <-obsolete.ended; !errors.Is(obsolete.err, context.Canceled) {
		t.Errorf("%v", obsolete.err)
	}
	cluster.Stop()
	cluster.Continue()
	long.passes(t, "while it ran")
	begun.passes(t, "before it began")
	c.Close()
	hasty.Close()
	// What ended while it was away is completing until it asks the node again.
	cluster.Await("no job is left", func() bool {
		out, err := cluster.Command("squeue", "--noheader", "--states=PENDING,RUNNING")
		return err == nil && out == ""
	})
}
