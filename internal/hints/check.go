package hints

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// When a check is offered: after so many unresolved trials that took so long on average.
const (
	offeredAfter = 5
	offeredAbove = 5 * time.Second
)

// An offer is a check for what a file of the repository stands for.
type offer struct {
	file  string
	check string
	words []string // of a build or a command that does the same already
}

var offers = []offer{
	{"go.mod", "go build ./...", []string{"go build", "go vet"}},
	{"Cargo.toml", "cargo check", []string{"cargo check"}},
	{"tsconfig.json", "npx tsc --noEmit", []string{"tsc"}},
	{"pyproject.toml", "python3 -m compileall -q .", []string{"compileall"}},
	{"setup.py", "python3 -m compileall -q .", []string{"compileall"}},
}

// OfferCheck offers a check where unresolved trials were many and slow; has says what is
// in the directory of the command, or above. "" when there is nothing to offer.
func OfferCheck(s *settings.Search, records []trial.Record, has func(file string) bool) string {
	if s.Precheck != "" {
		return ""
	}
	n, seconds := 0, 0.0
	for _, r := range records {
		if r.Purpose == trial.Search && isolate.Outcome(r.Outcome) == isolate.Unresolved && (r.Remote == nil || !r.Remote.GaveUp) {
			n++
			seconds += r.BuildSeconds + r.Seconds
		}
	}
	if n < offeredAfter || seconds <= float64(n)*offeredAbove.Seconds() {
		return ""
	}
	does := s.Build + " " + strings.Join(s.Command, " ")
	for _, o := range offers {
		if !slices.ContainsFunc(o.words, func(words string) bool { return strings.Contains(does, words) }) && has(o.file) {
			mean := time.Duration(seconds / float64(n) * float64(time.Second))
			return fmt.Sprintf("%s took %s on average: --check '%s' finds what does not compile before build and test", prose.Count(n, "unresolved trial"), prose.Duration(mean), o.check)
		}
	}
	return ""
}

// Has reports whether a tree has a file in the directory of the user, or above.
func Has(ctx context.Context, repo *git.Repo, tree git.ID, name string) bool {
	for dir := path.Clean("/" + repo.Prefix()); ; dir = path.Dir(dir) {
		if list, err := repo.PathsBelow(ctx, tree, path.Join(dir, name)[1:]); err == nil && len(list) > 0 {
			return true
		}
		if dir == "/" {
			return false
		}
	}
}
