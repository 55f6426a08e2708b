package btor

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strings"

	"github.com/gitdd/gitdd/graph"
)

// A rater says of nodes which rules they break, in the words of solvers.
type rater struct {
	nodes    []graph.Node
	literals []int // the operands as the line has them; nil = by the numbers that Write gives
}

func (r *rater) sort(n *graph.Node, i int) graph.Sort { return r.nodes[n.Args[i].To].Sort }

// literal is operand i of n as a line has it.
func (r *rater) literal(n *graph.Node, i int) int {
	switch a := n.Args[i]; {
	case r.literals != nil:
		return r.literals[i]
	case a.Not:
		return -a.To - 1
	default:
		return a.To + 1
	}
}

// operand says what is wrong with operand i of n where a bit-vector of that width
// is wanted; width 0 is any.
func (r *rater) operand(n *graph.Node, i, width int) string {
	s := r.sort(n, i)
	if s.Array() {
		return fmt.Sprintf("literal '%d' refers to an unexpected array expression: %s takes a bit-vector there", r.literal(n, i), n.Op)
	}
	return r.length(n, i, width)
}

func (r *rater) length(n *graph.Node, i, width int) string {
	if s := r.sort(n, i); width != 0 && s.Width != width {
		return fmt.Sprintf("literal '%d' has length '%d' but expected '%d'", r.literal(n, i), s.Width, width)
	}
	return ""
}

// arrayOperand is operand for an array whose elements have that width.
func (r *rater) arrayOperand(n *graph.Node, i, width int) string {
	if !r.sort(n, i).Array() {
		return fmt.Sprintf("expected array expression: literal '%d' is a bit-vector", r.literal(n, i))
	}
	return r.length(n, i, width)
}

// first is the first fault of several.
func firstFault(faults ...string) string {
	for _, f := range faults {
		if f != "" {
			return f
		}
	}
	return ""
}

func noFault(*rater, *graph.Node) string { return "" }

func sameFault(r *rater, n *graph.Node) string {
	for i := range n.Args {
		if f := r.operand(n, i, n.Sort.Width); f != "" {
			return f
		}
	}
	return ""
}

func reductionFault(r *rater, n *graph.Node) string {
	if n.Sort.Width != 1 {
		return fmt.Sprintf("reduction operator returns %d bits: the width of %s is 1", n.Sort.Width, n.Op)
	}
	if f := r.operand(n, 0, 0); f != "" {
		return f
	}
	if r.sort(n, 0).Width == 1 {
		return "argument of reduction operation of width 1: use the operand itself"
	}
	return ""
}

func negoFault(r *rater, n *graph.Node) string {
	return firstFault(returnsBit(n), r.operand(n, 0, 0))
}

func logicFault(r *rater, n *graph.Node) string {
	if n.Sort.Width != 1 {
		return fmt.Sprintf("logical operator bit width '%d': the width of %s is 1", n.Sort.Width, n.Op)
	}
	for i := range n.Args {
		if f := r.operand(n, i, 0); f != "" {
			return f
		}
		if s := r.sort(n, i); s.Width != 1 {
			return fmt.Sprintf("expected argument of bit width '1': literal '%d' has %d", r.literal(n, i), s.Width)
		}
	}
	return ""
}

// comparisonFault is the rule of overflow operators, too.
func comparisonFault(r *rater, n *graph.Node) string {
	return firstFault(returnsBit(n), r.operand(n, 0, 0), r.operand(n, 1, 0), equalityFault(r, n))
}

func returnsBit(n *graph.Node) string {
	if n.Sort.Width != 1 {
		return fmt.Sprintf("comparison or overflow operator returns %d bits: the width of %s is 1", n.Sort.Width, n.Op)
	}
	return ""
}

