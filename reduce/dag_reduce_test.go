package reduce

import (
	"testing"

	"github.com/gitdd/gitdd/graph"
)

func TestReduceBTOR(t *testing.T) {
	interesting := func(g *graph.Graph) bool { return has(g, "mul") && has(g, "udiv") }
	result, err := Reduce(t.Context(), oneFile("a.btor", small), graphFails(t, small, interesting), Options{})
	if err != nil || !result.Minimal {
		t.Fatal(result, err)
	}
	t.Logf("%d trials\n%s", result.Trials, result.Output.Files[0].Content)
}
