package isolate

import (
	"fmt"
	"math"
)

// A Tally counts the attempts of one test by outcome.
type Tally struct{ Pass, Fail, Unresolved int }

// Total is the number of attempts.
func (t Tally) Total() int { return t.Pass + t.Fail + t.Unresolved }

// resolved is the number of attempts that say something.
func (t Tally) resolved() int { return t.Pass + t.Fail }

// with returns the tally with one more attempt.
func (t Tally) with(o Outcome) Tally {
	switch o {
	case Pass:
		t.Pass++
	case Fail:
		t.Fail++
	default:
		t.Unresolved++
	}
	return t
}

func (t Tally) plus(u Tally) Tally {
	return Tally{t.Pass + u.Pass, t.Fail + u.Fail, t.Unresolved + u.Unresolved}
}

// A beta is what is known of the rate at which a test fails: a Beta
// distribution. Nothing known is Jeffreys' prior, half an attempt each.
type beta struct{ pass, fail float64 }

func (t Tally) beta() beta { return beta{0.5 + float64(t.Pass), 0.5 + float64(t.Fail)} }

func (b beta) after(t Tally) beta {
	return beta{b.pass + float64(t.Pass), b.fail + float64(t.Fail)}
}

// fails returns how likely the next attempt fails.
func (b beta) fails() float64 { return b.fail / (b.pass + b.fail) }

// logLikelihood returns the logarithm of how likely the resolved attempts of a
// tally are, in their order: the mean over the distribution, not the value at its
// mean, so that a short calibration does not pretend to be certain.
func (b beta) logLikelihood(t Tally) float64 {
	return logBeta(b.pass+float64(t.Pass), b.fail+float64(t.Fail)) - logBeta(b.pass, b.fail)
}

// table returns logLikelihood for tallies up to a total.
func (b beta) table(most int) func(pass, fail int) float64 {
	rising := func(x float64) []float64 {
		sums := make([]float64, most+1)
		for i := range most {
			sums[i+1] = sums[i] + math.Log(x+float64(i))
		}
		return sums
	}
	pass, fail, both := rising(b.pass), rising(b.fail), rising(b.pass+b.fail)
	return func(p, f int) float64 { return pass[p] + fail[f] - both[p+f] }
}

// logBeta returns the logarithm of the Beta function.
func logBeta(a, b float64) float64 {
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	return la + lb - lab
}

// logDistinct returns the logarithm of how many times likelier two tallies are
// if they have two rates than if they have one, the Bayes factor.
func logDistinct(a, b Tally) float64 {
	none := Tally{}.beta()
	return none.logLikelihood(a) + none.logLikelihood(b) - none.logLikelihood(a.plus(b))
}

// String says how many attempts have passed, failed and not resolved, leaving
// out those that there are none of.
func (t Tally) String() string {
	s := ""
	for _, part := range []struct {
		n    int
		what string
	}{{t.Pass, "passes"}, {t.Fail, "fails"}, {t.Unresolved, "is unresolved"}} {
		if part.n == 0 {
			continue
		}
		if s != "" {
			s += ", "
		}
		s += fmt.Sprintf("%s %d of %d times", part.what, part.n, t.Total())
	}
	if s == "" {
		return "not tried"
	}
	return s
}
