package hints

import (
	"fmt"
	"math"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/search"
)

// mostOf is the share of the difference of two numbers from which on one step makes most of it.
const mostOf = 0.8

// OtherSteps says that a number differs by more than the step makes that was found, unless all steps were looked for.
func OtherSteps(m *search.Measured, all bool) string {
	if m == nil || all || len(m.Steps) == 0 || m.Total.Value == 0 {
		return ""
	}
	share := math.Abs(m.Steps[0].Delta.Value / m.Total.Value)
	if share >= mostOf {
		return ""
	}
	return fmt.Sprintf("the number changes elsewhere, too: this is %s of the difference of the ends, and --all looks for the rest", prose.Percent(share))
}
