package tui

import (
	"fmt"
	"math"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
)

// A pace is how fast a search goes along its path: the times from one trial on it to
// the next. In them is all that a trial costs: making the files, a build that is the
// quicker the less has changed, the command, and that several workers share the work.
// A resumed search goes along the trials of before in no time, so times count from the
// first trial that ran.
type pace struct {
	gaps []time.Duration // the last ones
	at   time.Time       // of the last trial on the path
	ran  bool            // a trial has finished
}

// paces is how many of the last trials say how fast it goes now.
const paces = 20

// finished says that a trial has finished, on the path or not.
func (p *pace) finished() { p.ran = true }

// step says that the path has come by a trial.
func (p *pace) step(now time.Time) {
	if p.ran && !p.at.IsZero() {
		p.gaps = append(p.gaps, now.Sub(p.at))
		p.gaps = p.gaps[max(0, len(p.gaps)-paces):]
	}
	p.at = now
}

// left returns between which times so many trials take: the sum of as many times as
// they are, whose mean and deviation are known from those before. 1.28 deviations on
// either side hold four of five, of the sum and of the mean that it is reckoned with.
// As long as there are few, what all trials took so far has to do: trial is their mean.
// These include the first builds, so what comes may be four times as fast, and if it
// is all speculation in vain, the workers do not help.
func (p *pace) left(least, most int, trial time.Duration, workers int) (from, to time.Duration) {
	if len(p.gaps) < 3 {
		from = trial * time.Duration(least) / time.Duration(4*max(workers, 1))
		return from, trial * time.Duration(most) * 3 / 2
	}
	n := float64(len(p.gaps))
	mean, deviation := 0.0, 0.0
	for _, g := range p.gaps {
		mean += float64(g) / n
	}
	for _, g := range p.gaps {
		deviation += (float64(g) - mean) * (float64(g) - mean) / (n - 1)
	}
	deviation = math.Sqrt(deviation)
	off := func(trials int) float64 {
		k := float64(trials)
		return 1.28 * deviation * math.Sqrt(k+k*k/n)
	}
	from = time.Duration(max(0, mean*float64(least)-off(least)))
	return from, time.Duration(mean*float64(most) + off(most))
}

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
