package isolate

// causes says how likely it is, in proportion, that so many causes are still
// to be found between a pair: one, two, about four and about eight, for as long
// as the list goes.
type causes []float64

// remaining returns that for a narrowing after so many fixed elements: one for the first two,
// which promises that one cause and two take no more trials than halving does;
// then as if there were d causes in proportion to 1/d².
func remaining(fixed int) causes {
	if fixed < 2 {
		return causes{1}
	}
	square := func(d int) float64 { return float64(d+fixed) * float64(d+fixed) }
	return causes{1 / square(1), 1 / square(2), 3 / square(4), 6 / square(8)}
}

// within returns how likely all causes lie in such a share of the suspects.
func (c causes) within(share float64) float64 {
	sum, power := 0.0, share
	for _, p := range c {
		sum += p * power
		power *= power
	}
	return sum
}

// mass returns that of the suspects.
func (n *narrowing) mass() float64 { return n.members.massBefore(n.n) }

// fails returns how likely a configuration fails, if it resolves, that holds
// such a mass of the suspects: the causes lie within it and not within what
// passed, given that they lie within what failed and not within what passed.
func (n *narrowing) fails(mass float64) float64 {
	if len(n.causes) == 1 {
		return mass / n.mass()
	}
	least := n.causes.within(n.passed / n.all)
	most := n.causes.within((n.passed + n.mass()) / n.all)
	return (n.causes.within((n.passed+mass)/n.all) - least) / (most - least)
}
