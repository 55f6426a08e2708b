package reduce

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// shape writes a tree as its texts in brackets: what can be taken out as <>,
// what is fixed as [], separators bare.
func shape(t *Tree, n *Node) string {
	var b strings.Builder
	at := n.From
	for _, c := range n.Children {
		b.Write(t.Source[at:c.From])
		b.WriteString(shape(t, c))
		at = c.To
	}
	b.Write(t.Source[at:n.To])
	switch {
	case n.Separator:
		return b.String()
	case n.Fixed:
		return "[" + b.String() + "]"
	}
	return "<" + b.String() + ">"
}

func leafAt(i int) *Node { return &Node{Kind: "leaf", Sort: "e", From: i, To: i + 1} }

func TestFlatten(t *testing.T) {
	chain := func(source string, left, separated bool) *Tree {
		root := leafAt(0)
		if !left {
			root = leafAt(len(source) - 1)
		}
		for i := 1; 2*i < len(source); i++ {
			operator := &Node{From: 2*i - 1, To: 2 * i, Separator: separated, Fixed: true}
			n := &Node{Kind: "binary", Sort: "e", To: 2*i + 1, Children: []*Node{root, operator, leafAt(2 * i)}}
			if !left {
				k := len(source) - 1 - 2*i
				operator.From, operator.To = k+1, k+2
				n.From, n.To, n.Children = k, len(source), []*Node{leafAt(k), operator, root}
			}
			root = n
		}
		return &Tree{Source: []byte(source), Root: root}
	}
	for _, test := range []struct {
		left, separated bool
		want            string
	}{
		{true, true, "<<a>+<b>+<c>+<d>>"},
		{false, true, "<<a>+<b>+<c>+<d>>"},
		{true, false, "<<<a>[+]<b>><[+]<c>><[+]<d>>>"},
		{false, false, "<<<a>[+]><<b>[+]><<c>[+]<d>>>"},
	} {
		tree := chain("a+b+c+d", test.left, test.separated)
		flatten(tree.Root)
		if got := shape(tree, tree.Root); got != test.want {
			t.Errorf("left %t, separated %t: %s, want %s", test.left, test.separated, got, test.want)
		}
	}
}

func TestSqueeze(t *testing.T) {
	source := "x"
	node := func(change func(*Node), children ...*Node) *Node {
		n := &Node{Kind: "k", From: 0, To: 1, Children: children}
		change(n)
		return n
	}
	plain := func(*Node) {}
	fixed := func(n *Node) { n.Fixed = true }
	sort := func(s string) func(*Node) { return func(n *Node) { n.Sort = s } }
	for name, test := range map[string]struct {
		root *Node
		want string
	}{
		"the same":           {node(plain, node(plain, node(plain))), "<x>"},
		"a fixed child":      {node(plain, node(fixed)), "<x>"},
		"a fixed parent":     {node(fixed, node(plain)), "[<x>]"},
		"one sort":           {node(sort("a"), node(plain, node(sort("a")))), "<x>"},
		"two sorts":          {node(sort("a"), node(sort("b"))), "<[x]>"},
		"another least text": {node(plain, node(func(n *Node) { n.Least = []byte("_") })), "<<x>>"},
	} {
		tree := &Tree{Source: []byte(source), Root: test.root}
		squeeze(tree.Root)
		if got := shape(tree, tree.Root); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func TestHide(t *testing.T) {
	fixed := func(i int) *Node { return &Node{From: i, To: i + 1, Fixed: true} }
	for source, test := range map[string]struct {
		children []*Node
		want     string
	}{
		"(i,j)": {[]*Node{fixed(0), leafAt(1), {From: 2, To: 3, Separator: true}, leafAt(3), fixed(4)}, "<[(]<i>,<j>[)]>"},
		"(if)":  {[]*Node{fixed(0), fixed(1), fixed(2), fixed(3)}, "<[(]if[)]>"},
		"if i":  {[]*Node{fixed(0), fixed(1), leafAt(3)}, "<if <i>>"},
	} {
		tree := &Tree{Source: []byte(source), Root: &Node{To: len(source), Children: test.children}}
		hide(tree.Root)
		if got := shape(tree, tree.Root); got != test.want {
			t.Errorf("%s: %s, want %s", source, got, test.want)
		}
	}
}

// What a tree that was prepared can do, the tree before could: the same text
// with no edits, and with each removal and replacement one that it had.
func TestPrepare(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 200 {
		g := &sower{Rand: r, size: 3 + r.IntN(20)}
		tree := g.tree()
		before := edited(tree)
		for name, change := range map[string]func(*Node){"squeeze": squeeze, "hide": hide, "flatten": flatten} {
			change(tree.Root)
			if text, _ := tree.Render(nil); string(text) != string(tree.Source) {
				t.Fatalf("%s: %q became %q", name, tree.Source, text)
			}
			for text, how := range edited(tree) {
				if _, ok := before[text]; !ok {
					t.Errorf("%s: %q can become %q, by %s, which it could not before", name, tree.Source, text, how)
				}
			}
		}
	}
}

// edited returns what a tree becomes with one edit that is well-formed, without
// white space: how much of that stays depends on what is a node.
func edited(tree *Tree) map[string]string {
	texts := map[string]string{}
	s := searching(tree, func(string) bool { return false }, Options{})
	for _, n := range s.all(tree.Root, removable) {
		if text, formed := tree.Render(Edits{n: Removal(n)}); formed {
			texts[dense(string(text))] = fmt.Sprintf("removing %q", tree.Source[n.From:n.To])
		}
	}
	d := s.donors()
	for _, n := range d.places {
		for _, by := range d.within(n, 100) {
			text, _ := tree.Render(Edits{n: {By: by}})
			texts[dense(string(text))] = fmt.Sprintf("replacing %q by %q", tree.Source[n.From:n.To], tree.Source[by.From:by.To])
		}
	}
	return texts
}

// A chain of 200,000 levels is prepared without recursion, and in a time that
// grows with its length alone.
func TestPrepareDeep(t *testing.T) {
	const depth = 200_000
	source := []byte(strings.Repeat("(", depth) + strings.Repeat(")", depth))
	var root *Node
	for i := range depth {
		n := &Node{Kind: "k", Sort: "e", From: depth - 1 - i, To: depth + 1 + i}
		if root != nil {
			n.Children = []*Node{root}
		}
		root = n
	}
	tree := &Tree{Source: source, Root: root}
	prepare(tree)
	if text, _ := tree.Render(nil); !slices.Equal(text, source) {
		t.Error("another text")
	}
}
