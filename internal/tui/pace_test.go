package tui

import (
	"testing"
	"time"
)

func TestBetween(t *testing.T) {
	const s, m, h = time.Second, time.Minute, time.Hour
	for _, row := range []struct {
		from, to time.Duration
		want     string
	}{
		{0, 0, "a few seconds"}, {s, 7 * s, "a few seconds"},
		{4 * s, 9 * s, "up to 10 s"}, {8 * s, 12 * s, "about 10 s"}, {12 * s, 44 * s, "10-40 s"}, {50 * s, 84 * s, "50-80 s"},
		{10 * s, 86 * s, "up to 1 min"}, {50 * s, 4*m + 10*s, "1-4 min"}, {17 * m, 18 * m, "17-18 min"},
		{20 * m, 37 * m, "20-40 min"}, {4 * m, 84 * m, "up to 80 min"},
		{40 * m, 100 * m, "1-2 h"}, {20 * m, 86 * m, "up to 1 h"}, {10 * h, 46 * h, "10-46 h"},
		{h, 80 * h, "up to 3 days"}, {50 * h, 80 * h, "2-3 days"}, {70 * h, 80 * h, "about 3 days"},
	} {
		if got := between(row.from, row.to); got != row.want {
			t.Errorf("%v to %v: got %q, want %q", row.from, row.to, got, row.want)
		}
	}
}
