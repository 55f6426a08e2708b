//go:build unix

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/btor/hunt"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/trial"
)

// The session of a reduction that a hunt was stopped in says with which flags gitdd
// reduce goes on with it.
func TestHuntSession(t *testing.T) {
	t.Setenv("GITDD_CACHE_DIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	generator := btor.Defaults()
	generator.Count, generator.Vars, generator.NoArrays = 6, 2, true
	o := hunt.Options{
		Solving: hunt.Solving{
			Command: []string{"sh", "-c", "echo 'wrong in line 7'; exit 3", "sh", "{}"},
			Limits:  trial.Limits{Timeout: 20 * time.Second},
			Start:   t.TempDir(),
		},
		Generator: generator, Dir: t.TempDir(), Findings: 1,
		ReduceTime: time.Minute, ReduceTrials: 50, Algorithm: "bfs",
		Observe: func(e hunt.Event) {
			if e.Kind == hunt.TrialFinished {
				cancel()
			}
		},
	}
	if _, err := hunt.Search(ctx, o); err != context.Canceled {
		t.Fatal(err)
	}
	root, err := trial.InputRoot(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	all, err := trial.Sessions(root)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	h := all[0].Header
	s, err := settings.OfReduction(h)
	if err != nil {
		t.Fatal(err)
	}
	if words := s.Words(); !slices.Equal(words, h.Args) {
		t.Errorf("%q\nwant %q", h.Args, words)
	}
	if got, want := strings.TrimSpace(fmt.Sprintln(s.Timeout, s.MaxTime, s.MaxTrials, s.Algorithm, s.Match)), "20s 1m0s 50 bfs wrong in line (0x[0-9a-fA-F]+|[0-9]+)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !isReduction(h) || h.Dir != o.Start {
		t.Errorf("%+v", h)
	}
}
