package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// Cleaning says what [Clean] does.
type Cleaning struct {
	Sessions   []string // the names of those to remove; nil = all
	Keep       []string // the names of those to leave as they are
	Workspaces bool     // remove only workspaces and temporary directories, of sessions that stay
	DryRun     bool     // remove nothing, and return what would be removed
}

// Cleaned is what Clean has removed, or would remove.
type Cleaned struct {
	Sessions []CleanedSession // by name
}

// A CleanedSession says what Clean has removed of one session.
type CleanedSession struct {
	Name   string
	Bytes  int64    // on the disk, of what was removed
	Places []string // directories outside of the session that were removed, too
	Holder string   // the process that holds the session: then nothing of it was removed
}

// sessionName is how newSessionDir names a session; removeSession puts
// ".removed-" before it.
var sessionName = lazyregexp.New(`^(\.removed-)*\d{8}-\d{6}-[0-9a-f]{6}$`)

// Clean removes what sessions below root have left behind: workspaces and temporary
// directories, and the sessions themselves unless only the former are asked for. What
// a running session holds stays, and so does whatever else lies in root.
func Clean(ctx context.Context, root string, how Cleaning) (Cleaned, error) {
	var done Cleaned
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, fmt.Errorf("clean: %w", err)
	}
	var problems []error
	for _, e := range entries {
		if !e.IsDir() || !sessionName().MatchString(e.Name()) || ctx.Err() != nil {
			continue
		}
		if how.Sessions != nil && !slices.Contains(how.Sessions, e.Name()) || slices.Contains(how.Keep, e.Name()) {
			continue
		}
		one, err := cleanSession(filepath.Join(root, e.Name()), how)
		if one.Bytes > 0 || one.Holder != "" {
			done.Sessions = append(done.Sessions, one)
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	if !how.Workspaces && !how.DryRun {
		os.Remove(root) // succeeds when nothing else lies there; else it is needed
	}
	return done, errors.Join(append(problems, ctx.Err())...)
}

func cleanSession(dir string, how Cleaning) (CleanedSession, error) {
	one := CleanedSession{Name: filepath.Base(dir)}
	work := filepath.Join(dir, workDir)
	gone := append(places(dir), work) // what goes
	if how.DryRun && running(dir) {
		one.Holder = holder(dir)
		return one, nil
	}
	var lock *os.File
	if !how.DryRun {
		var err error
		lock, err = lockSession(dir)
		if errors.Is(err, errRunning) {
			one.Holder = holder(dir)
			return one, nil
		}
		if err != nil {
			return one, err
		}
		defer lock.Close()
		gone = append(places(dir), work) // nobody adds to them any more
	}
	for _, place := range gone {
		one.Bytes += disk.Usage(place)
		// By what it takes one could not tell: on some file systems that is nothing if it is empty.
		if _, err := os.Lstat(place); err == nil && place != work {
			one.Places = append(one.Places, place)
		}
	}
	if !how.Workspaces {
		one.Bytes = max(Size(dir), 1) // an empty one goes, too
	}
	if how.DryRun {
		return one, nil
	}
	if how.Workspaces {
		return one, errors.Join(disk.RemoveAll(work), removePlaces(dir))
	}
	if err := removeSession(dir, lock); err != nil {
		return one, fmt.Errorf("clean: %w", err)
	}
	return one, nil
}

// holder says which process holds the session in dir.
func holder(dir string) string {
	f, err := os.Open(filepath.Join(dir, lockFile))
	if err != nil {
		return "another process"
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 200))
	return cmp.Or(strings.TrimSpace(string(text)), "another process")
}

// Size returns how much disk a session takes, with what it made elsewhere.
func Size(dir string) int64 { return disk.Usage(append(places(dir), dir)...) }
