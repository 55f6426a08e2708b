package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// noteUnfinished adds a line to this process's list of temporary files. A session
// that cannot be written to, because it is only read, notes nothing.
func (s *Session) noteUnfinished(name string) error {
	text, err := json.Marshal(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unfinished == nil {
		s.unfinished, err = newUnfinished(s.dir)
	}
	if err == nil {
		_, err = s.unfinished.Write(append(text, '\n'))
	}
	if err != nil && s.lock != nil {
		return disk.Wrap("note a temporary file", err)
	}
	return nil
}

// newUnfinished makes an empty list. Its lock is held until it is closed or the process ends: what a locked list names
// is not removed, because the process still writes it. What processes have left that ended goes first, if it can.
func newUnfinished(dir string) (*os.File, error) {
	_ = removeUnfinished(dir)
	for {
		name := filepath.Join(dir, unfinishedFile+"-"+randomName(3))
		list, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return nil, err
		}
		had, err := tryLock(list, true)
		if err != nil {
			return nil, errors.Join(err, list.Close(), os.Remove(name))
		}
		if _, err := os.Lstat(name); had && err == nil {
			return list, nil
		}
		list.Close() // another process has removed it, as a list without an owner
	}
}

// closeUnfinished gives up the list of this process. s.mu is held.
func (s *Session) closeUnfinished() error {
	if s.unfinished == nil {
		return nil
	}
	list := s.unfinished
	s.unfinished = nil
	return list.Close()
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

// removeUnfinished removes the temporary files that ended processes have noted in
// the session in dir, and their lists.
func removeUnfinished(dir string) error {
	lists, err := filepath.Glob(filepath.Join(globQuote.Replace(dir), unfinishedFile+"*"))
	for _, list := range lists {
		err = errors.Join(err, removeListed(list))
	}
	return err
}

// removeListed is removeUnfinished for one list. The list of a running process stays.
func removeListed(name string) error {
	list, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer list.Close()
	if had, err := tryLock(list, true); err != nil || !had {
		return err
	}
	text, err := io.ReadAll(list)
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
	if openFilesPin {
		list.Close()
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
