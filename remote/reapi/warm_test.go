package reapi

import (
	"testing"

	"github.com/gitdd/gitdd/internal/reapitest"
	"github.com/gitdd/gitdd/trial"
)

// TestWarm asks by properties for a worker that keeps its directory: what was set up there
// is set up no more, and what was built is there; but not for what confirms an answer.
func TestWarm(t *testing.T) {
	t.Parallel()
	server := reapitest.Start(t, reapitest.Options{Workers: 1})
	c := dial(t, server, func(o *Options) {
		o.Properties = [][2]string{{"Recycle-Runner", "true"}, {"Preserve-Workspace", "true"}, {"OSFamily", "Linux"}}
	})
	for i, row := range []struct {
		setup  string
		fresh  bool
		set    bool   // it was set up in this task
		prints string // files that are there, but for a new one
	}{
		{"echo >tools", false, true, "a tools"},
		{"echo >tools", false, false, "a b built tools"},
		{"echo >other", false, true, "a built c other tools"}, // another setup
		{"echo >tools", true, true, "a d tools"},
		{"echo >tools", false, false, "a built e other tools"},
	} {
		check := task(t, tree{"a": "a", string(rune('a' + i)): "new"}.snapshot(), "echo $(ls); echo >built")
		check.Setup, check.Fresh = row.setup, row.fresh
		if row.fresh {
			check.Salt = "confirm"
		}
		r, err := c.Run(t.Context(), check)
		if err != nil || r.Setup.Ran != row.set || r.Test != (trial.Part{Ran: true, Duration: r.Test.Duration}) {
			t.Errorf("%d: %+v, %v", i, r, err)
		}
		if got := printed(t, check, "out"); got != row.prints+"\n" {
			t.Errorf("%d: printed %q, want %q", i, got, row.prints)
		}
	}
}
