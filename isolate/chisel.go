package isolate

import (
	"cmp"
	"math/bits"
	"slices"
)

// chisel is the search of CHISEL, by Heo, Lee, Pashakhanloo and Naik, "Effective Program
// Debloating via Reinforcement Learning" (CCS 2018): it is ddmin, in which a decision tree
// that is learned from the outcomes so far says which part is left out first. As in ddmin
// the list is cut into n parts, at first 2. Those without which the rest most likely fails come
// first, by the share of failing samples in their leaf of the tree. When one is gone, n
// is one less, but at least 2; when none can go, n is doubled, up to single elements. Subsets
// are not tried. The samples are the full list, which fails, and each tested configuration.
// Up to the 100th test the tree is learned anew after each of them, and of those from 100k
// on after each whose number is a multiple of k+1. (We know the algorithm from the authors' program
// of July 2018, aspire-project/chisel e53caf8, delta_debugging.cc and model.cc, and not from
// the text of the paper. The program of today differs: it begins with the halves again after each success.)
//
// The tree tells samples apart by single elements that they have or do not have, grows
// by Gini impurity, and ends where no element makes a leaf purer; of elements that
// are equally good one is always the same. That is the tree of mlpack, which the program uses, with its settings.
//
// There are five differences:
//   - The last elements come first: parts that are equally likely are tried from the last
//     to the first, and of elements that are equally good for the tree the last is taken.
//     The program begins with the first, leaves open in what order equally likely parts are tried,
//     and makes the first parts the longer ones where they cannot all have the same length.
//   - A sample has the elements of the configuration. The program notes those
//     that were left out, and all of them for the full list, which says that all can
//     go together: on the models of docs/reduce.md without ties the tree then saves no trial.
//   - A tree is made of the full list and of the latest 511 samples, of fewer for more than
//     4096 elements, so that samples times elements are 2^21 at most; and it asks for 128 elements at most.
//   - What CHISEL does for C alone is not here: it tests no candidate that lacks what it
//     uses, such as a definition, and takes out variables and labels that nobody uses without a trial.
//   - CHISEL begins again until the program gets no smaller; Minimize has a certificate.
//
// Cost: at most n²+3n trials, and 2 log2 n for one element that stays. Learning a tree and
// ordering the parts, once for each n and after each success, takes about 20 ms for
// 10,000 elements.
func chisel(m *minimization) Configuration {
	c := Full(m.N)
	samples := []sample{{c, true}}
	learned := 0 // so many samples are in the tree
	for n := 2; c.Len() > 1; {
		// Invariant: c fails.
		size, fails := c.Len(), false
		n = min(n, size)
		for _, k := range recalled(m.run, func() []int32 { return ordered(c, n, samples[:learned]) }) {
			rest := c.Minus(c.slice(int(k)*size/n, int(k+1)*size/n))
			if _, known := m.seen[rest]; known {
				continue
			}
			fails = m.test(rest) == Fail
			samples = append(samples, sample{rest, fails})
			if tests := len(samples) - 1; tests <= 100 || tests%(tests/100+1) == 0 {
				learned = len(samples)
			}
			if fails {
				c, n = rest, max(n-1, 2)
				break
			}
		}
		if !fails {
			if n == size {
				break
			}
			n *= 2
		}
	}
	return c
}

// ordered returns the numbers of n parts of c, those first without which it most likely fails.
func ordered(c Configuration, n int, samples []sample) []int32 {
	parts := make([]int32, n)
	for k := range parts {
		parts[k] = int32(n - 1 - k)
	}
	if len(samples) == 0 {
		return parts
	}
	t := grow(samples)
	shares := make([]float64, n)
	for k, part := range split(c, n) {
		shares[k] = t.share(func(element int) bool { return c.Has(element) && !part.Has(element) })
	}
	slices.SortStableFunc(parts, func(a, b int32) int { return cmp.Compare(shares[b], shares[a]) })
	return parts
}

// A sample is a configuration and whether it failed.
type sample struct {
	Configuration
	fails bool
}

// A tree is a decision tree over the elements of configurations.
type tree struct{ branches []branch }

// A branch is a node of a tree; the first one is the root.
type branch struct {
	element       int     // that it asks for; negative = it is a leaf
	with, without int     // where configurations go that have it and that have it not
	share         float64 // of the samples here, so many failed
}

