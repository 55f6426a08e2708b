//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/git"
	"golang.org/x/sys/unix"
)

// A stamp tells whether a file is still as it was written. A program can put
// the modification time back, but not the change time.
type stamp struct {
	mode         uint32 // type and permissions; 0 = nothing is there
	inode        uint64
	size         int64
	mtime, ctime unix.Timespec
}

// stampOf returns the stamp of path below dir, the zero stamp when there is
// nothing. It is relative to dir and not an absolute name, which could be too
// long. Cost: one system call.
func stampOf(dir *os.File, path string) (stamp, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(dir.Fd()), path, &st, unix.AT_SYMLINK_NOFOLLOW)
		switch err {
		case nil:
			return stamp{
				mode: uint32(st.Mode), inode: st.Ino, size: st.Size, mtime: st.Mtim, ctime: st.Ctim,
			}, nil
		case unix.EINTR:
			continue
		case unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.ENAMETOOLONG:
			// A component is a symlink to itself, or too long for there to be any.
			return stamp{}, nil
		}
		return stamp{}, &fs.PathError{Op: "lstat", Path: filepath.Join(dir.Name(), path), Err: err}
	}
}

func (s stamp) exists() bool    { return s.mode != 0 }
func (s stamp) directory() bool { return s.mode&unix.S_IFMT == unix.S_IFDIR }

// looksLike reports whether the file is of the type that a tree's entry asks for.
func (s stamp) looksLike(mode git.Mode) bool {
	switch s.mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return mode == git.Symlink
	case unix.S_IFREG:
		return mode != git.Symlink && mode != git.Gitlink && s.mode&0o100 != 0 == (mode&0o100 != 0)
	}
	return false
}
