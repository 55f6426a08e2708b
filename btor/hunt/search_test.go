package hunt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/trial"
)

// A model is a solver that fails on some seeds, and what a hunt does with it.
type model struct {
	engine
	fails func(seed uint64) int // exit status
	naps  *rand.Rand            // how long things take; nil = no time

	mu      sync.Mutex
	runs    []uint64
	reduces []uint64
	kept    []uint64
	records []Record
	log     []string // of events in the order of seeds
}

func newModel(o engine) *model {
	m := &model{engine: o, fails: func(seed uint64) int {
		switch {
		case seed%7 == 3:
			return 11
		case seed%11 == 5:
			return 1
		}
		return 10 + int(seed%2)*10
	}}
	m.Good = []int{10, 20}
	m.Labels = []string{"solver"}
	m.Generate = func(seed uint64) (Case, error) {
		return Case{Seed: seed, Graph: &graph.Graph{Nodes: make([]graph.Node, 20+seed%5)}}, nil
	}
	m.Run = func(ctx context.Context, _ int, c Case) ([]trial.Execution, error) {
		m.nap(&m.runs, c.Seed)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return []trial.Execution{{Exit: m.fails(c.Seed)}}, nil
	}
	m.Keep = func(c Case, _ Failure, _ []trial.Execution) error {
		m.nap(&m.kept, c.Seed)
		return nil
	}
	m.Reduce = func(ctx context.Context, _ int, r Run) (Reduction, error) {
		m.nap(&m.reduces, r.Seed)
		if ctx.Err() != nil {
			return Reduction{}, ctx.Err()
		}
		return Reduction{Seed: r.Seed, Status: "reduced", Failure: r.Failure, Nodes: 3, Shape: fmt.Sprint("op", r.Seed%14)}, nil
	}
	m.Record = func(r Record) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		if r.Run != nil && r.Run.Failure != nil && !slices.Contains(m.kept, r.Run.Seed) {
			return fmt.Errorf("seed %d is recorded before it is kept", r.Run.Seed)
		}
		m.records = append(m.records, r)
		return nil
	}
	m.Observe = func(e Event) {
		switch e.Kind {
		case Counted:
			m.log = append(m.log, fmt.Sprint("counted ", e.Seed, " ", e.Run.Failure))
		case Settled:
			m.log = append(m.log, fmt.Sprint("settled ", e.Seed, " ", e.Reduction.Shape))
		}
	}
	return m
}

func (m *model) nap(list *[]uint64, seed uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*list = append(*list, seed)
	if m.naps != nil {
		d := time.Duration(m.naps.IntN(300)) * time.Microsecond
		m.mu.Unlock()
		time.Sleep(d)
		m.mu.Lock()
	}
}

// ordered are the events of one kind.
func (m *model) ordered(kind string) []string {
	return slices.DeleteFunc(slices.Clone(m.log), func(line string) bool { return !strings.HasPrefix(line, kind) })
}

func seedsOf(findings []Finding) (seeds []uint64) {
	for _, f := range findings {
		seeds = append(seeds, f.Seed)
	}
	return seeds
}

func TestStopRules(t *testing.T) {
	for _, test := range []struct {
		name     string
		o        engine
		next     uint64
		findings []uint64
	}{
		{"runs", engine{Runs: 20}, 20, []uint64{3, 5, 10, 16, 17}},
		{"runs from a seed on", engine{First: 4, Runs: 13}, 17, []uint64{5, 10, 16}},
		{"count", engine{Count: 3}, 11, []uint64{3, 5, 10}},
		{"count comes first", engine{Count: 1, Runs: 20}, 4, []uint64{3}},
		{"runs come first", engine{Count: 9, Runs: 6}, 6, []uint64{3, 5}},
		{"the last seeds", engine{First: 1<<64 - 3, Runs: 5}, 1<<64 - 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newModel(test.o)
			if test.findings == nil {
				m.fails = func(uint64) int { return 10 }
			}
			sum, err := m.engine.run(t.Context())
			if err != nil || !sum.Done || sum.First != test.o.First || sum.Next != test.next || uint64(sum.Runs) != test.next-test.o.First {
				t.Errorf("%+v, %v", sum, err)
			}
			if got := seedsOf(sum.Findings); !slices.Equal(got, test.findings) {
				t.Errorf("findings %v", got)
			}
			// One job runs nothing in vain.
			if len(m.runs) != sum.Runs || !slices.IsSorted(m.runs) || !slices.Equal(m.reduces, test.findings) {
				t.Errorf("ran %v, reduced %v", m.runs, m.reduces)
			}
		})
	}
}

