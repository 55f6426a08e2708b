package reduce

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/testcase"
)

// searching returns a search in a tree alone, without passes.
func searching(tree *Tree, interesting func(text string) bool, opts Options) *search {
	test := func(_ context.Context, in testcase.Input) (isolate.Outcome, error) {
		if interesting(string(in.Files[0].Content)) {
			return isolate.Fail, nil
		}
		return isolate.Pass, nil
	}
	s := &search{reduction: newReduction(oneFile("a", string(tree.Source)), test, opts), tree: tree, made: Edits{}}
	s.into = func(edits Edits) (testcase.Input, bool) {
		text, formed := tree.Render(edits)
		return oneFile("a", string(text)), formed
	}
	return s
}

// A sower draws trees. Their text is n1[...] for a node with children, n2 for a
// leaf; where children have commas between them the brackets are ( ), and where
// one has to stay it is p1 instead of n1.
type sower struct {
	*rand.Rand
	source bytes.Buffer
	number int
	size   int // nodes wanted, about
}

func (g *sower) tree() *Tree {
	root := g.node(0, false)
	return &Tree{Source: g.source.Bytes(), Root: root}
}

// node draws a node; in a list with separators none is fixed.
func (g *sower) node(depth int, listed bool) *Node {
	g.number++
	n := &Node{Kind: "node", From: g.source.Len()}
	if g.IntN(3) > 0 {
		n.Sort = string(rune('a' + g.IntN(2)))
	}
	if depth > 0 {
		n.Fixed = !listed && g.IntN(8) == 0
		if g.IntN(5) == 0 {
			n.Least = []byte("_")
		}
	}
	children := 0
	if depth == 0 || g.number < g.size && g.IntN(4) > 0 {
		children = 1 + g.IntN(4)
	}
	separated := g.IntN(2) == 0
	n.Plus = separated && children > 0 && g.IntN(3) == 0
	fmt.Fprintf(&g.source, "%c%d", "np"[btoi(n.Plus)], g.number)
	if children > 0 {
		brackets := "[]"
		if separated {
			brackets = "()"
		}
		g.source.WriteByte(brackets[0])
		for i := range children {
			if i > 0 {
				from := g.source.Len()
				if separated {
					g.source.WriteString(",")
					n.Children = append(n.Children, &Node{From: from, To: from + 1, Separator: true})
				} else {
					g.source.WriteString(" ")
				}
			}
			n.Children = append(n.Children, g.node(depth+1, separated))
		}
		g.source.WriteByte(brackets[1])
	}
	n.To = g.source.Len()
	if depth > 0 && g.IntN(6) == 0 {
		around := *n
		around.Plus, around.Children = false, []*Node{n}
		if n.Fixed = listed || g.IntN(2) == 0; !n.Fixed {
			around.Sort = "" // it may come to be empty, and then must not stand elsewhere
		} else if g.IntN(2) == 0 {
			around.Sort = "c"
		}
		return &around
	}
	return n
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

var named = regexp.MustCompile(`[np]\d+`)

// planted is a test of texts of sown trees: some names have to be there, some
// need another that is there, and a part of the texts does not fail for no
// reason that a search could see.
func planted(r *rand.Rand, source string) func(text string) bool {
	names := named.FindAllString(source, -1)
	needed, needs := map[string]bool{}, map[string]string{}
	for range r.IntN(4) {
		needed[names[r.IntN(len(names))]] = true
	}
	for range r.IntN(len(names)) {
		needs[names[r.IntN(len(names))]] = names[r.IntN(len(names))]
	}
	oddity, salt := r.IntN(3), r.Uint64()
	return func(text string) bool {
		if text == source {
			return true
		}
		there := map[string]bool{}
		for _, name := range named.FindAllString(text, -1) {
			there[name] = true
		}
		for name := range needed {
			if !there[name] {
				return false
			}
		}
		for name := range there {
			if other, ok := needs[name]; ok && !there[other] {
				return false
			}
		}
		h := fnv.New64a()
		fmt.Fprint(h, salt, text)
		return oddity > 0 || h.Sum64()%3 > 0
	}
}

// dense is a text without spaces.
func dense(text string) string { return strings.ReplaceAll(text, " ", "") }

// malformed finds what no text of a sown tree may have: commas that separate
// nothing, and an empty list of which one has to stay.
var malformed = regexp.MustCompile(`,,|\(,|,\)|p\d+(\(\)|$)`)

// steps runs an algorithm, and returns all that was asked, the text that is
// left, and the search.
func steps(t *testing.T, name string, tree *Tree, interesting func(string) bool, jobs int, certify bool) (asked []string, s *search) {
	t.Helper()
	run, err := structure(name)
	if err != nil {
		t.Fatal(err)
	}
	s = searching(tree, interesting, Options{Jobs: jobs, Fast: !certify, Observe: func(s Step) {
		asked = append(asked, fmt.Sprint(s.Trial, s.Outcome, s.Size))
	}})
	err = run(t.Context(), s)
	if err == nil && certify {
		err = s.certify(t.Context())
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return asked, s
}

// left is the text that is left.
func (s *search) left() string { return string(s.best.Files[0].Content) }

// someAlgorithms is each tree algorithm, in each form, with one list algorithm
// inside, and each list algorithm in two tree algorithms.
func someAlgorithms(r *rand.Rand) []string {
	names := []string{"auto", "levels,hoist*,hddr-dfs+"}
	lists := isolate.MinimizeAlgorithms()
	var trees []string
	for _, a := range treeAlgorithms {
		for _, form := range []string{"", "*", "+"} {
			tree := a.name + form
			trees = append(trees, tree)
			names = append(names, tree+"/"+lists[r.IntN(len(lists))])
		}
	}
	for _, list := range lists {
		names = append(names, list)
		for range 2 {
			names = append(names, trees[r.IntN(len(trees))]+"/"+list)
		}
	}
	return names
}

func TestTreeAlgorithms(t *testing.T) {
	seed.SkipLong(t, 4)
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for _, name := range someAlgorithms(r) {
		{
			g := &sower{Rand: r, size: 3 + r.IntN(30)}
			tree := g.tree()
			source := string(tree.Source)
			interesting := planted(r, source)
			test := func(text string) bool {
				if m := malformed.FindString(text); m != "" && !strings.Contains(source, m) {
					t.Errorf("%s: %q of %q has %q", name, text, source, m)
				}
				return interesting(text)
			}
			asked, s := steps(t, name, tree, test, 1, true)
			got := s.left()
			if text, formed := tree.Render(s.made); string(text) != got || !formed {
				t.Errorf("%s: left %q, but the edits give %q (formed: %t)", name, got, text, formed)
			}
			if !interesting(got) {
				t.Errorf("%s: %q of %q does not fail", name, got, source)
			}
			for _, n := range s.all(tree.Root, removable) {
				edits := s.with([]Proposal{removing(n)}, func(int) bool { return true })
				// Of what is empty already there is nothing to take out.
				if text, formed := tree.Render(edits); formed && dense(string(text)) != dense(got) && len(text) < len(got) && interesting(string(text)) {
					t.Errorf("%s: %q of %q can do without %q", name, got, source, source[n.From:n.To])
				}
			}
			for _, jobs := range []int{2, 5} {
				also, s := steps(t, name, tree, interesting, jobs, true)
				if !slices.Equal(asked, also) || s.left() != got {
					t.Errorf("%s: %q has %d steps to %q with one job, %d to %q with %d", name, source, len(asked), got, len(also), s.left(), jobs)
				}
			}
		}
	}
}
