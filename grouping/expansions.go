package grouping

import "slices"

// namesAt lists the names on the line of a message that names none (as one from
// clang, tsc or rustc) or not all; if called is set only those before a bracket.
func (l *inferrer) namesAt(d *diagnostic, called bool) (names []string) {
	f := l.firstFile(d)
	if f == nil {
		return nil
	}
	text := l.line(f, l.holder(f, l.has, d.spots[0].line))
	for t := range tokens(text, languageOf(f.path, nil), 1) {
		if len(names) < maxPlaces && (!called || t.end < len(text) && text[t.end] == '(') {
			names = append(names, string(t.text))
		}
	}
	return names
}

// misread learns from a line of C that does not parse because a macro in it takes
// brackets since an applied change, or until one that is not applied.
func (l *inferrer) misread(d *diagnostic) {
	for _, name := range l.namesAt(d, false) {
		at := l.where(d, name)
		altered, missing := l.alters(&diagnostic{problem: differs}, name, at.file)
		same := func(i int) bool { return !l.brackets(i, name) }
		altered, missing = slices.DeleteFunc(altered, same), slices.DeleteFunc(missing, same)
		if l.require(at.users, missing) || l.require(altered, at.leavers) {
			return
		}
	}
}

// brackets reports whether a change makes a macro that takes brackets of one that
// takes none, or the other way round.
func (l *inferrer) brackets(i int, name string) bool {
	return takesBrackets(l.text(i, false), name) != takesBrackets(l.text(i, true), name)
}

// keeps reports whether the new lines of a change still name what a message
// misses: as a member, if it is one.
func (l *inferrer) keeps(d *diagnostic, i int, name string) bool {
	if !d.member {
		return l.says(i, true, name)
	}
	return l.selects(i, true, name)
}

// selects reports whether the code of a change has the word as a member.
func (l *inferrer) selects(i int, new bool, name string) bool {
	return l.anyToken(i, new, name, func(t token) bool { return t.member })
}

// passed learns from a value that lacks a member, where that is not because of
// the member: a macro selects it, or the value has another type than it had. The
// line is the one where the outermost macro stands. If a variable in it is
// declared in a change of the same function that is not applied, what brought the
// type, or else the line, requires that; without one, what brought the type
// requires the change by which the line goes.
func (l *inferrer) passed(d *diagnostic) {
	if len(d.spots) == 0 {
		return
	}
	at := d.spots[0]
	if len(d.inside) > 0 {
		at = d.inside[len(d.inside)-1]
	}
	named := l.named(at.path, d.dirs, l.has)
	if len(named) == 0 || at.line == 0 || l.family(l.files[named[0]].path) != "c" {
		return
	}
	f := &l.files[named[0]]
	h := l.holder(f, l.has, at.line)
	declared := l.redeclares(f, h)
	switch {
	case h.change >= 0 && h.applied:
		l.require([]int{h.change}, declared)
	case len(declared) > 0:
		l.require(l.typedBy(d.of, f, declared[0]), declared)
	case h.change >= 0:
		l.require(l.typedBy(d.of, f, h.change), []int{h.change})
	}
}

// redeclares returns the changes that are not applied and touch the declaration
// of a variable that is named in a line, at most localReach lines above it.
func (l *inferrer) redeclares(f *file, h holding) (list []int) {
	good := h.line
	if h.change >= 0 {
		good = l.set.Changes[h.change].OldStart
	}
	var names []string
	for t := range tokens(l.line(f, h), languageOf(f.path, nil), 1) {
		if !t.member && len(names) < maxLineNames {
			names = append(names, string(t.text))
		}
	}
	for _, i := range f.text {
		c := &l.set.Changes[i]
		if l.has[i] || i == h.change || c.OldStart > good || good-c.OldStart > localReach || h.change >= 0 && l.symbols[i] != l.symbols[h.change] {
			continue
		}
		if slices.ContainsFunc(names, func(name string) bool {
			return l.declares(i, false, name, "c") && l.declares(i, true, name, "c")
		}) {
			list = append(list, i)
		}
	}
	return list
}

// maxLineNames is how many names of one line are looked at.
const maxLineNames = 16

// typedBy returns the applied change that brings a type to the lines that change
// user is to take away: the only one of the same symbol that brings the type's
// name, else the only one of the same file and of headers; of these rather one
// that uses the type than one that defines it.
func (l *inferrer) typedBy(name string, f *file, user int) (list []int) {
	if len(name) < shortestName {
		return nil
	}
	var near, uses []int
	for n := range l.files {
		o := &l.files[n]
		if o != f && !isHeader(o.path) || l.family(o.path) != "c" {
			continue
		}
		for _, i := range o.members {
			if !l.has[i] || !l.gains(i, name) {
				continue
			}
			list = append(list, i)
			if !slices.ContainsFunc(l.names[name], func(d definition) bool { return d.change == i && !d.retired }) {
				uses = append(uses, i)
			}
			if o == f && l.symbols[i] != "" && l.symbols[i] == l.symbols[user] {
				near = append(near, i)
			}
		}
	}
	switch {
	case near != nil:
		list = near
	case uses != nil:
		list = uses
	}
	if len(list) > 1 {
		return nil
	}
	return list
}

// fields returns the changes that declare a name which is too short for the table
// of definitions as a member of the type that a message names: those that would
// bring it and are not applied, and those that took it away and are.
func (l *inferrer) fields(d *diagnostic, name, file string) (put, taken []int) {
	if !d.member || d.of == "" || len(name) >= shortestName || l.family(file) != "c" {
		return nil, nil
	}
	var list []int
	for i, symbol := range l.symbols {
		if o := l.set.Changes[i].Path; within(symbol, d.of) && (o == file || isHeader(o)) {
			list = append(list, i)
		}
	}
	return l.declaring(list, name, "c")
}
