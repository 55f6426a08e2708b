package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/workspace"
)

// A copy of a workspace has the path of the workspace while it is used, so that tools
// find there what they remember by path.

const (
	// copyLimit is how long a copy may take to be made, and copyBytes how large it may be.
	// A thousand files took half a second where three times as much ran as there were
	// processors for.
	copyLimit = 5 * time.Second
	copyBytes = 256 << 20
)

// standIn puts a copy of the workspace in its place, until back is called: then the
// workspace is as it was. back is nil when there can be no copy, and then there is none
// from now on. The error says that the workspace is not what it was, or that ctx ended.
func (s *site) standIn(ctx context.Context) (back func() error, err error) {
	made, aside := s.space.Dir+".copy", s.space.Dir+".aside"
	err = errors.Join(disk.RemoveAll(made), disk.RemoveAll(aside))
	if err == nil {
		limited, cancel := context.WithTimeout(ctx, copyLimit)
		err = workspace.CopyDir(limited, s.space.Dir, made, copyBytes)
		cancel()
	}
	if err == nil {
		err = os.Rename(s.space.Dir, aside)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.r.brief.Store(true)
		}
		_ = disk.RemoveAll(made) // else it goes with the workspaces
		return nil, ctx.Err()
	}
	back = func() error {
		err := disk.RemoveAll(s.space.Dir)
		if err != nil { // it is in the way
			err = os.Rename(s.space.Dir, made)
			s.r.brief.Store(true)
		}
		if err == nil {
			err = os.Rename(aside, s.space.Dir)
		}
		if err != nil {
			return fmt.Errorf("bring the workspace %s back: %w", s.space.Dir, err)
		}
		return nil
	}
	if err := os.Rename(made, s.space.Dir); err != nil {
		return nil, errors.Join(err, back())
	}
	return back, nil
}
