package search_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// A gauge is a command that prints a number.
type gauge struct {
	weights []float64 // by how much each change makes the number larger
	noise   func(run int) float64
	broken  func(applied []bool) bool // these do not build
	runs    int
}

func (g *gauge) level(applied []bool) float64 {
	sum := 1000.0
	for i, is := range applied {
		if is {
			sum += g.weights[i]
		}
	}
	return sum
}

func (g *gauge) model(applied []bool) (int, string) {
	g.runs++
	if g.broken != nil && g.broken(applied) {
		return 1, "does not build\n"
	}
	number := g.level(applied)
	if g.noise != nil {
		number += g.noise(g.runs)
	}
	return 0, fmt.Sprintf("ok\nnumber: %v\n", number)
}

// history commits a program of n parts, one part new in each commit, and returns the first and the last commit.
func (l *lab) history(name string, n int) (good, bad string) { return l.commits(name, n, 1) }

// commits is history with several parts new in each commit.
func (l *lab) commits(name string, n, each int) (good, bad string) {
	applied := make([]bool, n)
	parent := ""
	for k := 0; k <= n; k += each {
		for i := range each {
			if k > 0 {
				applied[k-1-i] = true
			}
		}
		args := []string{"commit-tree", "-m", fmt.Sprint("part ", k), l.tree(name, applied)}
		if parent != "" {
			args = append(args, "-p", parent)
		}
		if parent = l.git(args...); k == 0 {
			good = parent
		}
	}
	l.git("rm", "-q", "-r", "-f", ".")
	return good, parent
}

func newGauge(t *testing.T) *lab {
	l := newLab(t)
	var err error
	if l.what, err = measure.Parse(`regex:number: (\S+)`); err != nil {
		t.Fatal(err)
	}
	return l
}

// members are the parts in the cause of an answer.
func members(t *testing.T, a search.Answer, n int) []int {
	var list []int
	for i, is := range parsed(t, a.Set, a.Result.Cause.All(), n) {
		if is {
			list = append(list, i)
		}
	}
	return list
}

// With an exact number the commit with the highest step is found, and its change, within few trials: both ends twice,
// the halvings, and what confirms the answer.
func TestMeasuredExact(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	const n = 40
	l := newGauge(t)
	good, bad := l.history("a", n)
	for range 4 {
		g := &gauge{weights: make([]float64, n)}
		highest := random.IntN(n)
		for i := range g.weights {
			g.weights[i] = float64(random.IntN(3)) / 16
		}
		g.weights[highest] = 20 + float64(random.IntN(100))
		found, trials, err := l.search(good, bad, n, g.model, search.Options{Numbers: &search.Numbers{}})
		if err != nil {
			t.Fatal(err)
		}
		if got := members(t, found.Answer, n); !slices.Equal(got, []int{highest}) || !found.Verdict.Verified || !found.Result.Minimal {
			t.Errorf("%v: found %v, %+v", g.weights, got, found.Verdict)
		}
		if m := found.Measured; !m.Exact || m.Total.Value != g.level(all(n))-1000 || m.Steps[0].Delta.Value != g.weights[highest] {
			t.Errorf("%v: %+v", g.weights, m)
		}
		// Between the steps of the others the highest is not the only one: each halving leaves a part that is looked into
		// only if it is as high.
		if most := 4 + 6 + 4; trials > most {
			t.Errorf("%v: %d trials, want at most %d", g.weights, trials, most)
		}
	}
}

func all(n int) []bool {
	list := make([]bool, n)
	for i := range list {
		list[i] = true
	}
	return list
}

// Without a history, where parts of the mixtures do not build, the answer is that of a search by exit status.
func TestMeasuredMixtures(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 1))
	const n = 12
	l := newGauge(t)
	good, bad := l.versions("a", n)
	for range 6 {
		cause, needs, needed := random.IntN(n), random.IntN(n), random.IntN(n)
		g := &gauge{weights: make([]float64, n), broken: func(applied []bool) bool { return applied[needs] && !applied[needed] }}
		g.weights[cause] = 5
		found, _, err := l.search(good, bad, n, g.model, search.Options{Numbers: &search.Numbers{}})
		if err != nil {
			t.Fatal(err)
		}
		if got := members(t, found.Answer, n); !slices.Contains(got, cause) || len(got) > 2 {
			t.Errorf("%d, where %d needs %d: found %v", cause, needs, needed, got)
		}
	}
}

