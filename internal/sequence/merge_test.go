package sequence

import (
	"slices"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name, base, a, b, want string // elements with blanks between them; "-" = there is more than one way
	}{
		{"far apart", "1 2 3 4 5", "1 x 3 4 5", "1 2 3 4 y", "1 x 3 4 y"},
		{"adjacent replacements", "1 2 3", "x 2 3", "1 y 3", "x y 3"},
		{"added behind what is removed", "1 2 3", "1 2 3 4 5", "1", "1 4 5"},
		{"added before what is replaced", "1 2 3", "1 x 2 3", "1 y 3", "1 x y 3"},
		{"removed before what is added", "1 2 3", "1 3", "1 2 x 3", "1 x 3"},
		{"the same element", "1 2 3", "1 x 3", "1 y 3", "-"},
		{"the same element, in the same way", "1 2 3 4", "1 x 3 4", "1 x 3 y", "1 x 3 y"},
		{"removed by both", "1 2 3", "1 3", "1 3", "1 3"},
		{"added at the same place", "1 2", "1 x 2", "1 y 2", "-"},
		{"added within what is removed", "1 2 3", "1 2 x 3", "1", "-"},
		{"added within what is removed, or behind it", "1 {} 3", "1 {} x {} 3", "1 3", "-"},
		{"removed, or the equal one before it", "1 2 2 3", "1 2 3", "1 2 x 3", "-"},
		{"equal bases", "1 2", "1 2", "1", "1"},
		{"nothing left", "1", "", "1", ""},
		{"nothing at first", "", "", "1 2", "1 2"},
	} {
		want, wantOK := strings.Fields(c.want), c.want != "-"
		for range 2 {
			got, ok := Merge(strings.Fields(c.base), strings.Fields(c.a), strings.Fields(c.b))
			if ok != wantOK || ok && !slices.Equal(got, want) {
				t.Errorf("%s: %q, %t, want %q", c.name, got, ok, want)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

// A merge is the same from both sides, and has all that is new in a and in b. What changes distinct elements that are
// known by their values is always merged.
func TestMergeRandom(t *testing.T) {
	elements := random(t)
	merges := 0
	for range 20000 {
		base, a, b := elements(8, 4), elements(8, 4), elements(8, 4)
		one, ok := Merge(base, a, b)
		other, okToo := Merge(base, b, a)
		if ok != okToo || !slices.Equal(one, other) {
			t.Fatalf("%q, %q, %q: %q, %t; from the other side %q, %t", base, a, b, one, ok, other, okToo)
		}
		if !ok {
			continue
		}
		merges++
		if again, _ := Merge(base, a, base); !slices.Equal(again, a) {
			t.Fatalf("%q, %q: with base it is %q", base, a, again)
		}
	}
	if merges < 1000 {
		t.Errorf("%d of 20000 were merged", merges)
	}
	for range 2000 {
		edits := elements(12, 4) // of element i: kept by both, or replaced by a, replaced by b, removed by a
		var base, a, b, want []string
		for i, e := range edits {
			x := string(rune('A' + i))
			base = append(base, x)
			switch e {
			case "a":
				a, b, want = append(a, x), append(b, x), append(want, x)
			case "b":
				a, b, want = append(a, x+"a"), append(b, x), append(want, x+"a")
			case "c":
				a, b, want = append(a, x), append(b, x+"b"), append(want, x+"b")
			case "d":
				b = append(b, x)
			}
		}
		if got, ok := Merge(base, a, b); !ok || !slices.Equal(got, want) {
			t.Fatalf("%q, %q, %q: %q, %t, want %q", base, a, b, got, ok, want)
		}
	}
}
