package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

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

// jobOf is what the controller says of a task's job: the last of its name.
func (c *Cluster) jobOf(ctx context.Context, name string) (job, error) {
	jobs, err := named(ctx, func(n string) bool { return n == name }, "--name="+name)
	if err != nil || len(jobs) == 0 {
		return job{}, err
	}
	return jobs[len(jobs)-1], nil
}

// endOf is jobOf of a job that is about to end: what it came to is not said before.
func (c *Cluster) endOf(ctx context.Context, name string) (j job, err error) {
	for range 30 {
		if j, err = c.jobOf(ctx, name); err != nil || j.id == "" || j.ended() {
			break
		}
		if err = pause(ctx, 100*time.Millisecond); err != nil {
			break
		}
	}
	return j, err
}

// starved is the error of a task that has an outcome, but one of too little memory.
func (c *Cluster) starved(ctx context.Context, name string, r trial.TaskResult) error {
	if r.Test.Exit != 137 && r.Build.Exit != 137 && r.Setup.Exit != 137 {
		return nil
	}
	j, err := c.endOf(ctx, name)
	if err == nil && j.state == "OUT_OF_MEMORY" {
		return lost(r.Machine, "Slurm says OUT_OF_MEMORY: %s", states[j.state])
	}
	return ctx.Err()
}

