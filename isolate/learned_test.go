package isolate

import (
	"slices"
	"testing"
)

// Of what a check says, the messages with the fewest explanations are heard, in its order and at least one.
func TestClearest(t *testing.T) {
	for _, c := range []struct{ sizes, want []int }{
		{nil, nil},
		{[]int{3, 1, 2}, []int{3, 1, 2}},
		{[]int{2 * mostExplanations}, []int{2 * mostExplanations}},
		{[]int{2 * mostExplanations, 2 * mostExplanations}, []int{2 * mostExplanations}},
		{[]int{2 * mostExplanations, 1, mostExplanations, 2}, []int{1, 2}},
		{[]int{mostExplanations / 2, 1, mostExplanations/2 - 1, mostExplanations}, []int{mostExplanations / 2, 1, mostExplanations/2 - 1}},
	} {
		var said []Message
		for key, size := range c.sizes {
			said = append(said, Message{Key: uint64(key), Explanations: make([]Explanation, size)})
		}
		var got []int
		for _, m := range clearest(said) {
			got = append(got, len(m.Explanations))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("of messages with %v explanations those with %v are heard, want %v", c.sizes, got, c.want)
		}
	}
}
