package hints

import (
	"errors"
	"fmt"
	"math"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/search"
)

// Noisy says what to do if a number varied too much to tell where it changes; "" = err is of another kind.
func Noisy(err error) string {
	if !errors.Is(err, search.ErrWithheld) {
		return ""
	}
	return "a number varies less on a machine with nothing else to do, and if COMMAND does more of what is measured in one run; it varies least if COMMAND repeats that and prints the least, for --measure regex:RE"
}

// OtherSteps says that a number differs by more than the step makes that was found, unless all steps were looked for.
func OtherSteps(m *search.Measured, all bool) string {
	if m == nil || all || len(m.Steps) == 0 || m.IsMost(m.Steps[0].Step) {
		return ""
	}
	share := math.Abs(m.Steps[0].Delta.Value / m.Total.Value)
	return fmt.Sprintf("the number changes elsewhere, too: this is %s of the difference of the ends, and --all looks for the rest", prose.Percent(share))
}