// share returns how likely a configuration fails, if it has these elements.
func (t *tree) share(has func(element int) bool) float64 {
	b := t.branches[0]
	for b.element >= 0 {
		if has(b.element) {
			b = t.branches[b.with]
		} else {
			b = t.branches[b.without]
		}
	}
	return b.share
}

// Bounds on what a tree is made of.
const (
	mostSamples  = 512
	mostFeatures = 1 << 21 // samples times elements
	mostBranches = 128     // that ask
)

// latest returns the first sample and the latest ones, as many as a tree is made of.
func latest(samples []sample) []sample {
	most := max(2, min(mostSamples, mostFeatures/max(1, samples[0].n)))
	if len(samples) <= most {
		return samples
	}
	return slices.Concat(samples[:1], samples[len(samples)-most+1:])
}

// grow learns a tree from samples, of which the first has all elements.
func grow(samples []sample) *tree {
	samples = latest(samples)
	f := newFeatures(samples)
	t := &tree{}
	var masks []bitset // masks[k] = the samples at branch k
	add := func(mask bitset) int {
		all, failed := mask.len(), mask.common(f.failed)
		t.branches = append(t.branches, branch{element: -1, share: float64(failed) / float64(all)})
		masks = append(masks, mask)
		return len(masks) - 1
	}
	everything := newBitset(len(samples))
	for k := range samples {
		everything.add(k)
	}
	add(everything)
	for k, asking := 0, 0; k < len(t.branches) && asking < mostBranches; k++ {
		element, with, ok := f.split(masks[k])
		if !ok {
			continue
		}
		without := slices.Clone(masks[k])
		without.subtract(with)
		asking++
		a, b := add(with), add(without)
		t.branches[k].element, t.branches[k].with, t.branches[k].without = element, a, b
	}
	return t
}

// features says which samples have which elements. Elements that are next to each other and
// in the same samples are one column.
type features struct {
	words   int    // for the bits of one column, one for each sample
	columns bitset // all of them, one after the other
	last    []int  // the last element of each column
	failed  bitset
}

func newFeatures(samples []sample) *features {
	n := samples[0].n
	f := &features{words: (len(samples) + 63) / 64}
	edges := make([]int32, n+1) // is there one at an element; then how many columns are before it
	for _, s := range samples {
		for k := range s.count() {
			edges[s.edge(k)] = 1
		}
	}
	column := int32(0)
	for i, edge := range edges {
		if edge == 1 && i > 0 {
			f.last = append(f.last, i-1)
			column++
		}
		edges[i] = column
	}
	f.columns = make(bitset, len(f.last)*f.words)
	f.failed = newBitset(len(samples))
	for r, s := range samples {
		if s.fails {
			f.failed.add(r)
		}
		for from, to := range s.spans() {
			for k := edges[from]; k < edges[to]; k++ {
				f.column(int(k)).add(r)
			}
		}
	}
	return f
}

// column returns the samples that have the elements of a column.
func (f *features) column(k int) bitset { return f.columns[k*f.words : (k+1)*f.words] }

// split returns the element that makes samples purest when it tells them apart, the last of
// these, and the samples that have it. It is not ok when none does.
func (f *features) split(mask bitset) (element int, with bitset, ok bool) {
	all, failed := mask.len(), mask.common(f.failed)
	if failed == 0 || failed == all {
		return -1, nil, false
	}
	// Gini impurity is least where a²/n + b²/m is largest, if a of n samples failed on one
	// side and b of m on the other. It is kept as a fraction, which is exact.
	numerator, denominator := failed*failed, all
	best := -1
	for k := len(f.last) - 1; k >= 0; k-- {
		n, a := 0, 0
		for w, word := range f.column(k) {
			word &= mask[w]
			n += bits.OnesCount64(word)
			a += bits.OnesCount64(word & f.failed[w])
		}
		m, b := all-n, failed-a
		if n == 0 || m == 0 {
			continue
		}
		if u, v := a*a*m+b*b*n, n*m; u*denominator > numerator*v {
			best, numerator, denominator = k, u, v
		}
	}
	if best < 0 {
		return -1, nil, false
	}
	with = slices.Clone(f.column(best))
	with.intersect(mask)
	return f.last[best], with, true
}
