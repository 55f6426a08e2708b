package changes

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/gitdd/gitdd/internal/git"
)

// removed finds the commits that removed the old lines of some changes of a
// file that good knows as path.
func (b *blame) removed(ctx context.Context, path string, changes []int) error {
	var ranges []lineRange
	for _, i := range changes {
		if c := &b.set.Changes[i]; c.OldLines > 0 {
			ranges = append(ranges, lineRange{c.OldStart, c.OldLines, i})
		}
	}
	if len(ranges) == 0 || len(b.history.children[b.set.Good.Commit]) == 0 {
		return nil
	}
	removers, err := b.removers(ctx, b.set.Good.Commit, path, ranges, b.set.Bad.Commit, 0)
	if err != nil {
		return err
	}
	for _, r := range ranges {
		for line := r.start; line < r.start+r.lines; line++ {
			b.add(r.change, removers[line]...)
		}
	}
	return nil
}

// maxMerges bounds how many merges deep a removal is followed.
const maxMerges = 8

// removers maps lines of path at start to the commits, up to tip, that removed
// them; a line that tip still has is missing.
//
// A backwards blame names the last commits in which a line stands: it was
// removed by their children. When the child is a merge, the line may have gone
// already on the way to another of its parents, so that way is asked next.
func (b *blame) removers(ctx context.Context, start git.ID, path string, ranges []lineRange, tip git.ID, depth int) (map[int][]int, error) {
	origins, err := b.lineBlame(ctx, path, ranges, "--reverse", string(start)+".."+string(tip))
	if err != nil {
		return nil, err
	}
	in := b.history.upTo(tip)
	removers := make(map[int][]int)
	merges := make(map[git.ID]map[int][]int) // other parent -> line -> merges with it
	for _, o := range origins {
		if o.id == tip {
			continue
		}
		for _, child := range b.history.children[o.id] {
			if !in[child] {
				continue
			}
			other := b.otherParent(child, o.id)
			for line := o.start; line < o.start+o.lines; line++ {
				if other == "" || depth == maxMerges {
					removers[line] = append(removers[line], child)
					continue
				}
				if merges[other] == nil {
					merges[other] = make(map[int][]int)
				}
				merges[other][line] = append(merges[other][line], child)
			}
		}
	}
	for _, c := range b.history.commits { // for a fixed order
		lines := merges[c.ID]
		if lines == nil {
			continue
		}
		earlier, err := b.removersOnBranch(ctx, start, path, runs(lines), c.ID, depth+1)
		if err != nil {
			return nil, err
		}
		for line, children := range lines {
			if earlier[line] != nil {
				children = earlier[line]
			} // else it was the merge itself
			removers[line] = append(removers[line], children...)
		}
	}
	return removers, nil
}

// removersOnBranch is removers for a tip that need not descend from start: the
// lines are then followed back to where the two parted, and from there on.
func (b *blame) removersOnBranch(ctx context.Context, start git.ID, path string, ranges []lineRange, tip git.ID, depth int) (map[int][]int, error) {
	in := b.history.upTo(tip)
	if slices.ContainsFunc(b.history.children[start], func(n int) bool { return in[n] }) {
		return b.removers(ctx, start, path, ranges, tip, depth)
	}
	bases, err := b.set.repo.MergeBases(ctx, start, tip)
	if err != nil {
		return nil, fmt.Errorf("blame %s: %w", printable(path), err)
	}
	if len(bases) == 0 {
		return nil, nil // unrelated: the lines were never there
	}
	base := bases[0]
	origins, err := b.lineBlame(ctx, path, ranges, "^"+string(base), string(start))
	if err != nil {
		return nil, err
	}
	var atBase []lineRange
	now := make(map[int]int) // line at base -> line at start
	basePath := ""
	for _, o := range origins {
		if o.id != base || o.path == "" || o.path[0] == '"' || basePath != "" && o.path != basePath {
			continue // younger than base, or of a name that git quotes, or of another file
		}
		basePath = o.path
		atBase = append(atBase, lineRange{o.from, o.lines, -1})
		for k := range o.lines {
			now[o.from+k] = o.start + k
		}
	}
	if atBase == nil {
		return nil, nil
	}
	found, err := b.removers(ctx, base, basePath, atBase, tip, depth)
	if err != nil {
		return nil, err
	}
	removers := make(map[int][]int, len(found))
	for line, commits := range found {
		if at, ok := now[line]; ok {
			removers[at] = commits
		}
	}
	return removers, nil
}

// otherParent returns a parent of a merge, within the history, other than one;
// "" if there is none.
func (b *blame) otherParent(merge int, one git.ID) git.ID {
	for _, p := range b.history.parents[merge] {
		if _, ok := b.history.at[p]; ok && p != one {
			return p
		}
	}
	return ""
}

// runs turns line numbers into ranges.
func runs[V any](lines map[int]V) (ranges []lineRange) {
	for _, n := range slices.Sorted(maps.Keys(lines)) {
		if last := len(ranges) - 1; last >= 0 && ranges[last].start+ranges[last].lines == n {
			ranges[last].lines++
		} else {
			ranges = append(ranges, lineRange{n, 1, -1})
		}
	}
	return ranges
}
