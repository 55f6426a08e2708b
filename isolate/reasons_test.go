package isolate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// What is believed of a message that has one reason, compared with all that happened: its
// best explanations are those that all configurations with the message broke and none
// that resolved did, the true one among them;
// and after enough sightings the true one is believed.
func TestStudy(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	const n = 6
	var all []Explanation
	for i := range n {
		for j := range n {
			if i != j {
				all = append(all, Explanation{i, j, 1})
			}
		}
	}
	for range 200 {
		truth := all[r.IntN(len(all))]
		breaks := func(c Configuration, e Explanation) bool { return c.Has(e.Element) && !c.Has(e.Requires) }
		known := newReasons()
		var with, resolved judged
		believed := map[[2]int]bool{}
		refuted := func(pair [2]int) bool { return resolved.contradict(pair) > 0 }
		believes := func(pair [2]int) bool { return believed[pair] && !refuted(pair) }
		for range 60 {
			var members []int
			for i := range n {
				if r.IntN(2) == 0 {
					members = append(members, i)
				}
			}
			c := Of(n, members...)
			var found *studied
			if breaks(c, truth) {
				with = append(with, sized{Configuration: c})
				m := Message{Key: 7}
				for _, e := range all {
					if breaks(c, e) {
						m.Explanations = append(m.Explanations, e)
					}
				}
				r.Shuffle(len(m.Explanations), func(i, j int) { m.Explanations[i], m.Explanations[j] = m.Explanations[j], m.Explanations[i] })
				found = known.study(c, []Message{m}, Empty(c.N()), resolved, believes)
			} else {
				resolved = append(resolved, sized{Configuration: c})
				found = known.dismiss(c, nil, believes)
			}
			for _, pair := range found.fresh {
				if believes(pair) {
					t.Fatalf("%v is believed again", pair)
				}
				believed[pair] = true
			}
			known = found.reasons
			if len(with) == 0 {
				continue
			}
			is := known.of[7]
			best := is.explanations[0].Weight
			var likeliest [][2]int
			for _, e := range is.explanations {
				if e.Weight > best/2 {
					likeliest = append(likeliest, e.pair())
				}
			}
			var want [][2]int
			for _, e := range all {
				if !refuted(e.pair()) && !slices.ContainsFunc(with, func(c sized) bool { return !breaks(c.Configuration, e) }) {
					want = append(want, e.pair())
				}
			}
			slices.SortFunc(likeliest, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
			if !slices.Equal(likeliest, want) || !slices.Contains(want, truth.pair()) {
				t.Fatalf("%v explain it best, want %v, and %v is true", likeliest, want, truth)
			}
			for _, c := range slices.Concat(with, resolved) {
				likely := unbroken(known, c.Configuration)
				if !(likely >= 0 && likely <= 1) {
					t.Fatalf("%q breaks nothing with probability %v", c, likely)
				}
			}
			if likely := unbroken(known, Full(n)); likely != 1 {
				t.Fatalf("all of it breaks nothing with probability %v", likely)
			}
			likely := unbroken(known, c)
			if breaks(c, truth) && len(want) == 1 && likely > 0.4 { // the others still have some weight
				t.Fatalf("%q, which breaks the only explanation, breaks nothing with probability %v", c, likely)
			}
			if !slices.ContainsFunc(is.explanations, func(e Explanation) bool { return !breaks(c, e) }) && likely > 0.031 {
				t.Fatalf("%q, which breaks all explanations, breaks nothing with probability %v", c, likely)
			}
		}
		if len(with) > 8 && !believes(truth.pair()) {
			t.Errorf("after %d sightings %v is not believed", len(with), truth)
		}
	}
}

// Whatever it is told, a study knows no number but finite ones.
func TestStudyOfMessagesThatAlternate(t *testing.T) {
	never := func([2]int) bool { return false }
	known := newReasons()
	a, b := Of(4, 0), Of(4, 2)
	for range 500 {
		known = known.study(a, []Message{{Key: 1, Explanations: []Explanation{{0, 1, 1}}}}, Empty(4), nil, never).reasons
		known = known.study(b, []Message{{Key: 1, Explanations: []Explanation{{2, 3, 1}}}}, Empty(4), nil, never).reasons
	}
	for _, c := range []Configuration{a, b, Of(4, 0, 2)} {
		if p := unbroken(known, c); !(p >= 0 && p < 1) {
			t.Errorf("%q: %v", c, p)
		}
	}
}

// unbroken returns how likely a configuration breaks nothing that explains a message, of a trial or of a check.
func unbroken(known *reasons, c Configuration) float64 {
	all, _, checked := known.breakage(c).likely()
	return all * checked
}

// TestMessagesOfChecks checks that a message counts as one of trials from the first trial on that printed it.
func TestMessagesOfChecks(t *testing.T) {
	never := func([2]int) bool { return false }
	said := []Message{{Key: 1, Explanations: []Explanation{{0, 1, 1}, {2, 3, 1}}}}
	broken := Of(4, 0, 2)
	known := newReasons()
	for step, row := range []struct {
		suspects        Configuration // none: Options.Check gave the message
		tests, byChecks bool          // whether broken breaks what explains such a message
	}{
		{Empty(4), false, true},
		{Full(4), true, false},
		{Empty(4), true, false},
	} {
		known = known.study(broken, said, row.suspects, nil, never).reasons
		all, least, checked := known.breakage(broken).likely()
		if all < 1 != row.tests || least < 1 != row.tests || checked < 1 != row.byChecks {
			t.Errorf("step %d: %v and at least %v of trials, %v of checks", step, all, least, checked)
		}
	}
}

// TestHarmlessMessages checks that a message which also comes with configurations that resolve counts in proportion, is not
// believed any more once it comes as often with these, and keeps its explanations.
func TestHarmlessMessages(t *testing.T) {
	never := func([2]int) bool { return false }
	said := []Message{{Key: 1, Explanations: []Explanation{{0, 1, 1}}}}
	broken := Of(4, 0) // all explanations, also those that are added when the message comes again
	known := newReasons()
	for step, row := range []struct {
		resolved bool
		share    float64 // of the configurations with the message that were unresolved so far
		fresh    int     // requirements that are new
	}{
		{false, 1, 1}, {true, 1. / 2, 0}, {false, 2. / 3, 1}, {true, 1. / 2, 0}, {true, 2. / 5, 0}, {false, 1. / 2, 0},
	} {
		var found *studied
		if row.resolved {
			found = known.dismiss(broken, said, never)
		} else {
			found = known.study(broken, said, Full(4), nil, never)
		}
		known = found.reasons
		if first := known.of[1].explanations[0]; first != (Explanation{0, 1, 1}) {
			t.Errorf("step %d: the first explanation is %v", step, first)
		}
		if got, want := 1-unbroken(known, broken), surest*row.share; math.Abs(got-want) > 1e-9 {
			t.Errorf("step %d: %v breaks something with probability %v, want %v", step, broken, got, want)
		}
		if len(found.fresh) != row.fresh {
			t.Errorf("step %d: %v are believed, want %d", step, found.fresh, row.fresh)
		}
	}
}

// TestEvidenceInAnyOrder checks that judged configurations, mostContradictions at most,
// weigh the same on an explanation whether its message came before them or after them.
func TestEvidenceInAnyOrder(t *testing.T) {
	never := func([2]int) bool { return false }
	said := []Message{{Key: 1, Explanations: []Explanation{{0, 1, 1}, {2, 3, 1}}}}
	with := Of(4, 0, 2)
	breaks := Of(4, 0, 2, 3) // the first explanation, and not the second
	for n := range mostContradictions + 1 {
		before := newReasons().study(with, said, Empty(4), nil, never).reasons
		for range n {
			before = before.dismiss(breaks, nil, never).reasons
		}
		after := newReasons().study(with, said, Empty(4), slices.Repeat(judged{{Configuration: breaks}}, n), never).reasons
		got, want := after.of[1].explanations, before.of[1].explanations
		if len(got) != len(want) {
			t.Fatalf("%d resolved: %v, want %v", n, got, want)
		}
		for k := range got {
			if got[k].pair() != want[k].pair() || math.Abs(got[k].Weight-want[k].Weight) > 1e-9*want[k].Weight {
				t.Errorf("%d resolved: %v, want %v", n, got, want)
			}
		}
	}
}

// TestUnnamedReason gives a message explanations of which none is the reason. The reason
// is believed all the same, soon after it is the only pair that all configurations with the
// message break and no judged configuration breaks.
func TestUnnamedReason(t *testing.T) {
	seed := seed.New(t)
	const n = 80
	worst := 0
	for round := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, round))
		reason := [2]int(r.Perm(n)[:2])
		known := newReasons()
		believed := map[[2]int]bool{}
		var resolved judged
		believes := func(pair [2]int) bool { return believed[pair] && resolved.contradict(pair) == 0 }
		every, some := Full(n), Empty(n)
		alone := 0 // messages since the reason is the only pair left
		for !believes(reason) {
			c := Of(n, r.Perm(n)[:n/2]...)
			if !c.Has(reason[0]) || c.Has(reason[1]) {
				resolved = append(resolved, sized{Configuration: c})
				known = known.dismiss(c, nil, believes).reasons
				continue
			}
			m := Message{Key: 1}
			for len(m.Explanations) < 64 {
				if e := (Explanation{r.IntN(n), r.IntN(n), 1}); c.Has(e.Element) && !c.Has(e.Requires) && e.pair() != reason {
					m.Explanations = append(m.Explanations, e)
				}
			}
			found := known.study(c, []Message{m}, Full(n), resolved, believes)
			known = found.reasons
			for _, pair := range found.fresh {
				believed[pair] = true
			}
			every, some = every.Intersect(c), some.Union(c)
			left := 0
			for i := range every.All() {
				left += resolved.allow(i, Full(n).Minus(some)).Len()
			}
			if left > 1 {
				continue
			}
			if alone++; alone > 16 {
				t.Fatalf("round %d: the reason %v is not believed after %d messages that leave no other", round, reason, alone)
			}
		}
		worst = max(worst, alone)
	}
	t.Logf("at most %d messages", worst)
}

