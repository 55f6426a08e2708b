package search_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/suite"
	"github.com/gitdd/gitdd/trial"
)

// A suiteModel is what the tests of a suite do on a program: each fails if all changes of one of its causes are
// applied. Where a change is applied without one that it needs, nothing builds.
type suiteModel struct {
	n      int
	causes map[string][][]int
	needs  map[int]int
	broken []string               // tests that fail whatever is applied
	flaky  func(test string) bool // whether a test now fails without a reason; nil = none ever does
}

func (m suiteModel) builds(applied []bool) bool {
	for i, j := range m.needs {
		if applied[i] && !applied[j] {
			return false
		}
	}
	return true
}

func (m suiteModel) outcome(test string, applied []bool) isolate.Outcome {
	if !m.builds(applied) {
		return isolate.Unresolved
	}
	for _, cause := range m.causes[test] {
		if !slices.ContainsFunc(cause, func(i int) bool { return !applied[i] }) {
			return isolate.Fail
		}
	}
	return isolate.Pass
}

// run is the command.
func (m suiteModel) run(applied []bool) (int, string) {
	if !m.builds(applied) {
		return 2, "it does not build\n"
	}
	var out strings.Builder
	for _, test := range slices.Sorted(maps.Keys(m.causes)) {
		if m.outcome(test, applied) == isolate.Fail || m.flaky != nil && m.flaky(test) {
			fmt.Fprintf(&out, "FAIL %s wanted something else\n", test)
		} else {
			fmt.Fprintf(&out, "ok %s\n", test)
		}
	}
	for _, test := range m.broken {
		fmt.Fprintf(&out, "FAIL %s as ever\n", test)
	}
	return 1, out.String()
}