// A number with noise takes as many runs as it takes, whatever the machine does meanwhile. The seeds are fixed.
func TestMeasuredNoise(t *testing.T) {
	seed.SkipLong(t, 8)
	const n = 60
	l := newGauge(t)
	good, bad := l.history("a", n)
	for _, row := range []struct {
		name   string
		causes map[int]float64
		noise  func(random *rand.Rand, run int) float64
		all    bool
		most   int // trials
	}{
		{"clear", map[int]float64{41: 50}, func(random *rand.Rand, _ int) float64 { return 5 * random.NormFloat64() }, false, 45},
		{"low", map[int]float64{17: 10}, func(random *rand.Rand, _ int) float64 { return 8 * random.NormFloat64() }, false, 300},
		{"three", map[int]float64{5: 50, 30: 30, 52: 60}, func(random *rand.Rand, _ int) float64 { return 5 * random.NormFloat64() }, true, 260},
		{"drift", map[int]float64{23: 50}, func(random *rand.Rand, run int) float64 { return 5*random.NormFloat64() + 0.6*float64(run) }, false, 120},
		{"outliers", map[int]float64{23: 50}, func(random *rand.Rand, _ int) float64 {
			if random.IntN(10) == 0 {
				return 400 * random.Float64()
			}
			return 5 * random.NormFloat64()
		}, false, 80},
	} {
		t.Run(row.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(7, 7))
			g := &gauge{weights: make([]float64, n), noise: func(run int) float64 { return row.noise(random, run) }}
			for i, by := range row.causes {
				g.weights[i] = by
			}
			found, trials, err := l.search(good, bad, n, g.model, search.Options{Numbers: &search.Numbers{}, All: row.all})
			if err != nil {
				t.Fatal(err)
			}
			got := members(t, found.Answer, n)
			for _, f := range found.Further {
				got = append(got, members(t, f.Answer, n)...)
			}
			slices.Sort(got)
			var want []int
			for i := range row.causes {
				want = append(want, i)
			}
			slices.Sort(want)
			t.Logf("%d trials, confidence %v, %+v", trials, found.Confidence, found.Measured.Total)
			if !slices.Equal(got, want) || trials > row.most {
				t.Errorf("found %v in %d trials, want %v in %d", got, trials, want, row.most)
			}
			for i, s := range found.Measured.Steps {
				if by := row.causes[members(t, append([]search.Answer{found.Answer}, further(found)...)[i], n)[0]]; s.Delta.Low > by || s.Delta.High < by {
					t.Errorf("step %d is %+v, want %v", i, s.Delta, by)
				}
			}
			if found.Confidence < 0.98 {
				t.Errorf("confidence %v", found.Confidence)
			}
		})
	}
}

