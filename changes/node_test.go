package changes

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/internal/sequence"
)

// wordNodes cuts a text at the borders of its words, and at each other character.
func wordNodes(_ string, content []byte) (cuts []int) {
	inWord := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80 }
	for i := 1; i < len(content); i++ {
		if !inWord(content[i-1]) || !inWord(content[i]) {
			cuts = append(cuts, i)
		}
	}
	return cuts
}

// parts names the pieces of a set: their line, and what becomes what.
func parts(s *Set) (list []string) {
	for _, c := range s.Changes {
		p := c.Part
		if p == (Part{}) {
			list = append(list, fmt.Sprintf("%d,%d: %q -> %q", c.OldStart, c.NewStart, c.Old, c.New))
			continue
		}
		list = append(list, fmt.Sprintf("%d,%d: %s -> %s", c.OldStart, c.NewStart, c.Old[p.OldFrom:p.OldTo], c.New[p.NewFrom:p.NewTo]))
	}
	return list
}

func TestSplitWithinLines(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           []string // nil = nothing can be cut
	}{
		{"two arguments", "f(a, b, c)\n", "f(x, b, y)\n", []string{"1,1: a -> x", "1,1: c -> y"}},
		{"one argument", "f(a, b)\n", "f(a, c)\n", nil},
		{"an operator and a name", "x = a + b\n", "x = a - c\n", []string{"1,1: + -> -", "1,1: b -> c"}},
		{"a call around", "x = a + b\n", "y = g(h(a, b))\n", []string{"1,1: x -> y", "1,1: a + b -> g(h(a, b))"}},
		{"brackets that moved", `{"a": {"b": 1}, "c": 2}`, `{"a": 1, "c": {"b": 2, "d": 3}}`, []string{`1,1: {"b": 1} -> 1`, `1,1: 2 -> {"b": 2, "d": 3}`}},
		{"added arguments", "f(a)\n", "f(a, b=1, c=(2, 3))\n", []string{"1,1:  -> , b=1", "1,1:  -> , c=(2, 3)"}},
		{"arguments in front", "f(z)\n", "f(a, b, z)\n", []string{"1,1:  -> a, ", "1,1:  -> b, "}},
		{"removed keys", `{"a": 1, "b": 2, "c": 3}`, `{"a": 1}`, []string{`1,1: , "b": 2 -> `, `1,1: , "c": 3 -> `}},
		{"words that moved", "1,22,3,4\n", "22,3,4,5\n", []string{"1,1: 1 -> 22", "1,1: 22 -> 3", "1,1: 3 -> 4", "1,1: 4 -> 5"}},
		{"no newline at the end", "a b\n", "x c", []string{"1,1: a -> x", "1,1: b\n -> c"}},
		{"not UTF-8", "\xff b\n", "\xfe c\n", []string{"1,1: \xff -> \xfe", "1,1: b -> c"}},
		{"a line was added", "f(a, b)\n", "new(1)\nf(a, c)\n", []string{`0,1: "" -> "new(1)\n"`, "1,2: b -> c"}},
		{"lines were added", "f(a, b)\n", "new(1)\nnew(2)\nf(a, c)\n", []string{`0,1: "" -> "new(1)\nnew(2)\n"`, "1,3: b -> c"}},
		{"a line was removed", "first one\ngone(1)\nlast one\n", "first two\nlast two\n", []string{"1,1: one -> two", `2,1: "gone(1)\n" -> ""`, "3,2: one -> two"}},
		{"names that other lines give new names", "beginning = ending = page\nstart(beginning)\nstop(ending)\n", "a = b = page\nstart(a)\nstop(b)\n",
			[]string{"1,1: beginning -> a", "1,1: ending -> b", "2,2: beginning -> a", "3,3: ending -> b"}},
		{"lines that share little", "one two\nf(a)\n", "three(a, b, c)\nfour\n", nil},
		{"only added", "a\n", "a\nb c\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			seed.SkipLong(t, 3)
			good, bad := tree{"f": text(c.old)}, tree{"f": text(c.new)}
			repo, revs := repository(t, "sha1", good, bad)
			s := between(t, repo, revs[0], revs[1])
			if _, _, ok := s.Split(upTo(s.Len()), WithinLines); ok {
				t.Error("a set without Nodes was cut within lines")
			}
			s.Nodes = wordNodes
			finer, starts, ok := s.Split(upTo(s.Len()), WithinLines)
			if !ok {
				if c.want != nil {
					t.Errorf("nothing was cut, want %q", c.want)
				}
				return
			}
			if diff := cmp.Diff(c.want, parts(finer)); diff != "" {
				t.Errorf("pieces (-want +got):\n%s", diff)
			}
			checkStarts(t, s, finer, starts)
			checkEndsOf(t, finer)
			checkSubsets(t, finer, good, bad, seeded(t))
			checkIDs(t, finer)
			if again, _, ok := finer.Split(upTo(finer.Len()), WithinLines); ok {
				t.Errorf("pieces were cut within lines again: %q", parts(again))
			}
		})
	}
}

