package disk

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

// SyncDir has nothing to do: the names in a directory are in the log of the file
// system, and only who may write to the whole volume can ask for more.
func SyncDir(string) error { return nil }

// noRoom reports whether err says that a disk is full.
func noRoom(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// A fileID would name a file with several names.
type fileID struct{}

// occupied returns the size of a file.
func occupied(info fs.FileInfo, _ map[fileID]bool) int64 {
	if info.IsDir() {
		return 0
	}
	return info.Size()
}

// Free returns how many bytes are left on the disk of dir.
func Free(dir string) (free uint64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	}
	return free, err
}

// NotNameable reports whether err says that this file system cannot hold a
// file of that name.
func NotNameable(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_NAME) || errors.Is(err, windows.ERROR_FILENAME_EXCED_RANGE)
}