// Where the place of a step is not known well enough, there is no answer, and where its changes cannot be told apart, all of
// them are the answer. The changes of a commit are measured anew: the machine may have been faster when the commits were.
func TestMeasuredUnsure(t *testing.T) {
	seed.SkipLong(t, 8)
	const n = 60
	l := newGauge(t)
	// bursts makes a noise with periods of fifteen runs on average in which the numbers are higher by more than the step.
	bursts := func(random *rand.Rand) func(int) float64 {
		slow, until := false, 0
		return func(run int) float64 {
			for run >= until {
				slow, until = !slow, until+1+int(15*random.ExpFloat64())
			}
			if slow {
				return 12.5 + 5*random.NormFloat64()
			}
			return 5 * random.NormFloat64()
		}
	}
	behind := false // the search is done with the commits
	// then makes a noise that is larger behind the commits, by a factor and by an amount.
	then := func(factor, amount float64) func(*rand.Rand) func(int) float64 {
		return func(random *rand.Rand) func(int) float64 {
			return func(int) float64 {
				if behind {
					return amount + factor*5*random.NormFloat64()
				}
				return 5 * random.NormFloat64()
			}
		}
	}
	for _, row := range []struct {
		name  string
		each  int // changes in each commit
		seed  uint64
		step  float64 // of one change; 0 = each change has one
		low   bool    // it is too low for single runs: the changes are measured along a line at once
		noise func(random *rand.Rand) func(run int) float64
		want  string // "change", "commit", or how the reason begins why there is no answer
		most  int    // trials
	}{
		{"bursts", 1, 6, 10, false, bursts, "change", 100},
		{"bursts, several changes", 4, 6, 10, true, bursts, "change", 400},
		{"little by little", 1, 2, 0, false, bursts, "the number changes in ", 1000},
		{"slower behind the commits", 4, 1, 50, false, then(1, 500), "change", 60},
		{"noisier behind the commits", 4, 1, 50, false, then(100, 0), "commit", 300},
	} {
		random := rand.New(rand.NewPCG(row.seed, 7))
		g := &gauge{weights: make([]float64, n), noise: row.noise(random)}
		cause := random.IntN(n)
		g.weights[cause] = row.step
		if row.step == 0 {
			for i := range g.weights {
				g.weights[i] = 1
			}
		}
		good, bad := l.commits(fmt.Sprint("a", row.each), n, row.each)
		commits := 0 // the last trial along them
		behind = false
		found, trials, err := l.search(good, bad, n, g.model, search.Options{Numbers: &search.Numbers{}, Observe: func(e search.Event) {
			switch e := e.(type) {
			case search.LineStep:
				commits = max(commits, e.Trial)
			case search.StageEnded:
				behind = true
			case search.ChangesStep:
				if row.low && e.Trial > 0 && e.Trial <= commits {
					t.Errorf("%s: trial %d tells of the changes, and trial %d was of the commits", row.name, e.Trial, commits)
				}
			}
		}})
		t.Logf("%s: %d trials, %d along the commits", row.name, trials, commits)
		if trials > row.most {
			t.Errorf("%s: %d trials, want at most %d", row.name, trials, row.most)
		}
		var want []int
		switch row.want {
		case "change":
			want = []int{cause}
		case "commit":
			for i := range row.each {
				want = append(want, cause-cause%row.each+i)
			}
		default:
			if reason := found.Verdict.Reason; !errors.Is(err, search.ErrWithheld) || !strings.HasPrefix(reason, row.want) || !strings.Contains(reason, ", less than the confidence of 99 %, and ") {
				t.Errorf("%s: %v, %q, want %q", row.name, err, reason, row.want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if got := members(t, found.Answer, n); !slices.Equal(got, want) || found.Verdict.Verified {
			t.Errorf("%s: found %v, %+v, want %v", row.name, got, found.Verdict, want)
		}
	}
}

func further(found search.Found) (list []search.Answer) {
	for _, f := range found.Further {
		list = append(list, f.Answer)
	}
	return list
}

// A number that seems exact at first is found out when a configuration is measured again, and then searched as one that varies.
func TestMeasuredVaries(t *testing.T) {
	seed.SkipLong(t, 8)
	const n = 40
	l := newGauge(t)
	good, bad := l.history("a", n)
	for odd := 5; odd < 11; odd++ {
		g := &gauge{weights: make([]float64, n), noise: func(run int) float64 {
			if run == odd {
				return 60
			}
			return 0
		}}
		g.weights[27] = 50
		found, trials, err := l.search(good, bad, n, g.model, search.Options{Numbers: &search.Numbers{}})
		if err != nil {
			t.Fatal(err)
		}
		if got := members(t, found.Answer, n); !slices.Equal(got, []int{27}) || trials > 80 {
			t.Errorf("run %d is odd: found %v in %d trials, exact %v", odd, got, trials, found.Measured.Exact)
		}
	}
}

// Only what makes the number larger is the answer, if bad has the larger one, even if another commit made it smaller by more.
func TestMeasuredDirection(t *testing.T) {
	const n = 20
	l := newGauge(t)
	good, bad := l.history("a", n)
	g := &gauge{weights: make([]float64, n)}
	g.weights[4], g.weights[9], g.weights[15] = -9, 8, 6
	found, _, err := l.search(good, bad, n, g.model, search.Options{Numbers: &search.Numbers{}})
	if err != nil {
		t.Fatal(err)
	}
	if got := members(t, found.Answer, n); !slices.Equal(got, []int{9}) && !slices.Equal(got, []int{15}) {
		t.Errorf("found %v", got)
	}
}

// Ends that a search of numbers is of no use for.
func TestMeasuredEnds(t *testing.T) {
	const n = 3
	l := newGauge(t)
	good, bad := l.versions("a", n)
	for _, row := range []struct {
		name    string
		weight  float64
		noise   func(int) float64
		broken  func([]bool) bool
		numbers search.Numbers
		want    string
	}{
		{"constant", 0, nil, nil, search.Numbers{}, "the numbers of the ends cannot be told apart: 1000 at good and at bad, in each of 2 runs"},
		{"noise", 0, func(run int) float64 { return float64(run * 7 % 5) }, nil, search.Numbers{Repeats: 6}, "the numbers of the ends cannot be told apart: 1001.5 at good and 1002.5 at bad after 4 runs of each, which vary by 1.4826; about 69 runs of each would do (--repeat 69)"},
		{"too little", 4, nil, nil, search.Numbers{Least: func(good float64) float64 { return good / 10 }}, "the numbers of the ends differ by less than what matters: 1000 at good, 1012 at bad, and 100 matters"},
		{"better", -4, nil, nil, search.Numbers{Larger: 1}, "the number of bad is smaller than that of good, 988 instead of 1000: --better searches for what made it better, and --good and --bad exchanged for what made it worse again"},
		{"broken", 4, nil, func(applied []bool) bool { return true }, search.Numbers{}, "the good end has no number: exit 1, output line \"does not build\""},
		{"status", 4, nil, func(applied []bool) bool { return applied[1] }, search.Numbers{}, ""},
	} {
		g := &gauge{weights: []float64{row.weight, row.weight, row.weight}, noise: row.noise, broken: row.broken}
		found, _, err := l.search(good, bad, n, g.model, search.Options{Numbers: &row.numbers})
		if row.want == "" {
			if err != nil || !slices.Equal(members(t, found.Answer, n), []int{1}) || found.Measured != nil {
				t.Errorf("%s: %v", row.name, err)
			}
			continue
		}
		var ends *trial.EndsError
		if !errors.As(err, &ends) || ends.What != row.want {
			t.Errorf("%s: %v, want %s", row.name, err, row.want)
		}
	}
}

// A search that is cut short has the best answer so far. One that goes on, as after a kill, takes the numbers of before from the
// journal, and comes to the same answer by the same trials.
func TestMeasuredResumed(t *testing.T) {
	seed.SkipLong(t, 8)
	l := newGauge(t)
	for _, row := range []struct {
		name  string
		n     int
		drift float64 // of a run
		make  func(name string, n int) (good, bad string)
	}{
		{"steady", 60, 0, l.history},
		{"drifting", 60, 1.5, l.history},
		{"drifting changes", 40, 1.5, l.versions},
	} {
		name, n, drift := row.name, row.n, row.drift
		good, bad := row.make(name[:1], n)
		set, err := changes.Between(t.Context(), l.repo, good, bad, changes.Options{})
		if err != nil {
			t.Fatal(err)
		}
		// begin returns a command in a new session, and a function that goes on in it, to so many trials.
		begin := func() func(most int) (search.Found, int, error) {
			random := rand.New(rand.NewPCG(3, 3))
			g := &gauge{weights: make([]float64, n), noise: func(run int) float64 { return 5*random.NormFloat64() + drift*float64(run) }}
			g.weights[33] = 40
			dir := filepath.Join(t.TempDir(), "sessions")
			session, err := trial.CreateSession(dir, trial.Header{
				Started: time.Now(), CommonDir: l.repo.CommonDir(), Good: set.Good, Bad: set.Bad, Command: []string{"test"},
			})
			if err != nil {
				t.Fatal(err)
			}
			at := session.Dir()
			if err := session.Close(); err != nil {
				t.Fatal(err)
			}
			return func(most int) (search.Found, int, error) {
				session, err := trial.OpenSession(at)
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				l.most = most
				defer func() { l.most = 0 }()
				return l.searchIn(session, set, n, g.model, search.Options{Numbers: &search.Numbers{}})
			}
		}
		whole, all, err := begin()(0)
		if err != nil {
			t.Fatal(err)
		}
		if got := members(t, whole.Answer, n); !slices.Equal(got, []int{33}) || (whole.Measured.Drift != 0) != (drift != 0) {
			t.Errorf("%s: found %v, drift %v", name, got, whole.Measured.Drift)
		}
		for most := 3; most < all; most += 17 {
			goOn := begin()
			cut, trials, err := goOn(most)
			if !errors.Is(err, isolate.ErrBudget) || trials > most {
				t.Fatalf("%s: %d trials of %d: %v", name, trials, most, err)
			}
			if m := cut.Measured; len(m.Steps) > 0 && m.Steps[0].Commits != nil && (m.Steps[0].From > 33 || m.Steps[0].To < 34) && m.Steps[0].Probability > 0.9 {
				t.Errorf("%s: after %d trials the step is at %+v", name, most, m.Steps[0])
			}
			found, trials, err := goOn(0)
			if err != nil {
				t.Fatal(err)
			}
			if found.Result.Cause != whole.Result.Cause || trials != all || !reflect.DeepEqual(found.Measured, whole.Measured) {
				t.Errorf("%s: cut after %d trials it found %v in %d trials, want %v in %d", name, most, found.Result.Cause, trials, whole.Result.Cause, all)
			}
		}
	}
}
