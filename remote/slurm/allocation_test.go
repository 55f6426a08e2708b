//go:build linux

package slurm_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/slurmtest"
	"github.com/gitdd/gitdd/remote/slurm"
	"github.com/gitdd/gitdd/trial"
)

// Within an allocation tasks are steps of it: more at once than it has processors, on all
// of its nodes, cancelled one by one, and at an end with it.
func testAllocation(t *testing.T, cluster *slurmtest.Cluster) {
	out, err := cluster.Command("salloc", "--nodes=2", "--ntasks=2", "--exclude=node3", "--no-shell", "--job-name=mine")
	granted := regexp.MustCompile(`Granted job allocation (\d+)`).FindStringSubmatch(out)
	if err != nil || granted == nil {
		t.Fatalf("%v: %s", err, out)
	}
	id := granted[1]
	t.Setenv("SLURM_JOB_ID", id)
	t.Setenv("SLURM_NTASKS", "2")
	t.Setenv("SLURM_JOB_NAME", "mine")
	dir := t.TempDir()
	c := connect(t, slurm.Options{Dir: dir})
	signs := t.TempDir()
	count := func() int { all, _ := os.ReadDir(signs); return len(all) }
	ctx, cancel := context.WithCancel(t.Context())
	var steps [4]*running
	for i := range steps {
		name := string(rune('a' + i))
		steps[i] = run(t, ctx, c, `echo $SLURM_JOB_ID >`+signs+`/`+name+`; [ "$SLURM_JOB_ID" = `+id+` ] && sleep 3600`)
	}
	cluster.Await("all run at once", func() bool { return count() == len(steps) })
	// One is cancelled by others, one node has two.
	where := map[string]int{}
	list, err := cluster.Command("squeue", "--noheader", "--steps", "--format=%i %N %j", "--jobs="+id)
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) == 3 && strings.HasPrefix(f[2], "gitdd-") {
			if where[f[1]]++; f[2] == steps[0].task.Name {
				cluster.Command("scancel", f[0])
			}
		}
	}
	if err != nil || where["node1"] != 2 || where["node2"] != 2 {
		t.Errorf("%v: %s", err, list)
	}
	var lost *trial.LostError
	if <-steps[0].ended; !errors.As(steps[0].err, &lost) || !strings.HasPrefix(lost.Machine, "node") {
		t.Errorf("%v", steps[0].err)
	}
	t.Log(steps[0].err)
	cancel()
	for _, step := range steps[1:] {
		if <-step.ended; !errors.Is(step.err, context.Canceled) {
			t.Errorf("%v", step.err)
		}
	}
	list, err = cluster.Command("squeue", "--noheader", "--steps", "--format=%j", "--jobs="+id)
	if err != nil || strings.Contains(list, "gitdd-") {
		t.Errorf("%v: %s is left", err, list)
	}

	run(t, t.Context(), c, `[ "$SLURM_JOB_ID" = `+id+` ]`).passes(t, "a step")
	outside := connect(t, slurm.Options{Shared: true, Partition: slurmtest.Partition})
	run(t, t.Context(), outside, `[ "$SLURM_JOB_ID" != `+id+` ]`).passes(t, "a job of a partition that is named")
	for i, f := range slurm.Check(t.Context(), slurm.Options{}) {
		if !f.OK || i == 2 && f.Check != "allocation" {
			t.Errorf("%+v", f)
		}
	}
	files, _ := task(t, "cat a")
	files.Files = snapshot(map[string]string{"a": "1"})
	if r, err := c.Run(t.Context(), files); err != nil || r.Test.Exit != 0 {
		t.Errorf("%+v, %v", r, err)
	}

	last := run(t, t.Context(), c, "touch "+signs+"/last; sleep 3600")
	cluster.Await("the last begins", func() bool { _, err := os.Stat(filepath.Join(signs, "last")); return err == nil })
	cluster.Command("scancel", id)
	if <-last.ended; last.err == nil || errors.As(last.err, &lost) || !strings.Contains(last.err.Error(), "allocation "+id+", in which trials were steps, has ended: Slurm says C") {
		t.Errorf("%v", last.err)
	}
	cluster.Await("the allocation is gone", func() bool { return len(cluster.Jobs()) == 0 })
	// What such a job has left in an environment means nothing.
	run(t, t.Context(), connect(t, slurm.Options{Shared: true}), `[ "$SLURM_JOB_ID" != `+id+` ]`).passes(t, "after the allocation")
}
