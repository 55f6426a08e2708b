package search_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A table has the outcome of each subset of n changes: subset i has change k if bit k of i is set. The
// empty one passes, and the full one fails.
type table []isolate.Outcome

// tables returns all tables of n changes.
func tables(n int) (all []table) {
	last := 1<<n - 1
	var below func(t table)
	below = func(t table) {
		switch len(t) {
		case last:
			all = append(all, append(slices.Clone(t), isolate.Fail))
		default:
			for _, o := range []isolate.Outcome{isolate.Pass, isolate.Fail, isolate.Unresolved} {
				below(append(t, o))
			}
		}
	}
	below(table{isolate.Pass})
	return all
}

func (t table) of(applied []bool) isolate.Outcome {
	at := 0
	for k, is := range applied {
		if is {
			at |= 1 << k
		}
	}
	return t[at]
}

// model is a command with these outcomes; fix exchanges pass and fail.
func (t table) model(fix bool) model {
	return func(applied []bool) (int, string) {
		o := t.of(applied)
		if fix {
			o = o.Opposite()
		}
		switch o {
		case isolate.Pass:
			return 0, "ok\n"
		case isolate.Fail:
			return 1, "FAIL\n"
		}
		return 125, "cannot tell\n"
	}
}

// check compares an answer with the table, and returns how many changes are the cause.
func (t table) check(tt *testing.T, found search.Found, trials, n int) {
	tt.Helper()
	r := found.Result
	passing, failing := parsed(tt, found.Set, r.Passing.All(), n), parsed(tt, found.Set, r.Failing.All(), n)
	if o := t.of(passing); o != isolate.Pass {
		tt.Errorf("%v: the passing configuration %v is %v", t, passing, o)
	}
	if o := t.of(failing); o != isolate.Fail {
		tt.Errorf("%v: the failing configuration %v is %v", t, failing, o)
	}
	if !r.Failing.Contains(r.Passing) || r.Cause != r.Failing.Minus(r.Passing) || r.Cause.IsEmpty() {
		tt.Errorf("%v: from %v to %v with the cause %v", t, r.Passing, r.Failing, r.Cause)
	}
	if r.Minimal {
		for i := range r.Cause.All() {
			without := parsed(tt, found.Set, r.Failing.Minus(isolate.Of(r.Failing.N(), i)).All(), n)
			if t.of(without) == isolate.Fail {
				tt.Errorf("%v: minimal, but it fails without %d, too", t, i)
			}
		}
	}
	// Each subset once, both ends of the answer twice more, and the failing end without the cause.
	if most := len(t) + 5; trials > most {
		tt.Errorf("%v: %d trials, at most %d expected", t, trials, most)
	}
}

// drawn returns k of the tables, or as many as GITDD_PROBLEMS says; all, if there are no more.
func drawn(t *testing.T, all []table, k int) []table {
	t.Helper()
	if text := os.Getenv("GITDD_PROBLEMS"); text != "" {
		var err error
		if k, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(k, len(all))]
}

// TestOutcomes searches differences with all outcomes of two changes, and with some of three: 729 tables,
// of which GITDD_PROBLEMS says how many.
func TestOutcomes(t *testing.T) {
	seed.SkipLong(t, 8)
	t.Parallel()
	l := newLab(t)
	for n, list := range map[int][]table{2: tables(2), 3: drawn(t, tables(3), 30)} {
		good, bad := l.versions("p"+strconv.Itoa(n), n)
		for k, table := range list {
			fix := k%3 == 0
			l.jobs = 1 + k%2
			found, trials, err := l.search(good, bad, n, table.model(fix), search.Options{Whole: true})
			if err != nil {
				t.Errorf("%v: %v", table, err)
				continue
			}
			if found.Ends.Direction == trial.Fix != fix {
				t.Errorf("%v: direction %v", table, found.Ends.Direction)
			}
			table.check(t, found, trials, n)
		}
	}
}

// TestOutcomesOfCommits searches a line of four commits after good, each of which makes a change, with
// all outcomes of the three between the ends.
func TestOutcomesOfCommits(t *testing.T) {
	seed.SkipLong(t, 8)
	t.Parallel()
	const n = 4
	l := newLab(t)
	var ids []string
	applied := make([]bool, n)
	for k := range n + 1 {
		if k > 0 {
			applied[k-1] = true
		}
		l.tree("line", applied)
		l.git("commit", "-q", "-m", "commit "+strconv.Itoa(k))
		ids = append(ids, l.git("rev-parse", "HEAD"))
	}
	outcomes := []isolate.Outcome{isolate.Pass, isolate.Fail, isolate.Unresolved}
	for code := range 27 {
		line := []isolate.Outcome{isolate.Pass, outcomes[code%3], outcomes[code/3%3], outcomes[code/9], isolate.Fail}
		m := func(applied []bool) (int, string) {
			k := 0
			for k < n && applied[k] {
				k++
			}
			if slices.Contains(applied[k:], true) {
				return 125, "no commit\n"
			}
			switch line[k] {
			case isolate.Pass:
				return 0, "ok\n"
			case isolate.Fail:
				return 1, "FAIL\n"
			}
			return 125, "cannot tell\n"
		}
		found, trials, err := l.search(ids[0], ids[n], n, m, search.Options{})
		if err != nil {
			t.Errorf("%v: %v", line, err)
			continue
		}
		b := found.Commits
		from, to := slices.Index(ids, string(b.From.ID)), slices.Index(ids, string(b.To.ID))
		if !b.Narrowed() || from >= to || line[from] != isolate.Pass || line[to] != isolate.Fail || len(b.Left) != to-from {
			t.Errorf("%v: from %d to %d, %d left", line, from, to, len(b.Left))
			continue
		}
		for k := from + 1; k < to; k++ {
			if line[k] != isolate.Unresolved {
				t.Errorf("%v: from %d to %d, though %d can be judged", line, from, to, k)
			}
		}
		if trials > 1<<n+5 { // each configuration once, and what confirms the answer
			t.Errorf("%v: %d trials", line, trials)
		}
	}
}

// TestStopped stops a search after each number of trials: what it has found until then is an answer, only
// a larger one.
func TestStopped(t *testing.T) {
	t.Parallel()
	const n = 6
	l := newLab(t)
	good, bad := l.versions("stop", n)
	m := model(func(applied []bool) (int, string) {
		if applied[2] && applied[5] {
			return 1, "FAIL\n"
		}
		return 0, "ok\n"
	})
	whole, all, err := l.search(good, bad, n, m, search.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	for most := 1; most < all; most++ {
		l.most = most
		found, trials, err := l.search(good, bad, n, m, search.Options{Whole: true})
		switch {
		case err == nil && found.Result.Cause != whole.Result.Cause:
			t.Errorf("MaxTrials %d: another answer", most)
		case err != nil && !errors.Is(err, isolate.ErrBudget):
			t.Errorf("MaxTrials %d: %v", most, err)
		case !found.Result.Failing.Contains(found.Result.Passing):
			t.Errorf("MaxTrials %d: no answer so far", most)
		}
		if trials > most+2 {
			t.Errorf("MaxTrials %d: %d trials", most, trials)
		}
	}
}
