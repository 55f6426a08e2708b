package isolate

// quickXplain is the algorithm of Junker, "QuickXplain: Preferred Explanations
// and Relaxations for Over-Constrained Problems" (AAAI 2004), figure 1: it
// splits the elements in two and finds first what is needed of the later half
// when all of the earlier stays, then what is needed of the earlier half beside
// that. Of several causes it finds the one of preferred elements, which are
// those that come early in the order: the latest element in it is as early as
// it can be, then the one before, and so on. Groups are preferred in the same
// way, level by level.
//
// It is right when outcomes are monotone and none is unresolved; unresolved
// ones count as not failing.
//
// Cost: at most 2n trials, and 2d log2(n/d) + 2d for a cause of d.
func quickXplain(s *run) pair {
	return s.descend(pair{Empty(s.n), s.closest.failing}, func(test func(Configuration) Outcome, k int) pair {
		return pair{Empty(k), explain(test, Empty(k), Full(k), false)}
	})
}

// explain returns what of c is needed to fail beside what stays; grown says
// that stays was not tested since it grew. With all of c it fails.
func explain(test func(Configuration) Outcome, stays, c Configuration, grown bool) Configuration {
	if grown && test(stays) == Fail {
		return Empty(c.n)
	}
	if c.Len() == 1 {
		return c
	}
	halves := split(c, 2)
	early, late := halves[0], halves[1]
	lateNeeded := explain(test, stays.Union(early), late, true)
	earlyNeeded := explain(test, stays.Union(lateNeeded), early, !lateNeeded.IsEmpty())
	return earlyNeeded.Union(lateNeeded)
}
