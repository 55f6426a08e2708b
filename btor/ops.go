package btor

import "github.com/gitdd/gitdd/graph"

// maxNumber is the largest number of a file: solvers hold them in 32 bits.
const maxNumber = 1<<31 - 1

// A rule is what operators of one kind have in common: how a line of theirs is
// written, and which widths fit each other (table 2.1 of Vida, "Random Test Case
// Generation and Delta Debugging for Bit-Vector Logic with Arrays", Linz 2008, as
// solvers read it).
type rule struct {
	form    string // what stands behind the operator, for people
	index   bool   // the width of an index stands behind the width
	args    int
	numbers int // behind the args
	text    textKind

	// fault says what of n does not fit, "" = nothing. Ops, Numbers and Args are
	// there, in number and in range.
	fault func(r *rater, n *graph.Node) string
}

// A textKind is what of a node is no number.
type textKind int

const (
	noText textKind = iota
	symbolText
	binaryText
	decimalText
	hexadecimalText
)

// What the forms say: W is the width of the node, E that of the elements of an
// array and I that of its index, small letters are bit-vectors, capitals arrays.
var (
	variableRule    = &rule{form: "W [symbol]", text: symbolText, fault: noFault}
	arrayRule       = &rule{form: "E I [symbol]", index: true, text: symbolText, fault: noFault}
	constantRule    = &rule{form: "W digits", text: binaryText, fault: binaryFault}
	constantDRule   = &rule{form: "W digits", text: decimalText, fault: decimalFault}
	constantHRule   = &rule{form: "W digits", text: hexadecimalText, fault: hexadecimalFault}
	valueRule       = &rule{form: "W", fault: noFault}
	unaryRule       = &rule{form: "W a", args: 1, fault: sameFault}
	binaryRule      = &rule{form: "W a b", args: 2, fault: sameFault}
	reductionRule   = &rule{form: "1 a", args: 1, fault: reductionFault}
	logicRule       = &rule{form: "1 a b", args: 2, fault: logicFault}
	comparisonRule  = &rule{form: "1 a b", args: 2, fault: comparisonFault}
	equalityRule    = &rule{form: "1 a b", args: 2, fault: equalityFault}
	shiftRule       = &rule{form: "W a b", args: 2, fault: shiftFault}
	concatRule      = &rule{form: "W a b", args: 2, fault: concatFault}
	sliceRule       = &rule{form: "W a HIGH LOW", args: 1, numbers: 2, fault: sliceFault}
	extensionRule   = &rule{form: "W a BITS", args: 1, numbers: 1, fault: extensionFault}
	conditionalRule = &rule{form: "W c a b", args: 3, fault: conditionalFault}
	choiceRule      = &rule{form: "E I c A B", index: true, args: 3, fault: arrayConditionalFault}
	readRule        = &rule{form: "E A i", args: 2, fault: readFault}
	writeRule       = &rule{form: "E I A i v", index: true, args: 3, fault: writeFault}
	rootRule        = &rule{form: "W a", args: 1, fault: sameFault}
	nextRule        = &rule{form: "W VAR a", args: 2, fault: nextFault}
	negoRule        = &rule{form: "1 a", args: 1, fault: negoFault} // of version 2 only: whether a is 10..0
	anextRule       = &rule{form: "E I ARRAY A", index: true, args: 2, fault: nextFault}
)

// operators is all operators of version 3 and of next and anext, by their words.
var operators = map[string]*rule{
	"var": variableRule, "array": arrayRule,
	"const": constantRule, "constd": constantDRule, "consth": constantHRule,
	"zero": valueRule, "one": valueRule, "ones": valueRule,

	"not": unaryRule, "neg": unaryRule, "inc": unaryRule, "dec": unaryRule, "proxy": unaryRule,
	"redor": reductionRule, "redand": reductionRule, "redxor": reductionRule,

	"add": binaryRule, "sub": binaryRule, "mul": binaryRule,
	"udiv": binaryRule, "urem": binaryRule, "sdiv": binaryRule, "srem": binaryRule, "smod": binaryRule,
	"and": binaryRule, "or": binaryRule, "xor": binaryRule,
	"nand": binaryRule, "nor": binaryRule, "xnor": binaryRule,
	"implies": logicRule, "iff": logicRule,

	"ult": comparisonRule, "ulte": comparisonRule, "ugt": comparisonRule, "ugte": comparisonRule,
	"slt": comparisonRule, "slte": comparisonRule, "sgt": comparisonRule, "sgte": comparisonRule,
	"uaddo": comparisonRule, "saddo": comparisonRule, "usubo": comparisonRule, "ssubo": comparisonRule,
	"umulo": comparisonRule, "smulo": comparisonRule, "sdivo": comparisonRule,
	"eq": equalityRule, "ne": equalityRule,

	"sll": shiftRule, "srl": shiftRule, "sra": shiftRule, "rol": shiftRule, "ror": shiftRule,
	"concat": concatRule, "slice": sliceRule, "uext": extensionRule, "sext": extensionRule,
	"cond": conditionalRule, "acond": choiceRule, "read": readRule, "write": writeRule,

	"root": rootRule, "next": nextRule, "anext": anextRule,
}

// newer is the operators of dialects that came after version 4.
var newer = map[string]string{
	"param": "boolector 1.6 and later", "lambda": "boolector 1.6 and later", "apply": "boolector 2 and later",
	"sort": "BTOR2", "input": "BTOR2", "state": "BTOR2", "init": "BTOR2", "output": "BTOR2",
	"bad": "BTOR2", "constraint": "BTOR2", "fair": "BTOR2", "justice": "BTOR2", "ite": "BTOR2",
	"neq": "BTOR2", "udivo": "BTOR2",
}

// IsRoot reports whether n is a line that counts: root, next or anext.
func IsRoot(n graph.Node) bool { return n.Op == "root" || isNext(n) }
