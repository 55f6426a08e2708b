package btor

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// SMT2 writes what the roots of g need in SMT-LIB 2.6, logic QF_BV, or QF_ABV with
// arrays: one assertion, that no root is 0, and (check-sat). Its answer is that of
// the graph in BTOR. Node i of g is called n(i+1) there, a leaf with a symbol $SYMBOL,
// quoted where it has to be; of two leaves with one symbol the second is $SYMBOL!2.
//
// Each node is written once, in a let around all that comes behind it, so the text is
// linear in that of g however much is shared. The lets nest as deep as g has nodes:
// solvers read that faster than as many definitions, and some know no define-fun.
//
// It is an error if g breaks a rule of the format, has next or anext, of which
// SMT-LIB knows nothing, or complements an array, which is no value.
//
// Source: SMT-LIB 2.6, theories FixedSizeBitVectors and ArraysEx.
func SMT2(g *graph.Graph) ([]byte, error) {
	if err := Check(g); err != nil {
		return nil, err
	}
	needed := make([]bool, len(g.Nodes)) // by the roots
	for i, depth := range g.Depths() {
		needed[i] = depth >= 0
	}
	w := &smt2{g: g, names: symbols(g, needed)}
	var arrays bool
	for i, n := range g.Nodes {
		if !needed[i] {
			continue
		}
		if err := translatable(g, n); err != nil {
			return nil, fmt.Errorf("node %d (%s): %w", i+1, n.Op, err)
		}
		arrays = arrays || n.Sort.Array()
	}
	logic := "QF_BV"
	if arrays {
		logic = "QF_ABV"
	}
	w.print("(set-logic ", logic, ")\n(set-info :smt-lib-version 2.6)\n") // some want the logic first
	for i, n := range g.Nodes {
		if needed[i] && isFresh(n) {
			w.print("(declare-fun ", w.names[i], " () ", smtSort(n.Sort), ")\n")
		}
	}
	if len(g.Roots) > 0 {
		w.print("(assert\n")
		for i := range g.Nodes {
			if needed[i] {
				w.node(i)
			}
		}
		w.roots()
		for range w.open {
			w.print(")")
		}
		w.print(")\n")
	}
	w.print("(check-sat)\n(exit)\n")
	return w.text.Bytes(), nil
}

// translatable says why n has no words in SMT-LIB; nil if it has.
func translatable(g *graph.Graph, n graph.Node) error {
	if isNext(n) {
		return errors.New("SMT-LIB 2 has no sequential models; take these lines out, or unroll them")
	}
	for _, a := range n.Args {
		if a.Not && g.Nodes[a.To].Sort.Array() {
			return fmt.Errorf("its operand -%d complements an array, which has no value that SMT-LIB could name", a.To+1)
		}
	}
	return nil
}

// smt2 is a text in the making.
type smt2 struct {
	g     *graph.Graph
	names []string // of the nodes, see symbols
	text  bytes.Buffer
	open  int // lets that are to be closed
}

func (w *smt2) print(list ...string) {
	for _, s := range list {
		w.text.WriteString(s)
	}
}

// let binds name to what the list spells.
func (w *smt2) let(name string, list ...string) {
	w.print("(let ((", name, " ")
	w.print(list...)
	w.print("))\n")
	w.open++
}

// roots says that no root is 0.
func (w *smt2) roots() {
	if len(w.g.Roots) > 1 {
		w.print("(and")
	}
	for _, r := range w.g.Roots {
		if len(w.g.Roots) > 1 {
			w.print(" ")
		}
		w.print("(not (= ", w.names[r], " ", smallConstant(0, w.g.Nodes[r].Sort.Width), "))")
	}
	if len(w.g.Roots) > 1 {
		w.print(")")
	}
}

// smtWords are the operators that SMT-LIB has by another name, with the sort kept.
var smtWords = map[string]string{
	"not": "bvnot", "neg": "bvneg",
	"add": "bvadd", "sub": "bvsub", "mul": "bvmul",
	"udiv": "bvudiv", "urem": "bvurem", "sdiv": "bvsdiv", "srem": "bvsrem", "smod": "bvsmod",
	"and": "bvand", "or": "bvor", "xor": "bvxor",
	"nand": "bvnand", "nor": "bvnor", "xnor": "bvxnor", "iff": "bvxnor",
	"concat": "concat", "read": "select", "write": "store",
}

// smtRelations are those that SMT-LIB answers with a truth value.
var smtRelations = map[string]string{
	"eq": "=", "ne": "distinct",
	"ult": "bvult", "ulte": "bvule", "ugt": "bvugt", "ugte": "bvuge",
	"slt": "bvslt", "slte": "bvsle", "sgt": "bvsgt", "sgte": "bvsge",
	"usubo": "bvult",
}

