package trial

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// A place is a directory that a session makes outside of its own: for temporary
// files, and for workspaces with Options.WorkspaceRoot. The session's file
// "places" names them, a quoted path a line, each before it is made: so nothing
// that a killed process left is forgotten.

// placeName is the last name of a place. A line with any other is not followed.
var placeName = regexp.MustCompile(`^gitdd-[0-9a-f]{8}$`)

// newPlace makes a directory below parent that no other process has and nobody
// else may look into.
func (s *Session) newPlace(parent string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		var random [4]byte
		rand.Read(random[:])
		place := filepath.Join(parent, "gitdd-"+hex.EncodeToString(random[:]))
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
	if err := writeAtomically(filepath.Join(s.dir, placesFile), text); err != nil {
		return machineError("note a directory", err)
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
		if place, err := strconv.Unquote(lines.Text()); err == nil && filepath.IsAbs(place) && placeName.MatchString(filepath.Base(place)) {
			all = append(all, place)
		}
	}
	return all
}

// removePlaces removes what the session in dir has made elsewhere, and then the
// record of it.
func removePlaces(dir string) error {
	for _, place := range places(dir) {
		if err := removeAll(place); err != nil {
			return fmt.Errorf("remove %s: %w", place, err)
		}
	}
	err := os.Remove(filepath.Join(dir, placesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
