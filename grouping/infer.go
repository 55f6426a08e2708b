package grouping

import (
	"bytes"
	"slices"
	"strings"
)

// lacks learns from a name that is not there.
func (l *inferrer) lacks(d *diagnostic) {
	names := d.names
	if d.beside {
		names = slices.DeleteFunc(l.namesAt(d, false), func(word string) bool { return slices.Contains(d.names, word) })
	}
	for _, name := range names {
		at := l.where(d, name)
		if at.file == "" || d.problem == mentions && !at.exact {
			continue
		}
		leavers := slices.DeleteFunc(slices.Clone(at.leavers), func(i int) bool { return l.keeps(d, i, name) })
		bring, near := l.definers(d, name, at.file, false)
		gone, far := l.definers(d, name, at.file, true)
		if put, taken := l.locals(d, name, at); put != nil || taken != nil {
			bring, near, gone, far = put, 0, taken, 0
		}
		if put, taken := l.fields(d, name, at.file); put != nil || taken != nil {
			bring, near, gone, far = put, 0, taken, 0
		}
		if len(gone) > 0 && (len(bring) == 0 || far <= near) {
			// Someone took the name away: what still uses it should go, or else it
			// should come back.
			if l.require(gone, leavers) || l.require(gone, bring) || len(leavers) > 0 {
				continue
			}
		}
		if !d.link && l.family(at.file) == "c" && l.require(at.users, l.includers(d, name, at.file)) {
			continue // with the header comes what it declares
		}
		l.require(at.users, bring)
	}
}

// unused learns from a declaration that must be used: by a change that was to
// bring a use, or because a change took the last one away.
func (l *inferrer) unused(d *diagnostic) {
	for _, name := range d.names {
		at := l.where(d, name)
		if !at.exact {
			continue
		}
		bring, drop := l.moving(l.besides(at, name), name)
		switch {
		case len(at.users) > 0:
			l.require(at.users, bring)
		case len(at.leavers) > 0:
			l.require(drop, at.leavers)
		default:
			l.require(drop, bring)
		}
	}
}

// moving returns those changes of a list that would bring the first mention of a word and are not applied, and those that took
// the last one away and are.
func (l *inferrer) moving(list []int, word string) (bring, gone []int) {
	for _, i := range list {
		if !l.has[i] && l.gains(i, word) {
			bring = append(bring, i)
		}
		if l.has[i] && l.loses(i, word) {
			gone = append(gone, i)
		}
	}
	return bring, gone
}

// besides returns the other changes of the file at a site, only those of the
// same symbol if some of these mention the name.
func (l *inferrer) besides(at site, name string) (list []int) {
	own := slices.Concat(at.users, at.leavers)
	var near []int
	if named := l.named(at.file, nil, l.has); len(named) > 0 {
		n := named[0]
		for _, i := range l.files[n].members {
			if slices.Contains(own, i) || !l.says(i, true, name) && !l.says(i, false, name) {
				continue
			}
			list = append(list, i)
			if len(own) > 0 && l.symbols[i] != "" && l.symbols[i] == l.symbols[own[0]] {
				near = append(near, i)
			}
		}
	}
	if near != nil {
		return near
	}
	return list
}

// twice learns from two declarations of a name: one was added, and the other
// should have gone.
func (l *inferrer) twice(d *diagnostic) {
	for _, name := range d.names {
		var added, old []int
		file := ""
		for _, s := range d.spots {
			at := l.site(d, s, name)
			if at.exact {
				added, old = append(added, at.users...), append(old, at.leavers...)
			}
			if file == "" {
				file = at.file
			}
		}
		if file == "" {
			continue
		}
		if len(added) == 0 {
			added, _ = l.declarers(d, name, file, true)
		}
		if len(old) == 0 {
			_, old = l.declarers(d, name, file, false)
		}
		if len(old) == 0 && len(d.spots) == 1 {
			at := l.where(d, name)
			old = slices.DeleteFunc(l.besides(at, name), func(i int) bool { return l.has[i] || !l.loses(i, name) })
		}
		l.require(added, old)
	}
}

