package reduce_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/fixtures"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/reduce"
)

// Trials on random trees of 1,000 nodes, the mean over few of them. The bounds
// are those of the design (levels with dab inside: 61, 158, 471, 1184 trials with
// the certificate), and levels with ddmin inside takes more than twice as many.
func TestTreeModel(t *testing.T) {
	seed.SkipLong(t, 4)
	for _, m := range []struct {
		kept, seeds    int
		search, bound  int
		search2, least int // of levels/ddmin: at least so many
	}{
		{10, 6, 53, 61, 80, 90},
		{31, 6, 138, 158, 280, 320},
		{100, 3, 411, 471, 900, 1000},
		{300, 1, 1016, 1184, 2300, 2700},
	} {
		g := fixtures.Grove{N: 1000, Kept: m.kept, Needs: 0.1}
		dab, dabAll := trialsOn(t, "levels/dab", g, m.seeds)
		if dab > m.search || dabAll > m.bound {
			t.Errorf("%d of 1000: levels/dab took %d trials, with the certificate %d; want at most %d and %d", m.kept, dab, dabAll, m.search, m.bound)
		}
		if !seed.OneIn(t, 4) {
			continue
		}
		ddmin, ddminAll := trialsOn(t, "levels/ddmin", g, m.seeds)
		if ddmin < m.search2 || ddminAll < m.least {
			t.Errorf("%d of 1000: levels/ddmin took %d trials, with the certificate %d; it used to take %d and %d at least", m.kept, ddmin, ddminAll, m.search2, m.least)
		}
	}
}

var treesFlag = flag.Bool("trees", false, "print the table of trees of docs/reduce.md")

func TestTreeTable(t *testing.T) {
	if !*treesFlag {
		t.Skip("see -trees")
	}
	for _, algorithm := range []string{"levels/dab", "levels*/dab", "hddr-bfs/dab", "dab", "levels/cdd", "levels/probdd", "levels/ddmin", "hdd", "hdd*"} {
		fmt.Printf("| %s |", strings.ReplaceAll(algorithm, "*", "\\*"))
		for _, m := range [][2]int{{10, 4}, {31, 4}, {100, 4}, {300, 2}} {
			search, certified := trialsOn(t, algorithm, fixtures.Grove{N: 1000, Kept: m[0], Needs: 0.1}, m[1])
			fmt.Printf(" %d, %d |", search, certified)
		}
		fmt.Println()
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
