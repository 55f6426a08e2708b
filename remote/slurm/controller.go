package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"
)

// patience is for a controller that does not answer, and for a cluster that takes no job.
// A controller that is brought up to date is away for minutes.
const patience = 30 * time.Minute

// A job is what the controller says of one, or of a step of the allocation.
type job struct {
	id, name string // that of a step is JOB.STEP
	state    string // as NODE_FAIL
	node     string
}

// ended reports whether nothing of the job is left on any node.
func (j job) ended() bool {
	return !slices.Contains([]string{"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STAGE_OUT", "SIGNALING", "STOPPED", "RESIZING", "REQUEUED"}, j.state)
}

// number is the job's, by which later ones are known.
func (j job) number() int {
	text, _, _ := strings.Cut(j.id, ".")
	n, _ := strconv.Atoi(text)
	return n
}

const (
	jobFormat  = "--format=%i|%T|%N|%j"
	stepFormat = "--format=%i|RUNNING|%N|%j" // only these are listed
)

// parseJob reads a line of that format; the zero job is no job.
func parseJob(line string) (j job) {
	if f := strings.SplitN(strings.TrimSpace(line), "|", 4); len(f) == 4 {
		j = job{id: f[0], state: f[1], node: f[2], name: f[3]}
	}
	return j
}

// named lists the jobs of this user with fitting names, also those that have ended some
// minutes ago.
func named(ctx context.Context, fits func(string) bool, more ...string) ([]job, error) {
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	if len(more) == 0 {
		more = []string{"--states=all", jobFormat}
	}
	out, err := ask(ctx, append([]string{"squeue", "--noheader", "--user=" + me.Uid}, more...)...)
	if err != nil {
		return nil, err
	}
	var all []job
	for line := range strings.Lines(out) {
		if j := parseJob(line); j.id != "" && fits(j.name) {
			all = append(all, j)
		}
	}
	return all, nil
}

// A look is one at the list of jobs, for all who want one before it begins.
type look struct {
	done chan struct{}
	jobs []job
	err  error
}

// jobs are those of this cluster, as of a time after the call. The controller is asked one
// question at a time, and left alone for as long as four take: hundreds of tasks may want
// to know.
func (c *Cluster) jobs(ctx context.Context) ([]job, error) {
	c.mu.Lock()
	l := c.next
	if l == nil {
		l = &look{done: make(chan struct{})}
		c.next = l
		if !c.looking {
			c.looking = true
			go c.look()
		}
	}
	c.mu.Unlock()
	select {
	case <-l.done:
		return l.jobs, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *Cluster) look() {
	for {
		c.mu.Lock()
		l := c.next
		c.next, c.looking = nil, l != nil
		c.mu.Unlock()
		if l == nil {
			return
		}
		began := time.Now()
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		var more []string
		if c.within != nil {
			more = []string{"--steps", "--jobs=" + c.within.id, stepFormat}
		}
		l.jobs, l.err = named(ctx, func(string) bool { return true }, more...)
		close(l.done)
		c.sweep(ctx, l.jobs)
		stop()
		time.Sleep(min(4*time.Since(began), 2*time.Second))
	}
}

// sweep cancels jobs that the controller takes for running though their srun has ended: it
// was away when that told it so.
func (c *Cluster) sweep(ctx context.Context, jobs []job) {
	for _, j := range jobs {
		c.mu.Lock()
		past := c.past[j.name]
		c.mu.Unlock()
		if past && j.state == "RUNNING" {
			_ = c.cancel(ctx, j.id) // or it is there at the next look
		}
	}
}

// jobOf is what the controller says of a task's job: the last of its name.
func (c *Cluster) jobOf(ctx context.Context, name string) (last job, err error) {
	jobs, err := c.jobs(ctx)
	for _, j := range jobs {
		if j.name == name && (last.id == "" || j.number() > last.number()) {
			last = j
		}
	}
	return last, err
}

// endOf is jobOf of a job that is about to end: what it came to is not said before. It
// waits for a controller that does not answer, and then reports an outage.
func (c *Cluster) endOf(ctx context.Context, name string) (j job, outage bool, err error) {
	for range 30 {
		away, err := c.steady(ctx, func() (err error) { j, err = c.jobOf(ctx, name); return err })
		outage = outage || away
		if err != nil || j.id == "" || j.ended() {
			return j, outage, err
		}
		if err = pause(ctx, 100*time.Millisecond); err != nil {
			return j, outage, err
		}
	}
	return j, outage, nil
}

// steady does what needs the controller until it is there. away is that it was not.
func (c *Cluster) steady(ctx context.Context, do func() error) (away bool, err error) {
	began := time.Now()
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		if err = do(); err == nil || ctx.Err() != nil {
			return away, cmp.Or(ctx.Err(), err)
		}
		away = true
		if d := time.Since(began); d > c.patience {
			return away, fmt.Errorf("the controller of the Slurm cluster has not answered for %v: %w: when `scontrol ping` says that it is up again, `gitdd resume` goes on", d.Round(time.Second), err)
		}
		if err := pause(ctx, wait); err != nil {
			return away, err
		}
	}
}

// A busyError says that the cluster took no job, or lost sight of one: it says nothing
// about a machine, and its task is performed again without being lost.
type busyError struct {
	said   string
	outage bool // of the controller; it is over
}

func (e *busyError) Error() string { return e.said }

// A queuing is how long a task has waited for the cluster to take it.
type queuing struct {
	since   time.Time
	turns   int
	outages int
}