// narrowingOf returns a narrowing of a whole problem.
func narrowingOf(t testing.TB, p Problem) *narrowing {
	t.Helper()
	s, err := newSpace(p, Cause, false)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(s, Options{}, nil)
	n := &narrowing{
		isolation: newIsolation(r),
		pair:      pair{Empty(s.n), Full(s.n)},
		left:      Full(s.n),
		causes:    remaining(0),
	}
	n.members = newMembers(n.left, n.prior)
	n.all = n.mass()
	return n
}

// Two cliques that stand interleaved in the order, with one tie between them: the cut in
// the middle separates them. Elements that are tied to nobody, and problems of one group,
// are no harm, and the same ties give the same order.
func TestArrange(t *testing.T) {
	const n = 40
	p := Problem{N: n, Affinity: []Tie{{0, 1, 1}}}
	for i := range n {
		for j := range i {
			if i%2 == j%2 {
				p.Affinity = append(p.Affinity, Tie{i, j, 1})
			}
		}
	}
	x := narrowingOf(t, p)
	a := x.arrange(x.groups(x.left, x.levels))
	for k, g := range a.groups {
		if g.first()%2 != a.groups[k/(n/2)*(n/2)].first()%2 {
			t.Fatalf("the order is %v", a.groups)
		}
	}
	for k := 1; k < n; k++ {
		if k != n/2 && a.severed[k] <= a.severed[n/2] {
			t.Errorf("a cut behind %d severs %v, in the middle %v", k, a.severed[k], a.severed[n/2])
		}
	}
	again := x.arrange(x.groups(x.left, x.levels))
	if !slices.Equal(a.groups, again.groups) || !slices.Equal(a.severed, again.severed) {
		t.Error("another order the second time")
	}
	separates := slices.ContainsFunc(x.tiedCuts(), func(c cut) bool {
		part := x.suspectsIn(c)
		return part.Len() == n/2 && part.Has(0) == part.Has(2) && part.Has(0) != part.Has(1)
	})
	if !separates {
		t.Error("no cut between the two")
	}
	lonely := narrowingOf(t, Problem{N: 9, Affinity: []Tie{{3, 3, 1}}})
	if a := lonely.arrange(lonely.groups(lonely.left, 0)); len(a.groups) != 9 {
		t.Errorf("%v", a.groups)
	}
	for _, n := range []int{1, 2} {
		one := narrowingOf(t, Problem{N: n, Groups: [][]int{make([]int, n)}, Affinity: []Tie{{0, n - 1, 1e300}}})
		if a := one.arrange(one.groups(one.left, 0)); len(a.groups) != 1 || len(one.tiedCuts()) != 0 {
			t.Errorf("%+v", a)
		}
	}
}