// node binds the name of node i to its value, if it is no declared leaf.
func (w *smt2) node(i int) {
	n := w.g.Nodes[i]
	name := w.names[i]
	args := make([]string, len(n.Args))
	for j, a := range n.Args {
		args[j] = w.names[a.To]
		if a.Not {
			args[j] = "(bvnot " + args[j] + ")"
		}
	}
	if word, ok := smtWords[n.Op]; ok {
		w.let(name, "(", word, " ", strings.Join(args, " "), ")")
		return
	}
	if word, ok := smtRelations[n.Op]; ok {
		w.let(name, truthBit("(", word, " ", strings.Join(args, " "), ")")...)
		return
	}
	var width int // of the first operand
	if len(n.Args) > 0 {
		width = w.g.Nodes[n.Args[0].To].Sort.Width
	}
	switch n.Op {
	case "var", "array":
	case "zero":
		w.let(name, smallConstant(0, n.Sort.Width))
	case "one":
		w.let(name, smallConstant(1, n.Sort.Width))
	case "ones":
		w.let(name, allOnes(n.Sort.Width))
	case "const":
		w.let(name, "#b", n.Text)
	case "constd":
		w.let(name, "(_ bv", n.Text, " ", strconv.Itoa(n.Sort.Width), ")")
	case "consth":
		w.let(name, hexadecimal(n.Text, n.Sort.Width))
	case "proxy", "root":
		w.let(name, args[0])
	case "inc":
		w.let(name, "(bvadd ", args[0], " ", smallConstant(1, width), ")")
	case "dec":
		w.let(name, "(bvsub ", args[0], " ", smallConstant(1, width), ")")
	case "implies":
		w.let(name, "(bvor (bvnot ", args[0], ") ", args[1], ")")
	case "redor":
		w.let(name, truthBit("(distinct ", args[0], " ", smallConstant(0, width), ")")...)
	case "redand":
		w.let(name, truthBit("(= ", args[0], " ", allOnes(width), ")")...)
	case "redxor":
		w.parity(name, args[0], width)
	case "slice":
		w.let(name, extract(n.Numbers[0], n.Numbers[1]), args[0], ")")
	case "uext", "sext":
		w.let(name, extended(n.Op, n.Numbers[0], args[0]))
	case "cond", "acond":
		w.let(name, "(ite (= ", args[0], " #b1) ", args[1], " ", args[2], ")")
	case "sll", "srl", "sra":
		shift := map[string]string{"sll": "bvshl", "srl": "bvlshr", "sra": "bvashr"}[n.Op]
		w.let(name, "(", shift, " ", args[0], " ", w.amount(n, args[1]), ")")
	case "rol", "ror":
		w.rotate(n, name, args)
	case "uaddo", "umulo", "saddo", "ssubo", "smulo", "sdivo":
		w.overflow(n, name, args, width)
	}
}

// truthBit makes a bit-vector of width 1 of the truth value that the list spells.
func truthBit(list ...string) []string {
	return append(append([]string{"(ite "}, list...), " #b1 #b0)")
}

// smallConstant is the constant value, 0 or 1, of a width that need not be written out.
func smallConstant(value, width int) string {
	return "(_ bv" + strconv.Itoa(value) + " " + strconv.Itoa(width) + ")"
}

func allOnes(width int) string {
	return "(bvnot " + smallConstant(0, width) + ")"
}

// extract begins the slice from bit high down to low.
func extract(high, low int) string {
	return "((_ extract " + strconv.Itoa(high) + " " + strconv.Itoa(low) + ") "
}

// extended adds bits above a value, of its sign or zeros.
func extended(op string, bits int, value string) string {
	if bits == 0 {
		return value
	}
	word := "zero_extend"
	if op == "sext" {
		word = "sign_extend"
	}
	return "((_ " + word + " " + strconv.Itoa(bits) + ") " + value + ")"
}

// hexadecimal brings a value in hexadecimal digits, however many, to its width.
func hexadecimal(digits string, width int) string {
	digits = strings.TrimLeft(digits, "0")
	switch have := 4 * len(digits); {
	case have == 0:
		return smallConstant(0, width)
	case have > width: // by zeros in the first digit
		return extract(width-1, 0) + "#x" + digits + ")"
	default:
		return extended("uext", width-have, "#x"+digits)
	}
}

// parity is the sum of all bits of value in its lowest one: each step adds to a bit
// the one as many places above as the bit holds already.
func (w *smt2) parity(name, value string, width int) {
	shift := 1
	for step := 1; shift < width; step++ {
		next := name + "." + strconv.Itoa(step)
		w.let(next, "(bvxor ", value, " (bvlshr ", value, " (_ bv", strconv.Itoa(shift), " ", strconv.Itoa(width), ")))")
		value = next
		shift *= 2
	}
	w.let(name, extract(0, 0), value, ")")
}

