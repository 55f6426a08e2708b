package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gitdd/gitdd/internal/git"
)

// A stamp tells whether a file is still as it was written.
type stamp struct {
	mode  fs.FileMode
	found bool
	size  int64
	mtime time.Time
}

// stampOf returns the stamp of path below dir, the zero stamp when there is
// nothing.
func stampOf(dir *os.File, path string) (stamp, error) {
	info, err := os.Lstat(filepath.Join(dir.Name(), filepath.FromSlash(path)))
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, err
	}
	return stamp{mode: info.Mode(), found: true, size: info.Size(), mtime: info.ModTime()}, nil
}

func (s stamp) exists() bool    { return s.found }
func (s stamp) directory() bool { return s.mode.IsDir() }

// looksLike reports whether the file is of the type that a tree's entry asks
// for. There are no mode bits here.
func (s stamp) looksLike(mode git.Mode) bool {
	if mode == git.Symlink {
		return s.mode&fs.ModeSymlink != 0
	}
	return s.mode.IsRegular() && mode != git.Gitlink
}