// The summary and what is told in order do not depend on the number of jobs, nor on
// how often the hunt is ended and goes on; nothing is run twice.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 20 {
		o := engine{First: random.Uint64N(1000), Count: random.IntN(8), Runs: 40 + random.IntN(40)}
		plain := newModel(o)
		want, err := plain.engine.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m := newModel(o)
		m.naps = rand.New(rand.NewPCG(random.Uint64(), 0))
		m.Jobs = 1 + random.IntN(6)
		var sum Summary
		stops := 0
		for {
			ctx, cancel := context.WithCancel(t.Context())
			if stops < 5 && random.IntN(3) > 0 {
				time.AfterFunc(time.Duration(random.IntN(3000))*time.Microsecond, cancel)
			}
			m.Known, m.log = slices.Clone(m.records), nil
			sum, err = m.engine.run(ctx)
			cancel()
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			stops++
			for _, f := range sum.Findings {
				if f.Failure == nil || f.Seed < o.First {
					t.Errorf("finding %+v after a stop", f)
				}
			}
		}
		if !reflect.DeepEqual(sum, want) {
			t.Errorf("%d jobs, %d stops: %+v\nwant %+v", m.Jobs, stops, sum, want)
		}
		if !reflect.DeepEqual(Groups(sum.Findings), Groups(want.Findings)) {
			t.Error("other groups")
		}
		for _, kind := range []string{"counted", "settled"} {
			if got, want := m.ordered(kind), plain.ordered(kind); !slices.Equal(got, want) {
				t.Errorf("%d jobs, %d stops: %v\nwant %v", m.Jobs, stops, got, want)
			}
		}
		done := map[string]bool{}
		for _, r := range m.records {
			key := ""
			if r.Run != nil {
				key = fmt.Sprint("run ", r.Run.Seed)
			} else {
				key = fmt.Sprint("reduction ", r.Reduction.Seed)
			}
			if done[key] {
				t.Errorf("%s is recorded twice", key)
			}
			done[key] = true
		}
		// Everything that was begun but not recorded was cancelled: at most one for each
		// worker and stop.
		if spare := len(m.runs) + len(m.reduces) - len(m.records); spare > m.Jobs*(stops+1) {
			t.Errorf("%d runs and %d reductions for %d records, with %d stops and %d jobs", len(m.runs), len(m.reduces), len(m.records), stops, m.Jobs)
		}
	}
}

// A hunt that ended at a count goes on when more are asked for, with what was run
// ahead.
func TestMore(t *testing.T) {
	m := newModel(engine{Count: 1})
	if _, err := m.engine.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.Known, m.Count = m.records, 2
	sum, err := m.engine.run(t.Context())
	if err != nil || !slices.Equal(seedsOf(sum.Findings), []uint64{3, 5}) || len(m.runs) != 6 {
		t.Errorf("%+v, %v; runs %v", sum, err, m.runs)
	}
	m.Known, m.Count = m.records, 1
	if sum, err = m.engine.run(t.Context()); err != nil || !slices.Equal(seedsOf(sum.Findings), []uint64{3}) || sum.Runs != 4 || len(m.runs) != 6 {
		t.Errorf("%+v, %v; runs %v", sum, err, m.runs)
	}
}

func TestWithoutReducing(t *testing.T) {
	m := newModel(engine{Runs: 12})
	reduce := m.engine.Reduce
	m.engine.Reduce, m.Observe = nil, nil
	sum, err := m.engine.run(t.Context())
	if err != nil || !sum.Done || len(sum.Findings) != 3 || sum.Findings[0].Reduction != nil {
		t.Fatalf("%+v, %v", sum, err)
	}
	m.Known, m.engine.Reduce = m.records, reduce
	if sum, err = m.engine.run(t.Context()); err != nil || len(m.runs) != 12 || !slices.Equal(m.reduces, []uint64{3, 5, 10}) || sum.Findings[2].Reduction == nil {
		t.Errorf("%+v, %v", sum, err)
	}
}

