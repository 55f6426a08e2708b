package sequence

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

func random(t *testing.T) func(most, alphabet int) []string {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	return func(most, alphabet int) []string {
		list := make([]string, random.IntN(most))
		for i := range list {
			list[i] = string(rune('a' + random.IntN(alphabet)))
		}
		return list
	}
}

// What blocks leave out is equal, and up to the limit they are as few insertions and
// deletions as there can be.
func TestBlocks(t *testing.T) {
	elements := random(t)
	for range 500 {
		a, b := elements(12, 4), elements(12, 4)
		if got, want := edits(t, a, b, Blocks(a, b)), fewest(a, b); got != want {
			t.Errorf("%q, %q: %d insertions and deletions, want %d", a, b, got, want)
		}
	}
	// More than that: what is common is found, too.
	var a, b []string
	for i := range 6000 {
		a, b = append(a, fmt.Sprint("a", i)), append(b, fmt.Sprint("b", i))
		if i%1000 == 500 {
			a, b = append(a, fmt.Sprint(i)), append(b, fmt.Sprint(i))
		}
	}
	if got := edits(t, a, b, Blocks(a, b)); got != 2*6000 {
		t.Errorf("%d insertions and deletions, want %d", got, 2*6000)
	}
}

// Anchors are equal where an edit script without them is shorter, and what is between them is compared.
func TestAnchored(t *testing.T) {
	isAnchor := func(e string) bool { return "a" <= e && e < "e" }
	same := func(e string) string {
		if isAnchor(e) {
			return e
		}
		return ""
	}
	isEnd := func(e string) bool { return e == "}" }
	letter := func(e string) string { return strings.TrimRight(e, "0123456789XYZ}") }
	for _, c := range []struct {
		name, a, b string // elements with blanks between them
		want       []Block
	}{
		{"the common elements of another part are longer", "a X X X X b Y Y Y Y", "a Y Y Y Y b Z", []Block{{1, 5, 1, 5}, {6, 10, 6, 7}}},
		{"an anchor that occurs twice is none", "a X X X X a Y Y Y Y", "a Y Y Y Y a Z", []Block{{0, 5, 0, 0}, {10, 10, 5, 7}}},
		{"of two that change places one is left", "a b X", "b X a", []Block{{0, 1, 0, 0}, {3, 3, 2, 3}}},
		{"no anchor", "X Y", "X Z", []Block{{1, 2, 1, 2}}},
		{"equal", "a X b", "a X b", nil},
		{"nothing before", "", "a X", []Block{{0, 0, 0, 2}}},
		{"blocks that touch at unequal anchors are one", "X a1 Y Y Y", "X Y Y Y a2 Z", []Block{{1, 5, 1, 6}}},
		{"unequal anchors behind something equal", "X Y a1 Y Z", "Z Y a2 Y X", []Block{{0, 1, 0, 1}, {2, 3, 2, 3}, {4, 5, 4, 5}}},
		{"the end of a part is equal, where what is new has such ends, too", "a X } Y", "a Z } d X } Y", []Block{{1, 2, 1, 2}, {3, 3, 3, 6}}},
		{"the part in which both begin", "X } a Y", "Z X } d X } a Y", []Block{{0, 0, 0, 1}, {2, 2, 3, 6}}},
		{"several ends", "a X } X X }", "a Z } Z Z } d X X }", []Block{{1, 2, 1, 2}, {3, 5, 3, 5}, {6, 6, 6, 10}}},
		{"no end before another part begins", "a X c X }", "a X d X } c X c X }", []Block{{2, 2, 2, 7}}},
		{"equal ones come first", "a1 X a2 Y", "a2 X Y", []Block{{0, 2, 0, 0}, {3, 3, 1, 2}}},
	} {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		got := Anchored(a, b, isEnd, same, letter)
		edits(t, a, b, got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	elements := random(t)
	ended := func(list []string) []string {
		for i := range list {
			if list[i] == "h" {
				list[i] = "}"
			}
		}
		return list
	}
	for range 2000 {
		a, b := ended(elements(16, 8)), ended(elements(16, 8))
		blocks := Anchored(a, b, isEnd, same)
		edits(t, a, b, blocks)
		if got, want := anchorsKept(a, blocks, isAnchor), mostAnchors(a, b, isAnchor); got < want {
			t.Errorf("%q, %q: %d anchors are equal, of at most %d", a, b, got, want)
		}
	}
}

// anchorsKept counts the anchors of a that are in none of the blocks.
func anchorsKept(a []string, blocks []Block, isAnchor func(string) bool) (n int) {
	for i, e := range a {
		if isAnchor(e) && !slices.ContainsFunc(blocks, func(k Block) bool { return k.A0 <= i && i < k.A1 }) {
			n++
		}
	}
	return n
}

// mostAnchors is how many anchors that occur once in a and in b can be equal, by trying all sets of them.
func mostAnchors(a, b []string, isAnchor func(string) bool) (most int) {
	count := func(list []string, e string) (n int) {
		for _, x := range list {
			if x == e {
				n++
			}
		}
		return n
	}
	var at []int // places in b, in the order of a
	for _, e := range a {
		if isAnchor(e) && count(a, e) == 1 && count(b, e) == 1 {
			at = append(at, slices.Index(b, e))
		}
	}
	for set := range 1 << len(at) {
		var chosen []int
		for k, place := range at {
			if set>>k&1 == 1 {
				chosen = append(chosen, place)
			}
		}
		if slices.IsSorted(chosen) {
			most = max(most, len(chosen))
		}
	}
	return most
}

// TestEngines holds the two engines against each other: neither may lose an element,
// and the quick one is at most a little longer.
func TestEngines(t *testing.T) {
	elements := random(t)
	least, found := 0, 0
	for range 200 {
		a, b := elements(400, 16), elements(400, 16)
		x, y := number(a, b)
		least += edits(t, a, b, minimal(x, y))
		found += edits(t, a, b, quick(x, y))
	}
	if found < least || found > least+least/10 {
		t.Errorf("the quick engine edits %d elements, the minimal one %d", found, least)
	}
}

// edits checks the blocks of two sequences, and counts what they insert and delete.
func edits(t *testing.T, a, b []string, blocks []Block) int {
	t.Helper()
	sum, at := 0, Block{}
	for i, k := range append(blocks, Block{len(a), len(a), len(b), len(b)}) {
		if !slices.Equal(a[at.A1:k.A0], b[at.B1:k.B0]) {
			t.Fatalf("%q and %q differ before %v", a, b, k)
		}
		if i > 0 && i < len(blocks) && k.A0 == at.A1 {
			t.Fatalf("%q and %q: no element is equal between %v and %v", a, b, at, k)
		}
		sum += k.A1 - k.A0 + k.B1 - k.B0
		at = k
	}
	return sum
}

func fewest(a, b []string) int {
	least := make([][]int, len(a)+1)
	for i := range least {
		least[i] = make([]int, len(b)+1)
		for j := range least[i] {
			switch {
			case i == 0 || j == 0:
				least[i][j] = i + j
			case a[i-1] == b[j-1]:
				least[i][j] = least[i-1][j-1]
			default:
				least[i][j] = 1 + min(least[i-1][j], least[i][j-1])
			}
		}
	}
	return least[len(a)][len(b)]
}