// equalityFault is for eq and ne, which take arrays.
func equalityFault(r *rater, n *graph.Node) string {
	if f := returnsBit(n); f != "" {
		return f
	}
	a, b := r.sort(n, 0), r.sort(n, 1)
	switch {
	case a.Width != b.Width:
		return fmt.Sprintf("operands have different bit width %d and %d", a.Width, b.Width)
	case a.Array() && !b.Array():
		return "first operand is array and second not"
	case b.Array() && !a.Array():
		return "second operand is array and first not"
	case a.Index != b.Index:
		return fmt.Sprintf("array operands have different index width %d and %d", a.Index, b.Index)
	}
	return ""
}

func shiftFault(r *rater, n *graph.Node) string {
	w := n.Sort.Width
	if w < 2 || w&(w-1) != 0 {
		return fmt.Sprintf("length %d is not a power of two: %s takes widths 2, 4, 8, ...", w, n.Op)
	}
	f := firstFault(r.operand(n, 0, w), r.operand(n, 1, bits.TrailingZeros(uint(w))))
	if r.sort(n, 0) == n.Sort && !r.sort(n, 1).Array() && f != "" {
		f += fmt.Sprintf(": %s takes log2 of its width there", n.Op)
	}
	return f
}

func concatFault(r *rater, n *graph.Node) string {
	if f := firstFault(r.operand(n, 0, 0), r.operand(n, 1, 0)); f != "" {
		return f
	}
	a, b := r.sort(n, 0).Width, r.sort(n, 1).Width
	if int64(a)+int64(b) != int64(n.Sort.Width) {
		return fmt.Sprintf("operands widths %d and %d do not add up to %d", a, b, n.Sort.Width)
	}
	return ""
}

func sliceFault(r *rater, n *graph.Node) string {
	if f := r.operand(n, 0, 0); f != "" {
		return f
	}
	high, low, width := n.Numbers[0], n.Numbers[1], r.sort(n, 0).Width
	switch {
	case high >= width:
		return fmt.Sprintf("upper index '%d' >= argument width '%d'", high, width)
	case high < low:
		return fmt.Sprintf("upper index '%d' smaller than lower index '%d'", high, low)
	case high-low+1 != n.Sort.Width:
		return fmt.Sprintf("slice width '%d' not equal to expected width '%d'", high-low+1, n.Sort.Width)
	}
	return ""
}

func extensionFault(r *rater, n *graph.Node) string {
	if f := r.operand(n, 0, 0); f != "" {
		return f
	}
	width, more := r.sort(n, 0).Width, n.Numbers[0]
	if int64(width)+int64(more) != int64(n.Sort.Width) {
		return fmt.Sprintf("argument length of %d plus %d does not match %d: the last number is how many bits are added", width, more, n.Sort.Width)
	}
	return ""
}

func conditionalFault(r *rater, n *graph.Node) string {
	return firstFault(r.operand(n, 0, 1), r.operand(n, 1, n.Sort.Width), r.operand(n, 2, n.Sort.Width))
}

func arrayConditionalFault(r *rater, n *graph.Node) string {
	if f := firstFault(r.operand(n, 0, 1), r.arrayOperand(n, 1, n.Sort.Width), r.arrayOperand(n, 2, n.Sort.Width)); f != "" {
		return f
	}
	for i, branch := range []string{1: "then", 2: "else"} {
		if s := r.sort(n, i); i > 0 && s.Index != n.Sort.Index {
			return fmt.Sprintf("mismatch of index bit width of '%s' array: literal '%d' has %d but expected %d", branch, r.literal(n, i), s.Index, n.Sort.Index)
		}
	}
	return ""
}

func readFault(r *rater, n *graph.Node) string {
	return firstFault(r.arrayOperand(n, 0, n.Sort.Width), r.operand(n, 1, r.sort(n, 0).Index))
}

func writeFault(r *rater, n *graph.Node) string {
	if f := r.arrayOperand(n, 0, n.Sort.Width); f != "" {
		return f
	}
	if s := r.sort(n, 0); s.Index != n.Sort.Index {
		return fmt.Sprintf("arrays with different index width %d and %d: literal '%d' has %d", s.Index, n.Sort.Index, r.literal(n, 0), s.Index)
	}
	return firstFault(r.operand(n, 1, n.Sort.Index), r.operand(n, 2, n.Sort.Width))
}