// All subsets of the pieces of a few words compose to what replacing the words gives.
func TestSubsetsWithinLines(t *testing.T) {
	seed.SkipLong(t, 4)
	rng := seeded(t)
	word := func() string { return []string{"a", "bb", "c", ",", "(", ")", " "}[rng.IntN(7)] }
	for range 40 {
		var old, new string
		for range 1 + rng.IntN(8) {
			w := word()
			old += w
			if rng.IntN(3) == 0 {
				w = word()
			}
			new += w
		}
		if old == new {
			continue
		}
		old, new = old+"\n", new+"\n"
		good, bad := tree{"f": text("head\n" + old + "tail\n")}, tree{"f": text("head\n" + new + "tail\n")}
		repo, revs := repository(t, "sha1", good, bad)
		s := between(t, repo, revs[0], revs[1])
		s.Nodes = wordNodes
		finer, _, ok := s.Split(upTo(s.Len()), WithinLines)
		if !ok {
			continue
		}
		for mask := range 1 << finer.Len() {
			var subset []int
			want, at := "", 0
			for i := range finer.Len() {
				if mask>>i&1 == 1 {
					p := finer.Changes[i].Part
					subset = append(subset, i)
					want += old[at:p.OldFrom] + new[p.NewFrom:p.NewTo]
					at = p.OldTo
				}
			}
			want = "head\n" + want + old[at:] + "tail\n"
			for _, f := range compose(t, finer, subset).Files {
				if got, err := finer.Content(f); err != nil || string(got) != want {
					t.Fatalf("%q to %q, pieces %v of %q: %q, %v, want %q", old, new, subset, parts(finer), got, err, want)
				}
			}
		}
	}
}

// Whatever two texts are and wherever their nodes begin, the pieces of a hunk are in order, and
// what is between two of them is the same on both sides.
func TestPiecesOfRandomTexts(t *testing.T) {
	rng := seeded(t)
	random := func() []byte {
		var b []byte
		for range rng.IntN(60) {
			b = append(b, "ab (),\n\n{;}"[rng.IntN(11)])
		}
		return b
	}
	for range 3000 {
		old := random()
		new := slices.Clone(old)
		for range 1 + rng.IntN(6) {
			at := rng.IntN(len(new) + 1)
			some := random()
			new = slices.Replace(new, at, min(len(new), at+rng.IntN(5)), some[:min(len(some), rng.IntN(3))]...)
		}
		checkPieces(t, rng, old, new)
		checkPieces(t, rng, old, random())
	}
}

func checkPieces(t *testing.T, rng *rand.Rand, old, new []byte) {
	t.Helper()
	if len(old) == 0 || len(new) == 0 {
		return
	}
	nodes := randomNodes(rng)
	a, b := side{path: "a", id: "1"}, side{path: "b", id: "2"}
	s := &Set{cache: newCache(), Nodes: nodes, files: []file{{old: a, new: b}}}
	s.cache.put(a.id, old)
	s.cache.put(b.id, new)
	h := whole(old, new)
	c := h.change(old, new)
	k := cutter{set: s, how: WithinLines, nodes: map[side][]int{}}
	list, spots := k.within(&s.files[0], spot{span: span{0, len(old), 0, len(new)}}, &c)
	var got []byte
	at := 0
	for i, p := range spots {
		if p.span.oldOff < at || p.span.oldEnd < p.span.oldOff {
			t.Fatalf("%q to %q: the pieces %+v are not in order", old, new, spots)
		}
		got = append(got, old[at:p.span.oldOff]...)
		if len(got) != p.span.newOff {
			t.Fatalf("%q to %q: piece %d of %+v does not begin where those before it end", old, new, i, spots)
		}
		got = append(got, new[p.span.newOff:p.span.newEnd]...)
		at = p.span.oldEnd
		if part := list[i].Part; part != (Part{}) && (list[i].OldLines != 1 || list[i].NewLines != 1 ||
			!bytes.Equal(list[i].Old, lines(old)[list[i].OldStart-1]) || !bytes.Equal(list[i].New, lines(new)[list[i].NewStart-1])) {
			t.Fatalf("%q to %q: %+v is not within its lines", old, new, list[i])
		}
	}
	if got = append(got, old[at:]...); !bytes.Equal(got, new) {
		t.Fatalf("%q to %q: all pieces %+v give %q", old, new, spots, got)
	}
}

// The runs of two lines of any nodes are in order, and what is between them is equal. A node may look like two
// brackets: the parts of a string, or what no grammar reads.
func TestDifferingNodes(t *testing.T) {
	rng := seeded(t)
	random := func() (nodes [][]byte) {
		for range rng.IntN(12) {
			nodes = append(nodes, []byte([]string{"(", ")", "()", "{", "}", "{}", "a", "b", ","}[rng.IntN(9)]))
		}
		return nodes
	}
	for range 5000 {
		a, b := random(), random()
		if rng.IntN(2) == 0 { // mostly alike
			b = slices.Clone(a)
			for range rng.IntN(4) {
				at := rng.IntN(len(b) + 1)
				b = slices.Insert(b, at, random()...)
			}
		}
		i, j := 0, 0
		for _, r := range append(differing(a, b), sequence.Block{A0: len(a), A1: len(a), B0: len(b), B1: len(b)}) {
			if r.A0 < i || r.B0 < j || r.A1 < r.A0 || r.B1 < r.B0 || !bytes.Equal(bytes.Join(a[i:r.A0], nil), bytes.Join(b[j:r.B0], nil)) {
				t.Fatalf("%q and %q: the runs %v leave out what differs, or are not in order", a, b, differing(a, b))
			}
			i, j = r.A1, r.B1
		}
	}
}

// What one line may cost.
func BenchmarkWithinLines(b *testing.B) {
	old := []byte(strings.Repeat(`{"key": 1, "other": [1, 2, 3]}, `, 10_000))
	new := bytes.ReplaceAll(old, []byte("2, 3"), []byte("4"))
	split := func(text []byte) [][]byte {
		var nodes [][]byte
		at := 0
		for _, cut := range append(wordNodes("", text), len(text)) {
			nodes = append(nodes, text[at:cut])
			at = cut
		}
		return nodes
	}
	x, y := split(old), split(new)
	for b.Loop() {
		differing(x, y)
	}
}
