package updates

// A Moved is a package that comes from another source, such as that of another version.
type Moved struct {
	Name     string // by which the project requires it
	Old, New Source
}

// Sources returns the packages that both texts of a file have and that come from another source, in the order of the lines of old. ok is
// false if either text cannot be read. A package that is installed in several folders is there once for each. Cost: that of reading both texts.
func Sources(name string, old, new []byte) (list []Moved, ok bool) {
	f := formatOf(name)
	if f == nil {
		return nil, false
	}
	s, err := f.sides(f.below(f.home(name), name), old, new)
	if err != nil {
		return nil, false
	}
	at := make(map[string]*Entry)
	for i := range s[bad] {
		at[s[bad][i].ID] = &s[bad][i]
	}
	for _, e := range s[good] {
		if to := at[e.ID]; to != nil && e.Source != to.Source && e.Source.Name != "" && to.Source.Name != "" {
			list = append(list, Moved{e.Name, e.Source, to.Source})
		}
	}
	return list, true
}
