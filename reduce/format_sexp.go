package reduce

import (
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// parseLisp reads s-expressions; brackets that do not match are an error.
func parseLisp(content []byte) (*Tree, error) { return sexpTree(content, lexical.RulesOf(".lisp")) }

// parseSMT reads the commands and terms of SMT-LIB.
func parseSMT(content []byte) (*Tree, error) { return sexpTree(content, lexical.RulesOf(".smt2")) }

func sexpTree(content []byte, l *lexical.Rules) (*Tree, error) {
	b := brackets{text: content, Rules: l}
	t := wholeTree(content, b.read(0, len(content)))
	if b.lost != nil {
		return nil, notParsed(content, b.lost.From, "%q without its other bracket", content[b.lost.From:b.lost.To])
	}
	return t, nil
}

// sexps lets an element between brackets stand for the whole. A quote belongs to
// what it quotes.
func (b *brackets) sexps(items []*Node, kind int) []*Node {
	list := items[:0:0]
	for i := 0; i < len(items); i++ {
		start := i
		for i+1 < len(items) && items[i].Kind == "operator" && items[i].To == items[i+1].From {
			i++
		}
		n := b.around("quote", "sexp", items[start:i+1:i+1])
		if n.Sort == "" && kind >= 0 && n.Kind != "comment" && (len(list) > 0 || !b.smt) {
			n.Sort = "sexp"
		}
		list = append(list, n)
	}
	return list
}

// What may stand for a term of SMT-LIB, by what its operator returns. Where that is
// not known each is tried.
var (
	truths  = [][]byte{[]byte("true"), []byte("false")}
	zeros   = [][]byte{[]byte("0")}
	either  = [][]byte{[]byte("true"), []byte("false"), []byte("0")}
	smtBool = wordSet("and or not => xor = distinct < <= > >= forall exists is_int str.< str.<= str.prefixof str.suffixof str.contains str.in_re " +
		"bvult bvule bvugt bvuge bvslt bvsle bvsgt bvsge fp.leq fp.lt fp.geq fp.gt fp.eq fp.isNaN set.member")
	smtNumber = wordSet("+ - * / div mod abs to_int to_real str.len str.indexof str.to_int bv2nat")
	// smtOther returns neither truth nor number.
	smtOther = wordSet("_ ! as concat extract bvadd bvsub bvmul bvand bvor bvxor bvnot bvneg bvshl bvlshr bvashr bvudiv bvurem bvsdiv bvsrem store par let")
	// smtForm: each argument has its place, none can go alone.
	smtForm = wordSet("not ite => forall exists let ! _ as select store assert define-fun define-fun-rec define-const declare-fun declare-const define-sort " +
		"declare-sort set-logic set-option set-info declare-datatype")
	smtBindings = wordSet("let forall exists")
)

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// term says of a group of SMT-LIB what may stand for it, and which of its elements
// have to stay.
func (b *brackets) term(n *Node) {
	args := n.Children[1 : len(n.Children)-1]
	for len(args) > 0 && args[0].Kind == "comment" {
		args = args[1:]
	}
	if len(args) == 0 || args[0].Kind != "identifier" {
		return
	}
	args[0].Fixed = true
	op := string(b.text[args[0].From:args[0].To])
	command := n.Sort == ""
	switch {
	case command || smtOther[op]:
	case smtBool[op]:
		n.Or = truths
	case smtNumber[op]:
		n.Or = zeros
	default:
		n.Or = either
	}
	place := 0
	for _, a := range args[1:] {
		if a.Kind == "comment" {
			continue
		}
		place++
		if smtForm[op] {
			a.Fixed = true
		}
		// Sorts, parameters and bindings are no terms.
		bindings := place == 1 && smtBindings[op]
		if bindings || op == "_" || strings.HasPrefix(op, "declare-") || strings.HasPrefix(op, "set-") || strings.HasPrefix(op, "define-") && place < 3 {
			b.noTerm(a, op == "let")
		}
	}
}

// noTerm: nothing stands for a node that is no term, nor for what is in it, but
// for the terms that let binds.
func (b *brackets) noTerm(n *Node, let bool) {
	if n.Sort == "" {
		return // each node once
	}
	n.Sort, n.Or = "", nil
	for _, c := range n.Children {
		if !let {
			b.noTerm(c, false)
			continue
		}
		c.Sort, c.Or = "", nil
		if len(c.Children) == 4 { // (name term)
			c.Children[2].Fixed = true
		}
	}
}