// amount brings the second operand of a shift to the width of the first.
func (w *smt2) amount(n graph.Node, value string) string {
	return extended("uext", n.Sort.Width-bits.Len(uint(n.Sort.Width-1)), value)
}

// rotate is two shifts, by the amount and by its two's complement. They are the same
// for an amount of 0, which is why nothing but the operand stays then.
func (w *smt2) rotate(n graph.Node, name string, args []string) {
	there, back := "bvshl", "bvlshr"
	if n.Op == "ror" {
		there, back = back, there
	}
	w.let(name, "(bvor (", there, " ", args[0], " ", w.amount(n, args[1]), ") (", back, " ", args[0], " ",
		w.amount(n, "(bvneg "+args[1]+")"), "))")
}

// overflow computes in as many bits as the exact result has, and looks at those that
// the operands' width has no room for. A quotient has none in one case only.
func (w *smt2) overflow(n graph.Node, name string, args []string, width int) {
	word := map[string]string{"uaddo": "bvadd", "saddo": "bvadd", "ssubo": "bvsub", "umulo": "bvmul", "smulo": "bvmul"}[n.Op]
	added := 1
	if word == "bvmul" {
		added = width
	}
	kind := "sext"
	if n.Op[0] == 'u' {
		kind = "uext"
	}
	exact := "(" + word + " " + extended(kind, added, args[0]) + " " + extended(kind, added, args[1]) + ")"
	switch {
	case n.Op == "sdivo":
		least := "#b1"
		if width > 1 {
			least = "(concat #b1 " + smallConstant(0, width-1) + ")"
		}
		w.let(name, truthBit("(and (= ", args[0], " ", least, ") (= ", args[1], " ", allOnes(width), "))")...)
	case n.Op == "uaddo":
		w.let(name, extract(width, width), exact, ")")
	case n.Op == "umulo":
		w.let(name, truthBit("(distinct ", extract(2*width-1, width), exact, ") ", smallConstant(0, width), ")")...)
	default:
		w.let(name+".1", exact)
		w.let(name, truthBit("(distinct ", name, ".1 ", extended("sext", added, extract(width-1, 0)+name+".1)"), ")")...)
	}
}

// smtSort is s in SMT-LIB's words.
func smtSort(s graph.Sort) string {
	element := "(_ BitVec " + strconv.Itoa(s.Width) + ")"
	if !s.Array() {
		return element
	}
	return "(Array (_ BitVec " + strconv.Itoa(s.Index) + ") " + element + ")"
}

// symbols gives each needed node a name of its own. Those with a symbol get it behind
// a $, with which no word and no function of SMT-LIB or of a solver begins; that keeps
// them apart from the others' n1, n2, .. as well. A symbol that is some leaf's as it
// stands stays with the first such leaf; the others get a number behind it.
func symbols(g *graph.Graph, needed []bool) []string {
	names := make([]string, len(g.Nodes))
	taken := map[string]bool{}
	var again []int
	for i, n := range g.Nodes {
		switch {
		case !needed[i]:
		case !isFresh(n) || n.Text == "":
			names[i] = "n" + strconv.Itoa(i+1)
		default:
			plain := printableSymbol(n.Text)
			if plain != n.Text || taken[plain] {
				again = append(again, i)
				continue
			}
			taken[plain] = true
			names[i] = quoted(plain)
		}
	}
	count := map[string]int{}
	for _, i := range again {
		plain := printableSymbol(g.Nodes[i].Text)
		name := plain
		for taken[name] {
			// Each turn passes a name that is taken, and a name with a number is
			// passed for one text only: there are no more turns than leaves.
			count[plain]++
			name = plain + "!" + strconv.Itoa(count[plain]+1)
		}
		taken[name] = true
		names[i] = quoted(name)
	}
	return names
}

// printableSymbol puts %XX for the bytes that a symbol of SMT-LIB must not have: | and
// \, what is no visible character, and what is no ASCII, which not every solver reads.
func printableSymbol(symbol string) string {
	var b strings.Builder
	for i := range len(symbol) {
		if c := symbol[i]; c <= ' ' || c > '~' || c == '|' || c == '\\' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// quoted is the symbol behind a $, between bars where it is no simple symbol.
func quoted(symbol string) string {
	for i := range len(symbol) {
		c := symbol[i]
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("~!@$%^&*_-+=<>.?/", c) >= 0 {
			continue
		}
		return "|$" + symbol + "|"
	}
	return "$" + symbol
}
