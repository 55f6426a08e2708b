package doubt

import (
	"fmt"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
)

// An Artifact is what the passing and the failing configuration of an answer were built to.
type Artifact struct {
	Path             string // from the top of the workspace
	Passing, Failing string // digests
	Problem          string // why they cannot be compared; "" = they can
}

// builtAlike returns a warning for each artifact that cannot be compared, and one if all others are
// identical at both ends: then the changes of the cause have no effect on what is built.
func builtAlike(built []Artifact, all []string) (list []report.Suspicion) {
	var same []string
	differ := false
	for _, b := range built {
		switch {
		case b.Problem != "":
			list = append(list, report.Suspicion{Kind: report.NoArtifact, Changes: all,
				Text: fmt.Sprintf("--artifact %s: nothing to compare: after the build and the command, %s", prose.Words([]string{b.Path}), b.Problem)})
		case b.Passing == b.Failing:
			same = append(same, b.Path)
		default:
			differ = true
		}
	}
	if len(same) > 0 && !differ {
		list = append(list, report.Suspicion{Kind: report.SameArtifact, Changes: all,
			Text: fmt.Sprintf("the passing and the failing configuration build to identical %s: it was not these changes; %s?", strings.Join(same, " and "), tellFlaky)})
	}
	return list
}
