package isolate

import (
	"math"
	"slices"
)

// What a screening takes the outcomes of its masks for.
const (
	listed       = 48  // suspects of which sets are listed, at most
	mostTogether = 4   // in a set
	confident    = 0.8 // that there is a single cause
)

// look says what the outcomes so far leave. Its cost is a look at each passing mask.
func (x *screening) look() finding {
	var f finding
	total := 0.0
	for i, s := range sizes {
		p := s.share * math.Exp(x.explain[i])
		if i == 0 {
			p = s.share * float64(x.alone.Len()) / float64(x.n)
		}
		f.sizes = append(f.sizes, p)
		total += p
	}
	for i := range f.sizes {
		if total > 0 {
			f.sizes[i] /= total
		} else {
			f.sizes[i] = sizes[i].share
		}
	}
	if f.sizes[0] >= confident {
		if x.alone.Len() <= x.jobs {
			for e := range x.alone.All() {
				f.sets = append(f.sets, Of(x.n, e))
			}
			f.sets = x.untested(f.sets)
		}
		f.sure = len(f.sets) > 0 && len(f.sets) <= 3
		return f
	}
	if x.presumed.Len() > listed {
		return f
	}
	f.sets = x.untested(x.sets(slices.Collect(x.presumed.All())))
	f.sure = len(f.sets) == 1
	return f
}

// core returns a set with what it requires; or, if that was unresolved, the smallest
// failing configuration without all other suspects.
func (x *screening) core(set Configuration) Configuration {
	c := x.required(set, Full(x.n))
	if o, known := x.seen[c]; known && o == Unresolved {
		c = x.smallest.Minus(x.dependents(x.presumed.Minus(set), x.smallest))
	}
	return c
}

// untested leaves out sets whose cores were unresolved: those that passed are no
// explanation.
func (x *screening) untested(sets []Configuration) []Configuration {
	return slices.DeleteFunc(sets, func(c Configuration) bool {
		_, known := x.seen[x.core(c)]
		return known
	})
}

// sets returns the smallest sets of some suspects that no passing mask holds.
func (x *screening) sets(suspects []int) []Configuration {
	in := make([]bitset, len(suspects)) // of each the passing masks that hold it
	all := newBitset(len(x.passed))
	for i := range x.passed {
		all.add(i)
	}
	for k, e := range suspects {
		in[k] = newBitset(len(x.passed))
		for i, c := range x.passed {
			if c.Has(e) {
				in[k].add(i)
			}
		}
	}
	var found []Configuration
	const most = 200
	var chosen []int
	var extend func(from, left int, held bitset)
	extend = func(from, left int, held bitset) {
		if left == 0 {
			if held.isEmpty() && len(found) < most {
				found = append(found, Of(x.n, chosen...))
			}
			return
		}
		for k := from; k <= len(suspects)-left && len(found) < most; k++ {
			next := slices.Clone(held)
			next.intersect(in[k])
			chosen = append(chosen, suspects[k])
			extend(k+1, left-1, next)
			chosen = chosen[:len(chosen)-1]
		}
	}
	for size := 1; size <= min(mostTogether, len(suspects)) && len(found) == 0; size++ {
		extend(0, size, all)
	}
	if len(found) == 0 && len(suspects) > 0 && len(suspects) <= 2*mostTogether {
		found = append(found, Of(x.n, suspects...))
	}
	return found
}
