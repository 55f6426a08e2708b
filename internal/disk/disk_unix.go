//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// SyncDir puts the names in dir on the disk.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// noRoom reports whether err says that a disk, or the user's share of it, is
// full.
func noRoom(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

// A fileID names a file, whichever of its names it was found by.
type fileID struct{ device, inode uint64 }

// occupied returns how much disk a file takes, each file once.
func occupied(info fs.FileInfo, seen map[fileID]bool) int64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.Size()
	}
	if st.Nlink > 1 && !info.IsDir() {
		id := fileID{uint64(st.Dev), uint64(st.Ino)}
		if seen[id] {
			return 0
		}
		seen[id] = true
	}
	return int64(st.Blocks) * 512 // POSIX leaves the unit open; it is this one everywhere
}

// Free returns how many bytes are left on the disk of dir.
func Free(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, &fs.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}

// NotNameable reports whether err says that this file system cannot hold a
// file of that name, or a symlink to that target.
func NotNameable(err error) bool {
	return errors.Is(err, unix.ENAMETOOLONG) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EILSEQ)
}
