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

// Scattered says what varies less than a time, if the difference that was found is known to no better than a quarter of it.
func Scattered(m *search.Measured, what string) string {
	if m == nil || what != "time" || len(m.Steps) == 0 {
		return ""
	}
	if d := m.Steps[0].Delta; d.High-d.Low <= math.Abs(d.Value)/2 {
		return ""
	}
	return "the times vary much from run to run: on a machine with other work, --measure cpu, the time for which COMMAND computes, varies less"
}
