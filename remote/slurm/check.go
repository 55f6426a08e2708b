package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/trial"
)

// Check looks at all that tasks need of the cluster: its programs, its controller, what
// it says to the options, a job that succeeds and one that fails, the programs, the clock
// and the directory of the node that took them. It asks for nothing that costs more than
// seconds, beside the time in the queue, of which it waits for two minutes.
func Check(ctx context.Context, opts Options) []trial.Finding {
	return newCluster(opts).check(ctx, 2*time.Minute)
}

func (c *Cluster) check(ctx context.Context, queue time.Duration) []trial.Finding {
	var all []trial.Finding
	bad := func(check string, err error) []trial.Finding {
		f := trial.Finding{Check: check, Saw: err.Error()}
		if known, ok := errors.AsType[*advised](err); ok {
			f.Saw, f.Do = known.err.Error(), known.do
		}
		return append(all, f)
	}
	version, err := ask(ctx, "srun", "--version")
	var known *advised
	if err != nil && !errors.As(err, &known) && strings.Contains(err.Error(), "configuration") { // it wants one even for that
		err = &advised{err, configure}
	}
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
	if c.within, err = c.opts.allocated(ctx); err != nil {
		return bad("allocation", err)
	}
	if err := c.acceptable(ctx); err != nil {
		return bad("partition", err)
	}
	if c.within != nil {
		all = append(all, trial.Finding{Check: "allocation", OK: true, Saw: fmt.Sprintf("trials are steps of %s, on its %d nodes", c.within.id, len(c.within.nodes))})
		return c.checkNode(ctx, all, queue)
	}
	argv := []string{"sinfo", "--noheader", "--Node", "--format=%N %P", "--states=idle,alloc,mix"}
	if c.opts.Partition != "" {
		argv = append(argv, "--partition="+c.opts.Partition)
	}
	if out, err := ask(ctx, argv...); err != nil {
		return bad("partition", err)
	} else if n := upIn(out, c.opts.named()); n == 0 {
		return append(all, trial.Finding{Check: "partition", Saw: "no node of it is up", Do: "see `sinfo -R` for what is the matter with its nodes"})
	} else {
		all = append(all, trial.Finding{Check: "partition", OK: true, Saw: fmt.Sprintf("it takes such jobs, on %d nodes that are up", n)})
	}
	return c.checkNode(ctx, all, queue)
}

// named reports whether a partition is named, so that jobs are not in the default one.
func (o Options) named() bool {
	return o.Partition != "" || os.Getenv("SLURM_PARTITION") != "" || slices.ContainsFunc(o.Args, func(arg string) bool {
		return strings.HasPrefix(arg, "-p") || strings.HasPrefix(arg, "--par")
	})
}

// upIn is how many nodes a list has, of lines of a node and a partition, of which the
// default one has a star: those of all partitions or those of that.
func upIn(list string, all bool) int {
	nodes := map[string]bool{}
	for line := range strings.Lines(list) {
		if f := strings.Fields(line); len(f) == 2 && (all || strings.HasSuffix(f[1], "*")) {
			nodes[f[0]] = true
		}
	}
	return len(nodes)
}

// checkNode goes on with jobs on a node, each of which may take that long to begin and end.
func (c *Cluster) checkNode(ctx context.Context, all []trial.Finding, queue time.Duration) []trial.Finding {
	name := cmp.Or(c.opts.Name, "gitdd-") + "doctor"
	var exit *exec.ExitError
	const look = `for p in tar head grep mkdir sleep; do command -v $p >/dev/null || echo "lacks $p"; done
d=${1:-${TMPDIR:-/tmp}}; touch "$d/gitdd-doctor-$$" 2>/dev/null && rm -f "$d/gitdd-doctor-$$" || echo "cannot write $d"
echo "at ${SLURMD_NODENAME:-} $(date +%s)"`
	before := time.Now()
	within, stop := context.WithTimeout(ctx, queue)
	defer stop()
	out, err := ask(within, c.command(name, nil, "/bin/sh", "-c", look, "gitdd", c.opts.Dir)...)
	after := time.Now()
	switch {
	case err != nil && within.Err() != nil && ctx.Err() == nil:
		return append(all, late("a job", queue))
	case err != nil:
		return append(all, trial.Finding{Check: "a job", Saw: err.Error(), Do: "see `sinfo -R`, and `squeue` for what waits"})
	}
	machine, clock := "a node", int64(0)
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if f := strings.Fields(line); len(f) == 3 && f[0] == "at" {
			machine = f[1]
			fmt.Sscan(f[2], &clock)
		} else if what, ok := strings.CutPrefix(line, "lacks "); ok {
			all = append(all, trial.Finding{Check: "programs", Saw: "the node has no " + what, Do: "install " + what + " on the nodes"})
		} else if dir, ok := strings.CutPrefix(line, "cannot write "); ok {
			all = append(all, trial.Finding{Check: "directory", Saw: "a job cannot write to " + dir, Do: "set TMPDIR to a directory of the nodes that jobs may write to"})
		}
	}
	all = append(all, trial.Finding{Check: "a job", OK: true, Saw: fmt.Sprintf("`true` ran on %s after %.1f s", machine, after.Sub(before).Seconds())})
	if at := time.Unix(clock, 0); clock > 0 && (at.Before(before.Add(-time.Minute)) || at.After(after.Add(time.Minute))) {
		all = append(all, trial.Finding{Check: "clock", Saw: fmt.Sprintf("that of %s says %s, this machine's %s", machine, at.Format(time.TimeOnly), after.Format(time.TimeOnly)), Do: "let both follow one time server: munge refuses what is older than five minutes"})
	}
	within, stop = context.WithTimeout(ctx, queue)
	defer stop()
	err = program(within, c.command(name, nil, "false")...).Run()
	switch {
	case within.Err() != nil && ctx.Err() == nil:
		all = append(all, late("a job that fails", queue))
	case !errors.As(err, &exit) || exit.ExitCode() != 1:
		all = append(all, trial.Finding{Check: "a job that fails", Saw: fmt.Sprintf("`false` ended with %v, not with 1", err), Do: "see whether a prolog or a plugin of the cluster changes how jobs end"})
	default:
		all = append(all, trial.Finding{Check: "a job that fails", OK: true, Saw: "`false` ends with 1"})
	}
	return all
}

// late is what is found where a job of a moment has not come to its end.
func late(check string, after time.Duration) trial.Finding {
	return trial.Finding{
		Check: check, Saw: fmt.Sprintf("it was not done after %v, and is cancelled", after),
		Do: "see `squeue` for what has the CPUs, and `sinfo -R` for nodes that are down: a trial would wait until some are free",
	}
}
