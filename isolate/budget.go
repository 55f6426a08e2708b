package isolate

// A budget counts the tests that are started ahead of the path, within
// Options.MaxCost.
//
// Invariant: of the tests that were started, all but spare + wasted are on the path, or
// are going to be; and these are at most most, if that is a limit.
type budget struct {
	most   int     // Options.MaxCost
	spare  int     // tests that run or are finished, and that the path may come to
	wasted int     // it will not, in all likelihood
	shelf  []*item // those of spare that are finished
}

// affords reports whether another test may be started ahead. Half of what is left is
// kept for later: workers that look ahead tell as many bits as the logarithm of their
// number, so a few of them each time are worth more than many once.
func (s *budget) affords() bool {
	return s.most == 0 || s.spare < (s.most-s.wasted+1)/2
}

// spend takes note that a test is started ahead.
func (s *budget) spend(i *item) {
	i.ahead = true
	s.spare++
}

// reached takes note that the path has come to a configuration, or is going to: a test
// of it costs nothing that it would not have cost.
func (s *budget) reached(i *item) {
	if i.ahead {
		i.ahead = false
		s.spare--
	}
}

// waste takes note that the path is not going to come to a configuration.
func (s *budget) waste(i *item) {
	if i.ahead {
		i.ahead = false
		s.spare--
		s.wasted++
	}
}

// shelve takes note that a test is finished.
func (s *budget) shelve(i *item) {
	if i.ahead && s.most > 0 {
		s.shelf = append(s.shelf, i)
	}
}

// review writes off what is finished and not wanted any more.
func (s *budget) review(wants func(*item) bool) {
	left := s.shelf[:0]
	for _, i := range s.shelf {
		if i.ahead && !wants(i) {
			s.waste(i)
		}
		if i.ahead {
			left = append(left, i)
		}
	}
	s.shelf = left
}
