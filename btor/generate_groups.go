package btor

import (
	"math/big"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// A group is operators that are made in one way. A draw takes a group first, so an
// operator that is alone in its group comes as often as all those of another together.
type group struct {
	ops  []string
	can  func(Options) bool // nil = always
	make func(g *generator, op string)
}

var (
	reductions = []string{"redor", "redand", "redxor"}
	bitwise    = []string{"and", "or", "xor", "nand", "nor", "xnor"}
	boolean    = []string{"implies", "iff"}
	joining    = append(bitwise[:len(bitwise):len(bitwise)], boolean...)
)

// A comparison of arrays has the name of that of bit-vectors; in the group it is
// told apart by this.
const ofArrays = " arrays"

// groups are all there are, in the order in which they are drawn by number.
func groups() []group {
	return []group{
		{ops: []string{"zero", "one", "ones", "const", "constd", "consth"}, make: (*generator).constant},
		{ops: []string{"not", "neg", "inc", "dec", "proxy"}, make: (*generator).unary},
		{ops: reductions, can: Options.wide, make: (*generator).reduction},
		{ops: []string{"add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "smod"}, make: (*generator).binary},
		{ops: bitwise, make: (*generator).binary},
		{ops: boolean, make: (*generator).logic},
		{ops: []string{"ult", "ulte", "ugt", "ugte", "slt", "slte", "sgt", "sgte"}, make: (*generator).comparison},
		{ops: []string{"uaddo", "saddo", "usubo", "ssubo", "umulo", "smulo", "sdivo"}, make: (*generator).comparison},
		{ops: []string{"eq", "ne", "eq" + ofArrays, "ne" + ofArrays}, make: (*generator).equality},
		{ops: []string{"sll", "srl", "sra", "rol", "ror"}, can: func(o Options) bool { return len(o.amounts()) > 0 }, make: (*generator).shift},
		{ops: []string{"concat"}, can: func(o Options) bool { return 2*o.MinWidth <= o.MaxWidth }, make: (*generator).concat},
		{ops: []string{"slice"}, make: (*generator).slice},
		{ops: []string{"uext", "sext"}, make: (*generator).extension},
		{ops: []string{"cond", "acond"}, make: (*generator).cond},
		{ops: []string{"read"}, make: (*generator).read},
		{ops: []string{"write"}, make: (*generator).write},
	}
}

// groupsFor are the groups and operators that o leaves.
func groupsFor(o Options) []group {
	var left []group
	for _, group := range groups() {
		if group.can != nil && !group.can(o) {
			continue
		}
		var ops []string
		for _, op := range group.ops {
			if o.has(op) {
				ops = append(ops, op)
			}
		}
		if group.ops = ops; len(ops) > 0 {
			left = append(left, group)
		}
	}
	return left
}

// has says whether there are operands for an operator, and a word in the version.
func (o Options) has(op string) bool {
	switch op {
	case "acond", "read", "write":
		return o.arrays()
	case "eq" + ofArrays, "ne" + ofArrays:
		return o.arrays() && o.NewFormat
	case "inc", "dec":
		return o.NewFormat
	}
	return true
}

// wide: there are bit-vectors of more than one bit.
func (o Options) wide() bool { return o.MaxWidth > 1 }

// amounts are the widths that the amount of a shift may have: k, where 2^k is a
// width of bit-vectors.
func (o Options) amounts() []int {
	var all []int
	for k := 1; 1<<k <= o.MaxWidth; k++ {
		if 1<<k >= o.MinWidth {
			all = append(all, k)
		}
	}
	return all
}

// width draws one of a bit-vector.
func (g *generator) width() int { return g.between(g.MinWidth, g.MaxWidth) }

func bit() graph.Sort { return graph.Sort{Width: 1} }

func (g *generator) constant(op string) {
	s := graph.Sort{Width: g.width()}
	n := graph.Node{Op: op, Sort: s}
	switch op {
	case "const", "constd", "consth":
		digits := g.digits(s.Width)
		value, _ := new(big.Int).SetString(digits, 2)
		n.Text = map[string]string{"const": digits, "constd": value.Text(10), "consth": value.Text(16)}[op]
	}
	g.insert(n)
}

// digits draws as many binary ones.
func (g *generator) digits(width int) string {
	var b strings.Builder
	for range width {
		b.WriteByte('0' + byte(g.below(2)))
	}
	return b.String()
}

func (g *generator) unary(op string) {
	s := graph.Sort{Width: g.width()}
	g.add(op, s, g.pick(s))
}

func (g *generator) reduction(op string) {
	g.add(op, bit(), g.pick(graph.Sort{Width: g.between(max(2, g.MinWidth), g.MaxWidth)}))
}

func (g *generator) binary(op string) {
	s := graph.Sort{Width: g.width()}
	g.add(op, s, g.pick(s), g.pick(s))
}

func (g *generator) logic(op string) {
	g.add(op, bit(), g.pick(bit()), g.pick(bit()))
}

func (g *generator) comparison(op string) {
	s := graph.Sort{Width: g.width()}
	g.add(op, bit(), g.pick(s), g.pick(s))
}

func (g *generator) equality(op string) {
	op, arrays := strings.CutSuffix(op, ofArrays)
	if !arrays {
		g.comparison(op)
		return
	}
	stores := &g.stores
	if g.floor > 0 {
		// Only an array can be as deep as the floor here. A write can always be made
		// so, by its index.
		if stores = g.deep(stores, g.floor); len(stores.all[0]) == 0 {
			g.write("write")
			g.begin()
			stores = g.deep(&g.stores, g.floor)
		}
	}
	s := g.sortOf(stores)
	g.add(op, bit(), g.pick(s), g.pick(s))
}

func (g *generator) shift(op string) {
	amounts := g.amounts()
	k := amounts[g.below(len(amounts))]
	s := graph.Sort{Width: 1 << k}
	g.add(op, s, g.pick(s), g.pick(graph.Sort{Width: k}))
}

func (g *generator) concat(op string) {
	w := g.between(2*g.MinWidth, g.MaxWidth)
	high := g.between(g.MinWidth, w-g.MinWidth)
	g.add(op, graph.Sort{Width: w}, g.pick(graph.Sort{Width: high}), g.pick(graph.Sort{Width: w - high}))
}

func (g *generator) slice(string) {
	w := g.width()
	of := g.between(w, g.MaxWidth)
	g.cut(g.pick(graph.Sort{Width: of}), of, w)
}

// cut makes a slice of w bits, somewhere in an operand of so many.
func (g *generator) cut(operand graph.Ref, of, w int) int {
	low := g.between(0, of-w)
	return g.insert(graph.Node{Op: "slice", Sort: graph.Sort{Width: w}, Args: []graph.Ref{operand}, Numbers: []int{low + w - 1, low}})
}

func (g *generator) extension(op string) {
	w := g.width()
	of := g.between(g.MinWidth, w)
	g.extend(op, g.pick(graph.Sort{Width: of}), of, w)
}

// extend makes w bits of an operand of so many.
func (g *generator) extend(op string, operand graph.Ref, of, w int) int {
	return g.insert(graph.Node{Op: op, Sort: graph.Sort{Width: w}, Args: []graph.Ref{operand}, Numbers: []int{w - of}})
}

func (g *generator) cond(op string) {
	s := graph.Sort{Width: g.width()}
	if op == "acond" {
		s = g.arraySort()
	}
	g.add(op, s, g.pick(bit()), g.pick(s), g.pick(s))
}

func (g *generator) read(op string) {
	s := g.arraySort()
	g.add(op, graph.Sort{Width: s.Width}, g.pick(s), g.pick(graph.Sort{Width: s.Index}))
}

func (g *generator) write(op string) {
	s := g.arraySort()
	g.add(op, s, g.pick(s), g.pick(graph.Sort{Width: s.Index}), g.pick(graph.Sort{Width: s.Width}))
}
