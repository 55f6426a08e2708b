package isolate

import (
	"context"
	"errors"
	"fmt"
)

// An Outcome is the verdict of a test on one configuration.
type Outcome uint8

const (
	Unresolved Outcome = iota // the test could not decide; the zero value, so that nothing undecided reads as Pass
	Pass                      // the failure is absent
	Fail                      // the failure is present
)

// String returns "unresolved", "pass" or "fail".
func (o Outcome) String() string {
	switch o {
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	}
	return "unresolved"
}

// Opposite exchanges Pass and Fail: the outcome of a search for what mends a failure, where isolate
// looks for what makes a test fail.
func (o Outcome) Opposite() Outcome {
	switch o {
	case Pass:
		return Fail
	case Fail:
		return Pass
	}
	return o
}

// Word is o for people: String, or, of a test that looks for what is interesting and finds it
// where o is Fail, "interesting" and "not interesting".
func (o Outcome) Word(interesting bool) string {
	switch {
	case interesting && o == Fail:
		return "interesting"
	case interesting && o == Pass:
		return "not interesting"
	}
	return o.String()
}

// A Test decides the outcome of a configuration. It may be called by
// Options.Jobs goroutines at once. An error ends the search: a configuration
// that cannot be applied, built or judged is Unresolved, not an error. When
// its ctx is cancelled the test should return soon; what it returns then is
// not looked at.
type Test func(ctx context.Context, c Configuration) (Outcome, error)

// A Problem is N numbered elements and what is known of them beforehand.
type Problem struct {
	N         int
	Order     []int   // the order in which the search cuts, a permutation; nil = 0..N-1
	Groups    [][]int // Groups[l][i] = group of element i at level l, coarse to fine, each contiguous in Order; nil = flat
	Requires  [][]int // Requires[i] = elements without which i cannot be tested: such a configuration is Unresolved without a trial; nil = none
	Predicted [][]int // as Requires, but advice: it guides, and a resolved configuration refutes it
	Weights   []int   // Weights[i] = how much element i weighs, at least 1, for the algorithms that go by weight; nil = 1 each

	// Broken, if not nil, reports whether c is Unresolved for a reason that is known without a
	// test, such as that it has half of an expression. Then it is Unresolved without a trial. It
	// depends on c alone, is not asked of the ends, and is called by the goroutine that called
	// Search.
	Broken func(c Configuration) bool

	// Milestones are numbers of elements, increasing and each within 1..N-1: the
	// first so many of Order are likely to resolve together, such as all changes
	// up to a commit; nil = none. With them, an element moves behind what it
	// requires only within its stretch between two milestones.
	Milestones []int

	// Prior[i] = how likely element i is to be a cause, in proportion to the
	// others, positive and finite; nil = all alike. It is advice: a search mixes
	// it with the uniform one, so that a wrong one costs at most log2 5 trials
	// per cause.
	Prior []float64

	// Affinity says which elements belong together, such as for a name in both; nil =
	// nothing is known. It is advice: where elements of one group cannot be tested apart,
	// cuts along it are likelier to resolve.
	Affinity []Tie

	Passing Configuration // where the test passes; the zero value is Empty(N)
	Failing Configuration // where the test fails, above Passing; the zero value is Full(N)
}

// A Goal says which smallest answer is wanted.
type Goal uint8

const (
	Cause     Goal = iota // the smallest difference, with all members that interact
	Introduce             // the smallest set that, added to Problem.Passing, makes it fail
	Revert                // the smallest set that, taken out of Problem.Failing, makes it pass
)

// String returns "cause", "introduce" or "revert".
func (g Goal) String() string {
	switch g {
	case Introduce:
		return "introduce"
	case Revert:
		return "revert"
	}
	return "cause"
}

