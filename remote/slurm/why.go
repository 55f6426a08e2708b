package slurm

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/gitdd/gitdd/trial"
)

// states are those in which Slurm says that a job has come to nothing, in words.
var states = map[string]string{
	"NODE_FAIL":     "the node failed",
	"BOOT_FAIL":     "the node did not boot",
	"PREEMPTED":     "the job was preempted by another",
	"TIMEOUT":       "the job reached the time limit of the partition: give it more by --slurm-option=--time=MINUTES",
	"OUT_OF_MEMORY": "the job had too little memory: give it more by --slurm-option=--mem=SIZE",
	"DEADLINE":      "the job reached its deadline",
	"CANCELLED":     "the job was cancelled",
	"REVOKED":       "the job was revoked",
	"FAILED":        "the job failed",
}

// starved is the error of a task that has an outcome, but one of too little memory.
func (c *Cluster) starved(ctx context.Context, p *performance, r trial.TaskResult) error {
	if r.Test.Exit != 137 && r.Build.Exit != 137 && r.Setup.Exit != 137 {
		return nil
	}
	j, _, err := c.endOf(ctx, p.name)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && j.state == "OUT_OF_MEMORY" || tooLittle(p.said.String()) {
		return lost(r.Machine, "%s", states["OUT_OF_MEMORY"])
	}
	return nil
}

// tooLittle reports whether Slurm says of a job that it had too little memory. Only where
// it does so by cgroups is that the job's state.
func tooLittle(said string) bool {
	said = strings.ToLower(said)
	for _, words := range []string{"memory limit", "out of memory", "out-of-memory", "oom-kill", "oom_kill", "oom killed"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

// why says why a task has no outcome: a *trial.LostError, or a *busyError, unless the
// cluster takes no such job at all. completed is that Slurm knows of nothing that went
// wrong with it.
func (c *Cluster) why(ctx context.Context, p *performance, ended error) (completed bool, err error) {
	said := tidied(p.said.String())
	j, outage, err := c.endOf(ctx, p.name)
	if err != nil {
		return false, err
	}
	machine := cmp.Or(p.machine, j.node, p.node)
	if c.within != nil {
		if err := c.within.over(ctx); err != nil {
			return false, err
		}
	}
	switch words, known := states[j.state]; {
	case j.state == "COMPLETED" && p.machine != "" && !tooLittle(said):
		completed = true
	case tooLittle(said):
		return false, lost(machine, "%s", states["OUT_OF_MEMORY"])
	case p.machine == "" && (outage || full(p.said.String())):
		if j.id != "" && !j.ended() { // nobody is there for it any more
			_ = c.cancel(ctx, j.id)
		}
		return false, &busyError{said: cmp.Or(said, "the controller was away"), outage: outage}
	case j.state == "NODE_FAIL":
		c.mu.Lock()
		delete(c.nodes, machine) // what it has is not ours to remove, for now
		c.mu.Unlock()
		return false, lost(machine, "Slurm says NODE_FAIL: %s", words)
	case known && j.state != "FAILED" && !(outage && j.state == "CANCELLED"):
		return false, lost(machine, "Slurm says %s: %s", j.state, words)
	}
	if outage {
		return completed, &busyError{said: said, outage: true}
	}
	if j.id == "" && p.machine == "" && c.within == nil { // it was never a job
		if err := c.acceptable(ctx); err != nil {
			return false, err
		}
	}
	var exit *exec.ExitError
	switch {
	case said != "":
		return completed, lost(machine, "%s", said)
	case errors.As(ended, &exit):
		return completed, lost(machine, "srun ended with %d and said nothing; Slurm says %s", exit.ExitCode(), cmp.Or(j.state, "nothing of the job"))
	}
	return completed, lost(machine, "the job ended without an outcome; Slurm says %s", cmp.Or(j.state, "nothing of it"))
}

// tidied is of what srun and the node say the lines that name a trouble, in one.
func tidied(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		for _, prefix := range []string{"srun: ", "slurmstepd: ", "error: ", "gitdd: "} {
			line = strings.TrimPrefix(line, prefix)
		}
		if line == "" || strings.HasPrefix(line, "job ") && strings.Contains(line, "queued") || strings.Contains(line, "has been allocated resources") {
			continue
		}
		if len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	if len(lines) > 3 {
		lines = lines[len(lines)-3:]
	}
	return strings.Join(lines, "; ")
}
