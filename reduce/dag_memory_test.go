package reduce

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// Of a graph of which nothing can go, all that was proposed instead is forgotten again:
// the certificate of n nodes makes up to 3n graphs of n nodes each.
func TestCertificateMemory(t *testing.T) {
	seed.SkipLong(t, 4)
	const nodes = 500
	var text strings.Builder
	text.WriteString("1 var 1\n2 not 1 1\n")
	for i := 3; i < nodes; i++ {
		fmt.Fprintf(&text, "%d xor 1 %d %d\n", i, i-1, i-2)
	}
	fmt.Fprintf(&text, "%d root 1 %d\n", nodes, nodes-1)

	live := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	asked, first, most := 0, 0, 0
	test := func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
		switch asked++; {
		case asked == 1:
			first = live()
		case asked%100 == 0:
			most = max(most, live())
		}
		if string(in.Files[0].Content) == text.String() {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	opts := Options{Passes: []string{nodesPass}, Algorithm: "ddmin", MaxPartitions: 2, NoSimplify: true}
	result, err := Reduce(t.Context(), oneFile("a.btor", text.String()), test, opts)
	if err != nil || !result.Minimal || asked < 2*nodes {
		t.Fatalf("%v, minimal %v, %d trials", err, result.Minimal, asked)
	}
	const graph = 150 * nodes // bytes, about
	if grown := most - first; grown > 100*graph {
		t.Errorf("%d graphs are held after %d trials", grown/graph, asked)
	}
}
