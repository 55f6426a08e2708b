package changes

import (
	"context"

	"github.com/gitdd/gitdd/internal/git"
)

// These are names for the types of a repository that this package and package trial
// accept and return, for programs outside of this module.
type (
	Repo     = git.Repo     // an open repository: Resolve, Tree, Blob, NewScratch, Close, ...
	Revision = git.Revision // what a name stands for: Rev, Commit, Tree
	ID       = git.ID       // of an object, in hexadecimal digits
	FileMode = git.Mode     // of a file, as git has it
	Scratch  = git.Scratch  // objects beside those of the repository, which [Set.Store] writes
)

// Open opens the repository that git finds for dir, as `git -C dir` would. The
// caller closes it. It fails when there is none, when git refuses it, and when the
// git program is missing or older than 2.36. Cost: about 10 ms.
func Open(ctx context.Context, dir string) (*Repo, error) { return git.Open(ctx, dir) }
