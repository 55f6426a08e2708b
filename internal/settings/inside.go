package settings

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/internal/cli"
)

// The values of --into.
const (
	IntoAuto   = "auto"
	IntoAlways = "always"
	IntoNever  = "never"
)

// Intos are the values of --into. They are not among Choices, because gitdd next has a flag of that name for a directory.
var Intos = []string{IntoAuto, IntoAlways, IntoNever}

func intoFlag(flags *pflag.FlagSet, to *string) {
	flags.StringVar(to, "into", IntoAuto, "`WHEN` to go from the update of a dependency to the lines in it: always, auto (into a submodule that --recurse-submodules fills; on a terminal gitdd asks) or never; alone it is always. See gitdd help into")
	flags.Lookup("into").NoOptDefVal = IntoAlways
}

// checkInto is Check of --into.
func (s *Search) checkInto() error {
	into := s.Into == IntoAlways
	switch {
	case into && s.Each != "":
		return errors.New("--into goes into the cause of one failure, and --each finds those of many: search for one test, as --match or the command chooses it")
	case into && (!s.Measure.IsZero() || s.Goal != "cause"):
		return errors.New("--into searches for a smallest cause of a failure: want it without --measure and --goal")
	case into && s.GoodDir != "":
		return errors.New("--into goes from a project into its dependencies, and is for revisions of a repository: want it without --good-dir and --bad-dir")
	}
	return cli.OneOf("into", s.Into, Intos)
}

// An Inside is a dependency whose files a search is among, as a session keeps it.
type Inside struct {
	Name, Old, New string
	Path           string // the folder in workspaces
	Manifest       string `json:",omitempty"` // Go: the go.mod of the project, which replaces the module by the folder
	Script         string `json:",omitempty"` // puts the folder where the project has the dependency, by sh, behind the build
	Before         string `json:",omitempty"` // prepares the project for the folder, by sh, before the build
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
	return "( " + build + "\n)\nstatus=$?\ntest $status = 0 || exit $status\n" + script // in "( ) &&" a set -e would not count
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

// buildInside is the build of a search inside of dependencies. Of those that a go.mod replaces, the last one prepares the project for all.
func buildInside(list []Inside, build string) string {
	for i, in := range list {
		if in.Script != "" {
			build = after(build, in.Script)
		}
		again := slices.ContainsFunc(list[i+1:], func(later Inside) bool { return later.Manifest == in.Manifest })
		if in.Manifest == "" || !again {
			build = in.Before + build
		}
	}
	return build
}
