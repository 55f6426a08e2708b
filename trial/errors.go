package trial

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

// machineError says what can be done when the machine is at fault.
func machineError(operation string, err error) error {
	if diskFull(err) {
		return fmt.Errorf("%s: %w; make room there, or set %s to a directory on another disk; `gitdd resume` goes on where this stopped",
			operation, err, CacheVariable)
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// diskFull reports whether err comes from a full disk, met here or by git.
func diskFull(err error) bool {
	var failed *git.Error
	if errors.As(err, &failed) {
		return strings.Contains(failed.Stderr, "No space left on device") || strings.Contains(failed.Stderr, "Disk quota exceeded")
	}
	return noRoom(err)
}
