package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
)

// DiffPaths returns the paths that differ between two trees, in git's order, without looking for renames
// and copies: what `git diff-tree -r --no-renames` prints. It reads the subtrees that differ, and starts no
// process for objects that go-git can read.
func (r *Repo) DiffPaths(ctx context.Context, old, new ID) ([]Delta, error) {
	d := r.treeDiff(ctx, math.MaxInt)
	if err := d.trees("", old, new); err != nil {
		return nil, fmt.Errorf("diff trees %s %s: %w", old, new, err)
	}
	return d.deltas, nil
}

type treeDiff struct {
	ctx    context.Context
	repo   *Repo
	empty  ID  // git knows the empty tree without an object
	most   int // trees to read
	deltas []Delta
}

// fewTrees are read in less time than a git process takes.
const fewTrees = 100

var errManyTrees = errors.New("more trees differ than are to be read")

func (r *Repo) treeDiff(ctx context.Context, most int) treeDiff {
	return treeDiff{ctx: ctx, repo: r, empty: r.HashObject("tree", nil), most: most}
}

// entries are those of a tree; none of "".
func (d *treeDiff) entries(id ID) ([]Entry, error) {
	if id == "" || id == d.empty {
		return nil, nil
	}
	if d.most--; d.most < 0 {
		return nil, errManyTrees
	}
	return d.repo.Tree(d.ctx, id)
}

// trees compares two trees at a directory; "" stands for a tree that does not exist.
func (d *treeDiff) trees(dir string, old, new ID) error {
	if old == new {
		return nil
	}
	before, err := d.entries(old)
	if err != nil {
		return err
	}
	after, err := d.entries(new)
	if err != nil {
		return err
	}
	for len(before) > 0 || len(after) > 0 {
		var x, y Entry
		order := 0
		switch {
		case len(before) == 0:
			order = 1
		case len(after) == 0:
			order = -1
		default:
			order = before[0].Compare(after[0])
		}
		if order <= 0 {
			x, before = before[0], before[1:]
		}
		if order >= 0 {
			y, after = after[0], after[1:]
		}
		if err := d.entry(dir, x, y); err != nil {
			return err
		}
	}
	return nil
}

// entry compares what two trees have at one name, of which both or neither are directories; the zero Entry
// is nothing.
func (d *treeDiff) entry(dir string, x, y Entry) error {
	from, to := canonical(x.Mode), canonical(y.Mode)
	name := cmp.Or(x.Name, y.Name)
	if dir != "" {
		name = dir + "/" + name // as it is: a hostile name such as ../x is for the caller to refuse
	}
	if from == Directory || to == Directory {
		return d.trees(name, x.ID, y.ID)
	}
	delta := Delta{OldPath: name, NewPath: name, OldMode: from, NewMode: to, OldID: x.ID, NewID: y.ID}
	switch {
	case from == to && x.ID == y.ID:
		return nil
	case from == 0:
		delta.Status = 'A'
	case to == 0:
		delta.Status = 'D'
	case from&typeBits != to&typeBits:
		delta.Status = 'T'
	default:
		delta.Status = 'M'
	}
	d.deltas = append(d.deltas, delta)
	return nil
}

// typeBits are those that say whether a mode is of a file, a symbolic link, a directory or a gitlink.
const typeBits Mode = 0o170000

// canonical is a mode as git shows it: old trees hold modes such as 0o100664. 0 stays 0.
func canonical(m Mode) Mode {
	switch m & typeBits {
	case 0:
		return 0
	case Regular & typeBits:
		if m&0o100 != 0 {
			return Executable
		}
		return Regular
	case Symlink:
		return Symlink
	case Directory:
		return Directory
	}
	return Gitlink
}
