package changes

import (
	"context"

	"github.com/gitdd/gitdd/internal/git"
)

// Patch returns the difference of two composed trees as git writes it, complete
// with binary contents and full ids: `git apply` turns from into to. The user's
// diff settings play no part.
func (s *Set) Patch(ctx context.Context, from, to *Tree, scratch *git.Scratch) ([]byte, error) {
	for _, t := range []*Tree{from, to} {
		if err := s.Store(ctx, t, scratch); err != nil {
			return nil, err
		}
	}
	return PatchBetween(ctx, scratch, from.ID, to.ID)
}

// PatchBetween is [Set.Patch] for two trees that are stored.
func PatchBetween(ctx context.Context, scratch *git.Scratch, from, to git.ID) ([]byte, error) {
	return scratch.Git(ctx, "diff-tree", "-r", "-p", "-M", "--binary", "--full-index",
		"--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none",
		"--src-prefix=a/", "--dst-prefix=b/", string(from), string(to))
}
