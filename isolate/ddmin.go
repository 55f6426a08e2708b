package isolate

import "slices"

// ddmin is the minimising algorithm of Zeller and Hildebrandt, "Simplifying
// and Isolating Failure-Inducing Input" (IEEE TSE 28(2), 2002), section 3: it
// finds a failing set of which no single element can be left out. Unresolved
// outcomes count as not failing.
//
// The paper cuts again after each step. Here the parts keep their borders
// after a complement has failed, which is the same when they are equally
// large, and the sweep goes on where it was instead of at the first part: so
// subsets are known and complements are not asked twice for the same reason.
//
// Cost: at most n²+3n trials; 2 log2 n for one cause when nothing is unresolved.
func ddmin(s *run) pair { return s.descend(pair{Empty(s.n), s.closest.failing}, ddminOver) }

func ddminOver(test func(Configuration) Outcome, k int) pair {
	c := Full(k)
	parts := split(c, min(2, k))
	next := 0 // the part whose complement is next
	// Invariant: c fails, and parts are a partition of it.
	for c.Len() > 1 {
		if i := slices.IndexFunc(parts, func(part Configuration) bool { return test(part) == Fail }); i >= 0 {
			c = parts[i] // reduce to subset
			parts, next = split(c, min(2, c.Len())), 0
			continue
		}
		parts = slices.Concat(parts[next:], parts[:next])
		next = 0
		if i := slices.IndexFunc(parts, func(part Configuration) bool { return test(c.Minus(part)) == Fail }); i >= 0 {
			c = c.Minus(parts[i]) // reduce to complement
			parts, next = slices.Delete(parts, i, i+1), i
			continue
		}
		if len(parts) == c.Len() {
			break // done: c fails, and without any one element it does not
		}
		parts = finer(parts) // increase granularity
	}
	return pair{Empty(k), c}
}

// finer cuts every part that has more than one element in two, and puts the
// parts in order.
func finer(parts []Configuration) []Configuration {
	var halves []Configuration
	for _, part := range parts {
		halves = append(halves, split(part, min(2, part.Len()))...)
	}
	slices.SortFunc(halves, func(a, b Configuration) int { return a.first() - b.first() })
	return halves
}
