package isolate

import "slices"

// wdd is W_ddmin of Zhou, Xu, Zhang, Tian and Sun, "WDD: Weighted Delta
// Debugging" (ICSE 2025), section 3: it is ddmin with parts of about the same
// weight instead of the same number of elements. Elements weigh what
// Problem.Weights says, and groups what their elements do together.
// Unresolved outcomes count as not failing.
//
// The paper begins again at the first part after each success; here the sweep
// goes on where it was and ends when none of the parts can go, as in ddmin.
//
// Cost: at most n²+13n trials, and 2 log2 n for one cause of equal weights.
func wdd(s *run) pair { return s.reduce(wddOver) }

func wddOver(test func(Configuration) Outcome, weights []int) Configuration {
	c := Full(len(weights))
	parts := []Configuration{c}
	// Invariant: c fails, and the parts are disjoint subsets of it. The rest
	// of it are elements that were parts of their own.
	for {
		if parts = halves(parts, weights); len(parts) == 0 {
			break
		}
		if i := slices.IndexFunc(parts, func(part Configuration) bool { return test(part) == Fail }); i >= 0 {
			c, parts = parts[i], parts[i:i+1]
			continue
		}
		c, parts = leaveOut(test, c, parts)
	}
	singles := make([]Configuration, 0, c.Len())
	for i := range c.All() {
		singles = append(singles, Of(c.n, i))
	}
	c, _ = leaveOut(test, c, singles)
	return c
}

// leaveOut takes parts out of c, which fails, as long as it fails without one
// of them. It returns what is left of c, and of the parts.
func leaveOut(test func(Configuration) Outcome, c Configuration, parts []Configuration) (Configuration, []Configuration) {
	needed := 0 // so many parts, the last ones before the next, were tried since c changed
	for next := 0; needed < len(parts); {
		next %= len(parts)
		if rest := c.Minus(parts[next]); test(rest) == Fail {
			c, parts, needed = rest, slices.Delete(parts, next, next+1), 0
		} else {
			next, needed = next+1, needed+1
		}
	}
	return c, parts
}

// halves cuts every part in two; those of one element vanish.
func halves(parts []Configuration, weights []int) []Configuration {
	var out []Configuration
	for _, part := range parts {
		if n := part.Len(); n > 1 {
			middle := middle(part, weights)
			out = append(out, part.slice(0, middle), part.slice(middle, n))
		}
	}
	return out
}

// middle returns how many elements of a part make up its first half: as many
// as are lighter than half of its weight, and one more if that brings them
// closer to it. As no weight is below 1, neither half is empty.
func middle(part Configuration, weights []int) int {
	target := 0
	for i := range part.All() {
		target += weights[i]
	}
	target /= 2
	sum, size := 0, 0
	for i := range part.All() {
		with := sum + weights[i]
		if size > 0 && with > target {
			if target-sum >= with-target {
				size++
			}
			break
		}
		sum, size = with, size+1
	}
	return size
}

// wProbDD is W_ProbDD of the same paper, section 4: it is ProbDD, which leaves
// out first what is expected to save the most weight. Initially each of n
// elements is needed with probability 2/n, as in probDDSparse. An element that
// is settled is never chosen again, be it ever so heavy.
//
// Cost: at most 5n²+2n trials, for the weights can be such that a part is
// almost sure to be needed; with equal weights as probDDSparse.
func wProbDD(s *run) pair { return s.reduce(weighing(s.prior(sparse))) }

// weighing returns W_ProbDD.
func weighing(p prior) func(func(Configuration) Outcome, []int) Configuration {
	return func(test func(Configuration) Outcome, weights []int) Configuration {
		return reduceBelieving(test, newBelief(weights, p))
	}
}