// outages are so many at most that one task survives; then it is lost.
const outages = 20

// wait waits before a task is given to the cluster once more: until one of ours has ended,
// but for no longer than some seconds.
func (c *Cluster) wait(ctx context.Context, q *queuing, busy *busyError) error {
	if busy.outage {
		if q.outages++; q.outages > outages {
			return lost("", "the controller of the Slurm cluster was away %d times while it ran", q.outages)
		}
		return pause(ctx, 250*time.Millisecond)
	}
	c.mu.Lock()
	taken := c.taken
	c.mu.Unlock()
	if q.since.IsZero() {
		q.since = time.Now()
	}
	if taken.Before(q.since) {
		taken = q.since
	}
	if d := time.Since(taken); d > c.patience {
		return fmt.Errorf("the cluster has taken no job for %v: %s: when `squeue --me` shows less, `gitdd resume` goes on; with a lower -j it asks for fewer", d.Round(time.Second), busy.said)
	}
	timer := time.NewTimer(min(time.Second<<min(q.turns, 10), 15*time.Second))
	defer timer.Stop()
	q.turns++
	select {
	case <-c.room:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// full reports that the cluster takes no more jobs of this user now, or cannot take any,
// by what srun says of it. A limit on the size of a job has the words of one on their
// number, but then New has an error.
func full(said string) bool {
	for line := range strings.SplitSeq(strings.ToLower(said), "\n") {
		if strings.Contains(line, "failed on node") {
			continue
		}
		for _, words := range []string{
			"job submit limit", "maxsubmitjob", "job queue full", "temporarily unable to accept job", "job creation temporarily disabled", "unable to create job record",
			"resource temporarily unavailable", "rate limit exceeded", "controller not responding", "unable to contact slurm controller",
			"socket timed out on send/recv", "zero bytes were transmitted", "slurm backup controller in standby", "connection refused",
			"connection reset", "transport endpoint", "ports busy", "too many open files", "pthread_create",
		} {
			if strings.Contains(line, words) {
				return true
			}
		}
	}
	return false
}

// cancel ends jobs or steps, all that are to be ended now by one program.
func (c *Cluster) cancel(ctx context.Context, id string) error {
	c.mu.Lock()
	n := c.ending
	if n == nil {
		n = &ending{done: make(chan struct{})}
		c.ending = n
		go func() {
			c.cancelling.Lock()
			defer c.cancelling.Unlock()
			c.mu.Lock()
			c.ending = nil
			c.mu.Unlock()
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			_, n.err = ask(ctx, append([]string{"scancel"}, n.ids...)...)
			close(n.done)
		}()
	}
	n.ids = append(n.ids, id)
	c.mu.Unlock()
	select {
	case <-n.done:
		return n.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// An ending is of some jobs.
type ending struct {
	ids  []string
	done chan struct{}
	err  error
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
	if _, ok := errors.AsType[*advised](err); ok {
		return err
	}
	return &advised{fmt.Errorf("the controller of the Slurm cluster does not answer: %w", err), "see that slurmctld and munged run and that SLURM_CONF names its configuration"}
}

// Cancel ends the jobs of this user whose names begin with prefix, running or waiting, and
// such steps of allocations: those that a killed gitdd has left. It returns how many there
// were, and waits until they are gone, or for two minutes.
func Cancel(ctx context.Context, prefix string) (int, error) {
	if prefix == "" {
		return 0, errors.New("cancel jobs: a prefix of their names is needed")
	}
	const long = 2 * time.Minute
	began := time.Now()
	found := map[string]bool{}
	var refused error // by scancel, the last time
	for turn := 0; ; turn++ {
		jobs, err := left(ctx, prefix)
		if err != nil || len(jobs) == 0 {
			return len(found), err
		}
		fresh := false
		for _, j := range jobs {
			fresh = fresh || !found[j.id]
			found[j.id] = true
		}
		// What is completing is cancelled. A node that has failed never says that it is over.
		jobs = slices.DeleteFunc(jobs, func(j job) bool { return j.state == "COMPLETING" })
		switch late := time.Since(began) > long; {
		case late && len(jobs) == 0:
			return len(found), nil
		case late:
			return len(found), &advised{
				fmt.Errorf("cancel jobs that a killed gitdd has left: %s is still there after %v: %w", jobs[0].id, long, cmp.Or(refused, errors.New("scancel has no effect"))),
				"see `squeue --me`",
			}
		}
		if len(jobs) > 0 && (fresh || turn%5 == 0) {
			argv := []string{"scancel"}
			for _, j := range jobs {
				argv = append(argv, j.id)
			}
			if _, refused = ask(ctx, argv...); ctx.Err() != nil {
				return len(found), ctx.Err()
			}
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return len(found), err
		}
	}
}

// left lists the jobs, and the steps of allocations, whose names begin with prefix and
// that have not ended.
func left(ctx context.Context, prefix string) ([]job, error) {
	fits := func(name string) bool { return strings.HasPrefix(name, prefix) }
	jobs, err := named(ctx, fits)
	if err != nil {
		return nil, err
	}
	jobs = slices.DeleteFunc(jobs, func(j job) bool { return j.ended() })
	mine := map[int]bool{} // of which the first step has the job's name
	for _, j := range jobs {
		mine[j.number()] = true
	}
	steps, err := named(ctx, fits, "--steps", stepFormat)
	return append(jobs, slices.DeleteFunc(steps, func(j job) bool { return mine[j.number()] })...), err
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
