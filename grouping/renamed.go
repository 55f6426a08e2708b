package grouping

import (
	"bytes"
	"slices"

	"github.com/gitdd/gitdd/changes"
)

// renamings ties the changes by which a declaration, or the file, has another name in place of one that it
// used before: changes within lines that replace nothing but the one name by the other. Each of them requires the others.
// A change of the same declaration that brings a use of the new name requires them, and they require
// one that takes a use of the old name away. On the other side of the difference the declaration has neither the new
// name nor the old one, members aside: otherwise two names were used, and it is not known that they
// mean the same. Cost: a scan of both sides, if changes are within lines.
func (f *file) renamings(all []facts, list []changes.Change, sides [2]side, old, new []byte) {
	l := languageOf(f.path, new)
	isPart := func(i int) bool { return list[i].Part != changes.Part{} }
	if wholeOnly(l) || syntaxOf(l).family == "" || !slices.ContainsFunc(f.text, isPart) {
		return
	}
	type renaming struct{ symbol, old, new string }
	var uses [2]map[boundName]bool
	for which, content := range [2][]byte{old, new} {
		uses[which] = map[boundName]bool{}
		read := newBoundSide(l, content, sides[which].declarations)
		read.each(func(t token, _ int, symbol string, _ bool) {
			name := string(t.text)
			uses[which][boundName{symbol, name}] = true
			uses[which][boundName{"", name}] = true
		})
	}
	is := func(r renaming) bool {
		was, is := boundName{r.symbol, r.old}, boundName{r.symbol, r.new}
		return uses[good][was] && !uses[bad][was] && !uses[good][is] && uses[bad][is]
	}
	of := map[renaming][]int{}
	var order []renaming
	for _, i := range f.text {
		from, to := replaced(&list[i])
		if !isPart(i) || !isName(from, l) || !isName(to, l) {
			continue
		}
		r := renaming{"", string(from), string(to)}
		if !is(r) {
			if r.symbol = all[i].symbol; !is(r) {
				continue
			}
		}
		if of[r] == nil {
			order = append(order, r)
		}
		of[r] = append(of[r], i)
	}
	for _, r := range order {
		members := of[r]
		first := members[0]
		for _, i := range members[1:] {
			all[first].requires = append(all[first].requires, i)
			all[i].requires = append(all[i].requires, first)
		}
		together := len(members) > 1
		for _, i := range f.text {
			if all[i].symbol != r.symbol && r.symbol != "" || slices.Contains(members, i) {
				continue
			}
			from, to := replaced(&list[i])
			if has(to, l, r.new) {
				all[i].requires = append(all[i].requires, first)
				together = true
			}
			if has(from, l, r.old) {
				all[first].requires = append(all[first].requires, i)
				together = true
			}
		}
		if together {
			all[first].renamed = append(all[first].renamed, members)
		}
	}
}

// replaced returns what a change replaces, and by what.
func replaced(c *changes.Change) (from, to []byte) {
	if c.Part == (changes.Part{}) {
		return c.Old, c.New
	}
	return c.Old[c.Part.OldFrom:c.Part.OldTo], c.New[c.Part.NewFrom:c.Part.NewTo]
}

// isName reports whether a text is one name.
func isName(text []byte, l language) bool {
	for t := range tokens(text, l, 1) {
		return len(t.text) == len(text)
	}
	return false
}

// has reports whether a name stands in a text, not as that of a member.
func has(text []byte, l language, name string) bool {
	if !bytes.Contains(text, []byte(name)) {
		return false
	}
	for t := range tokens(text, l, 1) {
		if string(t.text) == name && !t.member {
			return true
		}
	}
	return false
}
