package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
)

// unfinishedMark is in the name of every temporary file outside of a session.
const unfinishedMark = ".gitdd-"

// Beside makes a temporary file beside the file of that name, for an answer that
// is to appear there all at once, by a rename. The session notes it first: what
// a kill leaves of it goes when the session is opened again, or with Clean.
func (s *Session) Beside(name string) (*os.File, error) {
	for {
		temporary, err := s.beside(name)
		if err != nil {
			return nil, err
		}
		f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// BesideDir is Beside for a directory.
func (s *Session) BesideDir(name string) (string, error) {
	for {
		temporary, err := s.beside(name)
		if err != nil {
			return "", err
		}
		if err := os.Mkdir(temporary, 0o777); !errors.Is(err, fs.ErrExist) {
			return temporary, err
		}
	}
}

// beside notes a name beside another that nothing has.
func (s *Session) beside(name string) (string, error) {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return "", err
	}
	for {
		temporary := filepath.Join(dir, "."+filepath.Base(name)+unfinishedMark+randomName(3))
		if _, err := os.Lstat(temporary); err == nil {
			continue
		}
		return temporary, s.noteUnfinished(temporary)
	}
}

// noteUnfinished adds a line to the list of temporary files. A session that
// cannot be written to, because it is only read, notes nothing.
func (s *Session) noteUnfinished(name string) error {
	text, err := json.Marshal(name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, unfinishedFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err == nil {
		_, err = f.Write(append(text, '\n'))
		err = errors.Join(err, f.Close())
	}
	if err != nil && s.lock != nil {
		return disk.Wrap("note a temporary file", err)
	}
	return nil
}

// unfinishedNames reads the list of temporary files. A line that was damaged, or
// names what no gitdd has made, names none.
func unfinishedNames(list []byte) (names []string) {
	for line := range bytes.Lines(list) {
		var name string
		if json.Unmarshal(line, &name) == nil && filepath.IsAbs(name) && strings.Contains(filepath.Base(name), unfinishedMark) {
			names = append(names, name)
		}
	}
	return names
}

// removeUnfinished removes the temporary files that the session in dir has
// noted, and the list.
func removeUnfinished(dir string) error {
	list := filepath.Join(dir, unfinishedFile)
	text, err := os.ReadFile(list)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range unfinishedNames(text) {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
			continue
		}
		if err := disk.RemoveAll(name); err != nil {
			return fmt.Errorf("remove a temporary file: %w", err)
		}
	}
	return os.Remove(list)
}
