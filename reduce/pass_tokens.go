package reduce

import (
	"context"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passUnwrap takes a pair of brackets and what stands before it out, and leaves
// what is inside; or what is inside, or all of it.
func passUnwrap(ctx context.Context, t *text) error {
	for _, propose := range []func(t *text, open, close int) Proposal{
		(*text).withoutHead, (*text).withoutBrackets, (*text).emptied,
	} {
		count := len(t.pairs())
		// From the last to the first. One that is made takes the brackets behind it
		// away at most, so the k-th is the k-th until then.
		err := t.walk(ctx, count, func(i int) (Proposal, bool) {
			opens := t.pairs()
			if k := count - 1 - i; k < len(opens) {
				return propose(t, opens[k], t.partner[opens[k]]), true
			}
			return Proposal{}, false
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pairs lists the opening brackets that have a partner.
func (t *text) pairs() []int {
	var opens []int
	for i, p := range t.pieces {
		if p.kind == lexical.Opener && t.partner[i] >= 0 {
			opens = append(opens, i)
		}
	}
	return opens
}

// withoutBrackets proposes to take two brackets out.
func (t *text) withoutBrackets(open, close int) Proposal {
	return Proposal{[]NodeEdit{{t.nodes[open], Edit{Text: t.instead(open)}}, {t.nodes[close], Edit{Text: t.instead(close)}}}}
}

// withoutHead proposes to take two brackets out, and what stands before them up
// to the end of the statement before: `if (x) { y; }` becomes `y;`, f(x) becomes x.
func (t *text) withoutHead(open, close int) Proposal {
	p := t.withoutBrackets(open, close)
	partner := t.partner
	braces := t.is(open, "{")
	for i := open - 1; i >= 0; i-- {
		kind := t.pieces[i].kind
		switch {
		case kind == lexical.Closer && partner[i] >= 0 && braces && !t.is(i, "}"):
			for j := partner[i]; j <= i; j++ {
				p.Edits = append(p.Edits, NodeEdit{t.nodes[j], Edit{}})
			}
			i = partner[i]
			continue
		case kind == lexical.Word, kind == lexical.Space && i+1 < len(t.pieces), braces && kind != lexical.Opener && kind != lexical.Closer && !t.is(i, ";"):
		default:
			return p
		}
		if !braces && kind == lexical.Space {
			return p // f (x): leave what is before alone
		}
		p.Edits = append(p.Edits, NodeEdit{t.nodes[i], Edit{}})
	}
	return p
}

// emptied proposes to take what is between two brackets out.
func (t *text) emptied(open, close int) Proposal {
	var p Proposal
	for i := open + 1; i < close; i++ {
		p.Edits = append(p.Edits, NodeEdit{t.nodes[i], Edit{}})
	}
	return p
}

// longestRun is how many tokens passRuns takes out at once at most. On the inputs
// of docs/reduce.md, six leave no token less than three, for a tenth more trials.
const longestRun = 3

// passRuns takes runs of tokens out, from the last to the first: one token, two,
// and so on. Runs that hold one bracket of two only are left out if all brackets
// of the text have their partner.
func passRuns(ctx context.Context, t *text) error {
	for length := 1; length <= longestRun; length++ {
		n := len(t.real)
		err := t.walk(ctx, n-length+1, func(i int) (Proposal, bool) {
			real := t.real
			from := len(real) - length - i
			if from < 0 {
				return Proposal{}, false
			}
			if t.balanced {
				for _, k := range real[from : from+length] {
					if p := t.partner[k]; p >= 0 && (p < real[from] || p > real[from+length-1]) {
						return Proposal{}, false
					}
				}
			}
			return t.cutting(real[from], real[from+length-1]), true
		})
		if err != nil {
			return err
		}
	}
	return nil
}