// A tie that is none is an error, and not a search that goes astray.
func TestTies(t *testing.T) {
	zero := 0.0
	for _, e := range []Tie{{-1, 0, 1}, {0, 3, 1}, {0, 1, -1}, {0, 1, 0}, {0, 1, 1 / zero}, {0, 1, zero / zero}} {
		_, err := Search(context.Background(), Problem{N: 3, Affinity: []Tie{e}}, nil, Options{})
		if err == nil {
			t.Errorf("%v is a tie", e)
		}
	}
}

// BenchmarkFindBest makes one proposal.
func BenchmarkFindBest(b *testing.B) {
	for _, row := range []struct{ n, ties, messages int }{{1000, 20_000, 500}, {10_000, 200_000, 0}, {10_000, 200_000, 500}} {
		b.Run(fmt.Sprintf("n=%d/ties=%d/messages=%d", row.n, row.ties, row.messages), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			p := Problem{N: row.n, Groups: [][]int{make([]int, row.n), make([]int, row.n)}}
			for i := range row.n {
				p.Groups[0][i], p.Groups[1][i] = i/30, i/4
			}
			for range row.ties {
				p.Affinity = append(p.Affinity, Tie{r.IntN(row.n), r.IntN(row.n), r.Float64() + 0.01})
			}
			x := narrowingOf(b, p)
			half := Of(row.n, r.Perm(row.n)[:row.n/2]...)
			var said []Message
			for k := range row.messages {
				m := Message{Key: uint64(k)}
				for len(m.Explanations) < 64 {
					if i, j := r.IntN(row.n), r.IntN(row.n); half.Has(i) && !half.Has(j) {
						m.Explanations = append(m.Explanations, Explanation{i, j, r.Float64() + 0.01})
					}
				}
				said = append(said, m)
			}
			x.learned.add(x.study(half, said, Empty(x.n)))
			b.ResetTimer()
			for range b.N {
				x.findBest()
			}
		})
	}
}
