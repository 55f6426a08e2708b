package isolate

import "slices"

// dd2 is the isolating algorithm dd of Zeller and Hildebrandt, "Simplifying
// and Isolating Failure-Inducing Input" (IEEE TSE 28(2), 2002), section 5: it
// moves a passing and a failing set towards each other until no single element
// of their difference can move. (It is called dd2 here because dd is the
// algorithm of 1999.) Its cases are tried in the order of the paper, each for
// all parts. With two parts one complements the other, so that one resolved
// outcome decides: this makes it the binary search that the paper promises.
//
// With interacting causes it finds one of them. A difference of more than one
// element means that all its neighbours are unresolved.
//
// Cost: at most n²+7n trials, and log2 n (rounded up) when nothing is unresolved.
func dd2(s *run) pair {
	return s.descend(s.closest, dd2Over)
}

func dd2Over(test func(Configuration) Outcome, k int) pair {
	p, f := Empty(k), Full(k)
	parts := split(f, min(2, k))
	exists := func(holds func(part Configuration) bool) int { return slices.IndexFunc(parts, holds) }
	// Invariant: p passes, f fails, and parts are a partition of f - p.
	for len(parts) > 1 {
		if len(parts) == 2 && test(p.Union(parts[0])) == Pass {
			p = p.Union(parts[0])
			parts = split(parts[1], min(2, parts[1].Len()))
		} else if i := exists(func(part Configuration) bool { return test(p.Union(part)) == Fail }); i >= 0 {
			f = p.Union(parts[i]) // reduce to subset
			parts = split(parts[i], min(2, parts[i].Len()))
		} else if i := exists(func(part Configuration) bool { return test(f.Minus(part)) == Pass }); i >= 0 {
			p = f.Minus(parts[i]) // increase to complement
			parts = split(parts[i], min(2, parts[i].Len()))
		} else if i := exists(func(part Configuration) bool { return test(p.Union(part)) == Pass }); i >= 0 {
			p = p.Union(parts[i]) // increase to subset
			parts = slices.Delete(parts, i, i+1)
		} else if i := exists(func(part Configuration) bool { return test(f.Minus(part)) == Fail }); i >= 0 {
			f = f.Minus(parts[i]) // reduce to complement
			parts = slices.Delete(parts, i, i+1)
		} else if halves := finer(parts); len(halves) > len(parts) {
			parts = halves // increase granularity
		} else {
			break // done
		}
		if len(parts) == 1 {
			parts = split(parts[0], min(2, parts[0].Len()))
		}
	}
	return pair{p, f}
}
