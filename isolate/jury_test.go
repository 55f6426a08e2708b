package isolate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gitdd/gitdd/isolate"
)

// attempts is a test whose attempts are written down: p, f and u, the last one
// for ever.
func attempts(name, list string) isolate.Witness {
	return isolate.Witness{Name: name, Sample: func(_ context.Context, attempt int) (isolate.Outcome, error) {
		switch list[min(attempt, len(list))-1] {
		case 'p':
			return isolate.Pass, nil
		case 'f':
			return isolate.Fail, nil
		}
		return isolate.Unresolved, nil
	}}
}

func TestCalibrate(t *testing.T) {
	for _, row := range []struct {
		name, good, bad string
		indistinct      bool
		swapped         bool
		attempts        int // of both
	}{
		{"steady", "p", "f", false, false, 8},
		{"swapped", "f", "p", false, true, 8},
		{"bad passes first", "p", "pf", false, false, 10},
		{"bad passes three times", "p", "pppf", false, false, 16},
		{"both pass", "p", "p", true, false, 70},
		{"both fail", "f", "f", true, false, 70},
		{"good is unresolved", "u", "f", true, false, 5},
		{"bad is unresolved", "p", "u", true, false, 6},
		{"unresolved at first", "up", "f", false, false, 9},
	} {
		j := isolate.NewJury(0.99)
		rates, err := j.Calibrate(t.Context(), attempts("good", row.good), attempts("bad", row.bad), 1)
		var indistinct *isolate.IndistinctError
		if errors.As(err, &indistinct) != row.indistinct || err != nil && !row.indistinct {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if err != nil && (indistinct.Good != rates.Good || indistinct.Bad != rates.Bad) {
			t.Errorf("%s: %+v, %+v", row.name, indistinct, rates)
		}
		if got := rates.Good.Total() + rates.Bad.Total(); rates.Swapped != row.swapped || got != row.attempts {
			t.Errorf("%s: %+v, %d attempts, want %d", row.name, rates, got, row.attempts)
		}
	}
}
