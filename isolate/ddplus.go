package isolate

// ddPlus is dd+, the second algorithm of Zeller, "Yesterday, my program
// worked. Today, it does not. Why?" (ESEC/FSE 1999), section 4, which copes
// with unresolved outcomes by trying smaller parts and their complements.
//
// Its preference rule applies all that is known to be safe and never looks
// into it again, so with unresolved outcomes it may find one of several
// interacting causes only. A part that passed stays applied, but remains among
// the changes that are searched, as in the paper; see ddPlusShrink.
//
// Cost: at most n²+3n trials; as dd when nothing is unresolved.
func ddPlus(s *run) pair { return s.plus(false) }

// ddPlusShrink is ddPlus with two changes that are ours. A part that passed is
// applied and no longer searched. And where n parts are single elements and
// something was ruled out, what is left is searched again, because
// more is applied now, while the paper ends there. On the problems of docs/search.md
// it takes as many trials as ddPlus, to as many complete answers.
//
// Cost: at most n²+3n trials; as dd when nothing is unresolved.
func ddPlusShrink(s *run) pair { return s.plus(true) }

func (s *run) plus(shrink bool) pair {
	return s.descend(s.closest, func(test func(Configuration) Outcome, k int) pair {
		return pair{Empty(k), searchPlus(test, shrink, Full(k), Empty(k), min(2, k))}
	})
}

// searchPlus searches in c, cut into n parts, while r stays applied: dd3 of the
// paper, whose cases are named here as there. Complements are only tested where
// the case depends on them.
func searchPlus(test func(Configuration) Outcome, shrink bool, c, r Configuration, n int) Configuration {
	if c.Len() == 1 {
		return c // found
	}
	parts := split(c, n)
	outcomes := make([]Outcome, n)
	for i, part := range parts {
		if outcomes[i] = test(part.Union(r)); outcomes[i] == Fail { // found in c_i
			return searchPlus(test, shrink, part, r, 2)
		}
	}
	kept, applied := c, r // c' and r' of the paper
	preferred := -1
	for i, part := range parts {
		if preferred >= 0 && outcomes[i] != Pass {
			continue // only interference could still go before the preference
		}
		rest := c.Minus(part)
		switch test(rest.Union(r)) {
		case Pass:
			if outcomes[i] == Pass { // interference
				return searchPlus(test, shrink, part, rest.Union(r), 2).Union(
					searchPlus(test, shrink, rest, part.Union(r), 2))
			}
			if preferred < 0 {
				preferred = i
			}
		case Fail:
			kept = kept.Minus(part)
		}
		if outcomes[i] == Pass {
			applied = applied.Union(part)
			if shrink {
				kept = kept.Minus(part)
			}
		}
	}
	if preferred >= 0 { // preference: the rest is safe, so search with it applied
		return searchPlus(test, shrink, parts[preferred], c.Minus(parts[preferred]).Union(r), 2)
	}
	switch {
	case kept.IsEmpty():
		return c // the outcomes contradict each other; nothing can be inferred from them
	case n < c.Len() || shrink && kept != c: // try again
		return searchPlus(test, shrink, kept, applied, min(kept.Len(), 2*n))
	}
	return kept // nothing left
}
