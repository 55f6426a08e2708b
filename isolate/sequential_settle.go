package isolate

import "context"

// Settled is what became of the claims of an answer.
type Settled struct {
	Holds bool // all of them are what the answer takes them to be

	// Risk of each claim to be otherwise, at most: like the other end, or like
	// neither; 0 for an end, which is what it is by definition. The answer as a
	// whole is wrong with the sum of them, at most.
	Risk []float64
	// Turned holds the indices of those that turned out otherwise, for which Ask
	// has another outcome from now on.
	Turned []int
}

// Settle repeats the tests that an answer rests on until the risk that any of
// them is not what it should be is small enough, or one of them turns out
// otherwise: then the search has to be run again, and Ask knows better.
//
// The risk of a claim is judged by fresh attempts: those that it was believed
// for while the search explored do not count again, because the search came to
// this claim on account of them. A wrong one is accepted with at most the
// risk (Ville, 1939: a likelihood ratio ever reaches 1/r with probability r at
// most, however long one looks). The risks of all rounds together stay within
// 1 - confidence: the sum of all claims in the k-th call of Settle within
// (1 - confidence) / (k (k+1)), which adds up to that. The risk that the two ends
// are no different after all is brought below 1 - confidence as well. Where it
// saves attempts, the ends are tried again, to know the two rates better.
//
// A claim that fits neither end, after several times the attempts that one
// which does would take, turns Unresolved: it cannot be judged, and the answer
// must not rest on it. So there is an end to it, whatever the outcomes.
//
// The error is that of a sample, and comes with the risk so far, or an
// *IndistinctError if the ends, tried again, are no different.
func (j *SequentialTest) Settle(ctx context.Context, claims []Claim, jobs int) (Settled, error) {
	j.mu.Lock()
	if j.passing == nil {
		j.mu.Unlock()
		return Settled{}, errUncalibrated
	}
	s, sources, index := j.settlement(claims)
	s.alpha, s.whole = (1-j.confidence)/float64((j.rounds+1)*(j.rounds+2)), 1-j.confidence
	j.mu.Unlock()

	settled := Settled{Risk: make([]float64, len(claims))}
	err := j.carry(ctx, s, sources, jobs)
	for i, k := range index {
		if k >= 0 {
			other, neither := s.risk(&s.exhibits[k], s.rule())
			settled.Risk[i] = other + neither
		}
	}
	if err != nil {
		return settled, err
	}

	j.mu.Lock()
	defer j.mu.Unlock()
	j.rounds++
	j.conclude(s, sources)
	if s.indistinct() {
		return Settled{}, &IndistinctError{Good: j.passing.all(), Bad: j.failing.all(), Confidence: j.confidence}
	}
	settled.Holds = true
	for i, k := range index {
		if k < 0 {
			if want := [2]Outcome{Pass, Fail}[k+2]; claims[i].Want != want {
				settled.Holds = false
				settled.Turned = append(settled.Turned, i)
			}
			continue
		}
		if s.exhibits[k].outcome != s.exhibits[k].want {
			settled.Holds = false
			settled.Turned = append(settled.Turned, i)
		}
	}
	return settled, nil
}
