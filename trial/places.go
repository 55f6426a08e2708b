package trial

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/lazyregexp"
)

// A place is a directory that a session makes outside of its own: for temporary
// files, and for workspaces with Options.WorkspaceRoot. The session's file
// "places" names them, a quoted path a line, each before it is made: so nothing
// that a killed process left is forgotten.

// placeName is the last name of a place. A line with any other is not followed.
var placeName = lazyregexp.New(`^gitdd-[0-9a-f]{8}$`)

// newPlace makes a directory below parent that no other process has and nobody
// else may look into.
func (s *Session) newPlace(parent string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		place := filepath.Join(parent, "gitdd-"+randomName(4))
		if err := s.record(place); err != nil {
			return "", err
		}
		err := os.Mkdir(place, 0o700)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return place, err
		}
		// Another's: it must not be taken for this session's.
		if err := s.forget(place); err != nil {
			return "", err
		}
	}
}

func (s *Session) record(place string) error {
	return s.writePlaces(append(places(s.dir), place))
}

func (s *Session) forget(place string) error {
	return s.writePlaces(slices.DeleteFunc(places(s.dir), func(p string) bool { return p == place }))
}

func (s *Session) writePlaces(all []string) error {
	var text []byte
	for _, place := range all {
		text = append(strconv.AppendQuote(text, place), '\n')
	}
	if err := disk.WriteFile(filepath.Join(s.dir, placesFile), text); err != nil {
		return disk.Wrap("note a directory", err)
	}
	return nil
}

// places returns the places of the session in dir.
func places(dir string) []string {
	f, err := os.Open(filepath.Join(dir, placesFile))
	if err != nil {
		return nil
	}
	defer f.Close()
	var all []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if place, err := strconv.Unquote(lines.Text()); err == nil && filepath.IsAbs(place) && placeName().MatchString(filepath.Base(place)) {
			all = append(all, place)
		}
	}
	return all
}

// removePlaces removes what the session in dir has made elsewhere, and then the
// record of it.
func removePlaces(dir string) error {
	for _, place := range places(dir) {
		if err := disk.RemoveAll(place); err != nil {
			return fmt.Errorf("remove %s: %w", place, err)
		}
	}
	err := os.Remove(filepath.Join(dir, placesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// newWork makes a directory for workspaces. What killed processes have left is
// removed, in this session and in the others beside it; what cannot be is no reason
// not to work. The name is a new one each time: a git that outlived the killed
// process may still write to its workspace.
func (r *pool) newWork(ctx context.Context) (string, error) {
	work := filepath.Join(r.session.dir, workDir)
	_ = disk.RemoveAll(work)
	_ = removePlaces(r.session.dir)
	if r.opts.Repo != nil {
		removeLeft(filepath.Dir(r.session.dir))
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if r.opts.WorkspaceRoot != "" {
		return r.workBelow(r.opts.WorkspaceRoot)
	}
	if err := os.MkdirAll(work, 0o777); err != nil {
		return "", cacheError(err)
	}
	dir, err := os.MkdirTemp(work, "")
	if err != nil {
		return "", cacheError(err)
	}
	return dir, nil
}

// removeLeft removes the workspaces in the sessions below root that no process holds.
func removeLeft(root string) {
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		left, _ := os.ReadDir(filepath.Join(dir, workDir))
		if len(left) == 0 || !sessionName().MatchString(e.Name()) || running(dir) {
			continue
		}
		if lock, err := lockSession(dir); err == nil {
			_ = disk.RemoveAll(filepath.Join(dir, workDir))
			lock.Close()
		}
	}
}

// workBelow makes a place for workspaces in a directory of the user's.
func (r *pool) workBelow(root string) (string, error) {
	flag := r.rootFlag()
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	real, err := filepath.EvalSymlinks(abs) // as a process sees its directory
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s %s does not exist: make it first, by `mkdir -p %s`", flag, abs, abs)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	var theirs []string
	if r.opts.Repo != nil {
		theirs = []string{r.opts.Repo.Top(), r.opts.Repo.CommonDir()}
	}
	for _, users := range theirs {
		if users == "" {
			continue // a bare repository
		}
		if users, err := filepath.EvalSymlinks(users); err == nil && strings.HasPrefix(real+string(filepath.Separator), users+string(filepath.Separator)) {
			return "", fmt.Errorf("%s %s lies in the repository %s: name a directory outside of it", flag, abs, users)
		}
	}
	place, err := r.session.newPlace(real)
	if err != nil {
		var full *disk.FullError
		if errors.As(err, &full) { // the session's disk
			return "", err
		}
		if err = disk.Wrap("make a directory for workspaces in "+root, err); errors.As(err, &full) {
			full.Advice = "begin again with another " + flag
		}
		return "", err
	}
	return place, nil
}
