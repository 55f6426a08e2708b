package grouping_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/seed"
)

// What ties promise: each pair once, in order, with a positive weight, and the same
// for two plans.
func TestAffinity(t *testing.T) {
	nests(t, seed.New(t), 5, func(s *changes.Set, p *grouping.Plan, old, new string) { checkTies(t, s, p) })
	s := between(t, repository(t, tangle(200)...), "r0", "r1")
	p := plan(t, s)
	checkTies(t, s, p)
	if again := plan(t, s).Affinity(); !slices.Equal(p.Affinity(), again) {
		t.Error("the ties of two plans differ")
	}
	var none grouping.Plan
	if got := none.Affinity(); got != nil {
		t.Errorf("a plan of nothing has ties: %v", got)
	}
}

func checkTies(t *testing.T, s *changes.Set, p *grouping.Plan) {
	t.Helper()
	list := p.Affinity()
	for k, tie := range list {
		if tie.I < 0 || tie.I >= tie.J || tie.J >= s.Len() || !(tie.Weight > 0) {
			t.Errorf("tie %+v of %d changes", tie, s.Len())
		}
		if k > 0 && cmp.Or(cmp.Compare(list[k-1].I, tie.I), cmp.Compare(list[k-1].J, tie.J)) >= 0 {
			t.Errorf("%+v stands before %+v", list[k-1], tie)
		}
	}
	if !slices.Equal(list, p.Affinity()) {
		t.Error("not the same twice")
	}
}

// Hunks with a rare name in common are tied, those without one are not; and the rarer
// the name, the more.
func TestAffinityOfNames(t *testing.T) {
	good, bad := edit{"good", map[string]string{}}, edit{"bad", map[string]string{}}
	random := rand.New(rand.NewPCG(seed.New(t), 2))
	content := map[string]string{
		"a.py": "rare", "b.py": "rare", "c.py": "known", "d.py": "known", "e.py": "known", "f.py": "known", "g.py": "alone",
	}
	for name, word := range content {
		good.files[name] = "x = 1\n"
		bad.files[name] = "x = " + word + "_name(" + string(rune('1'+random.IntN(9))) + ")\n"
	}
	s := between(t, repository(t, good, bad), "r0", "r1")
	weight := map[[2]string]float64{}
	for _, tie := range plan(t, s).Affinity() {
		weight[[2]string{s.Changes[tie.I].Path, s.Changes[tie.J].Path}] = tie.Weight
	}
	rare, known := weight[[2]string{"a.py", "b.py"}], weight[[2]string{"c.py", "d.py"}]
	if !(rare > known && known > 0) {
		t.Errorf("a name of two changes ties %g, one of four %g", rare, known)
	}
	for pair, w := range weight {
		if content[pair[0]] != content[pair[1]] {
			t.Errorf("%v have nothing in common, and are tied %g", pair, w)
		}
	}
}
