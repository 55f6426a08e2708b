package seed

import (
	"flag"
	"strconv"
	"testing"
)

// TestOneIn draws for many seeds: one test in four runs with -short, the same ones with the same seed, and all run
// without.
func TestOneIn(t *testing.T) {
	short := flag.Lookup("test.short")
	before := short.Value.String()
	t.Cleanup(func() { short.Value.Set(before) })
	const seeds = 2000
	for _, mode := range []string{"true", "false"} {
		if err := short.Value.Set(mode); err != nil {
			t.Fatal(err)
		}
		n := 0
		for seed := range seeds {
			t.Setenv(variable, strconv.Itoa(seed))
			drawn := OneIn(t, 4)
			if OneIn(t, 4) != drawn {
				t.Fatalf("-short=%s, seed %d: two draws differ", mode, seed)
			}
			if drawn {
				n++
			}
		}
		if mode == "false" && n != seeds || mode == "true" && (n < seeds/5 || n > seeds*3/10) {
			t.Errorf("-short=%s: %d of %d", mode, n, seeds)
		}
	}
}
