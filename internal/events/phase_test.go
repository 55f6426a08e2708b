package events

import (
	"testing"

	"github.com/gitdd/gitdd/changes"
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
	type told struct {
		suspects, others int
		needs            bool
	}
	narrows := func(suspects int) told { return told{suspects: suspects} }
	needs := func(suspects, others int) told { return told{suspects, others, true} }
	round, finer := &changes.Set{}, &changes.Set{}
	steps := []struct {
		name             string
		set              *changes.Set
		config           isolate.Configuration
		outcome          isolate.Outcome
		passing, failing isolate.Configuration // the closest afterwards
		suspects         int                   // of the step, which may lag behind
		want             told                  // of a search for a cause; with another goal nothing is needed
	}{
		{"an end", round, prefix(0), isolate.Pass, prefix(0), prefix(n), 100, narrows(100)},
		{"half", round, prefix(50), isolate.Pass, prefix(50), prefix(n), 100, narrows(50)},
		{"unresolved", round, prefix(70), isolate.Unresolved, prefix(50), prefix(n), 50, narrows(50)},
		{"elsewhere, but too many", round, isolate.Of(n, 1, 60), isolate.Unresolved, prefix(50), prefix(n), 50, narrows(50)},
		{"two", round, prefix(52), isolate.Fail, prefix(50), prefix(52), 50, narrows(2)},
		{"alone", round, isolate.Of(n, 50, 51), isolate.Unresolved, prefix(50), prefix(52), 2, needs(2, 50)},
		{"with 20", round, prefix(52).Minus(prefix(30)), isolate.Fail, prefix(50), prefix(52), 2, needs(2, 20)},
		{"with 10", round, prefix(52).Minus(prefix(40)), isolate.Unresolved, prefix(50), prefix(52), 2, needs(2, 20)},
		{"without one", round, prefix(51), isolate.Unresolved, prefix(50), prefix(52), 2, narrows(2)},
		{"the finer end", finer, prefix(50), isolate.Pass, prefix(50), prefix(58), 8, narrows(8)},
		{"finer", finer, prefix(55), isolate.Fail, prefix(50), prefix(55), 8, narrows(5)},
		{"its pieces", finer, prefix(55).Minus(isolate.Of(n, 3)), isolate.Fail, prefix(50), prefix(55), 5, needs(5, 0)},
	}
	for _, tells := range []bool{true, false} {
		g := phase{tells: tells}
		for _, s := range steps {
			g.take(search.ChangesStep{
				Step:   isolate.Step{Config: s.config, Outcome: s.outcome, Passing: s.passing, Failing: s.failing, Suspects: s.suspects},
				Answer: search.Answer{Set: s.set},
			})
			want := s.want
			if !tells {
				want = narrows(want.suspects)
			}
			if got := (told{g.suspects, g.others(), g.needs}); got != want {
				t.Errorf("%s, tells %v: got %+v, want %+v", s.name, tells, got, want)
			}
		}
	}
}
