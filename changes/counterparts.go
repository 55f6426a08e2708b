package changes

import "slices"

// Counterparts returns the changes of s, increasing, that make in the bad tree
// what the changes ids of t make there. Both sets end in the same bad tree;
// they begin in different ones, as when t is what the last commit of s did.
//
// Lines are found by their place in the bad tree: a text hunk of s is a
// counterpart when it makes one of the lines, and where lines are only removed,
// when it reaches that place. It may make more than that, because earlier
// commits worked on the same lines. ok is false when one of the changes has no
// counterpart: it put something back as the good side of s has it.
func (s *Set) Counterparts(t *Set, ids []int) (found []int, ok bool) {
	byPath := map[string][]int{}
	for i := range s.Changes {
		byPath[s.Changes[i].Path] = append(byPath[s.Changes[i].Path], i)
	}
	ok = true
	for _, id := range ids {
		c := &t.Changes[id]
		candidates := byPath[c.Path]
		n := len(found)
		for _, i := range candidates {
			if d := &s.Changes[i]; d.Kind == c.Kind && (c.Kind != Text || reaches(d, c)) {
				found = append(found, i)
			}
		}
		if len(found) == n { // what makes the file as a whole makes this, too
			for _, i := range candidates {
				if d := &s.Changes[i]; d.makesContent() {
					found = append(found, i)
				}
			}
		}
		ok = ok && len(found) > n
	}
	slices.Sort(found)
	return slices.Compact(found), ok
}

// reaches reports whether the text hunk d makes a line of the bad side that the
// text hunk c makes or, when c leaves no line there, touches its place.
func reaches(d, c *Change) bool {
	if c.NewLines == 0 { // c stands behind line c.NewStart
		from, to := d.NewStart, d.NewStart+d.NewLines // d makes lines from..to-1
		if d.NewLines == 0 {
			return d.NewStart == c.NewStart
		}
		return from <= c.NewStart+1 && c.NewStart < to
	}
	return d.NewStart < c.NewStart+c.NewLines && c.NewStart < d.NewStart+d.NewLines
}

// makesContent reports whether c decides what the file holds as a whole.
func (c *Change) makesContent() bool {
	switch c.Kind {
	case Created, Deleted, Copied, Symlink, Binary, Submodule, Type:
		return true
	}
	return false
}
