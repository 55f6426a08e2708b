package tui

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
)

// Steps of a search among 100 changes: narrowing, then what two suspects need,
// then a finer round, which begins with what was found before.
func TestPhase(t *testing.T) {
	const n = 100
	prefix := func(k int) isolate.Configuration {
		var members []int
		for i := range k {
			members = append(members, i)
		}
		return isolate.Of(n, members...)
	}
	round, finer := story(n), story(n)
	steps := []struct {
		name             string
		a                search.Answer
		config           isolate.Configuration
		outcome          isolate.Outcome
		passing, failing isolate.Configuration // the closest afterwards
		suspects         int                   // of the step, which may lag behind
		want             string
		revert           string // of a search with another goal, if it differs
	}{
		{"an end", round, prefix(0), isolate.Pass, prefix(0), prefix(n), 100, "100 suspects", ""},
		{"half", round, prefix(50), isolate.Pass, prefix(50), prefix(n), 100, "50 suspects", ""},
		{"unresolved", round, prefix(70), isolate.Unresolved, prefix(50), prefix(n), 50, "50 suspects", ""},
		{"elsewhere, but too many", round, isolate.Of(n, 1, 60), isolate.Unresolved, prefix(50), prefix(n), 50, "50 suspects", ""},
		{"two", round, prefix(52), isolate.Fail, prefix(50), prefix(52), 50, "2 suspects", ""},
		{"alone", round, isolate.Of(n, 50, 51), isolate.Unresolved, prefix(50), prefix(52), 2, "finding which other changes the cause needs: 50 left to decide", "2 suspects"},
		{"with 20", round, prefix(52).Minus(prefix(30)), isolate.Fail, prefix(50), prefix(52), 2, "finding which other changes the cause needs: 20 left to decide", "2 suspects"},
		{"with 10", round, prefix(52).Minus(prefix(40)), isolate.Unresolved, prefix(50), prefix(52), 2, "finding which other changes the cause needs: 20 left to decide", "2 suspects"},
		{"without one", round, prefix(51), isolate.Unresolved, prefix(50), prefix(52), 2, "2 suspects", ""},
		{"the finer end", finer, prefix(50), isolate.Pass, prefix(50), prefix(58), 8, "8 suspects", ""},
		{"finer", finer, prefix(55), isolate.Fail, prefix(50), prefix(55), 8, "5 suspects", ""},
		{"its pieces", finer, prefix(55).Minus(isolate.Of(n, 3)), isolate.Fail, prefix(50), prefix(55), 5, "finding which other changes the cause needs", "5 suspects"},
	}
	for _, goal := range []string{"cause", "revert"} {
		g := phase{tells: goal == "cause"}
		for _, s := range steps {
			g.take(stepOf(s.a, isolate.Step{Config: s.config, Outcome: s.outcome, Passing: s.passing, Failing: s.failing, Suspects: s.suspects}))
			want := s.want
			if goal == "revert" && s.revert != "" {
				want = s.revert
			}
			if got := g.String(); got != want {
				t.Errorf("%s, %s: got %q, want %q", goal, s.name, got, want)
			}
		}
	}
}

func TestRenderPhase(t *testing.T) {
	c := newClock()
	s := newSearchModel(searchOn(nil, 4, 1, c))
	s.phase.tells = true
	a := story(4)
	s.step(stepOf(a, isolate.Step{Config: isolate.Of(4, 3), Outcome: isolate.Unresolved, Passing: isolate.Of(4, 0, 1, 2), Failing: isolate.Full(4), Suspects: 1, Estimate: 2, Least: 1, Most: 2}), c.now())
	if got, want := drawn(s, 80, 24, c.now(), false), "phase     finding which other changes the cause needs\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	a.Result = isolate.Result{Passing: isolate.Of(4, 0), Failing: isolate.Of(4, 0, 1), Cause: isolate.Of(4, 1)}
	s.found(a)
	if got := drawn(s, 80, 24, c.now(), false); strings.Contains(got, "phase") {
		t.Errorf("a search that is over has a phase:\n%s", got)
	}
}
