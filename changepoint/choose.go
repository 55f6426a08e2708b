package changepoint

import (
	"math"
	"slices"
)

// heavy is how many gaps are looked at for the next run: those with the largest mass.
const heavy = 3

// choose returns the position whose next value is expected to leave the least entropy of where the step is: a new one
// in one of the likeliest gaps, one of their ends, or an end of the segment. choose never returns the position of the last
// run, so that both sides of the step are measured while the machine is busy.
func (p *posterior) choose(s *search) int {
	last := -1
	if n := len(s.runs); n > 0 {
		last = s.runs[n-1].Position
	}
	gaps := make([]int, 0, len(p.mass))
	for i := 1; i < len(p.mass); i++ {
		gaps = append(gaps, i)
	}
	slices.SortStableFunc(gaps, func(a, b int) int {
		switch {
		case p.mass[a] > p.mass[b]:
			return -1
		case p.mass[a] < p.mass[b]:
			return 1
		}
		return 0
	})
	gaps = gaps[:min(heavy, len(gaps))]
	known := []int{0, len(p.at) - 1} // indices of at
	best, least := -1, math.Inf(1)
	for _, i := range gaps {
		known = append(known, i-1, i)
		if p.closed[i] {
			continue
		}
		at := s.nearest(p.at[i-1], p.at[i], p.middle(i))
		if h := p.expected(i, at); h < least {
			best, least = at, h
		}
	}
	slices.Sort(known)
	for _, k := range slices.Compact(known) {
		if p.at[k] == last {
			continue
		}
		if h := p.expected(k, p.at[k]); h < least-1e-12 {
			best, least = p.at[k], h
		}
	}
	return best
}

// middle is the position within the gap that ends at at[i] before which the step is with a probability nearest to a half.
func (p *posterior) middle(i int) int {
	earlier := 0.0
	for j := 1; j < i; j++ {
		earlier += p.mass[j]
	}
	share := (0.5 - earlier) / p.mass[i]
	if earlier >= 0.5 || share >= 1 { // the median is in another gap
		share = 0.5
	}
	return p.at[i-1] + int(math.Round(share*p.length(i)))
}

// expected is the entropy that is left on average after one more value of a position, which is at[i], or a new one in
// the gap that ends there.
func (p *posterior) expected(i, position int) float64 {
	isNew := position != p.at[i]
	sum := 0.0
	for k := range levels {
		whole, entropy := 0.0, 0.0 // entropy = -sum of m log(m / length)
		add := func(mass, length, likely float64, closed bool) {
			m := mass * likely
			if m <= 0 {
				return
			}
			whole += m
			if closed {
				length = 1
			}
			entropy -= m * math.Log(m/length)
		}
		for j := 1; j < len(p.at); j++ {
			ifBefore, ifAfter := p.before[j].next(k), p.after[j].next(k) // if the position is before the step, and after it
			switch {
			case isNew && j == i:
				first := float64(position - p.at[j-1])
				length := p.length(j)
				add(p.mass[j]*first/length, first, ifAfter, false)
				add(p.mass[j]*(length-first)/length, length-first, ifBefore, false)
			case j > i:
				add(p.mass[j], p.length(j), ifBefore, p.closed[j])
			default:
				add(p.mass[j], p.length(j), ifAfter, p.closed[j])
			}
		}
		if whole > 0 {
			sum += entropy + whole*math.Log(whole)
		}
	}
	return sum
}
