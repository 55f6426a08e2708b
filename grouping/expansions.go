package grouping

// namesAt lists the names on the line of a message that names none (as one from
// clang, tsc or rustc) or not all; if called is set only those before a bracket.
func (l *learner) namesAt(d *diagnostic, called bool) (names []string) {
	if len(d.spots) == 0 {
		return nil
	}
	if named := l.named(d.spots[0].path, d.dirs, l.has); len(named) > 0 {
		f := &l.files[named[0]]
		text := l.line(f, l.holder(f, l.has, d.spots[0].line))
		for sc := newScanner(text, languageOf(f.path, nil), 1); len(names) < maxPlaces; {
			t, ok := sc.next()
			if !ok {
				break
			}
			if name := string(t.text); !called || sc.at < len(text) && text[sc.at] == '(' {
				names = append(names, name)
			}
		}
	}
	return names
}

// keeps reports whether the new lines of a change still name what a message
// misses: as a member, if it is one.
func (l *learner) keeps(d *diagnostic, i int, name string) bool {
	if !d.member {
		return l.says(i, true, name)
	}
	return l.selects(i, true, name)
}

// selects reports whether the code of a change has the word as a member.
func (l *learner) selects(i int, new bool, name string) bool {
	text := l.text(i, new)
	if !hasWord(text, name) {
		return false
	}
	for sc := newScanner(text, languageOf(l.set.Changes[i].Path, nil), 1); ; {
		switch t, ok := sc.next(); {
		case !ok:
			return false
		case t.member && string(t.text) == name:
			return true
		}
	}
}

// passed learns from a value that lacks a member which a macro selects: what is
// wrong may be the value that the macro got, in the line where the outermost
// macro stands, or what it does with it. If that line is to go, the change that
// brought the value's type to it requires that; if it is new, it requires the
// change by which the macro selects the member no more.
func (l *learner) passed(d *diagnostic) {
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
	if h.change < 0 {
		return
	}
	if !h.applied {
		l.require(l.typedBy(d.of, f, h.change), []int{h.change})
		return
	}
	if body := l.named(d.spots[0].path, d.dirs, l.has); len(body) > 0 && len(d.inside) > 0 {
		b := l.holder(&l.files[body[0]], l.has, d.spots[0].line)
		if b.change >= 0 && !b.applied && len(d.names) > 0 && !l.selects(b.change, true, d.names[0]) {
			l.require([]int{h.change}, []int{b.change})
		}
	}
}

// typedBy returns the applied change that brings a type to the lines that change
// user is to take away: the only one of the same symbol that brings the type's
// name, else the only one of the same file and of headers.
func (l *learner) typedBy(name string, f *file, user int) (list []int) {
	if len(name) < shortestName {
		return nil
	}
	var near []int
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
			if o == f && l.symbols[i] != "" && l.symbols[i] == l.symbols[user] {
				near = append(near, i)
			}
		}
	}
	if near != nil {
		list = near
	}
	if len(list) > 1 {
		return nil
	}
	return list
}
