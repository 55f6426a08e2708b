package trial

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

// machineError says what can be done when the machine is at fault.
func machineError(operation string, err error) error {
	if diskFull(err) {
		return &fullError{operation, err, otherCache}
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// What takes places of gitdd to another disk. A session is looked for below CacheVariable, and keeps where its workspaces are, so
// that only another temporary directory lets it go on.
const (
	otherCache = "begin again with " + CacheVariable + " set to a directory on another disk"
	otherTemp  = "resume with TMPDIR set to a directory on another disk"
)

// makeRoom says what to do about a full disk; advice is what takes the place to another one.
func makeRoom(advice string) string {
	return "make room there, and `gitdd resume` goes on where this stopped, or " + advice
}

// A fullError says that there is no room on a disk.
type fullError struct {
	operation string
	err       error
	advice    string // what takes the place to another disk
}

func (e *fullError) Error() string {
	return fmt.Sprintf("%s: %v; %s", e.operation, e.err, makeRoom(e.advice))
}

func (e *fullError) Unwrap() error { return e.err }

// withAdvice corrects the advice in an error about a full disk. By default that is to move the
// directory of the sessions; but the temporary directory or the workspaces may be elsewhere.
func (r *pool) withAdvice(err error) error {
	var full *fullError
	if !errors.As(err, &full) {
		return err
	}
	r.mu.Lock()
	temp := r.temp
	r.mu.Unlock()
	text := full.err.Error()
	switch {
	case temp != "" && strings.Contains(text, temp):
		full.advice = otherTemp
	case !below(r.work, r.session.dir) && strings.Contains(text, r.work):
		full.advice = "begin again with another " + r.rootFlag()
	}
	return err
}

// below reports whether a path is that of a directory, or of something in it.
func below(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// rootFlag is the flag that says in which directory the workspaces are.
func (r *pool) rootFlag() string {
	if r.opts.Shared {
		return "--slurm-shared"
	}
	return "--workspace-root"
}

// diskFull reports whether err comes from a full disk, met here or by git.
func diskFull(err error) bool {
	var failed *git.Error
	if errors.As(err, &failed) {
		return strings.Contains(failed.Stderr, "No space left on device") || strings.Contains(failed.Stderr, "Disk quota exceeded") ||
			strings.Contains(failed.Stderr, "unable to write file") // which was made, and git does not say what is in the way
	}
	return noRoom(err)
}
