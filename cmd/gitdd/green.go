package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/lazyregexp"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
)

// sinceGreen sets the good end of a search to the newest of the commits in a file, of which a CI system says that they
// passed, that bad has in its history; auto, if it has none of them.
func (a *app) sinceGreen(ctx context.Context, repo *git.Repo, s *settings.Search) error {
	file := s.Green
	s.Green = "" // a session keeps what it leads to
	text, err := readAll(file)
	if err != nil {
		return err
	}
	green, err := commitIDs(text)
	if err != nil {
		return fmt.Errorf("--since-green %s: %w", file, err)
	}
	tip := s.Bad
	if bad, err := repo.ResolveEnd(ctx, s.Bad); err != nil {
		return err
	} else if bad.IsWorktree() {
		tip = "HEAD"
	}
	history, err := repo.Git(ctx, "rev-list", "--end-of-options", tip)
	if err != nil {
		return err
	}
	newest := true
	for id := range strings.Lines(string(history)) {
		if id = strings.TrimSpace(id); !green[id] {
			newest = false
			continue
		}
		if newest && tip == s.Bad {
			return &settings.NothingError{What: fmt.Sprintf("%s, %s, is itself one of the green commits in %s", s.Bad, git.ID(id).Short(), file)}
		}
		s.Good, s.Since = id, ""
		return nil
	}
	if !s.Measure.IsZero() {
		return fmt.Errorf("none of %s in %s is in the history of %s: with --measure name the good revision by --good", prose.Count(len(green), "commit"), file, s.Bad)
	}
	a.hint(fmt.Sprintf("none of %s in %s is in the history of %s: looking for a commit that passes, as --good auto does", prose.Count(len(green), "commit"), file, s.Bad))
	s.Good = git.Auto
	return nil
}

// readAll reads a file; - is standard input.
func readAll(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(file)
}

var wholeID = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// commitIDs reads the ids that begin the lines of a text.
func commitIDs(text []byte) (map[string]bool, error) {
	ids, n := map[string]bool{}, 0
	for line := range bytes.Lines(text) {
		n++
		words := strings.Fields(string(line))
		if len(words) == 0 {
			continue
		}
		if !wholeID().MatchString(words[0]) {
			return nil, fmt.Errorf("line %d begins with %q: want the whole id of a commit on each line, such as the head_sha of a green run", n, prose.Brief(words[0]))
		}
		ids[words[0]] = true
	}
	if len(ids) == 0 {
		return nil, errors.New("it has no commit; --good auto looks for one that passes")
	}
	return ids, nil
}
