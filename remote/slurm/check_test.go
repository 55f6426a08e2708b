//go:build linux

package slurm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/slurmtest"
	"github.com/gitdd/gitdd/remote/slurm"
	"github.com/gitdd/gitdd/trial"
)

// trouble checks that the last of the findings is the only trouble, and what it says.
func trouble(t *testing.T, found []trial.Finding, check, saw string, do ...string) {
	t.Helper()
	for i, f := range found {
		if f.OK == (i == len(found)-1) {
			t.Errorf("%+v", f)
		}
	}
	f := found[len(found)-1]
	t.Logf("%+v", f)
	if f.Check != check || !strings.Contains(f.Saw, saw) || strings.Contains(f.Saw, "srun: srun:") {
		t.Errorf("%+v, want %s: %s", f, check, saw)
	}
	for _, do := range do {
		if !strings.Contains(f.Do, do) {
			t.Errorf("%+v, want the advice %s", f, do)
		}
	}
	if first := f.Do[:min(1, len(f.Do))]; first != strings.ToLower(first) {
		t.Errorf("%q begins with a capital", f.Do)
	}
}

// Where Slurm's programs do not find their configuration it is said how they would.
func TestUnconfigured(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SLURM_CONF", filepath.Join(dir, "absent"))
	trouble(t, slurm.Check(t.Context(), slurm.Options{}), "srun", "absent", "set SLURM_CONF", "login node")
	if _, err := slurm.New(t.Context(), slurm.Options{}); err == nil || !strings.Contains(err.Error(), "set SLURM_CONF") {
		t.Errorf("%v", err)
	}
	if _, err := slurm.Cancel(t.Context(), "gitdd-"); err == nil || !strings.Contains(err.Error(), "set SLURM_CONF") {
		t.Errorf("%v", err)
	}

	t.Setenv("SLURM_CONF", "")
	if err := os.WriteFile(filepath.Join(dir, "srun"), []byte("#!/bin/sh\necho 'srun: fatal: Could not establish a configuration source' >&2\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	trouble(t, slurm.Check(t.Context(), slurm.Options{}), "srun", "srun: fatal: Could not establish", "set SLURM_CONF", "login node")
}

// Nodes that are drained, or that have not what a job wants, or are taken, are not waited
// for without an end, and nothing of it stays in the queue.
func testUntaken(t *testing.T, cluster *slurmtest.Cluster) {
	trouble(t, slurm.Check(t.Context(), slurm.Options{Args: []string{"--mem=999T"}}), "partition", "not available", "`sinfo -R`", "--slurm-option")
	nodes := "NodeName=" + strings.Join(slurmtest.Nodes, ",")
	command := func(argv ...string) {
		t.Helper()
		if out, err := cluster.Command(argv...); err != nil {
			t.Fatalf("%q: %v: %s", argv, err, out)
		}
	}
	free := func() {
		t.Helper()
		cluster.Await("all nodes are free", func() bool { return cluster.Idle() == len(slurmtest.Nodes) && len(cluster.Jobs()) == 0 })
	}
	free()
	command("scontrol", "update", nodes, "State=DRAIN", "Reason=test")
	trouble(t, slurm.Check(t.Context(), slurm.Options{}), "partition", "would not take a job", "`sinfo -R`")
	command("scontrol", "update", nodes, "State=RESUME")
	free()
	for _, node := range slurmtest.Nodes {
		command("sbatch", "--nodelist="+node, "--exclusive", "--job-name=taken", "--wrap=sleep 3600", "--output=/dev/null")
	}
	cluster.Await("all nodes are taken", func() bool {
		out, err := cluster.Command("squeue", "--noheader", "--name=taken", "--states=RUNNING")
		return err == nil && strings.Count(out, "\n") == len(slurmtest.Nodes)
	})
	trouble(t, slurm.CheckFor(t.Context(), slurm.Options{}, time.Second), "a job", "not done after 1s", "`squeue`", "`sinfo -R`")
	command("scancel", "--name=taken")
	free()
}
