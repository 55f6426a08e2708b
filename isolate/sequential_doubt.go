package isolate

import "context"

// The odds of being wrong from which on an outcome is tried again, and those
// down to which it is. Between a half and two for the one, and with a tenth for
// the other, searches take about as many attempts.
const (
	suspected = 1.0
	cleared   = 0.3
)

// Doubt repeats a test of which something else speaks against the outcome that
// it has: odds say how many times likelier that is if the outcome is wrong. It
// makes attempts only if the outcome is more likely wrong than right, and then
// until it is likely right, or turns: then Ask knows better. It is what
// Options.Doubt wants to know, and finds a wrong outcome after a few steps in
// vain and not after all of them. The error is that of a sample.
func (j *SequentialTest) Doubt(ctx context.Context, w Claim, odds float64, jobs int) (holds bool, err error) {
	j.mu.Lock()
	if j.passing == nil {
		j.mu.Unlock()
		return false, errUncalibrated
	}
	s, sources, index := j.settlement([]Claim{w})
	j.mu.Unlock()
	if index[0] < 0 { // an end
		return true, nil
	}
	x := &s.exhibits[0]
	s.odds, s.alpha = max(odds, 1), 1
	if err := j.carry(ctx, s, sources, 1); err != nil { // what Ask would
		return false, err
	}
	if x.outcome == w.Want && s.sum() <= suspected/(1+suspected) {
		return true, nil
	}
	s.alpha = cleared / (1 + cleared)
	if err := j.carry(ctx, s, sources, jobs); err != nil {
		return false, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.conclude(s, sources)
	return x.outcome == w.Want, nil
}