// Trouble of any of the functions ends the search, and is its error.
func TestTrouble(t *testing.T) {
	trouble := errors.New("the disk is full")
	for name, breaks := range map[string]func(*model){
		"generate": func(m *model) { m.Generate = func(uint64) (Case, error) { return Case{}, trouble } },
		"run": func(m *model) {
			m.Run = func(context.Context, int, Case) ([]trial.Execution, error) { return nil, trouble }
		},
		"keep": func(m *model) { m.Keep = func(Case, Failure, []trial.Execution) error { return trouble } },
		"reduce": func(m *model) {
			m.Reduce = func(context.Context, int, Run) (Reduction, error) { return Reduction{}, trouble }
		},
		"record": func(m *model) { m.Record = func(Record) error { return trouble } },
	} {
		for _, jobs := range []int{1, 3} {
			m := newModel(engine{Jobs: jobs})
			// The fields are set on the model's engine.
			breaks(m)
			if sum, err := m.engine.run(t.Context()); !errors.Is(err, trouble) || sum.Done {
				t.Errorf("%s, %d jobs: %v", name, jobs, err)
			}
		}
	}
}

// What other machines lose is no finding, and a later process runs it again. A cluster that is out of reach ends the search.
func TestLost(t *testing.T) {
	for _, jobs := range []int{1, 3} {
		m := newModel(engine{Runs: 6, Jobs: jobs})
		run := m.engine.Run
		m.engine.Run = func(ctx context.Context, worker int, c Case) ([]trial.Execution, error) {
			if c.Seed == 3 || c.Seed == 4 {
				return nil, &trial.LostError{Reason: "lost 5 times"}
			}
			return run(ctx, worker, c)
		}
		sum, err := m.engine.run(t.Context())
		if err != nil || !sum.Done || sum.Runs != 6 || sum.Lost != 2 || !slices.Equal(sum.Unanswered, []int{3}) || !slices.Equal(seedsOf(sum.Findings), []uint64{5}) {
			t.Errorf("%d jobs: %+v, %v", jobs, sum, err)
		}
		m.engine.Run, m.Known, m.runs = run, m.records, nil
		sum, err = m.engine.run(t.Context())
		slices.Sort(m.runs)
		if err != nil || sum.Lost != 0 || !slices.Equal(m.runs, []uint64{3, 4}) || !slices.Equal(seedsOf(sum.Findings), []uint64{3, 5}) {
			t.Errorf("%d jobs, once more: %+v, %v, runs of %d", jobs, sum, err, m.runs)
		}
		m = newModel(engine{Runs: 6, Jobs: jobs})
		m.engine.Run = func(context.Context, int, Case) ([]trial.Execution, error) {
			return nil, &trial.LostError{Reason: "nobody answers", Away: true}
		}
		if sum, err := m.engine.run(t.Context()); err == nil || sum.Done || len(m.records) > 0 {
			t.Errorf("%d jobs, out of reach: %+v, %v", jobs, sum, err)
		}
	}
}

func TestUnanswered(t *testing.T) {
	m := newModel(engine{Runs: 6, Jobs: 2})
	m.Labels = []string{"one", "other"}
	m.engine.Run = func(_ context.Context, _ int, c Case) ([]trial.Execution, error) {
		return []trial.Execution{{Exit: 10}, {Exit: int(c.Seed%3) * 10}}, nil
	}
	sum, err := m.engine.run(t.Context())
	if err != nil || !slices.Equal(sum.Unanswered, []int{0, 2}) || !slices.Equal(seedsOf(sum.Findings), []uint64{2, 5}) {
		t.Errorf("%+v, %v", sum, err)
	}
	if f := sum.Findings[0].Failure; f.Class != Disagreement || f.Line != "one sat, other unsat" {
		t.Errorf("%+v", f)
	}
}
