package grouping_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/seed"
)

// composed is the file of a difference of one file with some changes applied.
func composed(t testing.TB, s *changes.Set, old string, applied ...int) string {
	t.Helper()
	tree, err := s.Compose(slices.Values(applied))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files) == 0 {
		return old
	}
	content, err := s.Content(tree.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func goParses(text string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	return err == nil
}

// nest puts blocks around random runs of the lines of some functions.
func nest(random *rand.Rand) (old, new string) {
	var a, b strings.Builder
	a.WriteString("package p\n\n")
	b.WriteString("package p\n\n")
	for f := range 1 + random.IntN(3) {
		head := fmt.Sprintf("// Function %d.\nfunc f%d() {\n", f, f)
		a.WriteString(head)
		b.WriteString(head)
		depth := 0
		for line := range 3 + random.IntN(9) {
			switch {
			case random.IntN(4) == 0:
				b.WriteString("for {\n")
				depth++
			case depth > 0 && random.IntN(3) == 0:
				b.WriteString("}\n")
				depth--
			}
			text := fmt.Sprintf("println(%d)\n", line)
			a.WriteString(text)
			if random.IntN(6) == 0 {
				text = fmt.Sprintf("print(%d)\n", line)
			}
			b.WriteString(text)
		}
		b.WriteString(strings.Repeat("}\n", depth))
		a.WriteString("}\n\n")
		b.WriteString("}\n\n")
	}
	return a.String(), b.String()
}

// What a hunk requires by syntax is held against whole files: two plans are the
// same, and a hunk that does not parse alone requires something, as long as a
// window of neighbours parses.
func TestSyntaxAgainstWholeFiles(t *testing.T) {
	seed.SkipLong(t, 4)
	seed := seed.New(t)
	needy := 0
	nests(t, seed, 40, func(s *changes.Set, p *grouping.Plan, old, new string) {
		if again := plan(t, s); !slices.EqualFunc(p.Predicted, again.Predicted, slices.Equal) {
			t.Fatalf("two plans of one difference:\n%s", cmp.Diff(p.Predicted, again.Predicted))
		}
		for i := range s.Len() {
			if !goParses(composed(t, s, old, i)) && hasWindow(t, s, old, i) {
				needy++
				if len(p.Predicted[i]) == 0 {
					t.Errorf("%v does not parse alone, but requires nothing:\n%s\n%s", &s.Changes[i], old, new)
				}
			}
		}
	})
	if needy == 0 {
		t.Error("no hunk needed another")
	}
}

// A prediction is advice: two windows that parse may overlap in a hunk and not
// parse together. That this is rare is measured on fixed seeds: of the hunks
// that need others, with all that they require, at most one in fifty does not
// parse.
func TestSyntaxClosures(t *testing.T) {
	seed.SkipLong(t, 4)
	needy, misses := 0, 0
	for seed := range uint64(3) {
		nests(t, seed, 25, func(s *changes.Set, p *grouping.Plan, old, _ string) {
			for i := range s.Len() {
				if goParses(composed(t, s, old, i)) || !hasWindow(t, s, old, i) {
					continue
				}
				needy++
				if !goParses(composed(t, s, old, closed(p, i)...)) {
					misses++
				}
			}
		})
	}
	t.Logf("%d of %d do not parse with all they require", misses, needy)
	if needy < 100 || 50*misses > needy {
		t.Errorf("%d of %d do not parse with all they require, want at most one in fifty of 100 or more", misses, needy)
	}
}

// nests calls check for the differences of n pairs of Go files.
func nests(t *testing.T, seed uint64, n int, check func(s *changes.Set, p *grouping.Plan, old, new string)) {
	random := rand.New(rand.NewPCG(seed, 0))
	for range n {
		old, new := nest(random)
		if old == new || !goParses(new) {
			continue
		}
		s := between(t, repository(t, edit{"good", map[string]string{"a.go": old}}, edit{"bad", map[string]string{"a.go": new}}), "r0", "r1")
		check(s, plan(t, s), old, new)
	}
}

// hasWindow reports whether some window of up to eight hunks around i parses.
func hasWindow(t *testing.T, s *changes.Set, old string, i int) bool {
	for first := max(0, i-7); first <= i; first++ {
		for end := i + 1; end <= min(first+8, s.Len()); end++ {
			if goParses(composed(t, s, old, upTo(s.Len())[first:end]...)) {
				return true
			}
		}
	}
	return false
}

// closed returns what must be present with change i, in order.
func closed(p *grouping.Plan, i int) []int {
	list := []int{i}
	for at := 0; at < len(list); at++ {
		for _, j := range p.Predicted[list[at]] {
			if !slices.Contains(list, j) {
				list = append(list, j)
			}
		}
	}
	slices.Sort(list)
	return list
}

// Manifests stand before the sources beside them, and a directory that has
// one before those that have none.
func TestManifestsFirst(t *testing.T) {
	files := []string{"a/a.c", "b/z.c", "b/Makefile", "c.c", "package.json", "package-lock.json", "z/z.js"}
	good, bad := edit{"good", map[string]string{}}, edit{"bad", map[string]string{}}
	for i, f := range files {
		good.files[f], bad.files[f] = fmt.Sprintf("%d\n", i), fmt.Sprintf("%d\n", i+100)
	}
	s := between(t, repository(t, good, bad), "r0", "r1")
	for _, by := range [][]grouping.Level{nil, {grouping.File}, {grouping.Hunk}} {
		var order []string
		for _, i := range plan(t, s, by...).Order {
			order = append(order, s.Changes[i].Path)
		}
		if by == nil {
			want := []string{"package-lock.json", "package.json", "c.c", "b/Makefile", "b/z.c", "a/a.c", "z/z.js"}
			if diff := cmp.Diff(want, order); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		}
		for _, pair := range [][2]string{{"package.json", "c.c"}, {"package-lock.json", "c.c"}, {"b/Makefile", "b/z.c"}} {
			if slices.Index(order, pair[0]) > slices.Index(order, pair[1]) {
				t.Errorf("by %v: %s stands behind %s", by, pair[0], pair[1])
			}
		}
	}
}
