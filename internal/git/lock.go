package git

import (
	"errors"
	"fmt"
	"os"
)

// errInUse says that another process, or another part of this one, holds a lock.
var errInUse = errors.New("in use by another gitdd")

// ownerLock says that the owner of a worktree lives: an open file with a lock
// that the kernel drops with the process, however that ends.
type ownerLock struct{ file *os.File }

// lockOwner makes the file and locks it, or fails with errInUse at once.
func lockOwner(path string) (*ownerLock, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		locked, err := tryLock(file)
		if err != nil || !locked {
			file.Close()
			if err == nil {
				err = errInUse
			}
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		// The last owner may have removed the file between open and lock: a
		// lock on a file without a name protects nothing.
		held, err := file.Stat()
		if err != nil {
			file.Close()
			return nil, err
		}
		if named, err := os.Stat(path); err == nil && os.SameFile(held, named) {
			return &ownerLock{file}, nil
		}
		file.Close()
	}
}

// release removes the file and drops the lock, in this order where the system
// lets it.
func (l *ownerLock) release() error {
	err := os.Remove(l.file.Name())
	closeErr := l.file.Close()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		err = os.Remove(l.file.Name())
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, closeErr)
}
