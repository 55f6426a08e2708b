package changes

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/git"
)

// History returns the commits of good..bad, oldest first: parents before their
// children. It is empty when no history connects the two: a plain tree,
// unrelated commits, a shallow clone that ends between them, or bad an ancestor
// of good. It asks git each time.
func (s *Set) History(ctx context.Context) ([]Commit, error) {
	h, err := s.history(ctx)
	if err != nil {
		return nil, err
	}
	return h.commits, nil
}

// A history is the part of the commit graph that leads from good to bad.
type history struct {
	commits  []Commit // oldest first
	parents  [][]git.ID
	at       map[git.ID]int   // the index of a commit
	children map[git.ID][]int // also of good, which is no member

	// asStored is set where trees or blobs are replaced (git replace): changes are
	// of the bytes that the ids name, and a blame has to be of the same lines. git
	// then overlooks replaced commits too.
	asStored bool
}

// view are the first words of a git command that reads files of commits.
func (h *history) view() []string {
	if h.asStored {
		return []string{"--no-replace-objects"}
	}
	return nil
}

// commitFormat prints one line per commit; a subject holds no line feed.
const commitFormat = "--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%s"

func (s *Set) history(ctx context.Context) (*history, error) {
	h := &history{at: make(map[git.ID]int), children: make(map[git.ID][]int)}
	if s.Good.Commit == "" || s.Bad.Commit == "" {
		return h, nil
	}
	bases, err := s.repo.MergeBases(ctx, s.Good.Commit, s.Bad.Commit)
	if err != nil {
		return nil, fmt.Errorf("history of %s..%s: %w", s.Good.Rev, s.Bad.Rev, err)
	}
	if len(bases) == 0 {
		return h, nil // unrelated, or related only beyond a shallow boundary
	}
	out, err := s.repo.Git(ctx, "rev-list", "--topo-order", "--reverse", "--encoding=UTF-8", commitFormat, "^"+string(s.Good.Commit), string(s.Bad.Commit), "--")
	if err != nil {
		return nil, fmt.Errorf("history of %s..%s: %w", s.Good.Rev, s.Bad.Rev, err)
	}
	replaced, err := s.repo.Replaced(ctx)
	if err != nil {
		return nil, fmt.Errorf("history of %s..%s: %w", s.Good.Rev, s.Bad.Rev, err)
	}
	h.asStored = slices.Contains(replaced, "tree") || slices.Contains(replaced, "blob")
	cutOff := s.repo.IsShallow()
	for line := range bytes.Lines(out) {
		field := strings.Split(strings.TrimSuffix(string(line), "\n"), "\x00")
		if len(field) != 6 {
			continue // the header "commit ID" before each
		}
		if cutOff && field[1] == "" {
			continue // its parents are beyond the boundary: it would claim every line
		}
		date, _ := time.Parse(time.RFC3339, field[4]) // the zero time for a damaged commit, of which git prints what it finds
		h.add(Commit{git.ID(field[0]), field[2], field[3], date, field[5]}, strings.Fields(field[1]))
	}
	return h, nil
}

func (h *history) add(c Commit, parents []string) {
	n := len(h.commits)
	h.at[c.ID] = n
	h.commits = append(h.commits, c)
	var ids []git.ID
	for _, p := range parents {
		ids = append(ids, git.ID(p))
		h.children[git.ID(p)] = append(h.children[git.ID(p)], n)
	}
	h.parents = append(h.parents, ids)
}

// upTo returns which commits are tip or an ancestor of it.
func (h *history) upTo(tip git.ID) []bool {
	in := make([]bool, len(h.commits))
	todo := []git.ID{tip}
	for len(todo) > 0 {
		n, ok := h.at[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if ok && !in[n] {
			in[n] = true
			todo = append(todo, h.parents[n]...)
		}
	}
	return in
}

// pick returns the commits of a set of indices, oldest first.
func (h *history) pick(set map[int]bool) []Commit {
	list := make([]Commit, 0, len(set))
	for _, n := range slices.Sorted(maps.Keys(set)) {
		list = append(list, h.commits[n])
	}
	return list
}

// A touch is what a commit did to a path, as seen from its parents.
type touch struct {
	commit  int
	status  byte // A D M T; of a merge what it did against its first parent
	mode    bool // its mode changed
	content bool // its content changed
}

// touches returns what each commit did to the given paths, oldest first.
// Renames are a removal and an addition. Merges count only where they agree
// with no parent.
func (s *Set) touches(ctx context.Context, h *history, paths []string) (map[string][]touch, error) {
	if len(h.commits) == 0 || len(paths) == 0 {
		return nil, nil
	}
	var ids bytes.Buffer
	for _, c := range h.commits {
		ids.WriteString(string(c.ID) + "\n")
	}
	args := append(h.view(), "--literal-pathspecs", "diff-tree", "--stdin", "-r", "-c", "--raw", "-z", "--root", "--no-renames", "--no-abbrev", "--no-ext-diff", "--")
	wanted := make(map[string]bool, len(paths))
	for _, p := range paths {
		wanted[p] = true
	}
	if len(paths) <= maxArguments {
		args = append(args, paths...)
	}
	out, err := s.repo.GitInput(ctx, &ids, args...)
	if err != nil {
		return nil, fmt.Errorf("read the commits of %s..%s: %w", s.Good.Rev, s.Bad.Rev, err)
	}
	return parseTouches(out, h.at, wanted), nil
}

// parseTouches reads git diff-tree --stdin -c --raw -z: an id, then for each path a
// head (see readTouch) and the path, all ended by NUL.
func parseTouches(out []byte, at map[git.ID]int, wanted map[string]bool) map[string][]touch {
	found := make(map[string][]touch)
	commit, known := 0, false
	for len(out) > 0 {
		head, rest, _ := bytes.Cut(out, []byte{0})
		out = rest
		if len(head) == 0 || head[0] != ':' {
			commit, known = at[git.ID(bytes.TrimSpace(head))]
			continue
		}
		path, rest, _ := bytes.Cut(out, []byte{0})
		out = rest
		if t, ok := readTouch(string(head)); ok && known && wanted[string(path)] {
			t.commit = commit
			found[string(path)] = append(found[string(path)], t)
		}
	}
	return found
}

// maxArguments keeps a command line short; with more paths git reports all of
// them.
const maxArguments = 500

// readTouch reads ":mode mode id id status", or with a colon, a mode, an id and
// a status more for each further parent of a merge.
func readTouch(head string) (t touch, ok bool) {
	parents := len(head) - len(strings.TrimLeft(head, ":"))
	field := strings.Fields(head[parents:])
	if len(field) != 2*(parents+1)+1 || field[len(field)-1] == "" {
		return t, false
	}
	modes, ids := field[:parents+1], field[parents+1:2*(parents+1)]
	t.status = field[len(field)-1][0]
	t.mode = modes[0] != modes[parents]
	t.content = ids[0] != ids[parents]
	return t, true
}
