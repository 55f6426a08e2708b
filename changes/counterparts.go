package changes

import "slices"

// Counterparts returns the changes of s, in increasing order, that have the same effect on
// the bad tree as the changes ids of t. Both sets end in the same bad tree, but begin in
// different trees; for example, t may be the difference of the last commit of s.
//
// Lines are found by their place in the bad tree. A text hunk of s is a counterpart if it makes
// one of the lines, or, if lines are only removed, if it reaches their place. It may make more
// lines than that, because earlier commits changed the same lines. ok is false if one of the
// changes has no counterpart, because it restored what the good side of s has.
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
