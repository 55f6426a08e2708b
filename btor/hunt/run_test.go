//go:build unix

package hunt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/btor"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// faulty returns the options of a hunt with a solver that crashes on each graph with redor.
func faulty(t *testing.T) Options {
	t.Setenv(trial.CacheVariable, t.TempDir())
	start := t.TempDir()
	solver := "#!/bin/sh\nif grep -q ' redor ' \"$1\"; then echo 'Assertion failed' >&2; exit 134; fi\nexit 20\n"
	if err := os.WriteFile(filepath.Join(start, "solver"), []byte(solver), 0o777); err != nil {
		t.Fatal(err)
	}
	generator := btor.Defaults()
	generator.Count, generator.Vars, generator.NoArrays = 6, 2, true
	return Options{
		Solving:   Solving{Command: []string{"./solver", "{}"}, Limits: trial.Limits{Timeout: time.Minute}, Start: start},
		Generator: generator, Dir: filepath.Join(t.TempDir(), "hunt"), Findings: 2,
	}
}

// textOf is what a hunt says of itself, with names below its directory.
func textOf(t *testing.T, o Options, sum Summary, spent bool) string {
	t.Helper()
	var text strings.Builder
	err := sum.Text(&text, o, spent, TextOptions{Shown: func(name string) string {
		rel, err := filepath.Rel(filepath.Dir(o.Dir), name)
		if err != nil {
			t.Error(err)
		}
		return rel
	}})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// A hunt that is stopped again and again, at each trial of a reduction for the first time,
// comes to the same findings as one that is not.
func TestSearch(t *testing.T) {
	o := faulty(t)
	var kinds []EventKind
	o.Observe = func(e Event) { kinds = append(kinds, e.Kind) }
	want, err := Search(t.Context(), o)
	if err != nil || !want.Done || len(want.Findings) != 2 {
		t.Fatalf("%+v, %v", want, err)
	}
	for _, f := range want.Findings {
		left, err := os.ReadFile(filepath.Join(o.Dir, FileName(f.Seed)+".reduced.btor"))
		if err != nil || !f.Reduced() || f.Reduction.Status != statusReduced || f.Reduction.Shape != "redor root zero" || !strings.Contains(string(left), " redor ") {
			t.Errorf("%+v, %s, %v", f.Reduction, left, err)
		}
	}
	for _, kind := range []EventKind{Opened, Running, Ran, Reducing, TrialStarted, TrialFinished, Asked, Reduced, Counted, Settled} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("there is no event of kind %d", kind)
		}
	}
	text := textOf(t, o, want, false)
	if !strings.HasPrefix(text, "2 findings of 1 kind in ") || !strings.Contains(text, "\n   file     hunt/seed-") || !strings.HasSuffix(text, "\nended      by --findings\n") {
		t.Error(text)
	}

	o.Dir = filepath.Join(t.TempDir(), "hunt")
	stops := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		trials := 0
		o.Observe = func(e Event) {
			if e.Kind == TrialFinished {
				if trials++; trials > 3*stops {
					cancel()
				}
			}
		}
		sum, err := Search(ctx, o)
		cancel()
		if err == nil {
			if got := textOf(t, o, sum, false); got != text {
				t.Errorf("after %d stops\n%s\nwant\n%s", stops, got, text)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || sum.Done {
			t.Fatal(err)
		}
		stops++
	}
	if stops == 0 {
		t.Error("it was not stopped")
	}
	if root, err := trial.InputRoot(o.Dir); err != nil {
		t.Error(err)
	} else if all, err := trial.Sessions(root); err != nil || len(all) > 0 {
		t.Errorf("%d sessions are left, %v", len(all), err)
	}
}

func TestSearchLimits(t *testing.T) {
	o := faulty(t)
	o.ReduceTrials = 2
	sum, err := Search(t.Context(), o)
	if err != nil || sum.Findings[0].Reduction.Status != statusBudget || sum.Findings[0].Reduction.Reason != "after 2 trials (--reduce-trials)" {
		t.Errorf("%+v, %v", sum, err)
	}
	o.Findings, o.MaxTime = 0, time.Second
	sum, err = Search(t.Context(), o)
	if !errors.Is(err, ErrTime) || !errors.Is(err, isolate.ErrBudget) || sum.Done || len(sum.Findings) < 2 {
		t.Errorf("%+v, %v", sum, err)
	}
	if text := textOf(t, o, sum, true); !strings.HasSuffix(text, "\nended      by --max-time; the same command goes on here\n") {
		t.Error(text)
	}
	o.Generator.Count++
	var mismatch *MismatchError
	if _, err := Search(t.Context(), o); !errors.As(err, &mismatch) {
		t.Errorf("other settings: %v", err)
	}
	o.Command, o.Dir = []string{"./no-solver", "{}"}, filepath.Join(t.TempDir(), "hunt")
	var missing *MissingError
	if _, err := Search(t.Context(), o); !errors.As(err, &missing) {
		t.Errorf("no solver: %v", err)
	}
	o.Command = []string{"./solver"}
	if _, err := Search(t.Context(), o); err == nil || !strings.Contains(err.Error(), "does not say where its file goes") {
		t.Error(err)
	}
}

func TestCompare(t *testing.T) {
	o := faulty(t)
	o.Against = []string{"sh -c 'exit 10' {}", "sh -c 'echo dear me; exit 3' {}"}
	got, err := Compare(t.Context(), o.Solving, Case{Name: "a", Text: []byte("1 zero 1\n2 root 1 1\n")})
	if err != nil {
		t.Fatal(err)
	}
	if got.Differ != "solver unsat, sh#1 sat" || len(got.Solvers) != 3 || got.Solvers[2].Answer != Unknown || got.Solvers[2].Ended != `exit 3, "dear me"` {
		t.Errorf("%+v", got)
	}
}
