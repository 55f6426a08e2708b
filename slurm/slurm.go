package slurm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strings"
	"sync"
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
	opts    Options
	starter starter

	mu    sync.Mutex
	base  *base           // what all tasks have in common; nil until there is one
	nodes map[string]bool // that have it

	closed sync.Once
}

// New looks whether there is a cluster and whether it would take a job of these options.
// Its error says what to do.
func New(ctx context.Context, opts Options) (*Cluster, error) {
	if err := opts.refuse(); err != nil {
		return nil, err
	}
	c := &Cluster{opts: opts, nodes: map[string]bool{}}
	if err := c.acceptable(ctx); err != nil {
		return nil, err
	}
	c.starter = newStarter()
	return c, nil
}

// Theirs are options of srun that a task would not survive: they change how many
// processes it has, or where its streams go.
var theirs = []string{
	"-n", "--ntasks", "-N", "--nodes", "-J", "--job-name", "-o", "--output", "-e", "--error", "-i", "--input",
	"-l", "--label", "--pty", "--multi-prog", "--jobid", "--ntasks-per-node", "--het-group", "--bcast", "-E", "--preserve-env",
	"--test-only", "-h", "--help", "-V", "--version", "--usage", "-k", "--no-kill", "--attach", "-W", "--wait", "-Z", "--no-allocate",
}

// refuse says which of the options cannot be passed on.
func (o Options) refuse() error {
	for _, arg := range o.Args {
		name, _, _ := strings.Cut(arg, "=")
		if !strings.HasPrefix(arg, "-") {
			return fmt.Errorf("%q is no option of srun: give each with its value in one word, as --account=physics", arg)
		}
		if slices.Contains(theirs, name) || len(arg) > 2 && arg[1] != '-' && slices.Contains(theirs, arg[:2]) {
			return fmt.Errorf("the option %s of srun cannot be used: a trial is one job of one process, and its input and output are gitdd's", name)
		}
	}
	return nil
}

// command is srun for one process; its own options come last, for the last one counts.
func (c *Cluster) command(name string, more []string, argv ...string) []string {
	all := append([]string{"srun"}, c.opts.Args...)
	if c.opts.Partition != "" {
		all = append(all, "--partition="+c.opts.Partition)
	}
	all = append(all, "--nodes=1", "--ntasks=1", "--job-name="+name, "--chdir=/")
	all = append(all, more...)
	return append(all, argv...)
}

// environ is the environment of Slurm's programs. Where gitdd itself runs in a job, that
// job's variables would make each trial a step of it.
func environ() []string {
	all := os.Environ()
	if os.Getenv("SLURM_JOB_ID") == "" {
		return all
	}
	return slices.DeleteFunc(all, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "SLURM_") && name != "SLURM_CONF" && name != "SLURM_JWT"
	})
}

// ask runs one of Slurm's programs and returns what it prints. The error has the last
// line of what it says.
func ask(ctx context.Context, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = environ()
	cmd.WaitDelay = 10 * time.Second
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("there is no %s on PATH: install Slurm's programs (slurm-client on Debian), or run gitdd on a login node", argv[0])
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return out.String() + said.String(), fmt.Errorf("%s: %s", argv[0], cmp.Or(lastLine(said.String()), lastLine(out.String()), err.Error()))
	}
	return out.String() + said.String(), nil
}

// lastLine is the last line of a text that says something.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// acceptable asks the cluster whether it would take a task, without giving it one.
func (c *Cluster) acceptable(ctx context.Context) error {
	if err := answers(ctx); err != nil {
		return err
	}
	if said, err := ask(ctx, c.command("gitdd-test", []string{"--test-only"}, "true")...); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if strings.Contains(said, "unrecognized option") || strings.Contains(said, "invalid option") {
			return fmt.Errorf("srun does not take what --slurm-option gives it: %w: see `srun --help`", said1(said, err))
		}
		return fmt.Errorf("the cluster would not take a job: %w: see `sinfo` for the partitions (--slurm=PARTITION) and `sacctmgr show associations user=$USER` for the accounts (--slurm-option=--account=NAME)", said1(said, err))
	}
	return nil
}

