package isolate

import (
	"context"
	"fmt"
	"math"
)

// LeastRate is how much more often the one end must fail than the other, at
// least, for Calibrate to tell them apart.
const LeastRate = 0.1

// Rates are what Calibrate has seen of the two ends.
type Rates struct {
	Good, Bad Tally
	Swapped   bool // it is the good end that fails

	// WrongFail is how often the end that passes fails, and WrongPass how often
	// the end that fails passes, as estimated: the means of their distributions,
	// which are not 0 where nothing was seen, but less than one in the attempts.
	WrongFail, WrongPass float64
}

// An IndistinctError says that two ends cannot be told apart by a test, or that
// one of them cannot be judged: then it has unresolved attempts only.
type IndistinctError struct {
	Good, Bad  Tally
	Confidence float64 // with which they differ by less than LeastRate, if all attempts resolve
}

func (e *IndistinctError) Error() string {
	return fmt.Sprintf("the ends cannot be told apart: good %v; bad %v", e.Good, e.Bad)
}

const (
	// leastAttempts is how often each end is tried at least, see
	// TestSimulatedSearch: fewer leave the rates so uncertain that the
	// claims cost more than is saved.
	leastAttempts = 4
	// distinct is how many times likelier two rates must be than one. It is
	// enough to begin: Settle asks for what the confidence needs.
	distinct = 20
	// mostUnresolved is how many unresolved attempts of an end, and no others,
	// mean that it cannot be judged.
	mostUnresolved = 3
)

// Calibrate tries both ends, in turn, until it knows which one fails and about
// how often each is wrong. Want of the two is not looked at. It makes up to jobs
// attempts at once.
//
// With two steady ends it takes four attempts each. A bad end that passes at
// first is tried on: the ends are given up as equal, with an *IndistinctError,
// when they differ by less than LeastRate with the sequential test's confidence, and at
// the latest when an end that fails at LeastRate would have failed with this
// confidence: after log(1-confidence) / log(1-LeastRate) attempts each, which
// are 44 for 0.99. An end with three unresolved attempts and no others is given
// up as well.
//
// Called again with the same names it makes no attempt; other names are other
// ends, and replace these.
func (j *SequentialTest) Calibrate(ctx context.Context, good, bad Claim, jobs int) (Rates, error) {
	j.mu.Lock()
	ends := [2]*repeated{j.test(good.Name), j.test(bad.Name)}
	j.mu.Unlock()
	c := &calibration{confidence: j.confidence, most: int(math.Ceil(math.Log(1-j.confidence) / math.Log(1-LeastRate)))}
	err := j.carry(ctx, c, []source{{ends[0], good.Sample}, {ends[1], bad.Sample}}, jobs)
	if err != nil {
		return Rates{}, err
	}
	rates := Rates{Good: c.ends[0], Bad: c.ends[1]}
	if !c.differ() {
		return rates, &IndistinctError{Good: rates.Good, Bad: rates.Bad, Confidence: j.confidence}
	}
	passing, failing := ends[0], ends[1]
	wrongFail, wrongPass := rates.Good.beta().fails(), 1-rates.Bad.beta().fails()
	if rates.Swapped = wrongFail > 1-wrongPass; rates.Swapped {
		passing, failing = failing, passing
		wrongFail, wrongPass = 1-wrongPass, 1-wrongFail
	}
	rates.WrongFail, rates.WrongPass = wrongFail, wrongPass
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.passing == passing && j.failing == failing {
		return rates, nil // what was found since then stays
	}
	for i, end := range ends {
		end.sample = [2]Sample{good.Sample, bad.Sample}[i]
		end.before, end.fresh, end.decided = c.ends[i], Tally{}, false
	}
	j.passing, j.failing = passing, failing
	j.ask = explore(j.passing.before, j.failing.before, j.turns)
	return rates, nil
}

// A calibration is the procedure of Calibrate.
type calibration struct {
	ends       [2]Tally
	confidence float64
	most       int
}

func (c *calibration) clone() procedure { d := *c; return &d }

func (c *calibration) take(end int, o Outcome) { c.ends[end] = c.ends[end].with(o) }

// next tries the end with fewer attempts, the good one first.
func (c *calibration) next() (end, attempt int, assume Outcome, done bool) {
	good, bad := c.ends[0], c.ends[1]
	for _, t := range c.ends {
		if t.resolved() == 0 && t.Unresolved == mostUnresolved || t.Total() >= 2*c.most {
			return 0, 0, 0, true
		}
	}
	known := min(good.resolved(), bad.resolved())
	if known >= leastAttempts && logDistinct(good, bad) >= math.Log(distinct) || known >= c.most {
		return 0, 0, 0, true
	}
	if known > 2*leastAttempts && good.Total() == bad.Total() && gap(good.beta(), bad.beta(), LeastRate) < 1-c.confidence {
		return 0, 0, 0, true
	}
	if bad.Total() < good.Total() {
		return 1, bad.Total() + 1, Fail, false
	}
	return 0, good.Total() + 1, Pass, false
}

// differ reports whether the ends can be told apart.
func (c *calibration) differ() bool {
	good, bad := c.ends[0], c.ends[1]
	return min(good.resolved(), bad.resolved()) >= leastAttempts && logDistinct(good, bad) >= math.Log(distinct)
}

// gap returns how likely two rates differ by at least so much, by sums over a
// grid of equally likely values of each.
func gap(a, b beta, least float64) float64 {
	const n = 400
	weights := func(b beta) (w [n]float64) {
		sum := 0.0
		for i := range w {
			x := (float64(i) + 0.5) / n
			w[i] = math.Exp((b.fail-1)*math.Log(x) + (b.pass-1)*math.Log(1-x) - logBeta(b.pass, b.fail))
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
		return w
	}
	wa, wb := weights(a), weights(b)
	var below [n + 1]float64 // of b
	for i, w := range wb {
		below[i+1] = below[i] + w
	}
	away := int(math.Round(least * n))
	sum := 0.0
	for i, w := range wa {
		sum += w * (below[max(0, i-away+1)] + 1 - below[min(n, i+away)])
	}
	return sum
}
