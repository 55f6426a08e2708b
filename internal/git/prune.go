package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// PruneWorktrees removes the worktrees below the directory under that a gitdd
// which is no longer alive has left, with their files, and returns their number.
// A worktree counts if gitdd made it (by its lock reason) and no process holds
// its lock file: the kernel drops the lock with the process, so a worktree in
// use, here or in another gitdd, is never touched.
func (r *Repo) PruneWorktrees(ctx context.Context, under string) (int, error) {
	under, err := filepath.Abs(under)
	if err != nil {
		return 0, fmt.Errorf("prune worktrees: %w", err)
	}
	// git records worktrees by their real paths.
	if real, err := filepath.EvalSymlinks(under); err == nil {
		under = real
	}
	all := filepath.Join(r.commonDir, "worktrees")
	entries, err := os.ReadDir(all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("prune worktrees: %w", err)
	}
	pruned := 0
	var problems []error // one that cannot be removed does not keep the others
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return pruned, errors.Join(append(problems, err)...)
		}
		done, err := pruneWorktree(filepath.Join(all, entry.Name()), under)
		if err != nil {
			problems = append(problems, fmt.Errorf("prune worktrees: %w", err))
		} else if done {
			pruned++
		}
	}
	// As git does, and as the last removeWorktree would have done had it not
	// been killed. It stays when another worktree is in it.
	_ = os.Remove(all)
	return pruned, errors.Join(problems...)
}

// An OwnWorktree is a worktree of the repository that some gitdd made.
type OwnWorktree struct {
	Dir   string // absolute; it may be gone
	InUse bool   // a process holds its lock
}

// OwnWorktrees lists the worktrees that gitdd made, those of a killed one too.
func (r *Repo) OwnWorktrees() ([]OwnWorktree, error) {
	all := filepath.Join(r.commonDir, "worktrees")
	entries, err := os.ReadDir(all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	var own []OwnWorktree
	for _, entry := range entries {
		if dir, ours := ownWorktree(filepath.Join(all, entry.Name())); ours && dir != "" {
			own = append(own, OwnWorktree{dir, held(dir + ".lock")})
		}
	}
	return own, nil
}

// held reports whether a process holds the lock file of that name.
func held(path string) bool {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer file.Close() // gives the lock back, if it was had
	locked, err := tryLock(file)
	return err == nil && !locked
}

// pruneWorktree removes the worktree with the git directory admin if it is an
// abandoned one of gitdd below under, and reports whether it did.
func pruneWorktree(admin, under string) (bool, error) {
	dir, ours := ownWorktree(admin)
	if ours && dir == "" {
		// Should another gitdd just be making it, its git says so and is called again.
		return true, removeWorktree("", admin)
	}
	if !ours || !strings.HasPrefix(dir, under+string(filepath.Separator)) {
		return false, nil
	}
	if _, err := os.Stat(filepath.Dir(dir)); errors.Is(err, fs.ErrNotExist) {
		// The lock file went with its directory, and so did the owner's work.
		return true, removeWorktree(dir, admin)
	}
	owner, err := lockOwner(dir + ".lock")
	if errors.Is(err, errInUse) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	// Only now is it sure that nobody removes it, or makes it anew, meanwhile.
	if again, ours := ownWorktree(admin); !ours || again != dir {
		return false, owner.release()
	}
	return true, errors.Join(removeWorktree(dir, admin), owner.release())
}

// ownWorktree returns the directory of a worktree that gitdd made, "" if all
// that there is of it is an entry in git's list.
func ownWorktree(admin string) (dir string, ours bool) {
	reason, err := os.ReadFile(filepath.Join(admin, "locked"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	if len(reason) > 0 {
		dir, ours = strings.CutPrefix(strings.TrimSuffix(string(reason), "\n"), lockReason)
		return filepath.Clean(dir), ours && filepath.IsAbs(dir)
	}
	// Then it is not there yet, or not any more.
	if !strings.HasPrefix(filepath.Base(admin), WorktreePrefix) {
		return "", false
	}
	link, err := os.ReadFile(filepath.Join(admin, "gitdir"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(link) == 0 {
		return "", true
	}
	dir = filepath.Dir(strings.TrimSuffix(string(link), "\n"))
	return dir, err == nil && filepath.IsAbs(dir) && strings.HasPrefix(filepath.Base(dir), WorktreePrefix)
}
