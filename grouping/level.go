package grouping

import "fmt"

// A Level says how coarse a group is.
type Level uint8

const (
	Commit     Level = iota // changes that the same commit finished
	Directory               // one component after the other, see Plan
	File                    // one path
	Symbol                  // one function, type, ...
	Identifier              // changes connected by names the difference introduces or retires
	Hunk                    // neighbouring lines, however they were cut; of these what is removed, replaced and added
	Line                    // a single change
	Update                  // changes of manifests and lock files that take one package to another version
)

var levelNames = [...]string{"commit", "directory", "file", "symbol", "identifier", "hunk", "line", "update"}

// String returns the level's name as people see it: "commit", "directory", ...
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("level(%d)", l)
}
