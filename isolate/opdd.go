package isolate

import "slices"

// opdd is One Pass Delta Debugging after Gharachorlu and Sumner, "Avoiding the
// Familiar to Speed Up Test Case Reduction" (QRS 2018), which visits no part twice: it
// leaves out each half of the list once, then each half of what has stayed of these,
// and so on down to single elements, and never goes back after a success. (We know it
// from its abstract and from descriptions by others.)
//
// Cost: at most 2n trials; 2 log2 n for one element that stays. When one element can go
// only after one that was tried later, it stays; the certificate finds it.
func opdd(test func(Configuration) Outcome, weights []int) Configuration {
	c := Full(len(weights))
	parts := []Configuration{c}
	// Invariant: c fails, and the parts are a partition of it.
	for len(parts) < c.Len() {
		parts = finer(parts)
		parts = slices.DeleteFunc(parts, func(part Configuration) bool {
			if test(c.Minus(part)) != Fail {
				return false
			}
			c = c.Minus(part)
			return true
		})
	}
	return c
}
