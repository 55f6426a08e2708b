package reduce

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passNames gives short names to what has long ones: each name everywhere at
// once, the names that take most room first.
func passNames(ctx context.Context, t *text) error {
	names := t.names()
	free := t.freeNames(len(names))
	var ps []Proposal
	for _, n := range slices.Backward(names) { // a list algorithm begins with the last
		if len(n.text) > 1 && len(free) > 0 && len(free[0]) < len(n.text) {
			ps = append(ps, t.renaming(n, free[0]))
			free = free[1:]
		}
	}
	_, err := t.minimise(ctx, ps)
	return err
}

// A name is a word and where it stands.
type name struct {
	text   string
	pieces []int
}

// names lists the words of a text that are no keywords, those that take most
// room first.
func (t *text) names() []name {
	var names []name
	number := map[string]int{}
	for i, p := range t.pieces {
		text := string(t.bytes(i))
		if p.kind != lexical.Word || keywords[text] {
			continue
		}
		n, ok := number[text]
		if !ok {
			n = len(names)
			number[text] = n
			names = append(names, name{text: text})
		}
		names[n].pieces = append(names[n].pieces, i)
	}
	slices.SortStableFunc(names, func(a, b name) int {
		return cmp.Compare(len(b.pieces)*(len(b.text)-1), len(a.pieces)*(len(a.text)-1))
	})
	return names
}

// renaming proposes another word for a name.
func (t *text) renaming(n name, to string) Proposal {
	var p Proposal
	for _, i := range n.pieces {
		p.Edits = append(p.Edits, NodeEdit{t.nodes[i], Edit{Text: []byte(to)}})
	}
	return p
}

// freeNames returns n short names that do not stand anywhere in the text.
func (t *text) freeNames(n int) []string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	taken := map[string]bool{}
	for i, p := range t.pieces {
		if p.kind == lexical.Word {
			taken[string(t.bytes(i))] = true
		}
	}
	var list []string
	add := func(s string) {
		if len(list) < n && !taken[s] && !keywords[s] {
			list = append(list, s)
		}
	}
	for _, all := range []string{letters, strings.ToUpper(letters)} {
		for _, c := range all {
			add(string(c))
		}
	}
	for _, c := range letters {
		for _, d := range letters {
			add(string(c) + string(d))
		}
	}
	return list
}

// passMerge gives one name to two things: a later name becomes the one before
// it. What was said twice then is for other passes.
func passMerge(ctx context.Context, t *text) error {
	for at := 1; ; at++ {
		names := t.names()
		slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(a.pieces[0], b.pieces[0]) })
		if at >= len(names) {
			return t.err(ctx)
		}
		var ps []Proposal
		for _, other := range slices.Backward(names[:at]) {
			if len(other.text) <= len(names[at].text) {
				ps = append(ps, t.renaming(names[at], other.text))
			}
		}
		made, err := t.first(ctx, ps)
		if err != nil {
			return err
		}
		if made >= 0 {
			t.reopen()
			at--
		}
	}
}

// passArguments takes an argument out of all lists of one name at once: the
// parameters of a function and what it is called with.
func passArguments(ctx context.Context, t *text) error {
	type place struct {
		name string
		at   int
	}
	var places []place
	most := map[string]int{}
	for _, l := range t.argumentLists() {
		if _, ok := most[l.name]; !ok {
			places = append(places, place{name: l.name})
		}
		most[l.name] = max(most[l.name], len(l.arguments))
	}
	for i := range slices.Clone(places) {
		n := most[places[i].name]
		for k := range n - 1 {
			places = append(places, place{places[i].name, k + 1})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(b.at, a.at)) })
	return t.walk(ctx, len(places), func(i int) (Proposal, bool) {
		var p Proposal
		lists := 0
		for _, l := range t.argumentLists() {
			if l.name != places[i].name || places[i].at >= len(l.arguments) {
				continue
			}
			from, to := l.arguments[places[i].at][0], l.arguments[places[i].at][1]
			switch { // a comma goes along
			case places[i].at+1 < len(l.arguments):
				to = l.arguments[places[i].at+1][0]
			case places[i].at > 0:
				from = l.arguments[places[i].at-1][1]
			}
			for k := from; k < to; k++ {
				p.Edits = append(p.Edits, NodeEdit{t.nodes[k], Edit{}})
			}
			lists++
		}
		return p, lists > 1 // one alone is for the tree, and for runs of tokens
	})
}

// An argumentList is what stands in brackets behind a name: of each argument the
// first piece and the one behind its last.
type argumentList struct {
	name      string
	arguments [][2]int
}

func (t *text) argumentLists() []argumentList {
	partner := t.partner
	var lists []argumentList
	for k, i := range t.real[:max(0, len(t.real)-1)] {
		open := t.real[k+1]
		if t.pieces[i].kind != lexical.Word || keywords[string(t.bytes(i))] || !t.is(open, "(") || partner[open] < 0 {
			continue
		}
		l := argumentList{name: string(t.bytes(i))}
		from := open + 1
		for j := open + 1; j <= partner[open]; j++ {
			switch {
			case t.pieces[j].kind == lexical.Opener && partner[j] > j:
				j = partner[j]
			case j == partner[open] || t.is(j, ","):
				if j > from {
					l.arguments = append(l.arguments, [2]int{from, j})
				}
				from = j + 1
			}
		}
		lists = append(lists, l)
	}
	return lists
}

// keywords of many languages, and what is so common that another name for it
// mostly fails: they are not renamed.
var keywords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range bytes.Fields([]byte(`
		if else for while do switch case default break continue return goto
		int char void short long float double signed unsigned const volatile static extern register auto inline restrict
		struct union enum typedef sizeof class public private protected virtual template typename namespace using
		new delete this throw try catch finally operator friend explicit mutable bool true false nullptr
		def elif import from as in is not and or pass lambda with yield global nonlocal del raise except assert None True False async await
		func var let const type interface map chan go select defer range package fallthrough nil len make append string byte rune error
		function typeof instanceof of null undefined export extends super
		fn mut pub impl trait where match loop use mod crate self Self ref move dyn unsafe
		then fi done esac elif echo local
		SELECT FROM WHERE INSERT INTO VALUES CREATE TABLE select from where insert into values create table
		include define ifdef ifndef endif undef elif pragma
		final abstract implements throws boolean begin end module require unless until
	`)) {
		words[string(w)] = true
	}
	return words
}()
