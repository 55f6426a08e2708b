package btor

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// DrawOrder is the number of the order in which [Generate] draws. It goes up with
// each change of what a seed gives.
const DrawOrder = 1

// Options say which graph [Generate] makes. They are those of Vida, "Random Test
// Case Generation and Delta Debugging for Bit-Vector Logic with Arrays" (Linz,
// 2008), section 3.1 and appendix A.2.2, with Next and LayerMax from its future work.
type Options struct {
	Seed  uint64
	Count int // no more nodes are drawn once there are so many; what joins them to one root comes on top
	Depth int // nor once one has so many below it on its longest path

	Vars, Arrays, Writes int // to begin with; without arrays there are no writes
	MinWidth, MaxWidth   int // of a bit-vector, in bits; where an operator wants another width it gets it
	ArrMaxWidth          int // of the index of an array, in bits

	DAG int // percent of operands that are drawn from all nodes; the others come from those that no node refers to yet, if there are
	Neg int // percent of operands that are complemented

	All       bool // one node of every operator first
	NoArrays  bool
	NewFormat bool // version 3 of the format; else 2, without what that has not: inc, dec, comparison of arrays

	CNF     bool    // join by clauses of three, in place of pairs
	Clauses float64 // so many for each variable, at least
	CNFOnly bool    // nothing but CNF, over Vars variables of one bit

	Next     bool // successor states: the first variable has one, and about half of the others and of the arrays
	LayerMax int  // so many nodes of one depth, counted from the leaves, before they are joined; 0 is no limit
}

// Defaults are those of the thesis, but for version 3 of the format.
func Defaults() Options {
	return Options{
		Count: 100, Depth: 9999,
		Vars: 10, Arrays: 3, Writes: 5,
		MinWidth: 1, MaxWidth: 4, ArrMaxWidth: 4,
		DAG: 50, Neg: 25,
		NewFormat: true,
		Clauses:   4,
	}
}

const (
	mostNodes = 1 << 24
	mostWidth = 1 << 16
)

// Check says which option cannot be meant, by its name on the command line.
func (o Options) Check() error {
	for _, n := range []struct {
		name            string
		is, least, most int
	}{
		{"-n", o.Count, 1, mostNodes},
		{"-d", o.Depth, 1, math.MaxInt},
		{"--vars", o.Vars, 1, mostNodes},
		{"--arrays", o.Arrays, 0, mostNodes},
		{"--writes", o.Writes, 0, mostNodes},
		{"--minwidth", o.MinWidth, 1, mostWidth},
		{"--maxwidth", o.MaxWidth, 1, mostWidth},
		{"--arrmaxwidth", o.ArrMaxWidth, 1, mostWidth},
		{"--dag", o.DAG, 0, 100},
		{"--neg", o.Neg, 0, 100},
		{"--layer-max", o.LayerMax, 0, mostNodes},
	} {
		if n.is < n.least {
			return fmt.Errorf("%s %d: want at least %d", n.name, n.is, n.least)
		}
		if n.is > n.most {
			return fmt.Errorf("%s %d: want at most %d", n.name, n.is, n.most)
		}
	}
	leaves := o.Vars
	if o.arrays() {
		leaves += o.Arrays + o.Writes
	}
	switch {
	case o.MinWidth > o.MaxWidth:
		return fmt.Errorf("--minwidth %d is above --maxwidth %d: no width lies between", o.MinWidth, o.MaxWidth)
	case !(o.Clauses >= 0 && o.Clauses <= 1000):
		return fmt.Errorf("--clauses %v: want a number of clauses per variable, from 0 to 1000", o.Clauses)
	case o.CNFOnly && o.Clauses*float64(o.Vars) > mostNodes:
		return fmt.Errorf("--clauses %v for each of --vars %d: want at most %d clauses", o.Clauses, o.Vars, mostNodes)
	// What is joined is about as much as there are nodes by then, at most.
	case o.CNF && !o.CNFOnly && o.Clauses*float64(o.Count) > mostNodes:
		return fmt.Errorf("--clauses %v with -n %d: want a product of at most %d", o.Clauses, o.Count, mostNodes)
	case o.CNF && !o.CNFOnly && o.Clauses*float64(leaves) > mostNodes:
		return fmt.Errorf("--clauses %v with %d --vars, --arrays and --writes: want a product of at most %d", o.Clauses, leaves, mostNodes)
	case o.Next && !o.NewFormat:
		return errors.New("--next: version 2 of the format has no successor states; leave --newformat on")
	}
	return nil
}

// Comment is the first line of what o generates, without its end: the draw order,
// and all options as a command line has them.
func (o Options) Comment() string {
	var b strings.Builder
	fmt.Fprintf(&b, "; gitdd btor generate, draw order %d: -s %d -n %d -d %d", DrawOrder, o.Seed, o.Count, o.Depth)
	fmt.Fprintf(&b, " --vars %d --arrays %d --writes %d", o.Vars, o.Arrays, o.Writes)
	fmt.Fprintf(&b, " --minwidth %d --maxwidth %d --arrmaxwidth %d", o.MinWidth, o.MaxWidth, o.ArrMaxWidth)
	fmt.Fprintf(&b, " --dag %d --neg %d --all=%t --noarrays=%t --newformat=%t", o.DAG, o.Neg, o.All, o.NoArrays, o.NewFormat)
	fmt.Fprintf(&b, " --cnf=%t --clauses %s --cnfonly=%t", o.CNF, strconv.FormatFloat(o.Clauses, 'f', -1, 64), o.CNFOnly)
	fmt.Fprintf(&b, " --next=%t --layer-max %d", o.Next, o.LayerMax)
	return b.String()
}

