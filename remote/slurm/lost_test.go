//go:build linux

package slurm_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gitdd/gitdd/internal/slurmtest"
	"github.com/gitdd/gitdd/remote/slurm"
	"github.com/gitdd/gitdd/trial"
)

var (
	// memory is the configuration of a cluster that ends what needs too much of it.
	memory = []string{"JobAcctGatherType=jobacct_gather/linux", "JobAcctGatherFrequency=task=1", "JobAcctGatherParams=OverMemoryKill", "SelectTypeParameters=CR_CPU_Memory", "DefMemPerCPU=100"}
	// urgent that of one with a partition for which others have to go, and of one that may be full.
	urgent = []string{slurmtest.Refuses, "PreemptType=preempt/partition_prio", "PreemptMode=CANCEL", "PartitionName=urgent Nodes=ALL MaxTime=INFINITE PriorityTier=10 PreemptMode=OFF State=UP"}
)

// What was lost says why, and is no outcome: whatever Slurm, its users or a node do to a
// job. All at once, for each takes seconds.
func testLost(t *testing.T, cluster *slurmtest.Cluster) {
	top := t.TempDir()
	var all sync.WaitGroup
	for _, test := range []struct {
		name string
		node string
		args string
		line string
		harm func(name string)
		want string
	}{
		{"cancelled", "node1", "", "", func(name string) { cluster.Command("scancel", "--name="+name) }, "Slurm says CANCELLED"},
		{"killed", "node1", "", "", func(name string) { cluster.Command("scancel", "--signal=KILL", "--name="+name) }, ""},
		{"itself", "node1", "", "scontrol requeue $SLURM_JOB_ID 2>/dev/null; scancel $SLURM_JOB_ID", nil, "Slurm says CANCELLED"},
		{"memory", "node1", "--mem=40M", "{ head -c 200000000 /dev/zero; sleep 3600; } | tail", nil, ""}, // srun may be gone before it says why
		{"preempted", "node2", "", "", func(string) {
			if out, err := cluster.Command("srun", "--partition=urgent", "--nodelist=node2", "--exclusive", "true"); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}, "Slurm says PREEMPTED"},
		{"dead", "node3", "", "", func(string) { cluster.Kill("node3") }, "Slurm says NODE_FAIL"},
	} {
		task, _ := task(t, "touch began-"+test.name+"\n"+test.line+"\nsleep 3600")
		task.Shared = top
		args := []string{"--nodelist=" + test.node}
		if test.args != "" {
			args = append(args, test.args)
		}
		c := connect(t, slurm.Options{Shared: true, Args: args})
		all.Go(func() {
			_, err := c.Run(t.Context(), task)
			var l *trial.LostError
			if !errors.As(err, &l) || !strings.Contains(l.Reason, test.want) || l.Machine != test.node {
				t.Errorf("%s: %v", test.name, err)
			}
			t.Log(test.name, err)
		})
		cluster.Await(test.name+" begins", func() bool { _, err := os.Stat(filepath.Join(top, "began-"+test.name)); return err == nil })
		if test.harm != nil {
			test.harm(task.Name)
		}
	}
	all.Wait()
	cluster.Boot("node3")
	cluster.Await("node3 is back", func() bool { return cluster.Idle() == len(slurmtest.Nodes) })
}

// Performances leave no stream open behind them.
func testStreams(t *testing.T) {
	c := connect(t, slurm.Options{Shared: true})
	one := func() {
		task, _ := task(t, "true")
		task.Shared = t.TempDir()
		if _, err := c.Run(t.Context(), task); err != nil {
			t.Error(err)
		}
	}
	open := func() (n int) {
		links, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links {
			if to, _ := os.Readlink(link); strings.HasPrefix(to, "pipe:") {
				n++
			}
		}
		return n
	}
	one()
	before := open()
	for range 4 {
		one()
	}
	if after := open(); after > before {
		t.Errorf("%d pipes are open, and %d were", after, before)
	}
}

// What a user's variables mean for srun does not change what a task is.
func testVariables(t *testing.T) {
	for _, v := range []string{
		"SLURM_NTASKS=2", "SLURM_NNODES=3", "SLURM_NTASKS_PER_NODE=2", "SLURM_LABELIO=1", "SLURM_STDOUTMODE=/dev/null", "SLURM_STDERRMODE=/dev/null",
		"SLURM_STDINMODE=none", "SLURM_JOB_NAME=other", "SLURM_OPEN_MODE=append", "SLURM_UNBUFFEREDIO=1", "SLURM_IMMEDIATE=1", "SLURM_WAIT=1",
		"SLURM_JOB_ID=999999", "SLURM_JOB_NODELIST=elsewhere", "SLURM_STEP_ID=1",
		"SQUEUE_PARTITION=urgent", "SQUEUE_STATES=PENDING", "SCANCEL_INTERACTIVE=1", "SCANCEL_STATE=PENDING", "SINFO_PARTITION=urgent",
	} {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	c := connect(t, slurm.Options{Shared: true})
	task, read := task(t, "echo x; echo $SLURM_JOB_NAME $SLURM_NTASKS $SLURM_JOB_NUM_NODES; exit 3")
	task.Shared = t.TempDir()
	if r, err := c.Run(t.Context(), task); err != nil || r.Test.Exit != 3 || read("out") != "x\n"+task.Name+" 1 1\n" {
		t.Errorf("%+v, %v, %q", r, err, read("out"))
	}
	for _, f := range slurm.Check(t.Context(), slurm.Options{}) {
		if !f.OK {
			t.Errorf("%+v", f)
		}
	}
	cmd := exec.Command("sbatch", "--job-name=gitdd-variables-1", "--wrap=sleep 3600", "--output=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n, err := slurm.Cancel(t.Context(), "gitdd-variables-"); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
