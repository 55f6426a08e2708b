package outfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange lets two directories change their names, in one step where the file
// system can do that.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return exchangeInSteps(a, b)
	}
	return err
}
