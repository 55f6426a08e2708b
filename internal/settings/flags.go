package settings

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
)

// Choices are the values of the flags that take one of a few words.
var Choices = map[string][]string{
	"on-signal": {"auto", "fail", "unresolved", "stop"},
	"algorithm": isolate.Algorithms(),
	"goal":      {"cause", "introduce", "revert"},
	"group":     {"place", "syntax", "identifier", "time", "none"},
	"level":     {"hunk", "symbol", "auto", "line", "node"},
	"mixtures":  {"strict", "lenient"},
	"through":   {"auto", "always", "never"},
	"confirm":   {"auto", "fresh", "clean", "no"},
	"color":     {"auto", "always", "never"},
	"as":        {"dot", "svg"}, // pictures
}

// OneOf returns an error for a value that is none of the Choices of a flag.
func OneOf(flag, value string) error { return cli.OneOf(flag, value, Choices[flag]) }

var goals = map[string]isolate.Goal{
	"cause": isolate.Cause, "introduce": isolate.Introduce, "revert": isolate.Revert,
}

// Groupings are Zeller's four of 1999 (section 4.2), coarse to fine.
var Groupings = map[string][]grouping.Level{
	"place":      search.ByPlace,
	"syntax":     {grouping.File, grouping.Symbol, grouping.Hunk},
	"identifier": {grouping.Identifier, grouping.File, grouping.Hunk},
	"time":       {grouping.Commit, grouping.File, grouping.Hunk},
	"none":       {}, // every change by itself
}

// sigmaFlag adds --sigma, which belongs to some values of --algorithm.
func sigmaFlag(flags *pflag.FlagSet, sigma *float64) {
	flags.Float64Var(sigma, "sigma", 0, "let probdd, cdd and wprobdd, where --algorithm names one, begin with `PROBABILITY` for each element (default that of the algorithm)")
}

func checkSigma(sigma float64, algorithm string) error {
	switch {
	case sigma == 0:
		return nil
	case !(sigma > 0 && sigma < 1):
		return fmt.Errorf("--sigma %v: want a probability above 0 and below 1", sigma)
	case !strings.Contains(algorithm, "probdd") && !strings.Contains(algorithm, "cdd"):
		return fmt.Errorf("--sigma is for probdd, cdd and wprobdd: want one of them with --algorithm, not %s", algorithm)
	}
	return nil
}

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
