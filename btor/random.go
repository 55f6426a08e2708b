package btor

import "math/bits"

// A random is splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom
// Number Generators", OOPSLA 2014, section 4, with the mixer of its public code):
// one word of state, the same numbers on every platform. It is ours so that no
// release of a library can change what a seed generates.
type random struct{ state uint64 }

// next returns 64 random bits.
func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number of 0..n-1, n >= 1, each as likely as the others.
func (r *random) below(n int) int { return int(r.below64(uint64(n))) }

// below64 takes the high word of n times 64 random bits, and draws again where the
// low word says that this number has one more way to come about than others
// (Lemire, "Fast Random Integer Generation in an Interval", TOMACS 2019, algorithm
// 5). It takes one draw but for n in 2^64.
func (r *random) below64(n uint64) uint64 {
	for {
		high, low := bits.Mul64(r.next(), n)
		if low >= n || low >= -n%n {
			return high
		}
	}
}

// between returns a number of low..high, both included.
func (r *random) between(low, high int) int { return low + r.below(high-low+1) }

// percent is true that often of a hundred times.
func (r *random) percent(chance int) bool { return r.below(100) < chance }