func nextFault(r *rater, n *graph.Node) string {
	of, a := r.literal(n, 0), n.Args[0]
	leaf := r.nodes[a.To].Op
	switch s := r.sort(n, 0); {
	case n.Op == opNext && (leaf != opVar || a.Not):
		return fmt.Sprintf("next index %d is not a variable", of)
	case n.Op == opANext && (leaf != opArray || a.Not):
		return fmt.Sprintf("next index %d is not an array", of)
	case s.Index != n.Sort.Index:
		return fmt.Sprintf("arrays with different index width %d and %d", s.Index, n.Sort.Index)
	}
	if n.Op == opNext {
		return sameFault(r, n)
	}
	if f := firstFault(r.length(n, 0, n.Sort.Width), r.arrayOperand(n, 1, n.Sort.Width)); f != "" {
		return f
	}
	if s := r.sort(n, 1); s.Index != n.Sort.Index {
		return fmt.Sprintf("arrays with different index width %d and %d", n.Sort.Index, s.Index)
	}
	return ""
}

func binaryFault(_ *rater, n *graph.Node) string {
	if i := strings.IndexFunc(n.Text, func(r rune) bool { return r != '0' && r != '1' }); i >= 0 {
		return fmt.Sprintf("expected '0' or '1', saw %s", brief(n.Text[i:i+1]))
	}
	switch digits := len(n.Text); {
	case digits > n.Sort.Width:
		return fmt.Sprintf("binary constant %s exceeds bit width %d: it has %d digits", brief(n.Text), n.Sort.Width, digits)
	case digits < n.Sort.Width:
		return fmt.Sprintf("binary constant %s has fewer digits than bit width %d: put zeros before it", brief(n.Text), n.Sort.Width)
	}
	return ""
}

func decimalFault(_ *rater, n *graph.Node) string {
	if n.Text == "" {
		return "expected digit"
	}
	if i := strings.IndexFunc(n.Text, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		return fmt.Sprintf("expected digit, saw %s: constd is unsigned", brief(n.Text[i:i+1]))
	}
	if n.Text[0] == '0' && len(n.Text) > 1 {
		return "digit after '0': write constd without leading zeros"
	}
	if !fitsWidth(n.Text, n.Sort.Width) {
		return fmt.Sprintf("decimal constant %s exceeds bit width %d", brief(n.Text), n.Sort.Width)
	}
	return ""
}

func hexadecimalFault(_ *rater, n *graph.Node) string {
	if n.Text == "" {
		return "expected hexadecimal digit"
	}
	if i := strings.IndexFunc(n.Text, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }); i >= 0 {
		return fmt.Sprintf("expected hexadecimal digit, saw %s: consth is without 0x", brief(n.Text[i:i+1]))
	}
	digits := strings.TrimLeft(n.Text, "0")
	if digits == "" {
		return ""
	}
	top := new(big.Int)
	top.SetString(digits[:1], 16)
	if int64(len(digits)-1)*4+int64(top.BitLen()) > int64(n.Sort.Width) {
		return fmt.Sprintf("hexadecimal constant %s exceeds bit width %d", brief(n.Text), n.Sort.Width)
	}
	return ""
}

// fitsWidth reports whether a decimal number without leading zeros has at most width
// bits. Only where the number of its digits does not say it, it is computed.
func fitsWidth(digits string, width int) bool {
	n, w := float64(len(digits)), float64(width)
	if n*math.Log2(10) < w-1 {
		return true
	}
	if (n-1)*math.Log2(10) > w+1 {
		return false
	}
	return decimalValue(digits).BitLen() <= width
}

// decimalValue is the value of decimal digits. Unlike SetString it is not quadratic.
func decimalValue(digits string) *big.Int {
	const few = 2000
	if len(digits) <= few {
		value, _ := new(big.Int).SetString(digits, 10)
		return value
	}
	low := few
	for 2*low < len(digits) {
		low *= 2
	}
	value := decimalValue(digits[:len(digits)-low])
	value.Mul(value, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(low)), nil))
	return value.Add(value, decimalValue(digits[len(digits)-low:]))
}

