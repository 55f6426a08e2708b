package reduce

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// TestRender: without edits a tree renders to its source, byte for byte. What is
// taken out takes white space with it, and separators, but nothing else: all
// other characters of the rest are there, in their order.
func TestRender(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 2000 {
		var source strings.Builder
		gap := func() {
			source.WriteString([]string{"", "", " ", "\n", " \n\t", "=", "\x00", "( "}[r.IntN(8)])
		}
		var build func(depth int) *Node
		build = func(depth int) *Node {
			n := &Node{From: source.Len(), Plus: r.IntN(6) == 0, Fixed: r.IntN(6) == 0}
			if depth == 0 || r.IntN(3) == 0 {
				source.WriteString(string(rune('a' + r.IntN(26))))
			} else {
				for k := range 1 + r.IntN(4) {
					if k > 0 && r.IntN(2) == 0 {
						gap()
						n.Children = append(n.Children, &Node{From: source.Len(), To: source.Len() + 1, Separator: true})
						source.WriteByte(',')
					}
					gap()
					n.Children = append(n.Children, build(depth-1))
				}
				gap()
			}
			n.To = source.Len()
			return n
		}
		root := build(3)
		tree := &Tree{Source: []byte(source.String()), Root: root}
		if text, _ := tree.Render(nil); string(text) != source.String() {
			t.Fatalf("%q renders to %q", source.String(), text)
		}
		edits := Edits{}
		out := make([]bool, source.Len())
		plus := map[*Node]bool{}
		var choose func(n *Node)
		choose = func(n *Node) {
			any := false
			for _, c := range n.Children {
				if !c.Fixed && !c.Separator && r.IntN(3) == 0 {
					edits[c] = Removal(c)
					for i := c.From; i < c.To; i++ {
						out[i] = true
					}
					continue
				}
				any = any || !c.Fixed && !c.Separator
				choose(c)
			}
			plus[n] = n.Plus && !any && len(n.Children) > 0
		}
		choose(root)
		var want strings.Builder
		for i, c := range source.String() {
			if !out[i] && !isSpace(byte(c)) && c != ',' {
				want.WriteRune(c)
			}
		}
		text, formed := tree.Render(edits)
		got := strings.Map(func(c rune) rune {
			if c == ',' || isSpace(byte(c)) {
				return -1
			}
			return c
		}, string(text))
		if got != want.String() {
			t.Fatalf("%q renders to %q: %q is left, not %q", source.String(), text, got, want.String())
		}
		for _, broken := range plus {
			if broken && formed {
				t.Fatalf("%q renders to %q, well-formed, though a list is empty that must not be", source.String(), text)
			}
		}
		if len(edits) == 0 && string(text) != source.String() {
			t.Fatalf("%q without edits renders to %q", source.String(), text)
		}
		if len(text) > source.Len() {
			t.Fatalf("%q grows to %q", source.String(), text)
		}
	}
}
