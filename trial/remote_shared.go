package trial

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/gitdd/gitdd/internal/disk"
)

// What a site does with Options.Shared: its workspace lies on a file system that the
// machines have, too.

func (s *site) load(w *worker, rec *Record, t *Task) {
	t.Shared, t.State = s.space.Dir, s.state()
	t.Env = append(t.Env,
		"GITDD_TRIAL="+strconv.Itoa(rec.Trial),
		"GITDD_WORKER="+strconv.Itoa(w.number),
		"GITDD_SESSION="+s.r.session.dir,
		ceiling(s.space.Dir),
	)
}

// state is where a machine notes what is set up in the workspace.
func (s *site) state() string { return s.space.Dir + ".state" }

// spoil gives the workspace up: the machine that was lost may go on writing to it.
func (s *site) spoil() { s.spoilt = true }

func (s *site) again(ctx context.Context, w *worker, q question) error {
	if !s.spoilt {
		return nil
	}
	return s.show(ctx, w, q)
}

// move goes to another workspace if this one was given up.
func (s *site) move(ctx context.Context, w *worker, q question) error {
	if !s.spoilt {
		return nil
	}
	s.r.mu.Lock()
	s.r.moves++
	dir := filepath.Join(s.r.work, s.r.spaceName(fmt.Sprintf("%d-%d", w.number, s.r.moves)))
	s.r.mu.Unlock()
	space, err := s.r.source.New(ctx, q.set, dir)
	if err != nil {
		return asNoTrial(err)
	}
	left := site{space: s.space, r: s.r}
	s.space, s.used, s.warm, s.spoilt = space, false, false, false
	// Close tries again what cannot be removed now.
	_ = left.remove()
	return nil
}

func (s *site) remove() error {
	err := s.space.Remove()
	if s.r.opts.Remote != nil {
		err = errors.Join(err, disk.RemoveAll(s.state()))
	}
	return err
}
