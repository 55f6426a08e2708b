package isolate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/gitdd/gitdd/isolate"
)

// BenchmarkSelector measures what a search costs beside its trials: the time
// from one trial to the next, the first one apart (it waits for the order and
// the indexes, once), and the most memory in use at a trial, garbage and the
// problem included.
func BenchmarkSelector(b *testing.B) {
	for _, kind := range []struct {
		name             string
		edges, predicted float64
	}{
		{"resolved", 0, 0},
		{"sparse", 0.00005, 0.7},
		{"predicted=0.3n", 0.3, 1},
		{"hidden=0.3n", 0.3, 0.7},
	} {
		for _, n := range []int{10_000, 1_000_000} {
			for _, algorithm := range []string{"auto", "cpi"} {
				b.Run(fmt.Sprintf("%s/n=%d/%s", kind.name, n, algorithm), func(b *testing.B) {
					var selecting, worst, indexing time.Duration
					trials := 0
					var held uint64
					for i := range b.N {
						runtime.GC()
						before := heap()
						p := plant(rand.New(rand.NewPCG(uint64(i), 0)), n, 2, kind.edges, kind.predicted)
						last, between := time.Now(), []time.Duration{}
						test := func(_ context.Context, c isolate.Configuration) (isolate.Outcome, error) {
							start := time.Now()
							between = append(between, start.Sub(last))
							o := p.outcome(c)
							held = max(held, heap()-before)
							last = time.Now()
							return o, nil
						}
						r, err := isolate.Search(b.Context(), p.Problem, test, isolate.Options{Algorithm: algorithm, MaxTrials: 300})
						if err != nil && err != isolate.ErrBudget {
							b.Fatal(err)
						}
						indexing += between[0]
						for _, d := range between[1:] {
							selecting += d
							worst = max(worst, d)
						}
						trials += r.Trials
					}
					b.ReportMetric(float64(selecting.Microseconds())/float64(trials), "µs/trial")
					b.ReportMetric(float64(worst.Microseconds()), "µs-worst")
					b.ReportMetric(float64(indexing.Milliseconds())/float64(b.N), "ms-indexing")
					b.ReportMetric(float64(trials)/float64(b.N), "trials")
					b.ReportMetric(float64(held)/1e6, "MB")
				})
			}
		}
	}
}

// heap returns the bytes of all objects, those included that are not yet collected.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
