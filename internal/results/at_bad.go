package results

import (
	"context"
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/search"
)

// Members whose lines are looked for at bad, at most: of more nobody reads a line.
const mostPlaced = 200

// placed says where the changes of text of a cause stand at bad, which may be later than
// the last commit of their set: the line where each begins there, or the one before it
// if its lines went, from 1. The function returns 0 if the lines are others
// at bad, or if the two revisions cannot be compared. placed returns nil if the set ends at bad.
func placed(ctx context.Context, repo *git.Repo, found search.Answer, bad git.Revision) func(*changes.Change) int {
	last := found.Set.Bad
	if last.Tree == bad.Tree {
		return nil
	}
	var paths []string
	for i := range found.Result.Cause.All() {
		if c := &found.Set.Changes[i]; c.Kind == changes.Text {
			paths = append(paths, ":(top,literal)"+c.Path)
		}
	}
	paths = slices.Compact(slices.Sorted(slices.Values(paths)))
	unknown := func(*changes.Change) int { return 0 }
	if len(paths) == 0 || found.Result.Cause.Len() > mostPlaced {
		return unknown
	}
	set, err := changes.Between(ctx, repo, string(last.ID()), string(bad.ID()), changes.Options{Paths: paths})
	if err != nil {
		return unknown
	}
	return func(c *changes.Change) int { return moved(c, set.Changes) }
}

// moved is the line where c begins behind further changes, from 1; 0 = they touch it.
func moved(c *changes.Change, further []changes.Change) int {
	// The lines of c are those from begin to before end; lines that went have none.
	begin, end := c.NewStart, c.NewStart+c.NewLines
	if c.NewLines == 0 {
		begin, end = c.NewStart+1, c.NewStart+1
	}
	shift := 0
	for i := range further {
		f := &further[i]
		if f.OldPath != c.Path {
			continue
		}
		if f.Kind == changes.Mode {
			continue
		}
		if f.Kind != changes.Text {
			return 0 // it is deleted, renamed, or no text any more
		}
		from, to := f.OldStart, f.OldStart+f.OldLines
		if f.OldLines == 0 {
			from, to = f.OldStart+1, f.OldStart+1
		}
		switch {
		case to <= begin:
			shift += f.NewLines - f.OldLines
		case from < end:
			return 0
		}
	}
	return max(c.NewStart+shift, 1)
}
