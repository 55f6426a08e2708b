package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/internal/prose"
)

// What is shown of the tree of groups of a stage: so many nodes are opened where
// nothing was found, and so many there are at all.
const (
	openedNodes = 120
	mostNodes   = 600
)

// An htmlNode is a group of a stage, or several that had one fate.
type htmlNode struct {
	Level, Name string
	Size        string
	Fate        string // "" = its parts have several
	Outcome     string // of the trial that cleared it; "" = there was none
	Trial       int    // that cleared it
	Found       bool   // all or some of it is what the stage found
	Open        bool
	Nodes       []htmlNode
}

// fates says for each element of a stage at which step it was cleared for good, or
// len(s.Steps) if it never was. Cost linear in the elements and in the runs of all
// steps.
func fates(s *Stage) []int {
	n, last := s.Elements, len(s.Steps)
	fate := make([]int, n)
	// next[i] is the first element from i on whose fate is open.
	next := make([]int, n+1)
	for i := range next {
		next[i] = i
	}
	find := func(i int) int {
		for next[i] != i {
			next[i] = next[next[i]]
			i = next[i]
		}
		return i
	}
	for k := last - 1; k >= 0; k-- {
		for _, r := range parseRuns(s.Steps[k].Suspects, n) {
			for i := find(r.From); i < r.To; i = find(i) {
				fate[i] = k + 1 // a suspect after step k, and none after k+1
				next[i] = i + 1
			}
		}
	}
	return fate // 0: cleared by the first step
}

// A treeBuilder makes the tree of one stage.
type treeBuilder struct {
	s      *Stage
	fate   []int
	found  string
	nodes  int
	opened int // of them, where nothing was found
	unit   string
}

// groupTree is the groups of a stage with what became of them. What was cleared as a
// whole is not opened; neighbours that were cleared at once are one node.
func groupTree(s *Stage, found string) []htmlNode {
	const most = 1 << 24 // elements; more are not of this world
	if len(s.Groups) == 0 || len(s.Steps) == 0 || s.Elements <= 0 || s.Elements > most {
		return nil
	}
	b := &treeBuilder{s: s, fate: fates(s), found: found, unit: "change"}
	if s.Of == "commits" {
		b.unit = "commit"
	}
	var valid []Group
	for _, g := range s.Groups {
		if g.From >= 0 && g.From < g.To && g.To <= s.Elements {
			valid = append(valid, g)
		}
	}
	return b.level(valid, 0, s.Elements)
}

// level makes nodes of groups within from to to-1, in preorder.
func (b *treeBuilder) level(groups []Group, from, to int) []htmlNode {
	var nodes []htmlNode
	at := from
	for i := 0; i < len(groups); {
		g := groups[i]
		end := i + 1
		for end < len(groups) && groups[end].From < g.To {
			end++
		}
		if g.From >= at && g.To <= to {
			nodes = append(nodes, b.loose(at, g.From)...)
			nodes = append(nodes, b.node(g, groups[i+1:end]))
			at = g.To
		}
		i = end
	}
	nodes = append(nodes, b.loose(at, to)...)
	return b.merge(nodes)
}

// uniform reports whether all elements have one fate.
func (b *treeBuilder) uniform(from, to int) bool {
	for _, f := range b.fate[from:to] {
		if f != b.fate[from] {
			return false
		}
	}
	return true
}

func (b *treeBuilder) node(g Group, within []Group) htmlNode {
	b.nodes++
	n := htmlNode{Level: prose.Printable(g.Level), Name: prose.Printable(g.Name), Size: prose.Count(g.To-g.From, b.unit)}
	if g.To-g.From == 1 {
		n.Size = ""
	}
	if b.uniform(g.From, g.To) {
		b.tell(&n, b.fate[g.From])
		return n
	}
	stayed := 0
	for _, f := range b.fate[g.From:g.To] {
		if f == len(b.s.Steps) {
			stayed++
		}
	}
	n.Found = stayed > 0
	if stayed > 0 {
		n.Size = prose.Number(stayed) + " of " + n.Size + " " + b.found
	} else {
		n.Fate = "cleared in parts by what was known"
		switch first, last := b.between(g.From, g.To); {
		case first < last:
			n.Fate = fmt.Sprintf("cleared in parts by trials %d to %d", first, last)
		case last > 0:
			n.Fate = fmt.Sprintf("cleared in parts by trial %d", last)
		}
		if b.opened++; b.opened > openedNodes {
			return n
		}
	}
	if b.nodes > mostNodes {
		n.Fate = "not opened here: the tree is large"
		return n
	}
	n.Nodes = b.level(within, g.From, g.To)
	n.Open = n.Found
	return n
}

// between are the first and the last trial that cleared an element; 0 = none did.
func (b *treeBuilder) between(from, to int) (first, last int) {
	for _, f := range b.fate[from:to] {
		if f == len(b.s.Steps) {
			continue
		}
		if t := b.s.Steps[f].Trial; t > 0 {
			if first == 0 || t < first {
				first = t
			}
			last = max(last, t)
		}
	}
	return first, last
}

// loose are elements that no group has, by their fate.
func (b *treeBuilder) loose(from, to int) []htmlNode {
	var nodes []htmlNode
	for from < to {
		end := from + 1
		for end < to && b.fate[end] == b.fate[from] {
			end++
		}
		if b.nodes++; b.nodes > mostNodes {
			return append(nodes, htmlNode{Name: prose.Count(to-from, b.unit), Fate: "not opened here: the tree is large"})
		}
		n := htmlNode{Name: prose.Count(end-from, b.unit)}
		b.tell(&n, b.fate[from])
		nodes = append(nodes, n)
		from = end
	}
	return nodes
}

// tell says what became of a node whose elements have one fate.
func (b *treeBuilder) tell(n *htmlNode, fate int) {
	if fate == len(b.s.Steps) {
		n.Found, n.Fate = true, b.found
		return
	}
	step := &b.s.Steps[fate]
	n.Outcome, n.Trial = outcomeWord(step.Outcome), step.Trial
	if step.Trial > 0 {
		n.Fate = "cleared by trial " + strconv.Itoa(step.Trial)
	} else {
		n.Fate = "cleared by what was known"
	}
}

// merge makes one node of neighbours that were cleared at once.
func (b *treeBuilder) merge(nodes []htmlNode) []htmlNode {
	const few = 3
	var out []htmlNode
	for i := 0; i < len(nodes); {
		j := i + 1
		for j < len(nodes) && !nodes[i].Found && nodes[i].Nodes == nil && nodes[j].Nodes == nil && nodes[i].Fate == nodes[j].Fate && nodes[i].Trial == nodes[j].Trial && nodes[i].Level == nodes[j].Level {
			j++
		}
		if j-i < few {
			out = append(out, nodes[i:j]...)
		} else {
			first := nodes[i]
			first.Name = nodes[i].short() + " … " + nodes[j-1].short()
			first.Size = several(j-i, cmp.Or(first.Level, b.unit))
			first.Level = ""
			out = append(out, first)
			b.nodes -= j - i - 1
		}
		i = j
	}
	return slices.Clip(out)
}

// short is the name of a node among others: of a commit its id.
func (n *htmlNode) short() string {
	if n.Level == "commit" {
		id, _, _ := strings.Cut(n.Name, " ")
		return id
	}
	return n.Name
}

// several is a number of groups of a level.
func several(n int, level string) string {
	if level == "directory" {
		return prose.Number(n) + " directories"
	}
	return prose.Count(n, level)
}