// Options choose how to search; the zero Options is valid.
type Options struct {
	Algorithm string     // one of Algorithms(); "" = "auto"
	Goal      Goal       //
	Jobs      int        // tests at once, 0 = 1; without Rounds it changes neither the path nor the answer
	MaxTrials int        // trials on the path, the ends included; 0 = no limit
	Observe   func(Step) // if not nil, called for each step of the path in order, by the goroutine that called Search

	// Sigma is the probability with which probdd, cdd and wprobdd begin, the σ of their
	// papers: that an element is needed. It is below 1; 0 = 0.1, or 2 of all elements where
	// the name says sparse, and for wprobdd. What is below 1e-9 counts as that. Other
	// algorithms do not look at it.
	Sigma float64

	// Rounds asks for few rounds of Jobs trials each rather than for few trials:
	// then Jobs decides the path, and another number may lead to another cause.
	Rounds bool

	// MaxCost is how many trials the search may cost beyond those on the path: tests
	// that are started ahead of it, by workers that it leaves free, and that it does
	// not come to. 0 = no limit, negative = none: nothing is started ahead. Half of
	// what is left is kept for later. It changes neither the path nor the answer. The
	// trials of a round, with Rounds, are on the path, for it asks for all of them.
	MaxCost int

	// Prefetch, if not nil, is told what is likely to be asked and has no worker yet,
	// the likeliest first, at most Jobs configurations: so that what they need can be
	// prepared, such as files sent to where tests run. It is called whenever that
	// changes, with nothing at the end, by the goroutine that called Search, which
	// waits for it: it must return at once. It changes neither the path nor the answer.
	Prefetch func(next []Configuration)

	// Learn, if not nil, says what an unresolved test of c taught: pairs {i, j},
	// "i requires j", with i in c and j not, read off its diagnostics. It depends
	// on c alone, and is called when the test of c is finished, by the goroutine
	// that called Search. What it says is believed until an outcome refutes it.
	Learn func(c Configuration) [][2]int

	// Diagnose, if not nil, says what an unresolved test of c said to be wrong. It is
	// like Learn, but for tests that do not say what is missing: what explains a message
	// is narrowed down each time that it comes, and what explains it best is believed,
	// as what Learn says is.
	Diagnose func(c Configuration) []Message

	// Check, if not nil, says what is wrong with c without a test, such as that a file of
	// it does not parse. It is advice: a configuration of which it says something is not
	// asked as long as there are others. It depends on c alone, and is called by the
	// goroutine that called Search.
	Check func(c Configuration) []Message

	// Precheck, if not nil, tells which tests rejected their configuration instead of
	// trying it: these do not count towards MaxTrials.
	Precheck *Precheck

	// Doubt, if not nil, says whether the outcome o of c holds, of which so much
	// speaks for another one: how many times likelier the path since then is if o
	// is wrong, at least 1. It is called on the path, in its order, by the
	// goroutine that called Search. When it says no, Search ends with ErrTurned.
	// It is for tests that are wrong at times, see [SequentialTest.Doubt].
	Doubt func(ctx context.Context, c Configuration, o Outcome, odds float64) (holds bool, err error)
}

// A Step is one question on the path of the search, and its answer.
type Step struct {
	Trial            int           // trials on the path so far, this one included unless it was rejected
	Config           Configuration // what was asked
	Outcome          Outcome       //
	Known            bool          // answered without a trial: asked before, or it breaks Problem.Requires
	Suspects         int           // elements among which the search still looks
	Passing, Failing Configuration // best so far, as it would be answered if the search stopped here
	Estimate         int           // trials still expected
	Least, Most      int           // their range: right in at least four of five steps of auto, where there are one or two causes
	Learned          [][2]int      // requirements that this step taught first
	Level            int           // index into Problem.Groups of what is being cut; len(Groups) = single elements
}

// A Result is a pair of tested configurations and what lies between them.
// Its invariants hold for every algorithm, goal and budget: Passing was tested
// and passes, Failing was tested and fails, Passing lies within Failing, and
// Cause is the difference. (If the search ends before both ends of the Problem
// were tested, Passing and Failing are these ends, as the caller gave them.)
type Result struct {
	Passing, Failing Configuration
	Cause            Configuration // Failing - Passing
	Context          Configuration // what of Passing the cause needs to be judged at all, as far as it is known

	// Minimal: for every member of Cause, Failing without it (and without what
	// requires it) was asked and does not fail. For Revert: Passing with it (and
	// with what it requires) was asked and does not pass.
	Minimal bool
	// Inseparable: the search ended with several members of Cause of which it could
	// not test parts: they were unresolved, and said why (Options.Learn,
	// Options.Diagnose), until too many had been so in a row or none was left to try. It
	// may be Minimal all the same, where each member alone was tried.
	Inseparable bool
	// ContextUnproven: the members of Context of which it was not asked whether Failing fails
	// without them (and without what requires them), though the Cause would stay.
	ContextUnproven Configuration
	// Unproven: the members of Cause for which that answer is missing or Unresolved.
	Unproven Configuration
	// Undecided are the configurations that were asked for that, and are Unresolved; behind
	// them those by which a member of Context was found: Failing without it.
	Undecided []Configuration

	Trials                 int // on the path; Pass + Fail + Unresolved
	Rejected               int // configurations on the path that Options.Precheck says were rejected; not among Trials
	Pass, Fail, Unresolved int // distinct configurations tried on the path, by outcome

	// Evidence has the trials that the answer rests on: if their outcomes are
	// true, so is all that is said above. Failing comes first, Passing second.
	Evidence []Evidence

	Learned   [][2]int // requirements that unresolved tests taught, or that explain what they said likelier than not, and no outcome refuted; in the order of learning
	Algorithm string   // what ran: for "auto" the one it chose
	Why       string   // for "auto" why it chose that one, a clause without a full stop; else ""
}

// Evidence is a trial that an answer rests on.
type Evidence struct {
	Config  Configuration
	Outcome Outcome       // as the test gave it: Pass or Fail
	Needed  Configuration // the members of Cause that it shows to be needed, may be none
}

// ErrBudget says that MaxTrials were spent; it comes with a valid Result.
var ErrBudget = errors.New("trial budget spent")

// An EndsError says that the ends do not differ as a search needs it:
// Problem.Passing must pass, and Problem.Failing must fail.
type EndsError struct{ Good, Bad Outcome }

func (e *EndsError) Error() string {
	return fmt.Sprintf("nothing to isolate: the passing end is %v and the failing end is %v, expected pass and fail", e.Good, e.Bad)
}
