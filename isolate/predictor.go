package isolate

import "math"

// A predictor tells how likely the outcomes of unfinished tests are, by all tests that are finished,
// whether the path has come to them or not. The path itself must not use it, for which tests end first
// depends on chance. But it shows where the path will go: a prefix that passed implies how all shorter
// ones end, and some random masks make outcomes of the others likelier. So workers can look behind the
// tests that the path waits for.
type predictor struct {
	resolved []*item       // in the order in which they were finished
	alone    Configuration // what is in all that failed and in nothing that passed: if there is a single cause, it is here
	known    Configuration // the same by the tests on the path alone
}

// A prediction is what the finished tests say of an item.
type prediction struct {
	compared int     // so many of predictor.resolved were compared with it
	implied  Outcome // by those, if outcomes are monotone; Unresolved = by none
	share    float64 // of predictor.alone, that it holds
	of       int     // so many of predictor.resolved made that
}

// add takes in a finished test.
func (p *predictor) add(i *item) {
	p.alone = singled(p.alone, i)
	if i.outcome != Unresolved {
		p.resolved = append(p.resolved, i)
	}
}

// onPath takes note that the path has come to a test.
func (p *predictor) onPath(i *item) { p.known = singled(p.known, i) }

// singled returns what may be a single cause by the outcome of a finished test, too.
func singled(c Configuration, i *item) Configuration {
	switch i.outcome {
	case Pass:
		return c.Minus(i.config)
	case Fail:
		return c.Intersect(i.config)
	}
	return c
}

// contradictionRate is how likely an outcome is that contradicts others: seldom, for most tests
// are monotone.
const contradictionRate = 0.02

// chances returns how likely the outcomes of an unfinished test are, of which an algorithm
// that does not know of the finished tests expects these. Its cost is a comparison with each test
// that was finished since it was asked last.
func (p *predictor) chances(i *item, expected chances) chances {
	r := &i.prediction
	for ; r.implied == Unresolved && r.compared < len(p.resolved); r.compared++ {
		switch other := p.resolved[r.compared]; {
		case other.outcome == Pass && other.config.Contains(i.config), other.outcome == Fail && i.config.Contains(other.config):
			r.implied = other.outcome
		}
	}
	resolves := 1 - expected[Unresolved]
	switch {
	case r.implied == Pass:
		return chances{expected[Unresolved], resolves * (1 - contradictionRate), resolves * contradictionRate}
	case r.implied == Fail:
		return chances{expected[Unresolved], resolves * contradictionRate, resolves * (1 - contradictionRate)}
	case p.alone.IsEmpty() || p.alone == p.known:
		return expected
	}
	// A single cause explains the outcomes as well as it was likely to lie where it lies
	// now; what is expected otherwise, as one side of a coin for each of them.
	left := p.alone.Len()
	single := 1 / (1 + math.Exp2(-float64(len(p.resolved)-2))*float64(i.config.n)/float64(left))
	if r.of != len(p.resolved) {
		r.of = len(p.resolved)
		r.share = float64(p.alone.Intersect(i.config).Len()) / float64(left)
	}
	fails := max(contradictionRate, min(1-contradictionRate, r.share))
	mixed := expected
	mixed[Pass] += single * (resolves*(1-fails) - expected[Pass])
	mixed[Fail] += single * (resolves*fails - expected[Fail])
	return mixed
}
