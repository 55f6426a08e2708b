package changes

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/gitdd/gitdd/internal/git"
)

// Blame fills in the Commits of the given changes, oldest first. For a change of text these
// are the commits that wrote its new lines and those that removed its old lines. For a file
// that is created, deleted, moved or changed as a whole, they are the commits that did this to
// its path. If no commit is found, for example without a history from good to bad (see
// History), Commits becomes empty, not nil. If good and bad have diverged, changes that were made
// on good's side have no commits.
//
// Cost: for each file with text, at most one git blame forwards and one backwards
// (more if merges removed lines), several at a time; for all other changes, one walk over the
// commits. If there is an error, some of the changes may have been filled in.
func (s *Set) Blame(ctx context.Context, ids []int) error {
	h, err := s.history(ctx)
	if err != nil {
		return err
	}
	b := blame{set: s, history: h, found: make(map[int]map[int]bool)}
	text := make(map[[2]string][]int) // file -> its changes
	var files [][2]string
	var whole []int
	for _, i := range ids {
		if i < 0 || i >= len(s.Changes) || b.found[i] != nil {
			continue
		}
		b.found[i] = make(map[int]bool)
		c := &s.Changes[i]
		if c.Kind != Text {
			whole = append(whole, i)
			if (c.Kind != Created || !b.alone(i)) || !c.NewMode.IsFile() {
				continue // the lines of a file created in one piece have commits too
			}
		}
		file := [2]string{c.Path, c.OldPath}
		if text[file] == nil {
			files = append(files, file)
		}
		text[file] = append(text[file], i)
	}
	if len(h.commits) > 0 {
		if err := b.wholes(ctx, whole); err != nil {
			return err
		}
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(runtime.GOMAXPROCS(0))
		for _, file := range files {
			group.Go(func() error {
				if err := b.written(ctx, file[0], text[file]); err != nil {
					return err
				}
				return b.removed(ctx, file[1], text[file])
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	for i, set := range b.found {
		s.Changes[i].Commits = h.pick(set)
	}
	return nil
}

// A blame is one run of Set.Blame.
type blame struct {
	set     *Set
	history *history
	mu      sync.Mutex
	found   map[int]map[int]bool // change -> indices of commits
}

func (b *blame) add(change int, commits ...int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range commits {
		b.found[change][n] = true
	}
}

// alone reports whether change i is the only one of its file.
func (b *blame) alone(i int) bool {
	f := b.set.files[b.set.spots[i].file]
	return f.end-f.first == 1
}

// A lineRange is lines start..start+lines-1 of a file, and whose they are.
type lineRange struct{ start, lines, change int }

// maxRanges is how many ranges git blame is asked for; beyond, it is asked for
// the whole file.
const maxRanges = 300

// A lineOrigin says that lines start..start+lines-1 of the blamed file are the
// lines from..from+lines-1 of a file called path in commit id.
type lineOrigin struct {
	id                 git.ID
	start, lines, from int
	path               string
}

// lineBlame runs git blame over some lines of a path.
func (b *blame) lineBlame(ctx context.Context, path string, ranges []lineRange, revs ...string) ([]lineOrigin, error) {
	args := append(append(b.history.view(), "blame", "--incremental", "--no-textconv", "--ignore-revs-file="), revs...)
	if len(ranges) <= maxRanges {
		for _, r := range ranges {
			if r.lines > 0 { // else the whole file
				args = append(args, fmt.Sprintf("-L%d,+%d", r.start, r.lines))
			}
		}
	}
	out, err := b.set.repo.Git(ctx, append(args, "--", path)...)
	if err != nil {
		return nil, fmt.Errorf("blame %s: %w", printable(path), err)
	}
	origins, err := parseBlame(out)
	if err != nil {
		return nil, fmt.Errorf("blame %s: %w", printable(path), err)
	}
	return origins, nil
}

// parseBlame reads git blame --incremental: an entry is "ID line-in-that-commit
// line lines", headers, and at last "filename ...", which no other header looks
// like.
func parseBlame(out []byte) ([]lineOrigin, error) {
	var all []lineOrigin
	head := true
	for line := range bytes.Lines(out) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if head {
			var o lineOrigin
			if n, err := fmt.Sscanf(string(line), "%s %d %d %d", &o.id, &o.from, &o.start, &o.lines); n != 4 {
				return nil, fmt.Errorf("git printed %q: %w", line, err)
			}
			all = append(all, o)
		}
		var name []byte
		if name, head = bytes.CutPrefix(line, []byte("filename ")); head {
			all[len(all)-1].path = string(name)
		}
	}
	return all, nil
}

// written finds the commits that wrote the new lines of some changes of path.
// What is older than good, or good's own, belongs to no commit of the history.
func (b *blame) written(ctx context.Context, path string, changes []int) error {
	var ranges []lineRange
	for _, i := range changes {
		c := &b.set.Changes[i]
		switch {
		case c.Kind == Created:
			ranges = append(ranges, lineRange{1, 0, i})
		case c.NewLines > 0:
			ranges = append(ranges, lineRange{c.NewStart, c.NewLines, i})
		}
	}
	if len(ranges) == 0 {
		return nil
	}
	origins, err := b.lineBlame(ctx, path, ranges, "^"+string(b.set.Good.Commit), string(b.set.Bad.Commit))
	if err != nil {
		return err
	}
	for _, o := range origins {
		n, ok := b.history.at[o.id]
		if !ok {
			continue
		}
		for _, r := range ranges {
			if r.lines == 0 || o.start < r.start+r.lines && r.start < o.start+o.lines {
				b.add(r.change, n)
			}
		}
	}
	return nil
}

// wholes finds the commits of changes that are not text.
func (b *blame) wholes(ctx context.Context, changes []int) error {
	var paths []string
	for _, i := range changes {
		c := &b.set.Changes[i]
		paths = append(paths, c.Path, c.OldPath)
	}
	slices.Sort(paths)
	touches, err := b.set.touches(ctx, b.history, slices.Compact(paths))
	if err != nil {
		return err
	}
	for _, i := range changes {
		c := &b.set.Changes[i]
		old, new := touches[c.OldPath], touches[c.Path]
		if c.Path == c.OldPath {
			old = nil
		}
		all := slices.Concat(old, new)
		switch c.Kind {
		case Created:
			if b.alone(i) && !c.NewMode.IsFile() {
				b.add(i, since(new, 'A', true)...)
			} else {
				b.add(i, since(new, 'A', false)...)
			}
		case Copied:
			b.add(i, since(new, 'A', false)...)
		case Deleted:
			b.add(i, since(new, 'D', false)...)
		case Renamed:
			b.add(i, since(old, 'D', false)...)
			b.add(i, since(new, 'A', false)...)
		case Mode:
			b.add(i, where(all, func(t touch) bool { return t.mode && t.status == 'M' })...)
		case Type:
			b.add(i, where(all, func(t touch) bool { return t.status == 'T' })...)
		default:
			b.add(i, where(all, func(t touch) bool { return t.content && t.status == 'M' })...)
		}
		if len(b.found[i]) == 0 {
			b.add(i, where(all, func(touch) bool { return true })...)
		}
	}
	return nil
}

// since returns the commit that last did status to a path, and with rest all
// that touched it afterwards.
func since(list []touch, status byte, rest bool) (commits []int) {
	for _, t := range list {
		switch {
		case t.status == status:
			commits = []int{t.commit}
		case rest && commits != nil:
			commits = append(commits, t.commit)
		}
	}
	return commits
}

func where(list []touch, is func(touch) bool) (commits []int) {
	for _, t := range list {
		if is(t) {
			commits = append(commits, t.commit)
		}
	}
	return commits
}