// declarers returns the applied changes that define a name, and those that are
// not applied and retire it.
func (l *inferrer) declarers(d *diagnostic, name, file string, applied bool) (added, old []int) {
	best := worst
	for _, def := range l.names[name] {
		if def.retired == applied || l.has[def.change] != applied {
			continue
		}
		rank := l.rank(d, &def, file)
		if rank < best {
			best, added, old = rank, nil, nil
		}
		if rank == best && rank < worst {
			if applied {
				added = insert(added, def.change)
			} else {
				old = insert(old, def.change)
			}
		}
	}
	return added, old
}

func insert(list []int, i int) []int {
	if slices.Contains(list, i) {
		return list
	}
	return append(list, i)
}

// differs learns from a call that does not fit: the change that alters the
// callee and the one that alters the call go together.
func (l *inferrer) differs(d *diagnostic) {
	names := d.names
	if names == nil {
		names = l.namesAt(d, true)
	}
	for _, name := range names {
		at := l.where(d, name)
		if !at.exact {
			continue
		}
		// Where the tool shows what the call does not fit, that is it.
		for _, s := range d.spots[1:] {
			if callee := l.site(d, s, name); callee.exact && (l.require(at.users, callee.leavers) || l.require(callee.users, at.leavers)) {
				return
			}
		}
		altered, missing := l.alters(d, name, at.file)
		leavers := at.leavers
		if l.require(at.users, missing) || l.require(altered, leavers) {
			return
		}
	}
}

// keyword learns from an argument whose name the callee does not know: the change
// that gives it to the callee is not applied, or one that takes it away is.
func (l *inferrer) keyword(d *diagnostic) {
	var callees []int
	for i, symbol := range l.symbols {
		if len(d.names) > 0 && within(symbol, d.names[0]) && (d.of == "" || within(symbol, d.of)) {
			callees = append(callees, i)
		}
	}
	bring, gone := l.moving(callees, d.target)
	at := l.where(d, d.target)
	if !at.exact && len(d.spots) > 0 { // the call begins above the argument
		at = l.site(d, spot{path: d.spots[0].path}, d.target)
	}
	if l.require(at.users, bring) || l.require(gone, at.leavers) || l.require(gone, bring) {
		return
	}
	l.differs(d)
}

// returns learns from a return that does not fit its function, which the change
// that holds it lies in.
func (l *inferrer) returns(d *diagnostic) {
	at := l.where(d, "return")
	own := slices.Concat(at.users, at.leavers)
	if !at.exact || len(own) == 0 {
		return
	}
	if name := lastName(l.symbols[own[0]]); name != "" {
		altered, missing := l.alters(&diagnostic{problem: differs}, name, at.file)
		_ = l.require(at.users, missing) || l.require(altered, at.leavers)
	}
}

// syntaxReach is how many lines may lie between the changes that only parse
// together, and between them and where the tool noticed.
const syntaxReach = 5

// syntactic learns from code that does not parse: the applied change nearest to
// the place requires the nearest one that is not applied. A tool notices late,
// so of equal ones the upper one counts. In C, where a type or macro that is
// missing reads like an error of syntax, one of the two must open or close
// something.
func (l *inferrer) syntactic(d *diagnostic) {
	f := l.firstFile(d)
	if f == nil {
		return
	}
	var nearest [2][]int // of those that are not applied, and that are
	least := [2]int{syntaxReach + 1, syntaxReach + 1}
	shift, line := 0, d.spots[0].line
	for _, i := range f.text {
		c := &l.set.Changes[i]
		first, lines := c.OldStart+shift, c.OldLines
		if c.OldLines == 0 {
			first++
		}
		which := 0
		if l.has[i] {
			which, lines = 1, c.NewLines
			shift += c.NewLines - c.OldLines
		}
		if away := max(first-line, line-(first+lines-1), 0); away < least[which] {
			least[which], nearest[which] = away, []int{i}
		}
	}
	if l.family(f.path) == "c" {
		if l.misread(d); l.taught || !slices.ContainsFunc(slices.Concat(nearest[0], nearest[1]), l.opens) {
			return
		}
	}
	l.require(nearest[1], nearest[0])
}

