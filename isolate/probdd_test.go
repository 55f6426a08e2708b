package isolate

import (
	"math"
	"slices"
	"testing"
)

func ones(n int) []int { return slices.Repeat([]int{1}, n) }

// The run of FSE 2021, figure 3: statements 1 to 8 at 0.25. Which of equally likely
// ones are left out is chance in the paper, so the test takes those of the figure, and
// holds ProbDD to their number, their expected gain, and what it makes of each outcome.
func TestBeliefOfThePaper(t *testing.T) {
	b := newBelief(ones(8), func(int) float64 { return 0.25 })
	const p1, p2 = .3657, .6119
	for k, row := range []struct {
		out  []int // these statements are left out
		goes bool  // the rest still fails
		want [8]float64
	}{
		{[]int{1, 2, 3, 8}, false, [8]float64{p1, p1, p1, .25, .25, .25, .25, p1}},
		{[]int{4, 5, 6, 7}, true, [8]float64{p1, p1, p1, 0, 0, 0, 0, p1}},
		{[]int{1, 8}, false, [8]float64{p2, p1, p1, 0, 0, 0, 0, p2}},
		{[]int{2, 3}, false, [8]float64{p2, p2, p2, 0, 0, 0, 0, p2}},
		{[]int{2}, true, [8]float64{p2, 0, p2, 0, 0, 0, 0, p2}},
		{[]int{3}, false, [8]float64{p2, 0, 1, 0, 0, 0, 0, p2}},
		{[]int{1}, true, [8]float64{0, 0, 1, 0, 0, 0, 0, p2}},
		{[]int{8}, false, [8]float64{0, 0, 1, 0, 0, 0, 0, 1}},
	} {
		chosen := b.choose()
		if len(chosen) != len(row.out) {
			t.Fatalf("test %d leaves out %v, want as many as %v", k+1, chosen, row.out)
		}
		for i, x := range chosen {
			if other := row.out[i] - 1; math.Abs(b.p[x]-b.p[other]) > tolerance {
				t.Fatalf("test %d leaves out %v of %.4f, want %v", k+1, chosen, b.p, row.out)
			}
		}
		last := func(x int) int { // those of the figure first
			if slices.Contains(row.out, x+1) {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(b.doubted, func(x, y int) int { return last(x) - last(y) })
		if row.goes {
			b.remove(len(row.out))
		} else {
			b.refute(len(row.out))
		}
		for i, p := range row.want {
			if math.Abs(b.p[i]-p) > 0.00005 {
				t.Fatalf("after test %d: %.4f, want %.4f", k+1, b.p, row.want)
			}
		}
	}
	if len(b.doubted) > 0 {
		t.Errorf("in doubt at the end: %v", b.doubted)
	}
}

func TestBeliefChooses(t *testing.T) {
	for _, row := range []struct {
		name    string
		p       []float64
		weights []int
		want    []int
	}{
		{"nine and ten at 0.1 tie", slices.Repeat([]float64{.1}, 12), ones(12), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"three and four at 0.25 tie", slices.Repeat([]float64{.25}, 8), ones(8), []int{0, 1, 2, 3}},
		{"the least likely first", []float64{.5, .1, .3, .1}, ones(4), []int{1, 3, 2}},
		{"one above a half", []float64{.7, .6, .6}, ones(3), []int{1}},
		{"what is settled stays", []float64{.9, .8, .7}, ones(3), []int{2}},
		{"nothing left to doubt", []float64{.9, .8}, ones(2), nil},
		{"the largest saving first", []float64{.5, .5, .5}, []int{1, 9, 2}, []int{1}},
		// The first gains 10 and with the next 7.5, but all together 12.3.
		{"a second peak", []float64{.5, .7, 0, 0, 0, 0}, []int{20, 30, 8, 8, 8, 8}, []int{0, 1, 2, 3, 4, 5}},
	} {
		b := newBelief(row.weights, func(int) float64 { return 0 })
		copy(b.p, row.p)
		slices.SortFunc(b.doubted, b.compare)
		b.settle()
		if got := b.choose(); !slices.Equal(got, row.want) {
			t.Errorf("%s: chose %v of %v, want %v", row.name, got, b.doubted, row.want)
		}
	}
}

// All elements of a part that cannot go change by one factor, computed before
// any of them changes: ten at 0.1 come to 0.1535 each.
func TestBeliefChangesByOneFactor(t *testing.T) {
	b := newBelief(ones(11), published)
	b.refute(10)
	for i, p := range b.p {
		want := 0.1 / (1 - math.Pow(0.9, 10))
		if i == 10 {
			want = 0.1
		}
		if math.Abs(p-want) > 1e-12 {
			t.Errorf("element %d: %.4f, want %.4f", i, p, want)
		}
	}
	if b.doubted[0] != 10 {
		t.Errorf("the least likely is not the first: %v", b.doubted)
	}
	b.refute(1) // rounding must not bring it above 1
	if b.p[10] > 1 || b.p[10] < settled || slices.Contains(b.doubted, 10) {
		t.Errorf("an element that cannot go alone: %v, doubted %v", b.p[10], b.doubted)
	}
}

func TestSchedule(t *testing.T) {
	for _, row := range []struct {
		p    float64
		want []int
	}{
		{0.1, []int{10, 6, 3, 2, 1}},
		{0.25, []int{4, 2, 1}},
		{0.05, []int{20, 12, 7, 5, 3, 2, 1}},
		{0.5, []int{2, 1}},
		{2.0 / 3, []int{1}},
		{1, []int{1}},
		{2, []int{1}},
	} {
		if got := schedule(row.p); !slices.Equal(got, row.want) {
			t.Errorf("schedule(%v) = %v, want %v", row.p, got, row.want)
		}
	}
	// The sizes have the largest gain there is.
	for _, p := range []float64{0.4, 0.3, 0.123, 0.07, 0.01, 0.0002} {
		size, best := schedule(p)[0], 0.0
		for s := 1; s < 20_000; s++ {
			best = max(best, gain(s, p))
		}
		if gain(size, p) < best*(1-tolerance) {
			t.Errorf("schedule(%v) begins with %d, which is not the best", p, size)
		}
	}
}

// A round of cdd tries every part once, the short one at the end as it is.
func TestCountingDoesNotFillUp(t *testing.T) {
	var tried []string
	counting(published)(func(c Configuration) Outcome {
		tried = append(tried, Full(13).Minus(c).String())
		return Pass
	}, ones(13))
	want := []string{
		"0-9", "10-12",
		"0-5", "6-11", "12",
		"0-2", "3-5", "6-8", "9-11", "12",
		"0-1", "2-3", "4-5", "6-7", "8-9", "10-11", "12",
		"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12",
	}
	if !slices.Equal(tried, want) {
		t.Errorf("left out %v, want %v", tried, want)
	}
}