// said1 prefers the line that names the trouble to the last one.
func said1(said string, err error) error {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "srun: error:") || strings.HasPrefix(line, "allocation failure:") || strings.HasPrefix(line, "srun: unrecognized option") {
			return errors.New(strings.TrimPrefix(line, "srun: "))
		}
	}
	return err
}

// answers reports, as its error, that nobody leads the cluster.
func answers(ctx context.Context) error {
	said, err := ask(ctx, "scontrol", "ping")
	if err == nil && strings.Contains(said, " is UP") {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "Slurmctld") {
			err = errors.New(strings.TrimSpace(line))
		}
	}
	if err == nil {
		err = errors.New(lastLine(said))
	}
	if strings.Contains(err.Error(), "there is no ") {
		return err
	}
	return fmt.Errorf("the controller of the Slurm cluster does not answer: %w: see that slurmctld and munged run and that SLURM_CONF names its configuration", err)
}

// Cancel ends the jobs of this user whose names begin with prefix, running or waiting:
// those that a killed gitdd has left. It returns how many there were, and waits until
// they are gone.
func Cancel(ctx context.Context, prefix string) (int, error) {
	if prefix == "" {
		return 0, errors.New("cancel jobs: a prefix of their names is needed")
	}
	found := map[string]bool{}
	for {
		jobs, err := named(ctx, func(name string) bool { return strings.HasPrefix(name, prefix) })
		if err != nil {
			return len(found), err
		}
		jobs = slices.DeleteFunc(jobs, func(j job) bool { return j.ended() })
		if len(jobs) == 0 {
			return len(found), nil
		}
		for _, j := range jobs {
			if !found[j.id] {
				found[j.id] = true
				if _, err := ask(ctx, "scancel", j.id); err != nil && ctx.Err() != nil {
					return len(found), ctx.Err()
				}
			}
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return len(found), err
		}
	}
}

// A job is what the controller says of one.
type job struct {
	id, name string
	state    string // as NODE_FAIL
	reason   string
	node     string
}

// ended reports whether nothing of the job is left on any node.
func (j job) ended() bool {
	return !slices.Contains([]string{"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STAGE_OUT", "SIGNALING", "STOPPED", "RESIZING", "REQUEUED"}, j.state)
}

// named lists the jobs of this user with fitting names, also those that have ended some
// minutes ago.
func named(ctx context.Context, fits func(string) bool, more ...string) ([]job, error) {
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	out, err := ask(ctx, append([]string{"squeue", "--noheader", "--states=all", "--user=" + me.Uid, "--format=%i|%T|%N|%r|%j"}, more...)...)
	if err != nil {
		return nil, err
	}
	var all []job
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 5)
		if len(f) == 5 && fits(f[4]) {
			all = append(all, job{id: f[0], state: f[1], node: f[2], reason: f[3], name: f[4]})
		}
	}
	return all, nil
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// others are the options that keep a task from the machines that have lost it, if the
// cluster has others.
func (c *Cluster) others(ctx context.Context, avoid []string) []string {
	if len(avoid) == 0 {
		return nil
	}
	argv := []string{"sinfo", "--noheader", "--Node", "--format=%N", "--states=idle,alloc,mix"}
	if c.opts.Partition != "" {
		argv = append(argv, "--partition="+c.opts.Partition)
	}
	out, err := ask(ctx, argv...)
	if err != nil {
		return nil
	}
	for node := range strings.FieldsSeq(out) {
		if !slices.Contains(avoid, node) {
			return []string{"--exclude=" + strings.Join(avoid, ",")}
		}
	}
	return nil
}

// lost is a *trial.LostError.
func lost(machine, format string, args ...any) error {
	return &trial.LostError{Machine: machine, Reason: fmt.Sprintf(format, args...)}
}