// brief quotes a text for a message, the begin of a long one.
func brief(text string) string {
	const most = 40
	if len(text) > most {
		return fmt.Sprintf("'%s...'", printable(text[:most]))
	}
	return "'" + printable(text) + "'"
}

// printable is text without what is no printable ASCII.
func printable(text string) string {
	q := fmt.Sprintf("%+q", text)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// Check holds a graph in memory to the rules that [Read] holds a text to: what
// passes can be written and is read again as the same graph. Errors name nodes by
// the numbers that [Write] gives them. It takes time linear in the graph.
func Check(g *graph.Graph) error {
	r := &rater{nodes: g.Nodes}
	taken := map[int]bool{} // by next and anext
	roots := g.Roots
	for i := range g.Nodes {
		n := &g.Nodes[i]
		fault := r.whole(n, i)
		if fault == "" && (n.Op == opNext || n.Op == opANext) {
			of := n.Args[0].To
			if taken[of] {
				fault = fmt.Sprintf("next index %d already used", of+1)
			}
			taken[of] = true
		}
		if fault == "" && IsRoot(*n) {
			if len(roots) == 0 || roots[0] != i {
				fault = "it is not in its place among the roots of the graph"
			} else {
				roots = roots[1:]
			}
		}
		if fault != "" {
			return fmt.Errorf("node %d (%s): %s", i+1, printable(n.Op), fault)
		}
	}
	if len(roots) > 0 {
		return fmt.Errorf("the graph counts node %d among its roots, which is no root, next or anext, or stands there twice", roots[0]+1)
	}
	return nil
}

// whole is what is wrong with node number i, its shape first.
func (r *rater) whole(n *graph.Node, i int) string {
	kind := operators[n.Op]
	switch {
	case kind == nil:
		return "invalid operator"
	case n.Sort.Width < 1 || n.Sort.Width > maxNumber:
		return fmt.Sprintf("width %d is not between 1 and %d", n.Sort.Width, maxNumber)
	case n.Sort.Index < 0 || n.Sort.Index > maxNumber:
		return fmt.Sprintf("index width %d is not between 1 and %d", n.Sort.Index, maxNumber)
	case kind.index != n.Sort.Array():
		return fmt.Sprintf("index width %d does not fit the operator", n.Sort.Index)
	case len(n.Args) != kind.args:
		return fmt.Sprintf("%d operands instead of %d", len(n.Args), kind.args)
	case len(n.Numbers) != kind.numbers:
		return fmt.Sprintf("%d numbers instead of %d behind its operands", len(n.Numbers), kind.numbers)
	case kind.text == noText && n.Text != "":
		return fmt.Sprintf("unexpected text %s", brief(n.Text))
	case kind.text == symbolText && strings.ContainsFunc(n.Text, noSymbol):
		return fmt.Sprintf("symbol %s has characters that none has", brief(n.Text))
	}
	for _, a := range n.Args {
		if a.To < 0 || a.To >= i {
			return fmt.Sprintf("literal '%d' undefined: operands stand before", a.To+1)
		}
	}
	for _, x := range n.Numbers {
		if x < 0 || x > maxNumber {
			return fmt.Sprintf("number %d is not between 0 and %d", x, maxNumber)
		}
	}
	return kind.fault(r, n)
}

// noSymbol reports whether a character cannot be in a symbol.
func noSymbol(r rune) bool { return r == 0 || r < 0x80 && isSpace(byte(r)) }

// SingleRoot returns an error unless g has exactly one root line, which is what a
// reduction is of. Lines next and anext are none.
func SingleRoot(g *graph.Graph) error {
	n := 0
	for _, i := range g.Roots {
		if g.Nodes[i].Op == opRoot {
			n++
		}
	}
	switch n {
	case 1:
		return nil
	case 0:
		return fmt.Errorf("there is no root line, so nothing is asked of a solver: add one, as in 9 root 1 8")
	}
	return fmt.Errorf("there are %d root lines, and a reduction is of one: join them by `and` nodes of width 1 (redor makes a bit of a wider one)", n)
}
