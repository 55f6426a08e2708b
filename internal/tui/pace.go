package tui

import (
	"fmt"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
)

// between is a range of times to come, as exact as an estimate is.
func between(from, to time.Duration) string {
	round := func(d, unit time.Duration) int { return int(d.Round(unit) / unit) }
	in := func(unit time.Duration, step int, name string) string {
		low, high := round(from, unit*time.Duration(step))*step, max(round(to, unit*time.Duration(step)), 1)*step
		switch {
		case low == high:
			return fmt.Sprintf("about %d %s", high, name)
		case low == 0:
			return fmt.Sprintf("up to %d %s", high, name)
		}
		return fmt.Sprintf("%s %s", fromTo(low, high), name)
	}
	switch {
	case to < 8*time.Second:
		return "a few seconds"
	case to < 85*time.Second:
		return in(time.Second, 10, "s")
	case to < 19*time.Minute:
		return in(time.Minute, 1, "min")
	case to < 85*time.Minute:
		return in(time.Minute, 10, "min")
	case to < 47*time.Hour:
		return in(time.Hour, 1, "h")
	}
	return in(24*time.Hour, 1, "days")
}

// fromTo is a range of numbers, or one.
func fromTo(from, to int) string {
	if from == to {
		return prose.Number(to)
	}
	return prose.Number(from) + "-" + prose.Number(to)
}
