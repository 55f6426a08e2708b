package hunt

import (
	"testing"
	"time"

	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

// What is run to compare answers has the time and the memory for all commands, which
// run one by one within the limits of each.
func TestReductionLimits(t *testing.T) {
	manifest, _, err := Open(t.TempDir(), Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer manifest.Close()
	for _, c := range []struct {
		class            Class
		timeout          time.Duration
		memory           int64
		minTime, maxTime time.Duration
		minMemory        int64 // and more than that, unless it is 0
	}{
		{Exit, time.Second, 1 << 20, time.Second, time.Second, 1<<20 - 1},
		{Disagreement, time.Second, 1 << 20, 3 * time.Second, 5 * time.Second, 1 << 26},
		{Disagreement, 0, 0, 0, 0, 0},
	} {
		h := &hunter{manifest: manifest, Options: Options{Solving: Solving{
			Command: []string{"a", "{}"}, Against: []string{"b {}", "c {}"}, Limits: trial.Limits{Timeout: c.timeout, Memory: c.memory},
		}}}
		s := h.reducing(Run{Failure: &Failure{Class: c.class}})
		if s.timeout < c.minTime || s.timeout > c.maxTime || s.memory <= c.minMemory && s.memory != 0 || (s.memory == 0) != (c.memory == 0) {
			t.Errorf("%v in %s and %d: reduced in %s and %d", c.class, c.timeout, c.memory, s.timeout, s.memory)
		}
	}
}

func TestReductionStatuses(t *testing.T) {
	for status, want := range map[string]report.Status{statusReduced: report.Reduced, statusNotReduced: report.NotReduced, statusBudget: report.Budget} {
		if status != string(want) {
			t.Errorf("%s, and gitdd reduce has %s", status, want)
		}
	}
}
