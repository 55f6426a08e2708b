package grouping

import (
	"bytes"
	"slices"

	"github.com/gitdd/gitdd/changes"
)

// renamings ties the changes by which a declaration, or the file, has another name in place of one that it
// used before: changes within lines that replace nothing but the one name by the other. Each of them requires the others.
// A change of the same declaration that brings a use of the new name requires them, and they require
// one that takes a use of the old name away. Before the difference the declaration must not use the new
// name, and behind it not the old one: otherwise these were two names, and it is not known that they
// mean the same. Names of members, which follow a dot, are told from others. Cost: a scan of both sides, if changes are
// within lines.
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
		rows, _ := symbolRows(sides[which].declarations, bytes.Count(content, []byte{'\n'})+1)
		for t := range tokens(content, l, 1) {
			uses[which][boundName{rows[t.line], usedAs(t)}] = true
			uses[which][boundName{"", usedAs(t)}] = true
		}
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
		was, becomes := string(from), string(to)
		readings := []renaming{{"", was, becomes}, {all[i].symbol, was, becomes}, {"", "." + was, "." + becomes}, {all[i].symbol, "." + was, "." + becomes}}
		k := slices.IndexFunc(readings, is)
		if k < 0 {
			continue
		}
		r := readings[k]
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

// usedAs returns a name, and for that of a member one that no other name has.
func usedAs(t token) string {
	if t.member {
		return "." + string(t.text)
	}
	return string(t.text)
}

// has reports whether a name stands in a text, as usedAs returns it.
func has(text []byte, l language, name string) bool {
	for t := range tokens(text, l, 1) {
		if usedAs(t) == name {
			return true
		}
	}
	return false
}