// why says why a task has no outcome: a *trial.LostError, unless the cluster takes no
// such job at all.
func (c *Cluster) why(ctx context.Context, p *performance, ended error) error {
	said := tidied(p.said.String())
	j, err := c.endOf(ctx, p.name)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	machine := cmp.Or(p.machine, j.node)
	if err != nil || answers(ctx) != nil {
		return &trial.LostError{Machine: machine, Reason: "the controller of the Slurm cluster does not answer", After: 5 * time.Second, Err: said1(said, err)}
	}
	if words, ok := states[j.state]; ok && j.state != "FAILED" {
		return lost(machine, "Slurm says %s: %s", j.state, words)
	}
	if j.id == "" && p.machine == "" { // it was never a job
		if err := c.acceptable(ctx); err != nil {
			return err
		}
	}
	var exit *exec.ExitError
	switch {
	case said != "":
		return lost(machine, "%s", said)
	case errors.As(ended, &exit):
		return lost(machine, "srun ended with %d and said nothing; Slurm says %s", exit.ExitCode(), cmp.Or(j.state, "nothing of the job"))
	}
	return lost(machine, "the job ended without an outcome; Slurm says %s", cmp.Or(j.state, "nothing of it"))
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

// Close lets go of the cluster, on which nothing may run any more. The nodes are asked to
// remove what tasks had in common, if they are free to; else the next search there does so
// after two days.
func (c *Cluster) Close() error {
	c.mu.Lock()
	b, nodes := c.base, c.nodes
	c.base, c.nodes = nil, map[string]bool{}
	c.mu.Unlock()
	if b != nil {
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		done := make(chan struct{})
		for n := range nodes {
			go func() {
				const remove = `d=${2:-${TMPDIR:-/tmp}}/gitdd-$(id -u)-${SLURMD_NODENAME:-$(uname -n)}; mv "$d/base-$1" "$d/gone-$$" && rm -rf "$d/gone-$$" "$d/base-$1.used"; rmdir "$d" 2>/dev/null; exit 0`
				_, _ = ask(ctx, c.command(cmp.Or(c.opts.Name, "gitdd-")+"clean", []string{"--nodelist=" + n, "--immediate=5"}, "/bin/sh", "-c", remove, "gitdd", b.name, c.opts.Dir)...)
				done <- struct{}{}
			}()
		}
		for range nodes {
			<-done
		}
		stop()
		b.tar.Close()
	}
	c.closed.Do(func() { close(c.starter) })
	return nil
}

// Check looks at all that tasks need of the cluster: its programs, its controller, what
// it says to the options, a job that succeeds and one that fails, the programs, the clock
// and the directory of the node that took them. It asks for nothing that costs more than
// seconds, beside the time in the queue.
func Check(ctx context.Context, opts Options) []trial.Finding {
	c := &Cluster{opts: opts, nodes: map[string]bool{}}
	return c.check(ctx)
}

func (c *Cluster) check(ctx context.Context) []trial.Finding {
	var all []trial.Finding
	bad := func(check string, err error) []trial.Finding {
		saw, do, _ := strings.Cut(err.Error(), ": see ")
		if do != "" {
			do = "See " + do
		}
		return append(all, trial.Finding{Check: check, Saw: saw, Do: do})
	}
	version, err := ask(ctx, "srun", "--version")
	if err != nil {
		return bad("srun", err)
	}
	all = append(all, trial.Finding{Check: "srun", OK: true, Saw: lastLine(version)})
	if err := c.opts.refuse(); err != nil {
		return bad("options", err)
	}
	if err := answers(ctx); err != nil {
		return bad("controller", err)
	}
	all = append(all, trial.Finding{Check: "controller", OK: true, Saw: "it answers"})
	if err := c.acceptable(ctx); err != nil {
		return bad("partition", err)
	}
	argv := []string{"sinfo", "--noheader", "--Node", "--format=%N", "--states=idle,alloc,mix"}
	if c.opts.Partition != "" {
		argv = append(argv, "--partition="+c.opts.Partition)
	}
	if out, err := ask(ctx, argv...); err != nil {
		return bad("partition", err)
	} else if n := len(strings.Fields(out)); n == 0 {
		return append(all, trial.Finding{Check: "partition", Saw: "no node of it is up", Do: "See `sinfo -R` for what is the matter with its nodes"})
	} else {
		all = append(all, trial.Finding{Check: "partition", OK: true, Saw: fmt.Sprintf("it takes such jobs, on %d nodes that are up", n)})
	}
	return c.checkNode(ctx, all)
}

// checkNode goes on with jobs on a node.
func (c *Cluster) checkNode(ctx context.Context, all []trial.Finding) []trial.Finding {
	name := cmp.Or(c.opts.Name, "gitdd-") + "doctor"
	var exit *exec.ExitError
	const look = `for p in tar head grep mkdir sleep; do command -v $p >/dev/null || echo "lacks $p"; done
d=${1:-${TMPDIR:-/tmp}}; touch "$d/gitdd-doctor-$$" 2>/dev/null && rm -f "$d/gitdd-doctor-$$" || echo "cannot write $d"
echo "at ${SLURMD_NODENAME:-} $(date +%s)"`
	before := time.Now()
	out, err := ask(ctx, c.command(name, nil, "/bin/sh", "-c", look, "gitdd", c.opts.Dir)...)
	after := time.Now()
	if err != nil {
		return append(all, trial.Finding{Check: "a job", Saw: err.Error(), Do: "See `sinfo -R`, and `squeue` for what waits"})
	}
	machine, clock := "a node", int64(0)
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if f := strings.Fields(line); len(f) == 3 && f[0] == "at" {
			machine = f[1]
			fmt.Sscan(f[2], &clock)
		} else if what, ok := strings.CutPrefix(line, "lacks "); ok {
			all = append(all, trial.Finding{Check: "programs", Saw: "the node has no " + what, Do: "Install " + what + " on the nodes"})
		} else if dir, ok := strings.CutPrefix(line, "cannot write "); ok {
			all = append(all, trial.Finding{Check: "directory", Saw: "a job cannot write to " + dir, Do: "Set TMPDIR to a directory of the nodes that jobs may write to"})
		}
	}
	all = append(all, trial.Finding{Check: "a job", OK: true, Saw: fmt.Sprintf("`true` ran on %s after %.1f s", machine, after.Sub(before).Seconds())})
	if at := time.Unix(clock, 0); clock > 0 && (at.Before(before.Add(-time.Minute)) || at.After(after.Add(time.Minute))) {
		all = append(all, trial.Finding{Check: "clock", Saw: fmt.Sprintf("that of %s says %s, this machine's %s", machine, at.Format(time.TimeOnly), after.Format(time.TimeOnly)), Do: "Let both follow one time server: munge refuses what is older than five minutes"})
	}
	cmd := exec.CommandContext(ctx, "srun", c.command(name, nil, "false")[1:]...)
	cmd.Env = environ()
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		all = append(all, trial.Finding{Check: "a job that fails", Saw: fmt.Sprintf("`false` ended with %v, not with 1", err), Do: "See whether a prolog or a plugin of the cluster changes how jobs end"})
	} else {
		all = append(all, trial.Finding{Check: "a job that fails", OK: true, Saw: "`false` ends with 1"})
	}
	return all
}