// opens reports whether a change leaves more or fewer brackets, comments or
// conditions of the preprocessor open than there were.
func (l *inferrer) opens(i int) bool {
	old, new := l.text(i, false), l.text(i, true)
	for _, pair := range [][2]string{{"(", ")"}, {"[", "]"}, {"{", "}"}, {"/*", "*/"}} {
		open := func(text []byte) int { return bytes.Count(text, []byte(pair[0])) - bytes.Count(text, []byte(pair[1])) }
		if open(old) != open(new) {
			return true
		}
	}
	return nesting(old) != nesting(new)
}

// needsGo learns from code that go.mod does not allow yet.
func (l *inferrer) needsGo(d *diagnostic) {
	f := l.firstFile(d)
	if f == nil {
		return
	}
	var bring []int
	for _, n := range l.byBase["go.mod"] {
		for _, i := range l.files[n].text {
			for row := range strings.Lines(string(l.text(i, true))) {
				if !l.has[i] && strings.HasPrefix(row, "go 1.") {
					bring = insert(bring, i)
				}
			}
		}
	}
	if h := l.holder(f, l.has, d.spots[0].line); h.applied {
		l.require([]int{h.change}, bring)
	}
}

// alters returns the changes nearest to a file that alter the declaration of a
// name: that define and retire it. Those that are applied, and those that are
// not.
func (l *inferrer) alters(d *diagnostic, name, file string) (applied, missing []int) {
	best := worst
	for _, def := range l.names[name] {
		if def.retired || !l.redefines(&def) {
			continue
		}
		rank := l.rank(d, &def, file)
		if rank < best {
			best, applied, missing = rank, nil, nil
		}
		switch {
		case rank != best || rank == worst:
		case l.has[def.change]:
			applied = insert(applied, def.change)
		default:
			missing = insert(missing, def.change)
		}
	}
	if best == worst && l.family(file) == "c" && len(name) >= shortestName {
		// A macro around it may have hidden the declaration.
		for i := range l.has {
			switch both := isHeader(l.set.Changes[i].Path) && l.says(i, true, name) && l.says(i, false, name); {
			case both && l.has[i]:
				applied = append(applied, i)
			case both:
				missing = append(missing, i)
			}
		}
	}
	return applied, missing
}

// redefines reports whether a change both defines and retires a key.
func (l *inferrer) redefines(d *definition) bool {
	name := d.key.name
	if d.key.space == symbolSpace {
		name = lastName(name)
	}
	return slices.ContainsFunc(l.names[name], func(o definition) bool {
		return o.change == d.change && o.retired != d.retired && o.key == d.key
	})
}

// implements learns from a type without a method that an interface asks for, or
// a value without a field that its type asks for.
func (l *inferrer) implements(d *diagnostic) {
	for _, name := range d.names {
		file := ""
		var users, leavers []int
		if f := l.firstFile(d); f != nil {
			file = l.pathIn(f, l.has)
			users, leavers = l.holder(f, l.has, d.spots[0].line).ends()
		}
		altered, missing := l.alters(d, name, file)
		if l.require(altered, missing) {
			continue
		}
		bring, _ := l.definers(d, name, file, false)
		gone, _ := l.definers(d, name, file, true)
		// The interface asks for it since a change that defines it as well.
		var asked []int
		for _, def := range l.names[name] {
			if !def.retired && l.has[def.change] && def.key.space != symbolSpace && !l.redefines(&def) && l.container(d, &def) != 0 {
				asked = insert(asked, def.change)
			}
		}
		_ = l.require(gone, leavers) || l.require(asked, bring) || l.require(users, bring) || l.require(asked, leavers)
	}
}
