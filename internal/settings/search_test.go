package settings

import (
	"testing"
)

// Who allows no trial ahead gets none; isolate.Options has it the other way round.
func TestCost(t *testing.T) {
	for flag, want := range map[int]int{noLimit: 0, 0: -1, 1: 1, 200: 200} {
		s := Search{maxCost: flag}
		if got := s.cost(); got != want {
			t.Errorf("--max-cost %d is %d, want %d", flag, got, want)
		}
	}
}
