package btor

import "testing"

// The numbers that the authors' code gives for this seed.
func TestRandomReference(t *testing.T) {
	r := random{1234567}
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := r.next(); got != want {
			t.Errorf("draw %d: %d, want %d", i, got, want)
		}
	}
}

// With n = 3*2^61 the high word alone would give each third number two ways to come
// about, and the others three.
func TestRandomUnbiased(t *testing.T) {
	r := random{1}
	const n, draws = uint64(3 << 61), 30000
	var count [3]int
	for range draws {
		x := r.below64(n)
		if x >= n {
			t.Fatalf("%d is not below %d", x, n)
		}
		count[x%3]++
	}
	for i, c := range count {
		if c < draws/3-400 || c > draws/3+400 { // 5 deviations; biased it is 2500 off
			t.Errorf("%d of %d are %d modulo 3", c, draws, i)
		}
	}
}

func TestRandomRanges(t *testing.T) {
	r := random{2}
	var below, between [4]int
	percent := 0
	for range 4000 {
		below[r.below(4)]++
		between[r.between(5, 8)-5]++
		if r.percent(25) {
			percent++
		}
		if r.below(1) != 0 || r.percent(0) || !r.percent(100) {
			t.Fatal("a certain draw is not")
		}
	}
	for i := range 4 {
		if below[i] < 850 || below[i] > 1150 || between[i] < 850 || between[i] > 1150 {
			t.Errorf("%d of 4: drawn %d and %d times of 4000", i, below[i], between[i])
		}
	}
	if percent < 850 || percent > 1150 {
		t.Errorf("25 %%: %d of 4000", percent)
	}
}
