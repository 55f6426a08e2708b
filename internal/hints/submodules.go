package hints

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// InsideSubmodules says, for each submodule whose pin is in the cause, which command searches
// between the two commits inside it. The cause is some of the changes of set; for from see
// [git.Repo.SubmoduleDir].
func InsideSubmodules(repo *git.Repo, set *changes.Set, cause isolate.Configuration, from string) []string {
	var hints []string
	for i := range cause.All() {
		c := set.Changes[i]
		if c.Kind != changes.Submodule {
			continue
		}
		dir, here := repo.SubmoduleDir(c.Path, from)
		hint := fmt.Sprintf("the pin of %q is in the cause; this searches inside", c.Path)
		if !here {
			hint += fmt.Sprintf(", once `git submodule update --init %s` has checked it out", prose.Words([]string{c.Path}))
		}
		hint += fmt.Sprintf(":\ngitdd -C %s run --good %.12s --bad %.12s -- COMMAND", prose.Words([]string{dir}), c.OldBlob, c.NewBlob)
		hints = append(hints, hint)
	}
	return hints
}

// EmptySubmodules says that submodules are empty in a workspace, unless they were asked for. It does so if
// good has submodules and does not pass, and if both ends pass and differ in a submodule.
func EmptySubmodules(ctx context.Context, repo *git.Repo, set *changes.Set, err error) string {
	var ends *trial.EndsError
	if !errors.As(err, &ends) {
		return ""
	}
	moved := func(c changes.Change) bool { return c.Kind == changes.Submodule }
	if ends.Good.Outcome == isolate.Pass && (ends.Bad.Outcome != isolate.Pass || !slices.ContainsFunc(set.Changes, moved)) {
		return ""
	}
	links, err := repo.Gitlinks(ctx, set.Good.Tree)
	if err != nil || len(links) == 0 {
		return "" // it is but a hint
	}
	paths := slices.Sorted(maps.Keys(links))
	const most = 3
	if len(paths) > most {
		paths = append(paths[:most], "...")
	}
	return fmt.Sprintf("the submodules are empty in a workspace (%s); --recurse-submodules fills them", strings.Join(paths, ", "))
}
