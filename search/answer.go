package search

import (
	"errors"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A Found is what a search has come to. If Run ended before it searched, all changes are suspects, and
// Answer.Plan is nil.
type Found struct {
	Answer
	Ends    trial.Ends
	Verdict Verdict
	Path    Path
}

// A Verdict says whether trials in a fresh or a cleaned workspace have confirmed an answer.
type Verdict struct {
	Verified bool
	Cleaned  bool   // at least one of them in a cleaned workspace
	Untested bool   // there were none, by Options.Unconfirmed
	Reason   string // why they have not
	About    []int  // trials that Reason is about
	Again    string // why the search began again before it came to the answer; "" = it did not

	built Built // by these trials
}

// Holds reports whether the answer stands: it was confirmed, or was not to be.
func (v Verdict) Holds() bool { return v.Verified || v.Untested }

// ErrWithheld says that trials in a fresh or a cleaned workspace contradict an answer, so that it is not shown.
var ErrWithheld = errors.New("the answer could not be confirmed")

// An Answer is a cause and what was found out about it.
type Answer struct {
	Commits *Bisection     // the search among commits, which comes first; nil if Run ended before it, and not Narrowed if there was no such search
	Set     *changes.Set   // the changes of which the answer consists: hunks, or finer changes
	Plan    *grouping.Plan // of Set; nil = nothing was searched
	Result  isolate.Result // over the changes of Set; pass and fail are exchanged in a search for a fix
	Trials  int            // on the path of all rounds, without those that confirm the answer

	Messages []Message // if Result is inseparable: why parts of the cause could not be tested
	Uncut    string    // why long changes of the cause were not cut further; "" = they were cut, or should not be

	Confidence float64   // the probability with which the answer is right, if trial.Options.Confidence asks for one
	Sure       []float64 // the probability with which each member of the cause belongs to it, in their order

	Measured *Measured // with Options.Numbers: how the number changes; nil = unknown

	Built    Built    // the artifacts of both ends of the answer
	Repaired Repaired // the failing revision without the cause
	Alone    string   // the outcome of good with the cause alone, if Options.All asked for it
	Further  []Further
	Untraced int // how many configurations were tested to look for what the cause switches on, if nothing was found

	// RestOfHunks are the changes that are not in the cause, but in a hunk of which the cause has a part. If there are any, Repaired is
	// about the failing revision without these whole hunks, and RevertPatch takes them off. Without the cause alone, that revision
	// would have neither side of such a hunk, or both; or it does not pass.
	RestOfHunks isolate.Configuration

	// Dependents are the changes that are not in the cause and need it, as was predicted or learned: one may take a declaration away
	// whose uses the cause takes away. If there are any, the failing revision without the cause alone could not be judged; Repaired
	// is about that revision without them, too, which passes, and RevertPatch takes them off.
	Dependents isolate.Configuration

	bad   isolate.Configuration // the failing end that the rounds began with
	lines bool                  // Set has lines of short hunks, or parts of lines
	apart bool                  // the plan was made with grouping.Options.Apart
}

// Failing returns the configuration of an answer with which the test fails, whatever is searched for.
func (a Answer) Failing(direction trial.Direction) isolate.Configuration {
	if direction == trial.Fix {
		return a.Result.Passing
	}
	return a.Result.Failing
}

// Passing returns the configuration of an answer with which the test passes, whatever is searched for.
func (a Answer) Passing(direction trial.Direction) isolate.Configuration {
	if direction == trial.Fix {
		return a.Result.Failing
	}
	return a.Result.Passing
}

// Repairs reports whether the failing revision passes without the cause, or with the fix. Then the
// answer is a cause of that failure, whatever else the test prints with it.
func (a Answer) Repairs() bool { return a.Repaired.Outcome == isolate.Pass.String() }

// A Repaired is the outcome of the failing revision without the cause or, in a search for a fix, with
// it; "" = it was not tested. Reason says why it is unresolved. Otherwise is the line that tells why it fails,
// where the failure that was searched for is gone, as trial.Options.Match tells, and another one is left.
type Repaired struct{ Outcome, Reason, Otherwise string }

// A Built has what the ends of an answer were built to: without the cause, and with it. It is empty
// unless trial.Options.Artifacts names artifacts.
type Built struct{ Without, With []trial.Artifact }

// A Message is a line of a compiler or of the command.
type Message struct {
	Text   string // without the paths of workspaces
	Trials int    // that printed it
}

// A Further is an answer in addition to the first one.
type Further struct {
	Answer
	Relation Relation
	Verified bool // as in Verdict
}

// A Relation says how a further answer is related to the first one.
type Relation string

// The relations.
const (
	Interacting Relation = "interacting" // an earlier change without which the first cause makes no difference
	Independent Relation = "independent" // a cause of the failure that remains without the first cause
	Fault       Relation = "fault"       // what the first cause switches on, and without which the test passes
	Within      Relation = "within"      // lines of the first cause, or of the declarations that it stands in, without which the test passes, with all other changes in place
	Step        Relation = "step"        // with Options.Numbers: another place at which the number changes, with the first cause or without it
)
