package slurm

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// An allocation is the job in which gitdd itself runs, as one begun by salloc or sbatch.
// Tasks are steps of it, which share its processors: how many run at once is gitdd's -j.
type allocation struct {
	id    string
	nodes []string
	own   bool // the user's options say where steps go, and what they share

	mu      sync.Mutex
	running map[string]int // by node
}

// placing are options by which a user says where the steps of an allocation go, or what
// they have of it.
var placing = []string{"exact", "exclusive", "overlap", "nodelist", "nodefile", "exclude", "relative"}

// allocated finds the allocation of this process; nil where there is none, or where tasks
// shall be jobs of their own, for a partition is named.
func (o Options) allocated(ctx context.Context) (*allocation, error) {
	id := os.Getenv("SLURM_JOB_ID")
	if id == "" || o.Partition != "" {
		return nil, nil
	}
	// What is left in the environment of a terminal may be of a job that is over.
	j, err := jobByID(ctx, id)
	if err != nil || j.state != "RUNNING" || j.node == "" {
		return nil, answers(ctx)
	}
	out, err := ask(ctx, "scontrol", "show", "hostnames", j.node)
	if err != nil {
		return nil, err
	}
	a := &allocation{id: id, nodes: strings.Fields(out), running: map[string]int{}}
	for _, arg := range o.Args {
		name, isLong := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		a.own = a.own || isLong && begins(placing, name) || !isLong && len(arg) > 1 && strings.IndexByte("wxrF", arg[1]) >= 0
	}
	return a, nil
}

// jobByID is what the controller says of a job; the zero one where it knows none.
func jobByID(ctx context.Context, id string) (job, error) {
	out, err := ask(ctx, "squeue", "--noheader", "--states=all", "--jobs="+id, jobFormat)
	if err != nil {
		return job{}, err
	}
	return parseJob(lastLine(out)), nil
}

// take chooses a node for a step: the one with the fewest, of those that are not to be
// avoided if there are others. The first node would have all steps otherwise. leave is
// for its end.
func (a *allocation) take(avoid []string) (node string, leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fit := slices.DeleteFunc(slices.Clone(a.nodes), func(n string) bool { return slices.Contains(avoid, n) })
	if len(fit) == 0 {
		fit = a.nodes
	}
	node = slices.MinFunc(fit, func(x, y string) int { return cmp.Compare(a.running[x], a.running[y]) })
	a.running[node]++
	return node, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.running[node]--
	}
}

// options are those of srun for a step.
func (a *allocation) options() []string {
	if a.own {
		return []string{"--jobid=" + a.id}
	}
	return []string{"--jobid=" + a.id, "--overlap"}
}

// over is an error if the allocation has ended: no step will begin in it any more.
func (a *allocation) over(ctx context.Context) error {
	j, err := jobByID(ctx, a.id)
	if err != nil || j.state == "RUNNING" || j.state == "SUSPENDED" {
		return nil
	}
	return fmt.Errorf("the allocation %s, in which trials were steps, has ended: Slurm says %s: `gitdd resume` goes on, in another allocation or outside of one", a.id, cmp.Or(j.state, "nothing of it"))
}
