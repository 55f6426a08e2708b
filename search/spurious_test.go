package search_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/search"
)

// A spuriousModel is a program with a fault, of which mixtures of its two versions may be broken
// without being refused: a compiler only warns, or an interpreter comes to the broken place only when
// the program runs. The test fails then as well, for a reason that is none of either version.
type spuriousModel struct {
	cause    []int    // the changes that make the test fail, all together
	requires [][2]int // a change that does not build without another one
	breaks   [][2]int // a change that is built without another one, and breaks the test
	compiled bool     // a compiler warns of it; else an interpreter fails
}

// drawSpurious makes a model of n changes. Mixtures that break hide the cause in most of these models: what
// breaks has fewer conditions.
func drawSpurious(r *rand.Rand, n int, compiled bool) spuriousModel {
	m := spuriousModel{compiled: compiled, cause: r.Perm(n)[:1+r.IntN(2)]}
	pair := func() [2]int { p := r.Perm(n); return [2]int{p[0], p[1]} }
	for range 1 + r.IntN(3) {
		m.breaks = append(m.breaks, pair())
	}
	for range r.IntN(3) {
		m.requires = append(m.requires, pair())
	}
	return m
}

// broken returns the first of the pairs that a configuration breaks.
func broken(applied []bool, pairs [][2]int) (pair [2]int, is bool) {
	i := slices.IndexFunc(pairs, func(p [2]int) bool { return applied[p[0]] && !applied[p[1]] })
	if i < 0 {
		return pair, false
	}
	return pairs[i], true
}

// fails reports whether the failure of a configuration is that of the failing end.
func (m *spuriousModel) fails(applied []bool) bool {
	return !slices.ContainsFunc(m.cause, func(i int) bool { return !applied[i] })
}

// run is what the command does on a configuration.
func (m *spuriousModel) run(applied []bool) (exit int, output string) {
	if p, is := broken(applied, m.requires); is {
		return 125, fmt.Sprintf("f%d.txt:%d: undefined: name%d\n", p[0]/perFile, 1+p[0]%perFile*4, p[1])
	}
	const failure = "FAIL: got 90, want 94\n"
	p, is := broken(applied, m.breaks)
	switch at := fmt.Sprintf("f%d.txt:%d", p[0]/perFile, 1+p[0]%perFile*4); {
	case is && m.compiled:
		return 1, fmt.Sprintf("%s: warning: passing argument 1 of 'name%d' makes integer from pointer without a cast\n%s", at, p[1], failure)
	case is:
		return 1, fmt.Sprintf("Traceback (most recent call last):\n  File \"%s\"\nTypeError: name%d() missing 1 required positional argument: 'x'\n", at, p[1])
	case m.fails(applied):
		return 1, failure
	}
	return 0, "ok\n"
}

// TestSpuriousModel searches random models. No answer fails for a reason that only mixtures have.
// Without the comparison with what commits print (Options.Lenient) many do. GITDD_PROBLEMS is how
// many models there are; each takes about a fifth of a second.
func TestSpuriousModel(t *testing.T) {
	seed.SkipLong(t, 8)
	t.Parallel()
	problems := 40
	if text := os.Getenv("GITDD_PROBLEMS"); text != "" {
		var err error
		if problems, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	l := newLab(t)
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	type problem struct {
		spuriousModel
		n         int
		good, bad string
	}
	list := make([]problem, problems)
	for k := range list {
		n := 5 + r.IntN(8)
		m := drawSpurious(r, n, k%2 == 0)
		good, bad := l.versions(strconv.Itoa(k), n)
		list[k] = problem{m, n, good, bad}
	}
	right, none, wrongLeniently, lenient := 0, 0, 0, 0
	for k, m := range list {
		answer := func(lenient bool) (applied []bool, ok bool) {
			found, _, err := l.search(m.good, m.bad, m.n, m.run, search.Options{Whole: true, Lenient: lenient})
			if err != nil {
				t.Logf("problem %d: %v", k, err)
				return nil, false
			}
			return parsed(t, found.Set, found.Result.Failing.All(), m.n), true
		}
		if applied, ok := answer(false); !ok {
			none++
		} else if p, is := broken(applied, m.breaks); is || !m.fails(applied) {
			t.Errorf("problem %d, %+v: the answer fails with %v, which breaks %v", k, m.spuriousModel, applied, p)
		} else {
			right++
		}
		if k%5 < 2 {
			lenient++
			if applied, ok := answer(true); ok && !m.fails(applied) {
				wrongLeniently++
			}
		}
	}
	t.Logf("%d right, %d without an answer; leniently %d of %d wrong", right, none, wrongLeniently, lenient)
	if none*20 > problems {
		t.Errorf("%d of %d problems have no answer", none, problems)
	}
	if wrongLeniently*20 < lenient {
		t.Errorf("leniently %d of %d answers are wrong: the models hardly ever mislead", wrongLeniently, lenient)
	}
}
