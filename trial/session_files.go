package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
)

// WriteFile makes the file of that name in the session's directory hold the
// content, all or nothing, also when the machine goes down. name is one plain
// name, and none of those that the session uses itself.
func (s *Session) WriteFile(name string, content []byte) error {
	if err := checkName(name); err != nil {
		return fmt.Errorf("write a session's file: %w", err)
	}
	if err := disk.WriteFile(filepath.Join(s.dir, name), content); err != nil {
		return disk.Wrap("write "+name, err)
	}
	return nil
}

// ReadFile returns what the last WriteFile of that name wrote; the error wraps
// fs.ErrNotExist when there was none.
func (s *Session) ReadFile(name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, fmt.Errorf("read a session's file: %w", err)
	}
	return os.ReadFile(filepath.Join(s.dir, name))
}

func checkName(name string) error {
	if name != filepath.Base(name) || !filepath.IsLocal(name) || name == "." {
		return fmt.Errorf("%q is not a plain file name", name)
	}
	own := []string{lockFile, journalFile, trialsDir, overlayDir, patchesDir, objectsDir, workDir, placesFile}
	if slices.Contains(own, name) || strings.HasPrefix(name, unfinishedFile) {
		return fmt.Errorf("%q belongs to the session", name)
	}
	return nil
}

// WriteResult replaces the session's result by the given bytes, all or nothing.
func (s *Session) WriteResult(text []byte) error { return s.WriteFile(resultFile, text) }

// ReadResult returns the bytes of the last WriteResult; the error wraps
// fs.ErrNotExist when there was none.
func (s *Session) ReadResult() ([]byte, error) { return s.ReadFile(resultFile) }

// RemoveFile removes the file of that name that WriteFile has written, if there is one.
func (s *Session) RemoveFile(name string) error {
	if err := checkName(name); err != nil {
		return fmt.Errorf("remove a session's file: %w", err)
	}
	if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return disk.Wrap("remove "+name, err)
	}
	return disk.SyncDir(s.dir)
}
