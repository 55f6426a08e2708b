package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncData puts the content and the size of f on the disk; unlike f.Sync it
// leaves out the times.
func SyncData(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if err != unix.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
