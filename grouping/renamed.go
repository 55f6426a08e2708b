package grouping

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/changes"
)

// renamings ties the changes by which a declaration, or the file, has another name in place of one that it
// used before: changes within lines that replace nothing but the one name by the other. Each of them requires the others.
// A change of the same declaration that brings a use of the new name requires them, and they require
// one that takes a use of the old name away. Before the difference the declaration must not use the new
// name, and behind it not the old one: otherwise these were two names, and it is not known that they
// mean the same.
//
// In languages in which a member can be named without a dot, as where it is declared, members and other names with the same
// old and the same new name are one renaming. If a name has several new names, or several names have one new name, the renaming is
// the pair with most changes; if no pair has most, there is none.
//
// Cost: a scan of both sides, if changes are within lines.
func (f *file) renamings(all []facts, list []changes.Change, sides [2]side, old, new []byte) {
	l := languageOf(f.path, new)
	isPart := func(i int) bool { return list[i].Part != changes.Part{} }
	if wholeOnly(l) || syntaxOf(l).family == "" || !slices.ContainsFunc(f.text, isPart) {
		return
	}
	var uses [2]map[boundName]bool
	for which, content := range [2][]byte{old, new} {
		uses[which] = map[boundName]bool{}
		rows, _ := symbolRows(sides[which].declarations, bytes.Count(content, []byte{'\n'})+1)
		for t := range tokens(content, l, 1) {
			used := usedAs(t, content, l)
			for _, name := range []string{used, anywhere(used)} {
				uses[which][boundName{rows[t.line], name}] = true
				uses[which][boundName{"", name}] = true
			}
		}
	}
	is := func(r renaming) bool {
		was, is := boundName{r.symbol, r.old}, boundName{r.symbol, r.new}
		return uses[good][was] && !uses[bad][was] && !uses[good][is] && uses[bad][is]
	}
	of := map[renaming][]int{}
	var order []renaming
	for _, i := range f.text {
		c := &list[i]
		was, named := nameAt(c.Old, c.Part.OldFrom, c.Part.OldTo, l)
		becomes, renamed := nameAt(c.New, c.Part.NewFrom, c.Part.NewTo, l)
		if !named || !renamed { // or it is no part of a line
			continue
		}
		readings := []renaming{{"", was, becomes}, {all[i].symbol, was, becomes}}
		if !membersApart(l) {
			readings = append([]renaming{{"", anywhere(was), anywhere(becomes)}, {all[i].symbol, anywhere(was), anywhere(becomes)}}, readings...)
		}
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
	if len(order) == 0 {
		return
	}
	names := map[int][2][]string{} // by change: good has those that it takes away, bad those that it brings
	for _, i := range f.text {
		names[i] = replaced(&list[i], l)
	}
	for _, r := range order {
		members := of[r]
		if slices.ContainsFunc(order, func(other renaming) bool { return other.rivals(r) && len(of[other]) >= len(members) }) {
			continue // r.old got r.new by mistake, or it is not known which of the two is the renaming
		}
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
			if hasName(names[i][bad], r.new) {
				all[i].requires = append(all[i].requires, first)
				together = true
			}
			if hasName(names[i][good], r.old) {
				all[first].requires = append(all[first].requires, i)
				together = true
			}
		}
		if together {
			all[first].renamed = append(all[first].renamed, members)
		}
	}
}

// A renaming gives a name a new name in a declaration, or with the symbol "" in a file.
type renaming struct{ symbol, old, new string }

// rivals reports whether two renamings cannot both be true: they have one of their names in common, and are of the same place.
func (r renaming) rivals(s renaming) bool {
	return r != s && (r.old == s.old || r.new == s.new) && (r.symbol == s.symbol || r.symbol == "" || s.symbol == "")
}

// replaced returns the names that a change takes away, and those that it brings, as usedAs returns them.
func replaced(c *changes.Change, l language) [2][]string {
	part := c.Part
	if part == (changes.Part{}) {
		part = changes.Part{OldTo: len(c.Old), NewTo: len(c.New)}
	}
	return [2][]string{namesIn(c.Old, part.OldFrom, part.OldTo, l), namesIn(c.New, part.NewFrom, part.NewTo, l)}
}

// namesIn returns the names between two offsets of a text, as usedAs returns them.
func namesIn(text []byte, from, to int, l language) (names []string) {
	for t := range tokens(text, l, 1) {
		if t.end-len(t.text) >= from && t.end <= to {
			names = append(names, usedAs(t, text, l))
		}
	}
	return names
}

// nameAt returns the name that stands between two offsets of a text, as usedAs does, if nothing else does.
func nameAt(text []byte, from, to int, l language) (name string, is bool) {
	for t := range tokens(text, l, 1) {
		if t.end-len(t.text) == from && t.end == to {
			return usedAs(t, text, l), true
		}
	}
	return "", false
}

// usedAs returns a name of a text so that names with different meanings differ: that of a member begins with a dot, and in Java that
// of a method ends with a bracket.
func usedAs(t token, text []byte, l language) string {
	name := string(t.text)
	if t.member {
		name = "." + name
	}
	if l == java && bytes.HasPrefix(bytes.TrimLeft(text[t.end:], " \t"), []byte("(")) {
		name += "("
	}
	return name
}

// anywhere returns what a name, as usedAs returns it, is called whether it is that of a member or not.
func anywhere(name string) string { return "*" + strings.TrimPrefix(name, ".") }

// hasName reports whether names, which usedAs has returned, have a name that usedAs or anywhere has returned.
func hasName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return n == name || anywhere(n) == name })
}

// membersApart tells the languages in which a name that follows no dot never names a member, not even where it is declared.
func membersApart(l language) bool { return l == python || l == php }
