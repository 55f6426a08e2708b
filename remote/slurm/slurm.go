package slurm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gitdd/gitdd/trial"
)

// Options say which cluster and which part of it. The zero Options is the cluster's
// default partition.
type Options struct {
	Partition string   // "" = the default one
	Args      []string // more options for srun, such as --account=physics, each with its value
	Shared    bool     // tasks have Task.Shared: nothing is sent
	Dir       string   // an absolute path of a directory of the nodes for files; "" = TMPDIR, or /tmp
	Jobs      int      // that will be asked for at once, at most
	Name      string   // what the names of its jobs begin with
}

// A Cluster is a Slurm cluster that performs tasks. Run may be called by many goroutines
// at once.
type Cluster struct {
	opts     Options
	starter  starter
	within   *allocation // nil = tasks are jobs of their own
	patience time.Duration

	mu      sync.Mutex
	base    *base           // what all tasks have in common; nil until there is one
	nodes   map[string]bool // that have it
	next    *look           // that has not begun; nil = nobody wants one
	looking bool
	ending  *ending         // the jobs that are to be ended next; nil = none
	taken   time.Time       // when a node last had a task of ours
	past    map[string]bool // the names of jobs whose srun has ended

	cancelling sync.Mutex    // one scancel at a time
	room       chan struct{} // has one when a job of ours has ended
	closed     sync.Once
}

// New looks whether there is a cluster and whether it would take a job of these options.
// Its error says what to do.
func New(ctx context.Context, opts Options) (*Cluster, error) {
	if err := opts.refuse(); err != nil {
		return nil, err
	}
	c := newCluster(opts)
	var err error
	if c.within, err = opts.allocated(ctx); err != nil {
		return nil, err
	}
	if err := c.acceptable(ctx); err != nil {
		return nil, err
	}
	c.starter = newStarter()
	return c, nil
}

func newCluster(opts Options) *Cluster {
	return &Cluster{opts: opts, nodes: map[string]bool{}, past: map[string]bool{}, patience: patience, room: make(chan struct{}, 1)}
}

// command is srun for one process; its own options come last, for the last one counts.
func (c *Cluster) command(name string, more []string, argv ...string) []string {
	all := append([]string{"srun"}, c.opts.Args...)
	if c.opts.Partition != "" {
		all = append(all, "--partition="+c.opts.Partition)
	}
	if c.within != nil {
		all = append(all, c.within.options()...)
	}
	all = append(all, "--nodes=1", "--ntasks=1", "--job-name="+name, "--chdir=/")
	all = append(all, more...)
	return append(all, argv...)
}

// program is one of Slurm's, which ends with ctx.
func program(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = environ()
	// A srun that is killed leaves its job in the queue, if it waits there.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// ask runs one of Slurm's programs and returns what it prints. The error has the last
// line of what it says.
func ask(ctx context.Context, argv ...string) (string, error) {
	if err := configured(); err != nil {
		return "", err
	}
	cmd := program(ctx, argv...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", &advised{fmt.Errorf("there is no %s on PATH", argv[0]), "install Slurm's programs (slurm-client on Debian), or run gitdd on a login node"}
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		last := cmp.Or(lastLine(said.String()), lastLine(out.String()), err.Error())
		return out.String() + said.String(), fmt.Errorf("%s: %s", argv[0], strings.TrimPrefix(last, argv[0]+": "))
	}
	return out.String() + said.String(), nil
}

// lastLine is the last line of a text that says something.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// An advised error says what to do about it.
type advised struct {
	err error
	do  string
}

func (e *advised) Error() string { return e.err.Error() + ": " + e.do }
func (e *advised) Unwrap() error { return e.err }

const (
	configure = "set SLURM_CONF to the slurm.conf of the cluster, or run gitdd on a login node"
	untaken   = "see `sinfo` for the partitions (--slurm=PARTITION), `sinfo -R` for nodes that are drained or down, `sacctmgr show associations user=$USER` for the accounts (--slurm-option=--account=NAME), and whether any node has what --slurm-option wants"
)

// configured reports that SLURM_CONF names no file, for which Slurm's programs wait for
// a minute.
func configured() error {
	name := os.Getenv("SLURM_CONF")
	if name == "" {
		return nil
	}
	if _, err := os.Stat(name); err != nil {
		return &advised{fmt.Errorf("the configuration that SLURM_CONF names cannot be read: %w", err), configure}
	}
	return nil
}

// acceptable asks the cluster whether it would take a task, without giving it one.
func (c *Cluster) acceptable(ctx context.Context) error {
	if err := answers(ctx); err != nil {
		return err
	}
	// What srun says of a job does not count within an allocation, but of its options.
	if said, err := ask(ctx, c.command("gitdd-test", []string{"--test-only"}, "true")...); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if strings.Contains(said, "unrecognized option") || strings.Contains(said, "invalid option") {
			return &advised{fmt.Errorf("srun does not take what --slurm-option gives it: %w", telling(said, err)), "see `srun --help`"}
		}
		if c.within != nil {
			return nil
		}
		return &advised{fmt.Errorf("the cluster would not take a job: %w", telling(said, err)), untaken}
	}
	return nil
}

// telling prefers the line that names the trouble to the last one.
func telling(said string, err error) error {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "srun: error:") || strings.HasPrefix(line, "allocation failure:") || strings.HasPrefix(line, "srun: unrecognized option") {
			return errors.New(strings.TrimPrefix(line, "srun: "))
		}
	}
	return err
}

// others are the options that keep a task from the machines that have lost it, if the
// cluster would take it on others.
func (c *Cluster) others(ctx context.Context, avoid []string) []string {
	if len(avoid) == 0 {
		return nil
	}
	exclude := "--exclude=" + strings.Join(avoid, ",")
	if _, err := ask(ctx, c.command("gitdd-test", []string{"--test-only", exclude}, "true")...); err != nil {
		return nil
	}
	return []string{exclude}
}

// Close lets go of the cluster, on which nothing may run any more. The nodes are asked to
// remove what tasks had in common, if they are free to; else the next search there does so
// after two days.
func (c *Cluster) Close() error {
	c.mu.Lock()
	b, nodes, any := c.base, c.nodes, len(c.past) > 0
	c.base, c.nodes = nil, map[string]bool{}
	c.mu.Unlock()
	if any {
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		if jobs, err := c.jobs(ctx); err == nil {
			c.sweep(ctx, jobs)
		}
		stop()
	}
	if b != nil {
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		done := make(chan struct{})
		turn := make(chan struct{}, 16)
		for n := range nodes {
			go func() {
				turn <- struct{}{}
				defer func() { <-turn; done <- struct{}{} }()
				const remove = `d=${2:-${TMPDIR:-/tmp}}/gitdd-$(id -u)-${SLURMD_NODENAME:-$(uname -n)}; [ ! -L "$d" ] && [ -O "$d" ] || exit 0; mv "$d/base-$1" "$d/gone-$$" && rm -rf "$d/gone-$$" "$d/base-$1.used"; rmdir "$d" 2>/dev/null; exit 0`
				_, _ = ask(ctx, c.command(cmp.Or(c.opts.Name, "gitdd-")+"clean", []string{"--nodelist=" + n, "--immediate=5"}, "/bin/sh", "-c", remove, "gitdd", b.name, c.opts.Dir)...)
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

// lost is a *trial.LostError.
func lost(machine, format string, args ...any) error {
	return &trial.LostError{Machine: machine, Reason: fmt.Sprintf(format, args...)}
}
