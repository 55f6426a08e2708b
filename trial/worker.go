package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/workspace"
)

// A worker runs one trial at a time: a supervisor for the processes and a place for
// the files. Both are made when they are first needed.
type worker struct {
	number    int
	busy      bool // guarded by the Runner's mutex; the rest belongs to who made it busy
	processes process.Runner
	space     place // nil until it is made
	own       environment
}

func (w *worker) close() error {
	errs := []error{w.processes.Close()}
	if w.space != nil {
		if err := w.space.remove(); err != nil {
			errs = append(errs, err)
		}
	}
	w.closePorts()
	return errors.Join(errs...)
}

// take waits until a worker is free and takes the one whose workspace differs
// least from what q wants. A new workspace is only made when all others are
// busy.
func (r *pool) take(ctx context.Context, q question) (*worker, error) {
	select {
	case r.slots <- struct{}{}:
		return r.nearest(q), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// nearest takes a worker for who holds a slot.
func (r *pool) nearest(q question) *worker {
	r.mu.Lock()
	defer r.mu.Unlock()
	var best *worker
	least := -1
	for _, w := range r.workers {
		if w.busy || w.space == nil && best != nil {
			continue
		}
		if w.space == nil {
			best = w
			continue
		}
		if d := w.space.distance(q); least < 0 || d < least {
			best, least = w, d
		}
	}
	best.busy = true // the token says that there is one
	return best
}

func (r *pool) release(w *worker) {
	r.mu.Lock()
	w.busy = false
	r.mu.Unlock()
	r.pass()
}

// pass gives a slot to a copy that waits for one, or else to who comes next.
func (r *pool) pass() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) > 0 {
		r.queue[0] <- struct{}{} // there is room for it
		r.queue = r.queue[1:]
		return
	}
	<-r.slots
}

// shared is the place that w keeps from one trial to the next.
func (r *pool) shared(ctx context.Context, w *worker, q question) (place, error) {
	if w.space != nil {
		return w.space, nil
	}
	space, err := r.make(ctx, w, q, strconv.Itoa(w.number))
	if err != nil {
		return nil, err
	}
	w.space = space
	return w.space, nil
}

// spaceName names a workspace so that no two are named alike: tools call projects
// and containers after the directory that they are in. failure.WithoutWorkspaces knows these names.
func (r *pool) spaceName(which string) string {
	const prefix = "gitdd-"
	return prefix + strings.TrimPrefix(filepath.Base(r.work), prefix) + "-" + which
}

// make makes a place of that name for a worker.
func (r *pool) make(ctx context.Context, w *worker, q question, which string) (place, error) {
	began := time.Now()
	space, err := r.newPlace(ctx, w, q, filepath.Join(r.work, r.spaceName(which)))
	r.mu.Lock()
	r.making = max(r.making, time.Since(began))
	r.mu.Unlock()
	return space, r.withAdvice(err)
}

// hasDir reports whether a workspace has the directory to run commands in.
func (r *pool) hasDir(space *workspace.Workspace) bool {
	info, err := space.Root().Stat(cmp.Or(r.dir, "."))
	return err == nil && info.IsDir()
}

// prepare runs a line of shell, if there is one, that a workspace needs before its
// first trial.
func (r *pool) prepare(ctx context.Context, w *worker, what, line string, space *workspace.Workspace, env ...string) error {
	if line == "" {
		return nil
	}
	if err := r.freshTemp(w); err != nil {
		return err
	}
	dir := filepath.Join(space.Dir, r.dir)
	if !r.hasDir(space) {
		dir = space.Dir // this revision does not have the directory
	}
	base := filepath.Join(r.session.dir, trialsDir, strings.ReplaceAll(what, " ", "-")+"-"+strconv.Itoa(w.number))
	p := r.process(w, 0, []string{shellProgram(), "-c", line}, dir, space.Dir)
	p.Env = append(p.Env, env...)
	p.Stdout, p.Stderr = base+".out", base+".err"
	x, err := w.run(ctx, p)
	if err != nil {
		return err
	}
	if x.Code != 0 || !x.Started {
		_, last := failure.FirstAndErrorLine(true, p.Stderr, p.Stdout)
		saw := describe(x, 0) + ", and printed nothing"
		if last != "" {
			saw = fmt.Sprintf("%s, output line %s; all of it is in %s.out and .err", describe(x, 0), prose.Quote(last), base)
		}
		return fmt.Errorf("the %s %q did not succeed: %s", what, line, saw)
	}
	return nil
}

// workspaceVariable is the environment variable of a command that has the top of its workspace.
const workspaceVariable = "GITDD_WORKSPACE"

// process is a command of trial n.
func (r *pool) process(w *worker, n int, argv []string, dir, top string) process.Command {
	variables := w.variables()
	for _, v := range r.opts.Variables {
		variables = append(variables, v.Name+"="+filepath.Join(top, filepath.FromSlash(v.Path)))
	}
	return process.Command{
		Argv:   argv,
		Dir:    dir,
		Keep:   r.opts.MaxOutput,
		Memory: r.opts.MaxMemory,
		Env: append(append(git.Environ(),
			"GITDD_TRIAL="+strconv.Itoa(n),
			"GITDD_WORKER="+strconv.Itoa(w.number),
			workspaceVariable+"="+top,
			"GITDD_SESSION="+r.session.dir,
			ceiling(top),
		), variables...),
	}
}

// ceiling keeps git from looking above a workspace whose .git a test has removed: it
// may lie in a repository of the user's, as a home directory can be one.
func ceiling(top string) string {
	const variable = "GIT_CEILING_DIRECTORIES"
	above := filepath.Dir(top)
	if theirs := os.Getenv(variable); theirs != "" {
		above += string(filepath.ListSeparator) + theirs
	}
	return variable + "=" + above
}

// run runs p under the worker's supervisor.
func (w *worker) run(ctx context.Context, p process.Command) (process.Exit, error) {
	x, err := w.processes.Run(ctx, p)
	if err == nil && x.Lost != "" {
		err = lostOutput(p, x.Lost)
	}
	return x, err
}

// lostOutput is the error of a command whose output could not be written.
func lostOutput(p process.Command, why string) error {
	what := fmt.Sprintf("keep what the command printed in %s: %s", filepath.Dir(p.Stdout), why)
	if !strings.Contains(why, "no space left") && !strings.Contains(why, "quota") {
		return errors.New(what)
	}
	return fmt.Errorf("%s: the disk is full, so that says nothing: %s", what, disk.MakeRoom(disk.OtherCache))
}
