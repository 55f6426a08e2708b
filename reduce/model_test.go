package reduce_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/fixtures"
	"github.com/gitdd/gitdd/reduce"
)

// Trials on random trees of 1,000 nodes, the mean over few of them. The bounds
// are those of the design (HDD with dab inside: 61, 158, 471, 1184 trials with
// the certificate), and HDD with ddmin inside takes more than twice as many.
func TestTreeModel(t *testing.T) {
	for _, m := range []struct {
		kept, seeds    int
		search, bound  int
		search2, least int // of hdd/ddmin: at least so many
	}{
		{10, 6, 53, 61, 80, 90},
		{31, 6, 138, 158, 280, 320},
		{100, 3, 411, 471, 900, 1000},
		{300, 1, 1016, 1184, 2300, 2700},
	} {
		g := fixtures.Grove{N: 1000, Kept: m.kept, Needs: 0.1}
		dab, dabAll := trialsOn(t, "hdd/dab", g, m.seeds)
		if dab > m.search || dabAll > m.bound {
			t.Errorf("%d of 1000: hdd/dab took %d trials, with the certificate %d; want at most %d and %d", m.kept, dab, dabAll, m.search, m.bound)
		}
		if testing.Short() {
			continue
		}
		ddmin, ddminAll := trialsOn(t, "hdd/ddmin", g, m.seeds)
		if ddmin < m.search2 || ddminAll < m.least {
			t.Errorf("%d of 1000: hdd/ddmin took %d trials, with the certificate %d; it used to take %d and %d at least", m.kept, ddmin, ddminAll, m.search2, m.least)
		}
	}
}

// trialsOn returns the mean of the trials that an algorithm takes, before the
// certificate and with it. What is left must be what has to be left.
func trialsOn(t *testing.T, algorithm string, g fixtures.Grove, seeds int) (search, certified int) {
	t.Helper()
	for seed := range uint64(seeds) {
		tree := g.Draw(rand.New(rand.NewPCG(seed, 7)))
		left, n, all, err := reduce.Structure(t.Context(), algorithm, tree.Source, tree.Parent, tree.From, tree.To, tree.Fails)
		if err != nil {
			t.Fatal(err)
		}
		search, certified = search+n, certified+all
		names := strings.FieldsFunc(left, func(r rune) bool { return r < '0' || r > '9' })
		if want := tree.Least(); strings.Join(names, " ") != want {
			t.Errorf("%s, seed %d: left %q, want %q", algorithm, seed, left, want)
		}
	}
	return search / seeds, certified / seeds
}
