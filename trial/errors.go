package trial

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
)

// withAdvice corrects the advice in an error about a full disk. By default that is to move the
// directory of the sessions; but the temporary directory or the workspaces may be elsewhere.
func (r *pool) withAdvice(err error) error {
	var full *disk.FullError
	if !errors.As(err, &full) {
		return err
	}
	r.mu.Lock()
	temp := r.temp
	r.mu.Unlock()
	text := full.Err.Error()
	switch {
	case temp != "" && strings.Contains(text, temp):
		full.Advice = disk.OtherTemp
	case !below(r.work, r.session.dir) && strings.Contains(text, r.work):
		full.Advice = "begin again with another " + r.rootFlag()
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
