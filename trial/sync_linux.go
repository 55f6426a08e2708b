package trial

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync puts the content and the size of f on the disk; unlike f.Sync it
// leaves out the times.
func datasync(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if err != unix.EINTR {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
