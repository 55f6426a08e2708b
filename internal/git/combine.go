package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// OpenDir opens the repository that git finds for dir, whatever repository the environment names: for one
// beside that of [Open].
func OpenDir(ctx context.Context, dir string) (*Repo, error) {
	program, err := findProgram()
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	return open(ctx, place{program: program, dir: dir})
}

// BorrowFrom makes the store find the objects of another repository, for as long as that exists: see
// [Repo.AddObjects], which has to be called after it.
func (s *Scratch) BorrowFrom(ctx context.Context, other *Repo) error {
	if other.format != s.repo.format {
		return fmt.Errorf("%s has objects of format %s, and %s of %s: both have to have the same", other.commonDir, other.format, s.repo.commonDir, s.repo.format)
	}
	dirs, err := other.objectDirs(ctx)
	if err != nil {
		return err
	}
	name := filepath.Join(s.objects, "info", "alternates")
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fmt.Errorf("scratch store: %w", err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("scratch store: %w", err)
	}
	var lines strings.Builder
	for _, dir := range dirs {
		lines.WriteString(quoteAlternateLine(dir) + "\n")
	}
	_, err = f.WriteString(lines.String())
	return cmp.Or(err, f.Close())
}

// KeepTree stores all of a tree that other lacks, so that what is made of the tree can be read beside other alone. Cost: a question
// for each entry of the trees that other lacks.
func (s *Scratch) KeepTree(ctx context.Context, tree ID, other *Repo) error {
	return s.keep(ctx, "tree", tree, other)
}

func (s *Scratch) keep(ctx context.Context, kind string, id ID, other *Repo) error {
	if _, _, err := other.store.program.size(ctx, id); !errors.Is(err, errMissing) {
		return err
	}
	content, err := s.repo.object(ctx, kind, id)
	if err != nil {
		return err
	}
	if kind == "tree" {
		entries, err := s.repo.Tree(ctx, id)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Mode == Gitlink {
				continue
			}
			below := "blob"
			if e.Mode == Directory {
				below = "tree"
			}
			if err := s.keep(ctx, below, e.ID, other); err != nil {
				return err
			}
		}
	}
	_, err = s.Put(kind, content)
	return err
}

// borrowed are the directories of objects that BorrowFrom has named.
func (s *Scratch) borrowed() ([]string, error) {
	content, err := os.ReadFile(filepath.Join(s.objects, "info", "alternates"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	var dirs []string
	for line := range strings.Lines(string(content)) {
		dir := strings.TrimSuffix(line, "\n")
		if plain, err := strconv.Unquote(dir); err == nil {
			dir = plain
		}
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("the objects of another repository are gone that were at %s: bring it back there, or begin again", dir)
		}
		dirs = append(dirs, dir)
	}
	return dirs, err
}

// Range returns the commits in the history of to that are not in that of from, parents before their children.
func (r *Repo) Range(ctx context.Context, from, to ID) ([]Commit, error) {
	return r.revList(ctx, nil, "--topo-order", "--reverse", string(to), "^"+string(from))
}

// origin is the header of a commit that Recommit has made: it names the commit that it was made of.
const origin = "gitdd-origin"

// Recommit stores a commit like another one, which may be one of other, but with this tree and these parents. before stands at the begin of its message.
func (s *Scratch) Recommit(ctx context.Context, other *Repo, id, tree ID, parents []ID, before string) (ID, error) {
	content, err := other.object(ctx, "commit", id)
	if err != nil {
		return "", err
	}
	head, message, _ := bytes.Cut(content, []byte("\n\n"))
	var keep []string
	for line := range strings.SplitSeq(string(head), "\n") {
		if word, _, _ := strings.Cut(line, " "); slices.Contains([]string{"author", "committer", "encoding"}, word) {
			keep = append(keep, line)
		}
	}
	return s.commit(tree, parents, keep, id, before+string(message))
}

// NewCommit stores a commit of nobody that stands for another object.
func (s *Scratch) NewCommit(tree ID, parents []ID, of ID, message string) (ID, error) {
	const who = "gitdd <gitdd> 0 +0000"
	return s.commit(tree, parents, []string{"author " + who, "committer " + who}, of, message+"\n")
}

func (s *Scratch) commit(tree ID, parents []ID, keep []string, of ID, message string) (ID, error) {
	lines := []string{"tree " + string(tree)}
	for _, p := range parents {
		lines = append(lines, "parent "+string(p))
	}
	lines = append(append(lines, keep...), origin+" "+string(of))
	return s.Put("commit", []byte(strings.Join(lines, "\n")+"\n\n"+message))
}

// Origin returns what a commit of Recommit or NewCommit stands for; "" if it is another commit.
func (r *Repo) Origin(ctx context.Context, commit ID) (ID, error) {
	content, err := r.object(ctx, "commit", commit)
	if err != nil {
		return "", err
	}
	head, _, _ := strings.Cut(string(content), "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		if id, ok := strings.CutPrefix(line, origin+" "); ok {
			return ID(id), nil
		}
	}
	return "", nil
}

// Edit stores a tree that has an entry of that mode and id at path, in the place of what is there, and is otherwise like tree; "" is the empty tree. It
// returns its id. Cost: linear in the trees on the way.
func (s *Scratch) Edit(ctx context.Context, tree ID, path string, mode Mode, id ID) (ID, error) {
	name, below, deeper := strings.Cut(path, "/")
	var entries []Entry
	if tree != "" {
		var err error
		if entries, err = s.repo.Tree(ctx, tree); err != nil {
			return "", err
		}
	}
	i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
	if deeper {
		inner := ID("")
		if i >= 0 && entries[i].Mode == Directory {
			inner = entries[i].ID
		}
		var err error
		if id, err = s.Edit(ctx, inner, below, mode, id); err != nil {
			return "", err
		}
		mode = Directory
	}
	if i >= 0 {
		entries = slices.Delete(entries, i, i+1)
	}
	entries = append(entries, Entry{Name: name, Mode: mode, ID: id})
	slices.SortFunc(entries, Entry.Compare)
	var body []byte
	for _, e := range entries {
		var err error
		if body, err = e.Append(body); err != nil {
			return "", fmt.Errorf("entry %s: %w", e.Name, err)
		}
	}
	return s.Put("tree", body)
}

// EntryAt returns the entry of a tree at a path; ok is false if there is none.
func (r *Repo) EntryAt(ctx context.Context, tree ID, path string) (e Entry, ok bool, err error) {
	name, below, deeper := strings.Cut(path, "/")
	entries, err := r.Tree(ctx, tree)
	if err != nil {
		return e, false, err
	}
	i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
	switch {
	case i < 0:
		return e, false, nil
	case !deeper:
		return entries[i], true, nil
	case entries[i].Mode != Directory:
		return e, false, nil
	}
	return r.EntryAt(ctx, entries[i].ID, below)
}
