package combine

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
)

// A Part is a folder of the combined revisions that has the tree of another repository.
type Part struct {
	Name string // as it stands before the messages of its commits, and in the names of both ends
	Path string // of the folder, slash-separated
	Dir  string // of Repo, whose tree the folder has; "" = the top
	Over bool   // the folder may be in the place of another one

	Repo      *git.Repo // has the objects of both ends
	Good, Bad git.Revision
}

// Ends stores the two revisions that have the parts in their folders, and are otherwise good and bad of repo, and lets
// repo find them and the objects of all parts. Where nothing but trees differs, both ends are trees. It
// is an error if repo has something in the place of a folder, or if a part is the same at both ends. Cost: a few objects for
// each commit between the ends.
func Ends(ctx context.Context, repo *git.Repo, store *git.Scratch, good, bad git.Revision, parts []Part) (from, to git.Revision, err error) {
	for _, p := range parts {
		if err := fits(ctx, repo, good, bad, p); err != nil {
			return from, to, err
		}
		if err := store.BorrowFrom(ctx, p.Repo); err != nil {
			return from, to, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if err := repo.AddObjects(ctx, store); err != nil {
		return from, to, err
	}
	c := combiner{store: store, parts: append([]Part{{Repo: repo, Good: good, Bad: bad}}, parts...)}
	for _, p := range c.parts {
		tree, err := c.within(ctx, p, p.Good.Tree)
		if err != nil {
			return from, to, err
		}
		c.trees = append(c.trees, tree)
	}
	if from.Tree, err = c.tree(ctx, 0, c.trees[0]); err != nil {
		return from, to, err
	}
	lines := make([][]git.Commit, len(c.parts))
	plain := true
	for i, p := range c.parts {
		if lines[i], err = line(ctx, p); err != nil {
			return from, to, err
		}
		plain = plain && len(lines[i]) == 0
	}
	if !plain {
		var parents []git.ID
		if good.Commit != "" {
			parents = []git.ID{good.Commit}
		}
		if from.Commit, err = store.NewCommit(from.Tree, parents, good.ID(), "The good end, as gitdd has combined it"); err != nil {
			return from, to, err
		}
	}
	to = from
	for i, commits := range lines {
		if to, err = c.advance(ctx, i, commits, to); err != nil {
			return from, to, err
		}
	}
	from.Rev, to.Rev = good.Rev, bad.Rev
	for _, p := range parts {
		from.Rev += " with " + p.Name + " " + p.Good.Rev
		to.Rev += " with " + p.Name + " " + p.Bad.Rev
	}
	return from, to, nil
}

// fits says why a part cannot be one.
func fits(ctx context.Context, repo *git.Repo, good, bad git.Revision, p Part) error {
	if p.Good.Tree == p.Bad.Tree {
		return fmt.Errorf("%s: %s and %s have the same content: name two revisions that differ, or leave it out", p.Name, p.Good.Rev, p.Bad.Rev)
	}
	if p.Over {
		return nil
	}
	for _, end := range []git.Revision{good, bad} {
		if _, there, err := repo.EntryAt(ctx, end.Tree, p.Path); err != nil {
			return err
		} else if there {
			return fmt.Errorf("%s: %s has %s already, where the folder of it would lie: choose another name", p.Name, end.Rev, p.Path)
		}
	}
	return nil
}

// line returns the commits that lead from good to bad of a part, none if no history does.
func line(ctx context.Context, p Part) ([]git.Commit, error) {
	if p.Good.Commit == "" || p.Bad.Commit == "" || p.Good.Tree == p.Bad.Tree {
		return nil, nil
	}
	bases, err := p.Repo.MergeBases(ctx, p.Good.Commit, p.Bad.Commit)
	if err != nil || !slices.Contains(bases, p.Good.Commit) {
		return nil, err
	}
	return p.Repo.Range(ctx, p.Good.Commit, p.Bad.Commit)
}

// A combiner has the tree that each part is at, the main repository first.
type combiner struct {
	store *git.Scratch
	parts []Part
	trees []git.ID
}

// within returns the tree of a part's Dir in one of its trees, the empty tree where it is not there.
func (c *combiner) within(ctx context.Context, p Part, tree git.ID) (git.ID, error) {
	if p.Dir == "" {
		return tree, nil
	}
	e, ok, err := p.Repo.EntryAt(ctx, tree, p.Dir)
	if err != nil || ok && e.Mode == git.Directory {
		return e.ID, err
	}
	return c.store.Put("tree", nil)
}

// tree stores the tree that has part i at another tree.
func (c *combiner) tree(ctx context.Context, i int, tree git.ID) (git.ID, error) {
	trees := slices.Clone(c.trees)
	trees[i] = tree
	whole := trees[0]
	for j, p := range c.parts[1:] {
		var err error
		if whole, err = c.store.Edit(ctx, whole, p.Path, git.Directory, trees[j+1]); err != nil {
			return "", err
		}
	}
	return whole, nil
}

// advance goes on from a revision to the one that has part i at bad: by commits, or by one step if there are none.
func (c *combiner) advance(ctx context.Context, i int, commits []git.Commit, from git.Revision) (to git.Revision, err error) {
	p := c.parts[i]
	if p.Good.Tree == p.Bad.Tree {
		return from, nil
	}
	last, err := c.within(ctx, p, p.Bad.Tree)
	if err == nil {
		to.Tree, err = c.tree(ctx, i, last)
	}
	if err != nil {
		return to, err
	}
	before := ""
	if p.Name != "" {
		before = p.Name + ": "
	}
	made := map[git.ID]git.ID{}
	for _, commit := range commits {
		tree, err := c.within(ctx, p, commit.Tree)
		if err == nil {
			tree, err = c.tree(ctx, i, tree)
		}
		if err != nil {
			return to, err
		}
		var parents []git.ID
		for _, id := range commit.Parents {
			parent, ok := made[id]
			if !ok { // in the history of good
				parent = from.Commit
			}
			if !slices.Contains(parents, parent) {
				parents = append(parents, parent)
			}
		}
		if made[commit.ID], err = c.store.Recommit(ctx, p.Repo, commit.ID, tree, parents, before); err != nil {
			return to, err
		}
	}
	switch {
	case len(commits) > 0:
		to.Commit = made[p.Bad.Commit]
	case from.Commit != "":
		message := fmt.Sprintf("%sfrom %s to %s", before, p.Good.Rev, p.Bad.Rev)
		to.Commit, err = c.store.NewCommit(to.Tree, []git.ID{from.Commit}, p.Bad.ID(), message)
	}
	c.trees[i] = last
	return to, err
}

// Origins returns the commits between two ends that Ends has stored by what they stand for; it is empty if both are trees.
func Origins(ctx context.Context, repo *git.Repo, good, bad git.Revision) (map[git.ID]git.ID, error) {
	if good.Commit == "" || bad.Commit == "" {
		return nil, nil
	}
	commits, err := repo.Range(ctx, good.Commit, bad.Commit)
	if err != nil {
		return nil, err
	}
	of := map[git.ID]git.ID{}
	for _, c := range append(commits, git.Commit{ID: good.Commit}) {
		id, err := repo.Origin(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		if id != "" {
			of[c.ID] = id
		}
	}
	return of, nil
}

// Names returns a function that puts in a text the ids of commits for those that stand for them, whole or as people read them.
func Names(of map[git.ID]git.ID) func(string) string {
	var pairs []string
	for _, made := range slices.Sorted(maps.Keys(of)) {
		id := of[made]
		pairs = append(pairs, string(made), string(id), made.Short(), id.Short())
	}
	return strings.NewReplacer(pairs...).Replace
}

// Rewrite changes each text in what v points to.
func Rewrite(v any, text func(string) string) { rewrite(reflect.ValueOf(v), text) }

func rewrite(v reflect.Value, text func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			rewrite(v.Elem(), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				rewrite(v.Field(i), text)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			rewrite(v.Index(i), text)
		}
	case reflect.String:
		if s := v.String(); s != "" {
			v.SetString(text(s))
		}
	}
}
