package settings

import (
	"fmt"

	"github.com/spf13/pflag"
)

// A revisionValue is the value of a flag that names one revision.
type revisionValue struct {
	rev   *string
	named bool // on this command line
}

func (v *revisionValue) String() string {
	if v.rev == nil { // pflag asks a zero value
		return ""
	}
	return *v.rev
}

func (v *revisionValue) Set(word string) error {
	if v.named && word != *v.rev {
		return fmt.Errorf("%s was named before, and one revision is wanted: name the one that is nearer to the other end (`gitdd bisect` chooses it among all that a git bisect has marked)", *v.rev)
	}
	*v.rev, v.named = word, true
	return nil
}

func (v *revisionValue) Type() string { return "string" }

// RevisionFlag adds a flag, good or bad, that names one revision: another one named by it is
// an error, and does not silently take the place of the first.
func RevisionFlag(flags *pflag.FlagSet, rev *string, name, otherwise, usage string) {
	*rev = otherwise
	flags.Var(&revisionValue{rev: rev}, name, usage)
}
