package settings

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
)

// A NothingError says that there is nothing to isolate or to reduce.
type NothingError struct{ What, Hint string }

func (e *NothingError) Error() string { return e.What }

// Between cuts the difference of two resolved revisions.
func Between(ctx context.Context, repo *git.Repo, good, bad git.Revision, paths []string) (*changes.Set, error) {
	if good.Tree == bad.Tree {
		return nil, &NothingError{What: fmt.Sprintf("%s and %s have the same content: there is nothing between them", good.Rev, bad.Rev)}
	}
	set, err := changes.Between(ctx, repo, string(good.ID()), string(bad.ID()), changes.Options{Paths: paths, Cut: grouping.Cut, Constructs: grouping.Constructs})
	if spec := (*git.PathspecError)(nil); errors.As(err, &spec) {
		return nil, fmt.Errorf("--path: %w", spec)
	}
	if missing := (*git.UnknownRevisionError)(nil); errors.As(err, &missing) {
		for _, end := range []git.Revision{good, bad} {
			if missing.Rev == string(end.ID()) { // it was there when the session began
				return nil, fmt.Errorf("revision %s, %s, is not in this repository any more: git removes what no branch or tag has (`git gc`); `git fetch` brings it back, if another repository has it", end.Rev, missing.Rev)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	set.Good, set.Bad = good, bad // by the names the user gave
	if set.Len() == 0 {
		below := ""
		if len(paths) > 0 {
			below = fmt.Sprintf(" below %s; `git diff --name-only %s %s` lists what does", strings.Join(paths, " "), good.Rev, bad.Rev)
		}
		return nil, &NothingError{What: fmt.Sprintf("nothing differs between %s and %s%s", good.Rev, bad.Rev, below)}
	}
	return set, nil
}
