package reduce

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
)

// nest builds the tree of a text of brackets: what is between two of them is a
// node, and so is each letter.
func nest(source string) *Tree {
	root := &Node{To: len(source)}
	open := []*Node{root}
	for i, r := range source {
		switch around := open[len(open)-1]; r {
		case '(':
			n := &Node{Kind: "list", Sort: "e", From: i}
			around.Children = append(around.Children, n)
			open = append(open, n)
		case ')':
			around.To = i + 1
			open = open[:len(open)-1]
		default:
			around.Children = append(around.Children, &Node{Kind: "letter", Sort: "e", From: i, To: i + 1})
		}
	}
	return &Tree{Source: []byte(source), Root: root}
}

// Trials on trees that fit on a line. Of eight lists of eight letters only x and
// y have to stay, which are in the third and the sixth list.
func TestTreeTrials(t *testing.T) {
	lists := make([]string, 8)
	for i := range lists {
		lists[i] = "(abcdefgh)"
	}
	lists[2], lists[5] = "(abxdefgh)", "(abcdefyh)"
	wide := strings.Join(lists, "")
	xy := func(text string) bool { return strings.Contains(text, "x") && strings.Contains(text, "y") }
	for _, test := range []struct {
		source            string
		fails             func(string) bool
		algorithm         string
		left              string
		trials, certified int
	}{
		{wide, xy, "hdd", "(x)(y)", 37, 39},
		{wide, xy, "levels/ddmin", "(x)(y)", 39, 41},
		{wide, xy, "levels/dab", "(x)(y)", 19, 23},
		{wide, xy, "hddr-bfs/dab", "(x)(y)", 21, 24},
		{wide, xy, "hddr/dab", "(x)(y)", 21, 24},
		{wide, xy, "hddr-dfs/dab", "(x)(y)", 21, 24},
		{wide, xy, "coarse/dab", "(x)(y)", 19, 23},
		{wide, xy, "dab", "(x)(y)", 25, 29},
		{wide, xy, "ddmin", "(x)(y)", 45, 45},
		{wide, xy, "levels,hoist/dab", "xy", 20, 22},
		{wide, xy, "perses/dab", "xy", 20, 20},
		{wide, func(text string) bool { return strings.Contains(text, "(") }, "levels/dab", "()", 6, 6},
		{wide, func(text string) bool { return strings.Contains(text, "(") }, "hdd", "()", 6, 8},
		{"((((((((x))))))))", xyz("x"), "hoist", "x", 1, 2},
		{"((((((((x))))))))", xyz("x"), "hdd", "((((((((x))))))))", 0, 9},
		{"((((((((x))))))))", xyz("x"), "levels", "((((((((x))))))))", 9, 9},
	} {
		_, s := steps(t, test.algorithm, nest(test.source), test.fails, 1, false)
		trials := s.trials
		if err := s.certify(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.left() != test.left || trials != test.trials || s.trials != test.certified {
			t.Errorf("%-14s of %.20s: %q in %d trials, certified after %d; want %q, %d, %d",
				test.algorithm, test.source, s.left(), trials, s.trials, test.left, test.trials, test.certified)
		}
	}
}

// Of each level HDD leaves the nodes that have to stay, or the first if none has to.
func TestHDDLevels(t *testing.T) {
	seed.SkipLong(t, 4)
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 500 {
		var source strings.Builder
		depth := 0
		for letter := 'a'; letter <= 'z'; {
			switch x := r.IntN(4); {
			case x == 0:
				source.WriteByte('(')
				depth++
			case x == 1 && depth > 0:
				source.WriteByte(')')
				depth--
			default:
				source.WriteRune(letter)
				letter++
			}
		}
		source.WriteString(strings.Repeat(")", depth))
		tree := nest(source.String())
		letters := []byte("abcdefghijklmnopqrstuvwxyz")
		r.Shuffle(len(letters), func(i, j int) { letters[i], letters[j] = letters[j], letters[i] })
		needed := string(letters[:r.IntN(5)])
		stays := map[*Node]bool{}
		for level := tree.Root.Children; len(level) > 0; {
			kept := slices.DeleteFunc(slices.Clone(level), func(n *Node) bool {
				return !strings.ContainsAny(source.String()[n.From:n.To], needed)
			})
			if len(kept) == 0 {
				kept = level[:1]
			}
			level = nil
			for _, n := range kept {
				stays[n] = true
				level = append(level, n.Children...)
			}
		}
		gone := Edits{}
		var walk func(n *Node)
		walk = func(n *Node) {
			for _, c := range n.Children {
				if stays[c] {
					walk(c)
				} else {
					gone[c] = Removal(c)
				}
			}
		}
		walk(tree.Root)
		want, _ := tree.Render(gone)
		if _, s := steps(t, "hdd", tree, xyz(needed), 1, false); s.left() != string(want) {
			t.Errorf("%q of %s: %s, want %s", needed, &source, s.left(), want)
		}
	}
}

// xyz is a test that fails for texts with all the letters.
func xyz(letters string) func(string) bool {
	return func(text string) bool {
		return !strings.ContainsFunc(letters, func(r rune) bool { return !strings.ContainsRune(text, r) })
	}
}

// A tree of 200,000 levels costs an algorithm no more than its trials, each of
// which is linear in the text.
func TestDeepTrees(t *testing.T) {
	seed.SkipLong(t, 4)
	const depth = 200_000
	source := strings.Repeat("(", depth) + "x" + strings.Repeat(")", depth)
	for _, name := range []string{"hddr-dfs", "flat", "auto"} {
		run, err := structure(name)
		if err != nil {
			t.Fatal(err)
		}
		s := searching(nest(source), xyz("x"), Options{MaxTrials: 3})
		if err := run(t.Context(), s); !errors.Is(err, isolate.ErrBudget) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, s := steps(t, "hoist", nest(source), xyz("x"), 1, true)
	if s.left() != "x" || s.trials > 3 {
		t.Errorf("hoist: %.20q in %d trials", s.left(), s.trials)
	}
	if _, s = steps(t, "hdd", nest(source), xyz("x"), 1, false); s.left() != source || s.trials > 0 {
		t.Errorf("hdd: %.20q in %d trials", s.left(), s.trials)
	}
	chain := strings.Repeat("(", depth/10) + "x" + strings.Repeat(")", depth/10)
	for name, left := range map[string]string{"auto": "x", "levels": chain} {
		if _, s = steps(t, name, nest(chain), xyz("x"), 1, false); s.left() != left || s.trials > 35 {
			t.Errorf("%s: %.20q in %d trials", name, s.left(), s.trials)
		}
	}
	_, s = steps(t, "levels", nest(chain), func(text string) bool { return strings.HasPrefix(text, strings.Repeat("(", 50)) }, 1, false)
	if len(s.left()) != 100 || s.trials > 25 {
		t.Errorf("levels: %.20q in %d trials", s.left(), s.trials)
	}
	_, s = steps(t, "levels", nest(source), func(text string) bool { return strings.HasPrefix(text, "(((") }, 1, true)
	if s.left() != "((()))" || s.trials > 8 {
		t.Errorf("levels: %.20q in %d trials", s.left(), s.trials)
	}
}

func TestAlgorithmNames(t *testing.T) {
	for _, name := range treeNames() {
		if _, err := structure(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "hdd*/probdd", "auto/cdd", "coarse,hoist,hdd+/wdd", "levels", "levels+/ddmin", "perses*/opdd", "coarse/activecoarsen", "chisel", "hddr-rdfs*", "hddr", "hddr*/cdd"} {
		if _, err := structure(name); err != nil {
			t.Error(err)
		}
	}
	for name, part := range map[string]string{"hd": "hd", "hdd**": "hdd**", "hdd/": "", "hdd/hoist": "hoist", "coarse,x/dab": "x", "dab*": "dab*", "/dab": ""} {
		_, err := structure(name)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", part)) {
			t.Errorf("%q: %v, want an error that names %q", name, err, part)
		}
	}
	if names := Algorithms(); len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("a name comes twice: %q", names)
	}
}
