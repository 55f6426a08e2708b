package isolate_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// random returns a generator whose seed is logged, so that a failure can be repeated.
func random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := seed.New(t)
	return rand.New(rand.NewPCG(seed, 0))
}

// bitmap is the plain model of a Configuration.
type bitmap []bool

func randomBitmap(r *rand.Rand, n int) bitmap {
	b := make(bitmap, n)
	in, stay := r.IntN(2) == 0, r.Float64()
	for i := range b {
		if r.Float64() > stay {
			in = !in
		}
		b[i] = in
	}
	return b
}

func (b bitmap) members() []int {
	var m []int
	for i, in := range b {
		if in {
			m = append(m, i)
		}
	}
	return m
}

func (b bitmap) combine(c bitmap, keep func(x, y bool) bool) isolate.Configuration {
	out := make(bitmap, len(b))
	for i := range b {
		out[i] = keep(b[i], c[i])
	}
	return isolate.Of(len(b), out.members()...)
}

func TestConfigurationIsASet(t *testing.T) {
	r := random(t)
	for range 3000 {
		n := r.IntN(40)
		ma, mb := randomBitmap(r, n), randomBitmap(r, n)
		a, b := isolate.Of(n, ma.members()...), isolate.Of(n, mb.members()...)

		shuffled := ma.members()
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if got := isolate.Of(n, append(shuffled, shuffled...)...); got != a {
			t.Fatalf("Of in another order, twice: %q, want %q", got, a)
		}
		if got := slices.Collect(a.All()); !slices.Equal(got, ma.members()) {
			t.Fatalf("All of %q: %v, want %v", a, got, ma.members())
		}
		if a.N() != n || a.Len() != len(ma.members()) || a.IsEmpty() != (len(ma.members()) == 0) {
			t.Fatalf("%q: N %d, Len %d, IsEmpty %v", a, a.N(), a.Len(), a.IsEmpty())
		}
		contains := true
		for i := range n {
			if a.Has(i) != ma[i] {
				t.Fatalf("%q has %d: %v", a, i, a.Has(i))
			}
			contains = contains && (ma[i] || !mb[i])
		}
		if a.Contains(b) != contains {
			t.Fatalf("%q contains %q: %v", a, b, !contains)
		}
		for _, op := range []struct {
			name string
			got  isolate.Configuration
			keep func(x, y bool) bool
		}{
			{"union", a.Union(b), func(x, y bool) bool { return x || y }},
			{"minus", a.Minus(b), func(x, y bool) bool { return x && !y }},
			{"intersect", a.Intersect(b), func(x, y bool) bool { return x && y }},
			{"with", a.With(mb.members()...), func(x, y bool) bool { return x || y }},
		} {
			if want := ma.combine(mb, op.keep); op.got != want {
				t.Fatalf("%q %s %q: %q, want %q", a, op.name, b, op.got, want)
			}
		}
		if got, err := isolate.FromRuns(n, a.String()); err != nil || got != a {
			t.Fatalf("FromRuns of %q: %q, %v", a, got, err)
		}
	}
}

func TestFromRunsRefuses(t *testing.T) {
	for _, s := range []string{"-", "a", "1-", "-1", "3-1", "1,1", "2,1", "8", "0-8", "1,", "+1", "99999999999"} {
		if c, err := isolate.FromRuns(8, s); err == nil {
			t.Errorf("FromRuns(8, %q) = %q, want an error", s, c)
		}
	}
	if _, err := isolate.FromRuns(-1, ""); err == nil {
		t.Error("FromRuns(-1) is no error")
	}
	// Touching runs are one run: equal sets are equal values.
	if c, err := isolate.FromRuns(8, "0-1,2,3-4"); err != nil || c.String() != "0-4" {
		t.Errorf("touching runs: %q, %v", c, err)
	}
}

func TestConfigurationIsSmall(t *testing.T) {
	const n = 1_000_000
	half := isolate.Full(n).Minus(isolate.Of(n, 500_000))
	if got := half.String(); got != "0-499999,500001-999999" {
		t.Errorf("runs %q", got)
	}
	if got := testing.AllocsPerRun(10, func() { half.Union(isolate.Empty(n)) }); got > 4 {
		t.Errorf("union of two runs allocates %v times", got)
	}
}