// version is that of the format.
func (o Options) version() int {
	if o.NewFormat {
		return 3
	}
	return 2
}

// arrays says whether there are any.
func (o Options) arrays() bool { return !o.NoArrays && o.Arrays > 0 }

// Generate makes a graph with one root of width 1, of which all nodes are in
// reach, and its text, which begins with [Options.Comment]. The same options give
// the same bytes, everywhere and in every release with the same [DrawOrder].
//
// The number of nodes exceeds Count by what joins them, mostly by a fifth, with
// CNF several times; it takes time and memory in proportion. An error is one of [Options.Check].
func Generate(o Options) (*graph.Graph, []byte, error) {
	if err := o.Check(); err != nil {
		return nil, nil, err
	}
	g := newGenerator(o)
	g.grow()
	var top graph.Ref
	if o.CNF || o.CNFOnly {
		top = g.clauses(g.parentless())
	} else {
		top = g.merge(g.parentless())
	}
	g.Roots = append(g.Roots, g.add("root", bit(), top).To)
	if o.Next {
		g.successors()
	}
	text, err := Write(&g.Graph, o.version())
	if err != nil {
		return nil, nil, fmt.Errorf("generated graph: %w", err)
	}
	return &g.Graph, append([]byte(o.Comment()+"\n"), text...), nil
}

func newGenerator(o Options) *generator {
	g := &generator{Options: o, random: random{o.Seed}, pools: map[graph.Sort]*pool{}}
	if o.CNFOnly {
		g.MinWidth, g.MaxWidth, g.NoArrays = 1, 1, true
	}
	return g
}

// grow makes all but what joins the nodes to one root. Afterwards those that nothing
// refers to have one bit.
func (g *generator) grow() {
	g.leaves()
	if g.CNFOnly {
		return
	}
	g.draw()
	g.readAll()
	g.reduceAll()
}

// leaves is the first phase: variables and arrays, and writes to them.
func (g *generator) leaves() {
	for range g.Vars {
		g.add("var", graph.Sort{Width: g.width()})
	}
	if !g.arrays() {
		return
	}
	for range g.Arrays {
		g.add("array", graph.Sort{Width: g.width(), Index: g.between(1, g.ArrMaxWidth)})
	}
	for range g.Writes {
		g.begin()
		g.write("write")
	}
}

// draw is the second phase: nodes of random operators until there are enough.
func (g *generator) draw() {
	groups := groupsFor(g.Options)
	if g.All {
		for _, group := range groups {
			for _, op := range group.ops {
				g.begin()
				group.make(g, op)
			}
		}
	}
	for len(g.Nodes) < g.Count && g.deepest < g.Depth {
		group := groups[g.below(len(groups))]
		g.begin()
		group.make(g, group.ops[g.below(len(group.ops))])
	}
}

// readAll is the third phase: an array that nothing refers to is read.
func (g *generator) readAll() {
	for n := range g.Nodes {
		if g.Nodes[n].Sort.Array() && g.isFree(n) {
			g.readOf(n)
		}
	}
}

// readOf reads an array, at an index there is or else a new one.
func (g *generator) readOf(n int) int {
	s := g.Nodes[n].Sort
	index := graph.Sort{Width: s.Index}
	at, ok := g.choose(index, 0)
	if !ok {
		at = g.add("var", index).To
	}
	return g.add("read", graph.Sort{Width: s.Width}, g.edge(n), g.edge(at)).To
}

// reduceAll is the fourth phase: a wider bit-vector that nothing refers to becomes
// one bit.
func (g *generator) reduceAll() {
	for n := range g.Nodes {
		if g.Nodes[n].Sort.Width > 1 && g.isFree(n) {
			op := reductions[g.below(len(reductions))]
			g.add(op, bit(), g.edge(n))
		}
	}
}

// merge is the fifth phase: it joins bits two by two, at random, into one.
func (g *generator) merge(open []int) graph.Ref {
	draw := func() graph.Ref {
		i, last := g.below(len(open)), len(open)-1
		n := open[i]
		open[i], open = open[last], open[:last]
		return g.edge(n)
	}
	for len(open) > 1 {
		op := joining[g.below(len(joining))]
		a, b := draw(), draw()
		open = append(open, g.add(op, bit(), a, b).To)
	}
	return g.edge(open[0])
}

// successors gives variables and arrays a next state, which any node of their sort
// may be.
func (g *generator) successors() {
	first := true
	for n := range g.Nodes {
		op := "next"
		switch g.Nodes[n].Op {
		case "var":
		case "array":
			op = "anext"
		default:
			continue
		}
		if !first && !g.percent(50) {
			continue
		}
		first = false
		s := g.Nodes[n].Sort
		p := g.pool(s)
		g.Roots = append(g.Roots, g.add(op, s, graph.Ref{To: n}, g.edge(p.at(g.below(p.len())))).To)
	}
}
