package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An Index is the whole of what a [Scratch] store's index holds, by path.
type Index map[string]Entry

// SetIndex makes the store's index hold just these entries; their names do not
// count.
func (s *Scratch) SetIndex(ctx context.Context, entries Index) error {
	if _, err := s.Git(ctx, "read-tree", "--empty"); err != nil {
		return err
	}
	var list bytes.Buffer
	for path, e := range entries {
		fmt.Fprintf(&list, "%v %s\t%s\x00", e.Mode, e.ID, path)
	}
	_, err := s.place.run(ctx, &list, "update-index", "-z", "--add", "--index-info")
	return err
}

// GetIndex returns what the store's index holds.
func (s *Scratch) GetIndex(ctx context.Context) (Index, error) {
	out, err := s.Git(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	entries := Index{}
	for line := range bytes.SplitSeq(out, []byte{0}) {
		e, _, path, ok, err := indexed(line)
		if err != nil {
			return nil, err
		}
		if ok {
			entries[path] = e
		}
	}
	return entries, nil
}

// indexed reads a line of git ls-files --stage. The stage is 0 except of a conflict. ok is false for an empty line.
func indexed(line []byte) (e Entry, stage int, path string, ok bool, err error) {
	head, name, ok := bytes.Cut(line, []byte{'\t'}) // "mode id stage TAB path"
	if !ok {
		return e, 0, "", false, nil
	}
	if _, err := fmt.Sscanf(string(head), "%o %s %d", &e.Mode, &e.ID, &stage); err != nil {
		return e, 0, "", false, fmt.Errorf("list the index: git said %q", line)
	}
	return e, stage, string(name), true, nil
}

// Blob reads a blob of the store or the repository.
func (s *Scratch) Blob(ctx context.Context, id ID) ([]byte, error) {
	return s.Git(ctx, "cat-file", "blob", string(id))
}

// A Fit says whether a patch applies to an index.
type Fit struct {
	OK     bool
	Offset int    // how many lines from its place the farthest hunk applies
	Why    string // when it does not: what git saw, "" when it did not say
}

// exactly has git apply to the index, with no allowance for white space.
var exactly = []string{"-c", "apply.ignoreWhitespace=no", "apply", "--cached", "--whitespace=nowarn"}

// Fit tries a patch, or its reverse, on the store's index.
func (s *Scratch) Fit(ctx context.Context, patch []byte, reverse bool) (Fit, error) {
	args := slices.Concat(exactly, []string{"--check", "-v"})
	if reverse {
		args = append(args, "-R")
	}
	_, said, err := s.place.both(ctx, bytes.NewReader(patch), args...)
	if failed, ok := errors.AsType[*Error](err); ok {
		return Fit{Why: firstError(failed.Stderr)}, nil
	}
	return Fit{OK: err == nil, Offset: farthest(string(said))}, err
}

// ApplyToIndex puts a patch on the store's index.
func (s *Scratch) ApplyToIndex(ctx context.Context, patch []byte) error {
	_, err := s.place.run(ctx, bytes.NewReader(patch), exactly...)
	return err
}

// farthest reads "Hunk #1 succeeded at 7 (offset -2 lines)." of git apply -v.
func farthest(said string) int {
	most := 0
	for line := range strings.Lines(said) {
		_, after, ok := strings.Cut(line, "(offset ")
		number, _, _ := strings.Cut(after, " ")
		if n, err := strconv.Atoi(number); ok && err == nil {
			most = max(most, n, -n)
		}
	}
	return most
}

// firstError is where git apply found that a patch does not fit, or else the
// first error that it names.
func firstError(stderr string) string {
	first := ""
	for line := range strings.Lines(stderr) {
		what, ok := strings.CutPrefix(strings.TrimSpace(line), "error: ")
		if place, failed := strings.CutPrefix(what, "patch failed: "); failed {
			return "at " + place
		}
		if ok && first == "" && what != "while searching for:" {
			first = strings.Replace(what, "does not exist in index", "does not exist", 1)
		}
	}
	return first
}
