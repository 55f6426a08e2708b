package isolate

import "math"

// A Density is what earlier lists have taught about how many elements of a list
// stay; the zero value means that nothing is known. Pass it from one list to the
// next list of the same kind, which then need not learn it again.
type Density struct {
	evidence evidence
	kept     float64 // elements that stayed, of which the evidence comes
}

// fewKept is how many elements that stayed in lists before count in the next one.
const fewKept = 4

// shrunk returns as much of it as counts in another list.
func (d Density) shrunk() Density {
	if d.kept <= fewKept {
		return d
	}
	return Density{evidence{}.plus(&d.evidence, fewKept/d.kept), fewKept}
}

// Elements stay or go one after another, from the last to the first, as a Markov
// chain does: with one probability behind an element that has gone, with another
// behind one that has stayed, for what is needed lies together. Nobody knows the
// two, so each is a distribution over these odds, which the outcomes sharpen.
const (
	oddsCells = 48
	leastOdds = -20.0 // log2
	mostOdds  = 4.0
)

// Two contexts, by what became of the element before.
const (
	behindGone = iota
	behindKept
)

// An element that weighs more may be likelier to hold something needed. How much
// likelier is learned as well: it has as many chances to be needed as its weight to
// the power of one of these.
var scalings = [...]float64{0, 0.5, 1}

// evidence holds, for each scaling, context and odds, the logarithm of how likely
// what was seen is. It adds up.
type evidence [len(scalings)][2][oddsCells]float64

// goesAt is the logarithm of the probability that an element goes, for each odds.
var goesAt = func() (goes [oddsCells]float64) {
	for k := range goes {
		goes[k] = -math.Log1p(math.Exp2(leastOdds + (mostOdds-leastOdds)*float64(k)/(oddsCells-1)))
	}
	return goes
}()

// take notes that an element with so many chances to be needed stayed, or that
// elements with so many chances together went.
func (e *evidence) take(context int, chances [len(scalings)]float64, stayed bool) {
	var seen [oddsCells]float64
	for a := range scalings {
		for k, goes := range goesAt {
			if a == 0 || chances[a] != chances[a-1] {
				seen[k] = goes * chances[a]
				if stayed {
					seen[k] = math.Log(-math.Expm1(seen[k]))
				}
			}
			e[a][context][k] += seen[k]
		}
	}
}

// plus adds e, so many times.
func (e evidence) plus(f *evidence, times float64) evidence {
	for a := range e {
		for c := range e[a] {
			for k := range e[a][c] {
				e[a][c][k] += times * f[a][c][k]
			}
		}
	}
	return e
}

// A forecast says how likely elements go, by the evidence and what is expected
// beforehand.
type forecast struct {
	share [len(scalings)]float64               // how likely each scaling is
	odds  [len(scalings)][2][oddsCells]float64 // given it, how likely each odds are in each context
}

// newForecast expects nothing in particular of n elements before the evidence: any
// order of magnitude of odds is as likely as any other, from half an element of
// them all up to most of them.
func newForecast(n int, e *evidence, weighted bool) *forecast {
	f := &forecast{}
	least := [2]float64{-math.Log2(float64(2*n + 2)), -6}
	expected := func(c, k int) bool {
		return leastOdds+(mostOdds-leastOdds)*float64(k)/(oddsCells-1) >= least[c]
	}
	most := [2]float64{math.Inf(-1), math.Inf(-1)} // against underflow
	for a := range e {
		for c := range e[a] {
			for k, l := range e[a][c] {
				if expected(c, k) {
					most[c] = max(most[c], l)
				}
			}
		}
	}
	total := 0.0
	for a := range scalings {
		if a > 0 && !weighted {
			break
		}
		f.share[a] = 1
		for c := range f.odds[a] {
			odds := &f.odds[a][c]
			sum := 0.0
			for k := range odds {
				if expected(c, k) {
					odds[k] = math.Exp(e[a][c][k] - most[c])
					sum += odds[k]
				}
			}
			f.share[a] *= sum
			for k := range odds {
				odds[k] /= max(sum, math.SmallestNonzeroFloat64)
			}
		}
		total += f.share[a]
	}
	for a := range f.share {
		f.share[a] /= total
	}
	return f
}

// gone returns how likely elements all go, the first of them in this context:
// first and rest are the chances of the first one and of the others.
func (f *forecast) gone(context int, first, rest *[len(scalings)]float64) float64 {
	p := 0.0
	for a, share := range f.share {
		if share == 0 {
			continue
		}
		p += share * power(&f.odds[a][context], first[a]) * power(&f.odds[a][behindGone], rest[a])
	}
	return p
}

// power is the expectation of the probability of going to the power of chances.
func power(odds *[oddsCells]float64, chances float64) float64 {
	if chances == 0 {
		return 1
	}
	p := 0.0
	for k, w := range odds {
		if w > 1e-9 {
			p += w * math.Exp(chances*goesAt[k])
		}
	}
	return p
}

// means returns how likely an element of mean weight stays, in each context.
func (f *forecast) means() (stays [2]float64) {
	one := [len(scalings)]float64{1, 1, 1}
	var none [len(scalings)]float64
	return [2]float64{1 - f.gone(behindGone, &one, &none), 1 - f.gone(behindKept, &one, &none)}
}

// stays returns how likely an element of mean weight stays, in the long run.
func (f *forecast) stays() float64 {
	p := f.means()
	return p[behindGone] / (1 - p[behindKept] + p[behindGone])
}

// bits returns the entropy of what becomes of an element of mean weight, in the long
// run: about as many questions.
func (f *forecast) bits() float64 {
	p, kept := f.means(), f.stays()
	return (1-kept)*entropy(p[behindGone]) + kept*entropy(p[behindKept])
}
