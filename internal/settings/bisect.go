package settings

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/bisect"
	"github.com/gitdd/gitdd/internal/git"
)

// A Bisect is what a search has from a git bisect, and whether it gives the verdict back.
type Bisect struct {
	bisect.State
	WriteBack bool
}

// flags are the words of a session; none of them is the user's.
func (t *Bisect) flags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&t.Goods, "bisect-good", nil, "")
	flags.StringArrayVar(&t.Skipped, "bisect-skip", nil, "")
	flags.StringArrayVar(&t.Paths, "bisect-path", nil, "")
	flags.StringVar(&t.Terms, "bisect-terms", "", "")
	flags.StringVar(&t.Log, "bisect-log", "", "")
	FinishFlag(flags, &t.WriteBack)
}

// FinishFlag adds --finish.
func FinishFlag(flags *pflag.FlagSet, finish *bool) {
	flags.BoolVar(finish, "finish", false, "write the verdict into the git bisect in progress, for git bisect log and replay")
}

// CanFinish finds out before a search whether it may end in vain.
func (s *Search) CanFinish(ctx context.Context, repo *git.Repo) error {
	if !s.Bisect.WriteBack {
		return nil
	}
	_, err := s.Bisect.Current(ctx, repo, s.Good, s.Bad)
	if err != nil {
		err = fmt.Errorf("%w; without --finish the search goes on all the same", err)
	}
	return err
}
