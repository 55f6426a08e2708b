package changes

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// randomCutter cuts each hunk into up to three pieces, anywhere between lines, and lets some of them be
// cut further.
func randomCutter(rng *rand.Rand) Cutter {
	seed := rng.Uint64()
	return func(_ string, old, new []byte) (pieces []Piece, _ func([]byte) []byte) {
		rng := rand.New(rand.NewPCG(seed, 0))
		place := func(text []byte, from, to int) int {
			for n := rng.IntN(4); n > 0 && from < to; n-- {
				from = min(lineEnd(text, from), to)
			}
			return from
		}
		for _, h := range cut(old, new) {
			o, n := h.oldOff, h.newOff
			for range 2 {
				p := Piece{o, place(old, o, h.oldEnd), n, place(new, n, h.newEnd), rng.IntN(2) == 0}
				if p.OldOff < p.OldEnd || p.NewOff < p.NewEnd {
					pieces = append(pieces, p)
				}
				o, n = p.OldEnd, p.NewEnd
			}
			if o < h.oldEnd || n < h.newEnd {
				pieces = append(pieces, Piece{o, h.oldEnd, n, h.newEnd, false})
			}
		}
		return pieces, nil
	}
}

// G1 and G2 hold whatever a Cutter cuts, and whatever the constructs are.
func TestCutter(t *testing.T) {
	for _, c := range cases {
		if !slices.ContainsFunc(c.want, func(s string) bool { return strings.HasPrefix(s, "text") }) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			seed.SkipLong(t, 4)
			t.Parallel()
			rng := seeded(t)
			repo, revs := repository(t, "sha1", c.good, c.bad)
			opts := []Options{{Cut: randomCutter(rng)}, {Constructs: someConstructs}}
			s, err := Between(t.Context(), repo, revs[0], revs[1], opts[rng.IntN(len(opts))])
			if err != nil {
				t.Fatal(err)
			}
			check(t, s, c.good, c.bad, rng)
		})
	}
}

// Pieces that do not lead from old to new are not taken.
func TestCutterRefused(t *testing.T) {
	old, new := []byte("a\nb\nc\n"), []byte("a\nB\nc\nd\n")
	good := []Piece{{2, 4, 2, 4, true}, {6, 6, 6, 8, false}}
	for _, c := range []struct {
		name   string
		change func(p []Piece) []Piece
		want   bool
	}{
		{"right", func(p []Piece) []Piece { return p }, true},
		{"none", func(p []Piece) []Piece { return nil }, false},
		{"one is missing", func(p []Piece) []Piece { return p[:1] }, false},
		{"in another order", func(p []Piece) []Piece { slices.Reverse(p); return p }, false},
		{"an empty one", func(p []Piece) []Piece { return append(p, Piece{6, 6, 8, 8, false}) }, false},
		{"within a line", func(p []Piece) []Piece { p[0].OldOff, p[0].NewOff = 3, 3; return p }, false},
		{"beyond the text", func(p []Piece) []Piece { p[1].NewEnd = 9; return p }, false},
		{"backwards", func(p []Piece) []Piece { p[0].OldEnd = 0; return p }, false},
		{"twice", func(p []Piece) []Piece { return append(p, p[1]) }, false},
	} {
		pieces := c.change(slices.Clone(good))
		f := file{old: side{path: "a"}, new: side{path: "a"}}
		called := false
		hunks, depths := cutBy(func(string, []byte, []byte) ([]Piece, func([]byte) []byte) {
			return pieces, func(text []byte) []byte { called = true; return text }
		}, &f, old, new)
		if taken := f.repair != nil; taken != c.want || taken != (len(hunks) == 2) || taken != (len(depths) == 2 && depths[0] == inner) || called {
			t.Errorf("%s: taken %v, %d hunks, depths %v", c.name, taken, len(hunks), depths)
		}
	}
}

// Only a file of which some text changes are applied, and not all, is repaired.
func TestCutterRepair(t *testing.T) {
	cutter := func(path string, old, new []byte) ([]Piece, func([]byte) []byte) {
		return []Piece{{2, 4, 2, 4, true}, {4, 6, 4, 4, false}}, bytes.ToUpper
	}
	repo, revs := repository(t, "sha1", tree{"f": text("a\nb\nc\n")}, tree{"f": text("a\nx\n")})
	s, err := Between(t.Context(), repo, revs[0], revs[1], Options{Cut: cutter})
	if err != nil {
		t.Fatal(err)
	}
	checkEndsOf(t, s)
	for i, want := range []string{"A\nX\nC\n", "A\nB\n"} {
		made := compose(t, s, []int{i})
		got, err := s.Content(made.Files[0])
		if err != nil || string(got) != want {
			t.Errorf("change %d alone: %q, %v; want %q", i, got, err, want)
		}
	}
}
