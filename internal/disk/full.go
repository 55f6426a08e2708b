package disk

import (
	"errors"
	"fmt"
)

// CacheVariable is the environment variable that names another place for the
// sessions of all repositories than the user's cache directory.
const CacheVariable = "GITDD_CACHE_DIR"

// Pieces of advice for a FullError: which setting moves gitdd's files to another disk. A session is looked for below
// CacheVariable, and keeps where its workspaces are, so only another temporary directory lets it go on.
const (
	OtherCache = "begin again with " + CacheVariable + " set to a directory on another disk"
	OtherTemp  = "resume with TMPDIR set to a directory on another disk"
)

// MakeRoom says what to do about a full disk: make room, or follow the advice.
func MakeRoom(advice string) string {
	return "make room there, and `gitdd resume` goes on where this stopped, or " + advice
}

// A FullError says that there is no room on a disk.
type FullError struct {
	Operation string // what could not be done, as "write the journal"
	Err       error
	Advice    string // which setting moves the files to another disk, as OtherCache
}

func (e *FullError) Error() string {
	return fmt.Sprintf("%s: %v; %s", e.Operation, e.Err, MakeRoom(e.Advice))
}

func (e *FullError) Unwrap() error { return e.Err }

// Wrap returns err with the operation that failed. Where a disk is full that is
// a *FullError with the advice OtherCache.
func Wrap(operation string, err error) error {
	if Full(err) {
		return &FullError{operation, err, OtherCache}
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// Full reports whether err comes from a full disk, or from a full share of the user's, met here
// or by a program. The error of a program says so by a method DiskFull.
func Full(err error) bool {
	var failed interface{ DiskFull() bool }
	if errors.As(err, &failed) {
		return failed.DiskFull()
	}
	return noRoom(err)
}