// each searches for all tests of a suite.
func (l *lab) each(name string, m suiteModel, o search.EachOptions) (search.EachFound, int, error) {
	t := l.t
	t.Helper()
	good, bad := l.versions(name, m.n)
	set, err := changes.Between(t.Context(), l.repo, good, bad, changes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	header := trial.Header{Started: time.Now(), CommonDir: l.repo.CommonDir(), Good: set.Good, Bad: set.Bad, Command: []string{"test"}}
	session, err := trial.CreateSession(filepath.Join(t.TempDir(), "sessions"), header)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	return l.eachIn(session, set, m, o)
}

// eachIn searches for all tests of a suite in a session, or goes on in it.
func (l *lab) eachIn(session *trial.Session, set *changes.Set, m suiteModel, o search.EachOptions) (search.EachFound, int, error) {
	t := l.t
	t.Helper()
	run := m.run
	if l.run != nil {
		run = l.run
	}
	format, err := suite.ParseFormat(`lines:^(?P<status>ok|FAIL) (?P<test>\S+)(?P<message>.*)`)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := trial.New(t.Context(), trial.Options{
		Repo: l.repo, Session: session, Command: []string{"test"}, Remote: model(run).remote(m.n), Jobs: l.jobs, MaxTrials: l.most, Tests: format,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	o.Suite = runner
	if o.Search == nil {
		o.Search = func(ctx context.Context, test string, joint *search.Joint) (found search.Found, err error) {
			header := session.Header()
			header.Test = test
			own, err := trial.CreateSession(filepath.Join(session.Dir(), "tests"), header)
			if err != nil {
				return found, err
			}
			defer own.Close()
			one, err := runner.ForTest(ctx, own, test)
			if err != nil {
				return found, err
			}
			defer one.Close()
			return search.Run(ctx, set, search.Options{Runner: one, Whole: true, Joint: joint})
		}
	}
	found, err := search.Each(t.Context(), set, o)
	return found, runner.Stats().Run, err
}

// check holds the answers to what the tests do.
func (m suiteModel) check(t *testing.T, found search.EachFound) {
	t.Helper()
	if m.flaky == nil && len(found.Unanswered)+len(found.Open) > 0 {
		t.Errorf("unanswered %v, open %v", found.Unanswered, found.Open)
	}
	answered := 0
	for _, cause := range found.Causes {
		r := cause.Found.Result
		if !cause.Found.Verdict.Verified || !r.Minimal && len(m.needs) == 0 {
			t.Errorf("%v: verified %v, minimal %v", cause.Tests, cause.Found.Verdict.Verified, r.Minimal)
		}
		for _, test := range cause.Tests {
			if strings.HasPrefix(test, "flaky") {
				continue
			}
			answered++
			with := func(c isolate.Configuration) isolate.Outcome {
				return m.outcome(test, parsed(t, cause.Found.Set, c.All(), m.n))
			}
			if with(r.Passing) != isolate.Pass || with(r.Failing) != isolate.Fail {
				t.Errorf("%s: %v without the cause, %v with it", test, with(r.Passing), with(r.Failing))
			}
			for i := range r.Cause.All() {
				if r.Minimal && with(r.Failing.Minus(isolate.Of(r.Failing.N(), i))) == isolate.Fail {
					t.Errorf("%s: minimal, but it fails without %d", test, i)
				}
			}
		}
	}
	steady := 0
	for test := range m.causes {
		if !strings.HasPrefix(test, "flaky") {
			steady++
		}
	}
	if answered != steady {
		t.Errorf("%d answers for %d steady tests: %v, without an answer %v", answered, steady, found.Causes, found.Unanswered)
	}
}

// TestEach searches for tests with random causes, which overlap, and of which several tests have one.
func TestEach(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for round := range rounds {
		m := suiteModel{n: 6 + r.IntN(20), causes: map[string][][]int{}, needs: map[int]int{}}
		causes := make([][]int, 1+r.IntN(3))
		for k := range causes {
			causes[k] = r.Perm(m.n)[:1+r.IntN(2)]
		}
		for k := range 1 + r.IntN(8) {
			list := [][]int{causes[r.IntN(len(causes))]}
			if r.IntN(5) == 0 {
				list = append(list, causes[r.IntN(len(causes))])
			}
			m.causes[fmt.Sprintf("test%02d", k)] = list
		}
		for range r.IntN(3) {
			i, j := r.IntN(m.n), r.IntN(m.n)
			if i != j {
				m.needs[max(i, j)] = min(i, j)
			}
		}
		l.jobs = 1 + round%3
		found, trials, err := l.each(fmt.Sprintf("p%d", round), m, search.EachOptions{})
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		m.check(t, found)
		t.Logf("n %d, causes %v, %d tests: %d causes, %d trials", m.n, causes, len(m.causes), len(found.Causes), trials)
		if t.Failed() {
			t.Fatalf("%+v", m)
		}
	}
}

// A test that mixtures do not have has an answer of many changes. That is none for a test with the same outcomes at both
// ends, of which more is known.
func TestEachAbsent(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	m := suiteModel{n: 8, causes: map[string][][]int{"absent": {{1}}, "steady1": {{2}}, "steady2": {{2}}}}
	l.run = func(applied []bool) (int, string) {
		code, out := m.run(applied)
		if slices.Contains(applied, true) && slices.Contains(applied, false) {
			_, out, _ = strings.Cut(out, "\n")
		}
		return code, out
	}
	found, _, err := l.each("p", m, search.EachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Causes) == 0 || !slices.Equal(found.Causes[0].Tests, []string{"steady1", "steady2"}) || found.Causes[0].Found.Result.Cause.Len() != 1 {
		t.Errorf("%v, without an answer %v", found.Causes, found.Unanswered)
	}
}

// Flaky tests, which fail now and then or pass now and then, spoil the answer of no other one.
func TestEachFlaky(t *testing.T) {
	seed.SkipLong(t, 8)
	t.Parallel()
	l := newLab(t)
	l.jobs = 1
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for round := range 20 {
		m := suiteModel{n: 10 + r.IntN(20), causes: map[string][][]int{}}
		causes := [][]int{{r.IntN(m.n)}, r.Perm(m.n)[:2]}
		for k := range 6 {
			m.causes[fmt.Sprintf("test%d", k)] = [][]int{causes[k%2]}
		}
		m.causes["flaky1"], m.causes["flaky2"] = [][]int{causes[0]}, [][]int{}
		m.flaky = func(test string) bool { return strings.HasPrefix(test, "flaky") && r.IntN(10) < 3 }
		found, trials, err := l.each(fmt.Sprintf("p%d", round), m, search.EachOptions{})
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		m.check(t, found)
		for _, u := range found.Unanswered {
			if !strings.HasPrefix(u.Test, "flaky") {
				t.Errorf("%s: %v", u.Test, u.Err)
			}
		}
		t.Logf("%d trials, %d causes, without an answer %v", trials, len(found.Causes), found.Unanswered)
		if t.Failed() {
			return
		}
	}
}

// Forty tests that fail for two reasons take hardly more trials than two searches, and less.
func TestEachTrials(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.jobs = 1
	m := suiteModel{n: 60, causes: map[string][][]int{}, broken: []string{"never"}}
	for k := range 40 {
		m.causes[fmt.Sprintf("test%02d", k)] = [][]int{{10 + 30*(k%2)}}
	}
	found, both, err := l.each("two", m, search.EachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m.check(t, found)
	if len(found.Causes) != 2 || len(found.Causes[0].Tests) != 20 || !slices.Equal(found.Both, []string{"never"}) {
		t.Errorf("causes %v, both %v", found.Causes, found.Both)
	}
	found, first, err := l.each("one", m, search.EachOptions{Tests: regexp.MustCompile("test00")})
	if err != nil || len(found.Targets) != 1 {
		t.Fatal(found.Targets, err)
	}
	found, second, err := l.each("other", m, search.EachOptions{Tests: regexp.MustCompile("test01")})
	if err != nil || len(found.Targets) != 1 {
		t.Fatal(found.Targets, err)
	}
	t.Logf("%d trials for two causes, %d and %d for each alone", both, first, second)
	if most := first + bits.Len(uint(m.n)) + 4; both > most { // what halves 60 changes, and four trials that confirm
		t.Errorf("%d trials for two causes, more than %d; %d and %d for each alone", both, most, first, second)
	}
}

// In a difference without commits a further cause takes less than log2 n trials, with those that confirm it.
func TestEachCauses(t *testing.T) {
	seed.SkipLong(t, 8)
	t.Parallel()
	l := newLab(t)
	l.jobs = 1
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for size, most := range map[int]float64{1: 0.9, 2: 1.15} {
		trials, bound := 0, 0.0
		const n, causes, rounds = 120, 4, 3
		for round := range rounds {
			m := suiteModel{n: n, causes: map[string][][]int{}}
			places := r.Perm(n)
			for k := range 3 * causes {
				of := k % causes
				m.causes[fmt.Sprintf("test%02d", k)] = [][]int{places[size*of : size*(of+1)]}
			}
			found, all, err := l.each(fmt.Sprintf("p%d-%d", size, round), m, search.EachOptions{})
			if err != nil || len(found.Causes) != causes {
				t.Fatalf("%+v: %d causes, %v", m, len(found.Causes), err)
			}
			m.check(t, found)
			_, alone, err := l.each(fmt.Sprintf("q%d-%d", size, round), m, search.EachOptions{Tests: regexp.MustCompile("^test00$")})
			if err != nil {
				t.Fatal(err)
			}
			trials, bound = trials+all, bound+float64(alone)+(causes-1)*math.Log2(n)
		}
		t.Logf("causes of %d changes: %d trials, %.2f of one search and log2 n for each further cause", size, trials, float64(trials)/bound)
		if float64(trials) > most*bound {
			t.Errorf("causes of %d changes: %d trials, more than %.2f times %.1f", size, trials, most, bound)
		}
	}
}

// Where most mixtures do not build, the joint search ends early, and each test is searched for by itself: a joint search to the end takes
// 563 trials on these problems, and searches for one test after the other take 460.
func TestEachBarren(t *testing.T) {
	seed.SkipLong(t, 8)
	t.Parallel()
	l := newLab(t)
	l.jobs = 1
	r := rand.New(rand.NewPCG(7, 11))
	trials := 0
	for round := range 4 {
		const n, causes = 250, 4
		m := suiteModel{n: n, causes: map[string][][]int{}, needs: map[int]int{}}
		places := r.Perm(n)
		for k := range 5 * causes {
			m.causes[fmt.Sprintf("test%02d", k)] = [][]int{{places[k%causes]}}
		}
		for range 50 {
			if i, j := r.IntN(n), r.IntN(n); i != j {
				m.needs[max(i, j)] = min(i, j)
			}
		}
		_, all, err := l.each(fmt.Sprintf("p%d", round), m, search.EachOptions{})
		if err != nil {
			t.Fatal(err)
		}
		trials += all
	}
	t.Logf("%d trials", trials)
	if trials > 500 {
		t.Errorf("%d trials", trials)
	}
}

// The number of trials at once changes no answer.
func TestEachJobs(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	m := suiteModel{n: 60, causes: map[string][][]int{"a": {{5}}, "b": {{33, 40}}, "c": {{50, 7}}, "d": {{33, 40}}, "e": {{12}}}, needs: map[int]int{33: 2, 50: 20}}
	var want []string
	for _, l.jobs = range []int{1, 4} {
		found, _, err := l.each(fmt.Sprintf("p%d", l.jobs), m, search.EachOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, cause := range found.Causes {
			got = append(got, fmt.Sprintf("%v: %q in %d trials", cause.Tests, cause.Found.Result.Cause, cause.Found.Trials))
		}
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%d jobs: %v, and not %v", l.jobs, got, want)
		}
	}
}

// A search that a limit has ended goes on where it was: no trial is run twice.
func TestEachResumes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.jobs = 1
	m := suiteModel{n: 60, causes: map[string][][]int{"a": {{5}}, "b": {{33, 40}}, "c": {{50, 7}}}, needs: map[int]int{33: 2, 50: 20}}
	_, whole, err := l.each("whole", m, search.EachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	good, bad := l.versions("cut", m.n)
	set, err := changes.Between(t.Context(), l.repo, good, bad, changes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "sessions")
	session, err := trial.CreateSession(dir, trial.Header{Started: time.Now(), CommonDir: l.repo.CommonDir(), Good: set.Good, Bad: set.Bad, Command: []string{"test"}})
	if err != nil {
		t.Fatal(err)
	}
	trials := 0
	for l.most = 4; l.most < whole+4; l.most += 4 {
		_, n, err := l.eachIn(session, set, m, search.EachOptions{})
		if err != nil && !errors.Is(err, isolate.ErrBudget) {
			t.Fatal(err)
		}
		trials = n
		if session.Close(); err == nil {
			break
		}
		if session, err = trial.OpenSession(session.Dir()); err != nil {
			t.Fatal(err)
		}
	}
	if trials != whole {
		t.Errorf("%d trials with limits, and %d without", trials, whole)
	}
}

// A limit leaves the best answer for each test, and tests that no trial tells apart have one.
func TestEachBudget(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	m := suiteModel{n: 60, causes: map[string][][]int{"a": {{5}}, "b": {{33}}, "c": {{50, 7}}, "d": {{33}}}}
	for _, l.most = range []int{2, 5, 10, 20, 30} {
		found, trials, err := l.each(fmt.Sprintf("p%d", l.most), m, search.EachOptions{})
		if trials > l.most {
			t.Errorf("%d trials of %d", trials, l.most)
		}
		if err != nil && !errors.Is(err, isolate.ErrBudget) {
			t.Error(err)
		}
		n := 0
		for _, cause := range found.Causes {
			n += len(cause.Tests)
			for _, test := range cause.Tests {
				with := func(c isolate.Configuration) isolate.Outcome {
					return m.outcome(test, parsed(t, cause.Found.Set, c.All(), m.n))
				}
				if r := cause.Found.Result; with(r.Passing) != isolate.Pass || with(r.Failing) != isolate.Fail {
					t.Errorf("%d trials, %s: %v without the cause, %v with it", l.most, test, with(r.Passing), with(r.Failing))
				}
			}
		}
		if n != 4 || len(found.Open)+len(found.Unanswered) > 0 {
			t.Errorf("%d trials: %+v", l.most, found)
		}
		t.Logf("%d trials: %d causes, open %v, %v", l.most, len(found.Causes), found.Open, err)
	}
}

// A test that fails at a commit in other words than at the failing end is not explained by what makes it fail there.
func TestEachOtherMessage(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.jobs = 1
	m := suiteModel{n: 12, causes: map[string][][]int{"aaa": {{3}}, "bbb": {{3, 8}}}}
	plain := m.run
	l.run = func(applied []bool) (int, string) {
		status, out := plain(applied)
		if applied[3] && !applied[8] {
			out = strings.Replace(out, "ok bbb\n", "FAIL bbb cannot open database file\n", 1)
		}
		if applied[3] && applied[8] {
			out = strings.Replace(out, "FAIL bbb wanted something else\n", "FAIL bbb index out of range\n", 1)
		}
		return status, out
	}
	found, _, err := l.each("p", m, search.EachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, cause := range found.Causes {
		applied := parsed(t, cause.Found.Set, cause.Found.Result.Failing.All(), m.n)
		if slices.Contains(cause.Tests, "bbb") && (len(cause.Tests) > 1 || !applied[8]) {
			t.Errorf("%v: %v", cause.Tests, applied)
		}
	}
	if len(found.Causes) != 2 {
		t.Errorf("%d causes, and without an answer %v", len(found.Causes), found.Unanswered)
	}
}
