package changepoint

import (
	"math"
	"slices"
)

// levels is how many intervals the values are counted by. Four keep seven eighths of what a normal distribution tells
// of a small difference, and two would keep two thirds.
const levels = 4

// A tally counts values by interval.
type tally [levels]float64

func (t tally) plus(u tally) tally {
	for k := range t {
		t[k] += u[k]
	}
	return t
}

func (t tally) minus(u tally) tally {
	for k := range t {
		t[k] -= u[k]
	}
	return t
}

func (t tally) total() (sum float64) {
	for _, x := range t {
		sum += x
	}
	return sum
}

// prior is what is known of a distribution before it is measured: half a value in each interval, which is Jeffreys' prior
// (Proceedings of the Royal Society A 186, 1946).
const prior = 0.5

// logLikelihood is that of values with one unknown distribution, in their order.
func (t tally) logLikelihood() float64 {
	sum := -logGamma(t.total() + prior*levels)
	for _, x := range t {
		if x > 0 {
			sum += logGamma(x+prior) - logGammaPrior
		}
	}
	return sum
}

var logGammaPrior = logGamma(prior)

func logGamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}

// next is the probability that the next value is in an interval.
func (t tally) next(k int) float64 { return (t[k] + prior) / (t.total() + prior*levels) }

// A segment is a part of the line that has a step. Left are the positions whose values are like those before it, as far
// as they are outside of the segment, and Right likewise; the last of Left and the first of Right are its ends.
type segment struct{ left, right []int }

func (g segment) from() int { return g.left[len(g.left)-1] }
func (g segment) to() int   { return g.right[0] }

// A posterior says where the step of a segment is likely to be.
type posterior struct {
	weight float64 // of a logarithm of a likelihood, as in search
	at     []int   // the measured positions, the two ends included
	counts []tally // their values
	before []tally // the values before the gap that ends at at[i], those outside of the segment included; index 0 is not used
	after  []tally // all others

	mass   []float64 // of the gap that ends at at[i]: of a step at one of its positions
	closed []bool    // no position within the gap can be measured
	total  float64   // logarithm of the likelihood of all values, if there is one step
}

// borders are those of the intervals: the middle between the two ends of a segment, and one spread to either side.
func borders(left, right []float64) [levels - 1]float64 {
	l, r := median(left), median(right)
	s := spread(append(residuals(left), residuals(right)...))
	middle := l/2 + r/2
	return [levels - 1]float64{middle - s, middle, middle + s}
}

func count(values []float64, borders [levels - 1]float64) (t tally) {
	for _, v := range values {
		k := 0
		for k < levels-1 && v > borders[k] {
			k++
		}
		t[k]++
	}
	return t
}

// posterior calculates where the step of a segment is, by all values so far.
func (s *search) posterior(g segment) *posterior {
	left, right := s.values(g.left...), s.values(g.right...)
	cuts := borders(left, right)
	p := &posterior{weight: s.weight, at: s.measured(g.from(), g.to())}
	n := len(p.at)
	outside := count(s.values(g.left[:len(g.left)-1]...), cuts)
	all := outside.plus(count(s.values(g.right[1:]...), cuts))
	for _, at := range p.at {
		c := count(s.values(at), cuts)
		p.counts = append(p.counts, c)
		all = all.plus(c)
	}
	p.before, p.after = make([]tally, n), make([]tally, n)
	p.mass, p.closed = make([]float64, n), make([]bool, n)
	logs := make([]float64, n)
	logs[0] = math.Inf(-1)
	sum := outside
	for i := 1; i < n; i++ {
		sum = sum.plus(p.counts[i-1])
		p.before[i], p.after[i] = sum, all.minus(sum)
		p.closed[i] = s.nearest(p.at[i-1], p.at[i], p.at[i-1]+1) < 0 || s.mostlyUnjudged(p.at[i-1], p.at[i])
		logs[i] = s.weight*(p.before[i].logLikelihood()+p.after[i].logLikelihood()) + math.Log(float64(p.at[i]-p.at[i-1]))
	}
	p.total = logSum(logs) - math.Log(float64(g.to()-g.from()))
	most := logSum(logs)
	for i := 1; i < n; i++ {
		p.mass[i] = math.Exp(logs[i] - most)
	}
	return p
}

// length is how many steps the gap that ends at at[i] has room for.
func (p *posterior) length(i int) float64 { return float64(p.at[i] - p.at[i-1]) }

// likeliest is the gap with the largest mass.
func (p *posterior) likeliest() int {
	best := 1
	for i := range p.mass {
		if p.mass[i] > p.mass[best] {
			best = i
		}
	}
	return best
}

// half is the shortest row of positions around the likeliest gap that has half of the mass.
func (p *posterior) half() (from, to int, mass float64) {
	i := p.likeliest()
	j := i
	for mass = p.mass[i]; mass < 0.5; {
		if j+1 >= len(p.mass) || i > 1 && p.mass[i-1] >= p.mass[j+1] {
			i--
			mass += p.mass[i]
		} else {
			j++
			mass += p.mass[j]
		}
	}
	return p.at[i-1], p.at[j], mass
}

const (
	// oddsOfTwo is how likely a segment has two steps, if one with one step has the probability 1.
	oddsOfTwo = 0.1
	// sureOfTwo is the odds from which on a segment is taken to have two.
	sureOfTwo = 100
)

// two reports whether the segment has two steps rather than one, and with which probability each of the measured
// positions then lies between them.
func (p *posterior) two() (inside []float64, found bool) {
	n := len(p.at)
	if n < 3 {
		return nil, false
	}
	whole := p.before[1].plus(p.after[1])
	before, after := make([]float64, n), make([]float64, n) // logarithms of likelihoods
	for i := 1; i < n; i++ {
		before[i] = p.weight*p.before[i].logLikelihood() + math.Log(p.length(i))
		after[i] = p.weight*p.after[i].logLikelihood() + math.Log(p.length(i))
	}
	type pair struct {
		first, last int
		log         float64
	}
	var pairs []pair
	most := math.Inf(-1)
	for a := 1; a < n; a++ {
		for b := a + 1; b < n; b++ {
			log := before[a] + p.weight*whole.minus(p.before[a]).minus(p.after[b]).logLikelihood() + after[b]
			pairs = append(pairs, pair{a, b - 1, log})
			most = max(most, log)
		}
	}
	inside = make([]float64, n)
	sum := 0.0
	for _, x := range pairs {
		share := math.Exp(x.log - most)
		sum += share
		if share < 1e-9 {
			continue
		}
		for k := x.first; k <= x.last; k++ {
			inside[k] += share
		}
	}
	for k := range inside {
		inside[k] /= sum
	}
	span := float64(p.at[n-1] - p.at[0])
	odds := most + math.Log(sum) - math.Log(max(span*(span-1)/2, 1)) + math.Log(oddsOfTwo) - p.total
	return inside, odds > math.Log(sureOfTwo)
}

// logSum is the logarithm of the sum of what list has the logarithms of.
func logSum(list []float64) float64 {
	most := slices.Max(list)
	if math.IsInf(most, -1) {
		return most
	}
	sum := 0.0
	for _, x := range list {
		sum += math.Exp(x - most)
	}
	return most + math.Log(sum)
}
