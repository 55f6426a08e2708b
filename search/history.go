package search

import (
	"context"
	"fmt"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
)

// A history is the commits that a search goes through before it looks at
// changes: real revisions, of which most build.
type history struct {
	repo  *git.Repo
	whole *changes.Set // the difference that it leads through
	known Known
	// line leads along first parents from a commit that should be like the older
	// end to the newer end itself.
	line  line
	apart []apart
	// back: the older end is bad, so that the changes undo what the commits did.
	back bool
}

// A Known is what the user, or a git bisect in progress, knows about the commits before a search. The zero
// value means that nothing is known.
type Known struct {
	Goods       []git.Commit    // passing commits beside good: the commits in their histories are not suspects
	Skipped     map[git.ID]bool // commits that cannot be judged
	Paths       []string        // pathspecs: only commits that touch these paths are suspects, unless that cannot explain the outcomes
	FirstParent bool            // all changes that a merge brought belong to the merge
}

// An apart is a good commit that is not in bad's history. What the two have in
// common should have the outcome of good; otherwise the failure was fixed on the way to good.
type apart struct {
	good  git.Commit
	name  string
	bases []git.Commit
}

// historyOf returns the history between the ends of a set, or nil and why it is
// of no use. Whether the line begins where it should only a trial can tell.
func historyOf(ctx context.Context, repo *git.Repo, whole *changes.Set, known Known) (h *history, why string, err error) {
	old, new := whole.Good, whole.Bad
	for _, end := range []git.Revision{old, new} {
		if end.Commit == "" {
			return nil, end.Rev + " is a tree, not a commit", nil
		}
	}
	h = &history{repo: repo, whole: whole, known: known}
	bases, err := repo.MergeBases(ctx, new.Commit, old.Commit)
	if err != nil {
		return nil, "", err
	}
	switch {
	case len(bases) == 0 && repo.IsShallow():
		return nil, fmt.Sprintf("this shallow clone ends between %s and %s", old.Rev, new.Rev), nil
	case len(bases) == 0:
		return nil, fmt.Sprintf("%s and %s have no common history", old.Rev, new.Rev), nil
	case bases[0] == new.Commit:
		h.back, old, new = true, new, old
		h.known.Goods = nil // they bound what leads to them, and the search goes the other way
	default:
		if err := h.findApart(ctx, bases); err != nil {
			return nil, "", err
		}
	}
	if h.line, err = h.lineTo(ctx, new.Commit, h.known.Paths, old.Commit); err != nil {
		return nil, "", err
	}
	switch {
	case !h.line.foreign:
		return h, "", nil
	case repo.IsShallow():
		return nil, fmt.Sprintf("this shallow clone ends between %s and %s", old.Rev, new.Rev), nil
	}
	return nil, fmt.Sprintf("the first parents of %s never meet the history of %s", new.Rev, old.Rev), nil
}

// findApart looks for good commits that are not in bad's history; bases are those
// of good itself. What has no history in common bounds nothing.
func (h *history) findApart(ctx context.Context, bases []git.ID) error {
	good, bad := h.whole.Good, h.whole.Bad.Commit
	add := func(c git.Commit, name string, bases []git.ID) error {
		if len(bases) == 0 || bases[0] == c.ID {
			return nil
		}
		a := apart{good: c, name: name}
		for _, id := range bases {
			base, err := h.repo.CommitOf(ctx, id)
			if err != nil {
				return err
			}
			a.bases = append(a.bases, base)
		}
		h.apart = append(h.apart, a)
		return nil
	}
	if err := add(git.Commit{ID: good.Commit, Tree: good.Tree}, good.Rev, bases); err != nil {
		return err
	}
	for _, c := range h.known.Goods {
		bases, err := h.repo.MergeBases(ctx, bad, c.ID)
		if err == nil {
			err = add(c, c.ID.Short(), bases)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// older is the end that the history leads from, as a commit.
func (h *history) older() git.Commit {
	end := h.whole.Good
	if h.back {
		end = h.whole.Bad
	}
	return git.Commit{ID: end.Commit, Tree: end.Tree}
}

// isEnd: the user has named it.
func (h *history) isEnd(id git.ID) bool {
	return id == h.whole.Good.Commit || id == h.whole.Bad.Commit
}

// A line is the commits from one on to another along first parents.
type line struct {
	all     []git.Commit
	touch   map[git.ID]bool // those that touch the paths; nil = all do
	skip    map[git.ID]bool // those that cannot be judged, as is known
	foreign bool            // it begins at a root, not at a commit that should be like the older end
}

// lineTo returns the commits on the way to tip along first parents, from the one
// on at which the way leaves the histories of the others; it is foreign when it
// never meets them. There are none when tip is in them.
func (h *history) lineTo(ctx context.Context, tip git.ID, paths []string, others ...git.ID) (line, error) {
	l := line{skip: h.known.Skipped}
	all, err := h.repo.FirstParents(ctx, tip, others...)
	if err != nil || len(all) == 0 {
		return l, err
	}
	if len(all[0].Parents) == 0 {
		l.all, l.foreign = all, true
		return l, nil
	}
	base, err := h.repo.CommitOf(ctx, all[0].Parents[0])
	if err != nil {
		return l, err
	}
	l.all = append([]git.Commit{base}, all...)
	if len(paths) == 0 {
		return l, nil
	}
	touching, err := h.repo.Touching(ctx, paths, tip, others...)
	l.touch = make(map[git.ID]bool, len(touching))
	for _, c := range touching {
		l.touch[c.ID] = true
	}
	return l, err
}

// part is the commits from one on the line to another, the paths left aside.
func (l line) part(from, to int) line {
	return line{all: l.all[from : to+1], skip: l.skip}
}

// stops are the numbers of the commits that are worth a trial, the first and the
// last among them.
func (l line) stops() []int {
	var stops []int
	for i, c := range l.all {
		if i == 0 || i == len(l.all)-1 || !l.skip[c.ID] && l.touches(i) {
			stops = append(stops, i)
		}
	}
	return stops
}

func (l line) touches(i int) bool { return l.touch == nil || l.touch[l.all[i].ID] }

// difference cuts what lies between the ends of a bisection into changes.
func (h *history) difference(ctx context.Context, b *Bisection) (*changes.Set, error) {
	good, bad := b.From.ID, b.To.ID
	if h.back {
		good, bad = bad, good
	}
	return h.cut(ctx, good, bad)
}

// cut cuts the difference of two commits into changes.
func (h *history) cut(ctx context.Context, good, bad git.ID) (*changes.Set, error) {
	if good == h.whole.Good.Commit && bad == h.whole.Bad.Commit {
		return h.whole, nil
	}
	set, err := changes.Between(ctx, h.repo, string(good), string(bad), changes.Options{Cut: grouping.Cut, Constructs: grouping.Constructs})
	if err != nil {
		return h.whole, err
	}
	if set.Len() == 0 { // they differ in what git's own diff does not show
		return h.whole, nil
	}
	set.Declarations, set.Nodes = h.whole.Declarations, h.whole.Nodes
	return set, nil
}
