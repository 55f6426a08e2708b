package isolate

// dd is the first algorithm of Zeller, "Yesterday, my program worked. Today,
// it does not. Why?" (ESEC/FSE 1999), section 3. It finds a minimal set of
// changes when the outcomes are monotone, unambiguous and consistent, which
// means that none is unresolved; under other outcomes an unresolved one counts
// as a pass, and the answer is only as good as the pair that was tested.
//
// Cost: at most 2 log2 n trials for one cause, linear if all changes interfere.
func dd(s *run) pair {
	return s.descend(s.closest, func(test func(Configuration) Outcome, k int) pair {
		return pair{Empty(k), search1999(test, Full(k), Empty(k))}
	})
}

// search1999 searches in c while r stays applied.
func search1999(test func(Configuration) Outcome, c, r Configuration) Configuration {
	if c.Len() == 1 {
		return c // found
	}
	parts := split(c, 2)
	c1, c2 := parts[0], parts[1]
	switch {
	case test(c1.Union(r)) == Fail: // found in c1
		return search1999(test, c1, r)
	case test(c2.Union(r)) == Fail: // found in c2
		return search1999(test, c2, r)
	}
	// Interference: it takes both halves. Search each while the other stays.
	return search1999(test, c1, c2.Union(r)).Union(search1999(test, c2, c1.Union(r)))
}

// split cuts c into n parts of nearly equal size, in order; n is at most c.Len().
func split(c Configuration, n int) []Configuration {
	size := c.Len()
	parts := make([]Configuration, n)
	for i := range parts {
		parts[i] = c.slice(i*size/n, (i+1)*size/n)
	}
	return parts
}
