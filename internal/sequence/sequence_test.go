package sequence

import (
	"fmt"
	"math/rand/v2"
	"slices"
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
