package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

// A worker runs one trial at a time: a keeper for the processes and a
// workspace for the files. Both are made when they are first needed.
type worker struct {
	number int
	busy   bool // guarded by the Runner's mutex; the rest belongs to who made it busy
	keeper *keeper
	space  *workspace
	own    environment
}

func (w *worker) close() error {
	var errs []error
	if w.keeper != nil {
		if err := w.keeper.close(); err != nil {
			errs = append(errs, err)
		}
	}
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
func (r *Runner) take(ctx context.Context, q question) (*worker, error) {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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
		if d := w.space.distance(q.set, q.tree); least < 0 || d < least {
			best, least = w, d
		}
	}
	best.busy = true // the token says that there is one
	return best, nil
}

func (r *Runner) release(w *worker) {
	r.mu.Lock()
	w.busy = false
	r.mu.Unlock()
	<-r.slots
}

// shared is the workspace that w keeps from one trial to the next.
func (r *Runner) shared(ctx context.Context, w *worker, q question) (_ *workspace, err error) {
	if w.space != nil {
		return w.space, nil
	}
	dir := filepath.Join(r.work, r.spaceName(strconv.Itoa(w.number)))
	w.space, err = r.newSpace(ctx, w, q, dir)
	return w.space, err
}

// spaceName names a workspace so that git's list of worktrees shows whose it is,
// and no two of the repository are named alike.
func (r *Runner) spaceName(which string) string {
	return git.WorktreePrefix + strings.TrimPrefix(filepath.Base(r.work), git.WorktreePrefix) + "-" + which
}

// newSpace makes a workspace in dir and sets it up.
func (r *Runner) newSpace(ctx context.Context, w *worker, q question, dir string) (*workspace, error) {
	r.observe(Event{Kind: Preparing, Worker: w.number, Purpose: q.purpose})
	space, err := r.ground.newWorkspace(ctx, q.set, dir, r.conv)
	if err != nil {
		return nil, asNoTrial(err)
	}
	if err := r.setup(ctx, w, space); err != nil {
		return nil, errors.Join(err, space.remove())
	}
	return space, nil
}

// setup runs Options.Setup in a workspace.
func (r *Runner) setup(ctx context.Context, w *worker, space *workspace) error {
	if r.opts.Setup == "" {
		return nil
	}
	if err := r.freshTemp(w); err != nil {
		return err
	}
	base := filepath.Join(r.session.dir, trialsDir, "setup-"+strconv.Itoa(w.number))
	p := r.process(w, space, 0, []string{"sh", "-c", r.opts.Setup})
	p.Stdout, p.Stderr = base+".out", base+".err"
	if info, err := space.writer.root.Stat(r.dirOrTop()); err != nil || !info.IsDir() {
		p.Dir = space.dir // this revision does not have the directory
	}
	x, err := r.run(ctx, w, p)
	if err != nil {
		return err
	}
	if x.Code != 0 || !x.Started {
		_, last := firstAndLast(p.Stderr, p.Stdout)
		saw := describe(x, 0) + ", and printed nothing"
		if last != "" {
			saw = fmt.Sprintf("%s, last output line %q; all of it is in %s.out and .err", describe(x, 0), last, base)
		}
		return fmt.Errorf("the setup %q did not succeed: %s", r.opts.Setup, saw)
	}
	return nil
}

func (r *Runner) dirOrTop() string {
	if r.dir == "" {
		return "."
	}
	return r.dir
}

// process is a command in a workspace, with the environment of trial n.
func (r *Runner) process(w *worker, space *workspace, n int, argv []string) process {
	return process{
		Argv:   argv,
		Dir:    filepath.Join(space.dir, r.dir),
		Keep:   r.opts.MaxOutput,
		Memory: r.opts.MaxMemory,
		Env: append(append(git.Environ(),
			"GITDD_TRIAL="+strconv.Itoa(n),
			"GITDD_WORKER="+strconv.Itoa(w.number),
			"GITDD_WORKSPACE="+space.dir,
			"GITDD_SESSION="+r.session.dir,
		), w.variables()...),
	}
}

// run runs p under the worker's keeper.
func (r *Runner) run(ctx context.Context, w *worker, p process) (exit, error) {
	if w.keeper == nil {
		k, err := startKeeper()
		if err != nil {
			return exit{}, err
		}
		w.keeper = k
	}
	x, err := w.keeper.run(ctx, p)
	if err == nil && x.Lost != "" {
		err = lostOutput(p, x.Lost)
	}
	if errors.Is(err, errKeeperGone) {
		w.keeper.close()
		w.keeper = nil
	}
	return x, err
}

// lostOutput is the error of a command whose output could not be written.
func lostOutput(p process, why string) error {
	what := fmt.Sprintf("keep what the command printed in %s: %s", filepath.Dir(p.Stdout), why)
	if !strings.Contains(why, "no space left") && !strings.Contains(why, "quota") {
		return errors.New(what)
	}
	return fmt.Errorf("%s: the disk is full, so that says nothing: make room there, or set %s to a directory on another disk; `gitdd resume` goes on where this stopped", what, CacheVariable)
}
