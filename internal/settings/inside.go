package settings

import "encoding/json"

// An Inside is a dependency whose files a search is among, as a session keeps it.
type Inside struct {
	Name, Old, New string
	Path           string // the folder in workspaces
	Script         string `json:",omitempty"` // puts the folder where the project has the dependency, by sh
	Clone          string `json:",omitempty"` // a directory in the repository that the files come from; "" = they were brought
	Session        string // that found the update
}

// Word is what a session keeps.
func (in Inside) Word() string {
	text, err := json.Marshal(in)
	if err != nil {
		panic(err) // texts only
	}
	return string(text)
}

// Insides returns the dependencies that the search has gone into.
func (s *Search) Insides() (list []Inside) {
	for _, word := range s.Inside {
		var in Inside
		if json.Unmarshal([]byte(word), &in) == nil {
			list = append(list, in)
		}
	}
	return list
}

// insideHistory reports whether there may be commits between the ends.
func (s *Search) insideHistory() bool {
	for _, in := range s.Insides() {
		if in.Clone != "" {
			return true
		}
	}
	return false
}

// after is a build that ends with another script, if it succeeds so far.
func after(build, script string) string {
	if build == "" {
		return script
	}
	return "( " + build + "\n) && {\n" + script + "}"
}

// Clone returns the directory that --with names without revisions for a dependency, by its name or the last part of that;
// "" = none.
func (s *Search) Clone(names ...string) string {
	for _, name := range names {
		for _, text := range s.With {
			if w, err := ParseWith(text); err == nil && w.Good == "" && w.Name == name {
				return w.Dir
			}
		}
	}
	return ""
}
