package reduce

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/lexical"
)

// passArguments takes an argument out of all lists that belong together: the parameters of a function and what it
// is called with; the columns of a table and the rows that are inserted. It tries to take out, too, what else names
// the first of them.
func passArguments(ctx context.Context, t *text) error {
	type place struct {
		name string
		of   int // of so many, anywhere behind the name in a statement; 0 = of any number, directly behind it
		at   int
	}
	in := func(l argumentList, p place) bool {
		return p.at < len(l.arguments) && (p.of == 0 && l.name() == p.name || p.of == len(l.arguments) && slices.Contains(l.names, p.name))
	}
	var places []place
	lists, apart := map[place]int{}, map[place]bool{} // how many lists, and whether the name stands apart from one
	for _, l := range t.argumentLists() {
		for at := range min(len(l.arguments), mostArguments) {
			for k, name := range l.names {
				directly := k == 0 && l.direct
				p := place{name: name, of: len(l.arguments), at: at}
				apart[p] = apart[p] || !directly
				for _, p := range []place{p, {name: name, at: at}} {
					if p.of == 0 && !directly {
						continue
					}
					if lists[p]++; lists[p] == 2 { // one alone is for the tree, and for runs of tokens
						places = append(places, p)
					}
				}
			}
		}
	}
	places = slices.DeleteFunc(places, func(p place) bool { return p.of > 0 && !apart[p] })
	slices.SortStableFunc(places, func(a, b place) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.of, b.of), cmp.Compare(b.at, a.at))
	})
	return t.walk(ctx, 2*len(places), func(i int) (Proposal, bool) {
		place, mentions := places[i/2], i%2 == 1
		var p Proposal
		found := 0
		named := ""
		for _, l := range t.argumentLists() {
			if !in(l, place) {
				continue
			}
			if first := l.arguments[place.at][0]; found == 0 && t.pieces[first].kind == lexical.Word {
				named = string(t.bytes(first))
			}
			p.Edits = append(p.Edits, t.withoutArgument(l, place.at).Edits...)
			found++
		}
		if mentions {
			others := t.mentions(named, p)
			p.Edits = append(p.Edits, others.Edits...)
			return p, found > 1 && len(others.Edits) > 0
		}
		return p, found > 1
	})
}

// An argumentList is what stands in brackets behind names: of each argument the
// first piece and the one behind its last.
type argumentList struct {
	names     []string // that stand before it in its statement, the next one first
	direct    bool     // the first of them stands directly before it
	arguments [][2]int
}

// name returns the name directly before the list, "" if there is none.
func (l argumentList) name() string {
	if l.direct {
		return l.names[0]
	}
	return ""
}

// mostArguments bounds which arguments of a list are asked about.
const mostArguments = 256

// farthestName bounds how many tokens before a list names are looked for.
const farthestName = 12

// argumentLists returns the lists of a text behind names. The caller does not change them.
func (t *text) argumentLists() []argumentList {
	if t.lists != nil {
		return t.lists
	}
	lists := []argumentList{}
	for open := range t.pieces {
		if !t.is(open, "(") || t.partner[open] < 0 {
			continue
		}
		l := argumentList{}
		from := open + 1
		for j := open + 1; j <= t.partner[open]; j++ {
			switch {
			case t.pieces[j].kind == lexical.Opener && t.partner[j] > j:
				j = t.partner[j]
			case j == t.partner[open] || t.is(j, ","):
				if j > from {
					l.arguments = append(l.arguments, [2]int{from, j})
				}
				from = j + 1
			}
		}
		before := t.next(open, -1)
		l.direct = before >= 0 && t.isName(before)
		for range farthestName {
			switch {
			case before < 0, t.pieces[before].kind == lexical.Opener, t.is(before, ";"), t.is(before, "}"):
				before = -1
			case t.pieces[before].kind == lexical.Closer:
				before = t.next(t.partner[before], -1)
			default:
				if t.isName(before) && !slices.Contains(l.names, string(t.bytes(before))) {
					l.names = append(l.names, string(t.bytes(before)))
				}
				before = t.next(before, -1)
			}
			if before < 0 {
				break
			}
		}
		if len(l.names) > 0 {
			lists = append(lists, l)
		}
	}
	t.lists = lists
	return lists
}

// withoutArgument proposes to take argument number at out of a list, with a comma beside it.
func (t *text) withoutArgument(l argumentList, at int) (p Proposal) {
	from, to := l.arguments[at][0], l.arguments[at][1]
	switch {
	case at+1 < len(l.arguments):
		to = l.arguments[at+1][0]
	case at > 0:
		from = l.arguments[at-1][1]
	}
	for k := from; k < to; k++ {
		p.Edits = append(p.Edits, NodeEdit{t.nodes[k], Edit{}})
	}
	return p
}

// mentions proposes to take a name out wherever else it stands than where a proposal edits, each time with a comma
// beside it.
func (t *text) mentions(name string, but Proposal) (p Proposal) {
	edited := map[*Node]bool{}
	for _, e := range but.Edits {
		edited[e.Node] = true
	}
	for i := range t.pieces {
		if name == "" || !t.is(i, name) || edited[t.nodes[i]] {
			continue
		}
		from, to := i, i
		if next := t.next(i, 1); t.is(next, ",") {
			to = next
		} else if before := t.next(i, -1); t.is(before, ",") {
			from = before
		}
		p.Edits = append(p.Edits, t.cutting(from, to).Edits...)
	}
	return p
}
