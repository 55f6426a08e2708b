package main

import (
	"testing"
	"time"

	"github.com/gitdd/gitdd/hunt"
	"github.com/gitdd/gitdd/internal/cli"
)

// What is run to compare answers has the time and the memory for all commands, which
// run one by one within the limits of each.
func TestHuntReductionLimits(t *testing.T) {
	manifest, _, err := hunt.Open(t.TempDir(), hunt.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer manifest.Close()
	for _, c := range []struct {
		class            hunt.Class
		timeout          time.Duration
		memory           cli.Size
		minTime, maxTime time.Duration
		minMemory        cli.Size // and more than that, unless it is 0
	}{
		{hunt.Exit, time.Second, 1 << 20, time.Second, time.Second, 1<<20 - 1},
		{hunt.Disagreement, time.Second, 1 << 20, 3 * time.Second, 5 * time.Second, 1 << 26},
		{hunt.Disagreement, 0, 0, 0, 0, 0},
	} {
		h := &hunter{app: &app{}, manifest: manifest, hunting: hunting{algorithm: "auto", solving: solving{
			command: []string{"a", "{}"}, against: []string{"b {}", "c {}"}, timeout: c.timeout, maxMemory: c.memory,
		}}}
		s, err := h.reducing(hunt.Run{Failure: &hunt.Failure{Class: c.class}})
		if err != nil {
			t.Fatal(err)
		}
		if s.timeout < c.minTime || s.timeout > c.maxTime || s.maxMemory <= c.minMemory && s.maxMemory != 0 || (s.maxMemory == 0) != (c.memory == 0) {
			t.Errorf("%v in %s and %s: reduced in %s and %s", c.class, c.timeout, &c.memory, s.timeout, &s.maxMemory)
		}
	}
}
