package isolate

import "math/bits"

// gbs is generalised binary splitting of Hwang, "A Method for Detecting All
// Defective Members in a Population by Group Testing" (JASA 67, 1972): it
// leaves out groups of about n/d elements, and halves those that hold one of
// the d causes until it has that. It is a yardstick: under monotone outcomes
// no algorithm can need much less, and under others it is lost, for it never
// looks twice; unresolved outcomes count as not failing.
//
// Hwang's algorithm is told d. Here it assumes one cause at first, and twice
// as many each time that so many are not all.
//
// Cost, with log2 n rounded up: at most n(log2 n + 3) trials; log2 n + 1 for
// one cause, d(log2 n + 2) for d of them when d is a power of two, and at most
// twice that for another d.
func gbs(s *run) pair {
	return s.reduce(func(test func(Configuration) Outcome, weights []int) Configuration {
		return splitGroups(test, len(weights), 1)
	})
}

// splitGroups searches n elements for the causes, which it assumes to be so
// many. It asks whether the found ones are all when they are as many, and when
// a group could go. When they are as many, it is Hwang's algorithm and costs at
// most log2 of n over d, plus d-1, trials, beside those that ask this: d at most.
func splitGroups(test func(Configuration) Outcome, n, assumed int) Configuration {
	found, rest := Empty(n), Full(n)
	clean := false // the last group could go, so there may be no cause in the rest
	for !rest.IsEmpty() {
		// Invariant: found and rest together fail, and without an element of
		// found they do not if outcomes are monotone.
		if (clean || found.Len() == assumed) && test(found) == Fail {
			break
		}
		if found.Len() == assumed {
			assumed *= 2
		}
		group := rest.slice(0, groupSize(rest.Len(), assumed-found.Len()))
		if without := rest.Minus(group); test(found.Union(without)) == Fail {
			rest, clean = without, true
			continue
		}
		clean = false
		for group.Len() > 1 {
			// Invariant: the group cannot go as a whole.
			half := group.slice(0, group.Len()/2)
			if without := rest.Minus(half); test(found.Union(without)) == Fail {
				rest, group = without, group.Minus(half)
			} else {
				group = half
			}
		}
		found, rest = found.Union(group), rest.Minus(group)
	}
	return found
}

// groupSize returns how many of n elements to test at once when d of them are
// needed: a power of two that makes both outcomes about equally likely.
func groupSize(n, d int) int {
	if n <= 2*d-2 {
		return 1
	}
	return 1 << (bits.Len(uint((n-d+1)/d)) - 1)
}
