package events

import (
	"math"
	"time"
)

// A Pace is how fast a search goes along its path: the times from one trial on it to
// the next. In them is all that a trial costs: making the files, a build that is the
// quicker the less has changed, the command, and that several workers share the work.
// A resumed search goes along the trials of before in no time, so times count from the
// first trial that ran.
type Pace struct {
	gaps []time.Duration // the last ones
	at   time.Time       // of the last trial on the path
	ran  bool            // a trial has finished
}

// paces is how many of the last trials say how fast it goes now.
const paces = 20

// Finished says that a trial has finished, on the path or not.
func (p *Pace) Finished() { p.ran = true }

// Step says that the path has come by a trial.
func (p *Pace) Step(now time.Time) {
	if p.ran && !p.at.IsZero() {
		p.gaps = append(p.gaps, now.Sub(p.at))
		p.gaps = p.gaps[max(0, len(p.gaps)-paces):]
	}
	p.at = now
}

// Left returns between which times so many trials take: the sum of as many times as
// they are, whose mean and deviation are known from those before. 1.28 deviations on
// either side hold four of five, of the sum and of the mean that it is reckoned with.
// As long as there are few, what all trials took so far has to do: trial is their mean.
// These include the first builds, so what comes may be four times as fast, and if it
// is all speculation in vain, the workers do not help.
func (p *Pace) Left(least, most int, trial time.Duration, workers int) (from, to time.Duration) {
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
