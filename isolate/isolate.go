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

// Opposite exchanges Pass and Fail. It turns a search for the elements that fix a failure into a search
// for elements that make a test fail.
func (o Outcome) Opposite() Outcome {
	switch o {
	case Pass:
		return Fail
	case Fail:
		return Pass
	}
	return o
}

// Word returns o as a word for people. It is String, or, if the test looks for interesting inputs and
// Fail means that it has found one, "interesting" or "not interesting".
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
	Requires  [][]int // Requires[i] = elements without which i cannot be tested: such a configuration is Unresolved without a trial; those that require each other in a circle are searched as one; nil = none
	Predicted [][]int // as Requires, but advice: it guides, and a resolved configuration refutes it
	Weights   []int   // Weights[i] = how much element i weighs, at least 1, for the algorithms that go by weight; nil = 1 each

	// Broken, if not nil, reports whether c is Unresolved for a reason that is known without a
	// test, for example because it has only half of an expression. Then c is Unresolved without
	// a trial. Broken depends on c alone, is not called for the ends, and is called by the
	// goroutine that called Search.
	Broken func(c Configuration) bool

	// Milestones are numbers of elements, increasing and each within 1..N-1. If m is
	// a milestone, the first m elements of Order are likely to resolve together, such as
	// all changes up to a commit. nil = none. With milestones, an element moves behind the
	// elements that it requires only within the range between two milestones.
	Milestones []int

	// Prior[i] = how likely element i is to be a cause, in proportion to the
	// others, positive and finite; nil = all are equally likely. It is advice: a search
	// mixes it with the uniform distribution, so that a wrong Prior costs at most
	// log2 5 trials for each cause.
	Prior []float64

	// Affinity says which elements belong together, for example because both have the same
	// name; nil = nothing is known. It is advice: if elements of one group cannot be tested
	// separately, cuts that follow Affinity are more likely to resolve.
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

	// First are configurations between the ends that Search asks for first, in this order,
	// before the algorithm decides what is asked: for example those that another search has
	// asked for, whose outcomes are known. What the search looks for lies between the closest
	// of them.
	First []Configuration

	// Sigma is the probability that an element is needed with which probdd, cdd and wprobdd
	// begin, the σ of their papers. It is below 1. 0 means 0.1; for wprobdd and the
	// algorithms with sparse in their names it means 2/n for n elements. A smaller value than
	// 1e-9 counts as 1e-9. Other algorithms do not use Sigma.
	Sigma float64

	// Rounds asks for few rounds of Jobs trials each rather than for few trials:
	// then Jobs decides the path, and another number may lead to another cause.
	Rounds bool

	// MaxCost is the number of trials that the search may run beyond those on the path:
	// tests that idle workers start ahead of the path, and that the path then does not ask
	// for. 0 = no limit; a negative value means that no test is started ahead. Half of the
	// remaining number is kept for later. MaxCost changes neither the path nor the answer.
	// With Rounds, the trials of a round are on the path, because the path asks for all of
	// them.
	MaxCost int

	// Prefetch, if not nil, is called with configurations that will probably be tested and
	// have no worker yet: at most Jobs of them, the likeliest first. So it can prepare what
	// their tests need, for example send files to other machines. It is called whenever this
	// list changes, and with an empty list at the end, by the goroutine that called Search,
	// which waits for it. So it must return at once. It changes neither the path nor the answer.
	Prefetch func(next []Configuration)

	// Learn, if not nil, returns what an unresolved test of c has taught: pairs {i, j},
	// "i requires j", with i in c and j not in c, which were read from its output. Learn
	// depends on c alone, and is called when the test of c is finished, by the goroutine
	// that called Search. These requirements are believed until an outcome refutes them.
	Learn func(c Configuration) [][2]int

	// Diagnose, if not nil, returns the messages of a test of c. It is like
	// Learn, but for tests that do not say what is missing. Each time that a message comes
	// again with an unresolved test, its possible explanations become fewer. The best explanation is believed, like
	// the requirements of Learn. A message that comes with tests that pass or fail, too, such as
	// a warning, counts in proportion.
	Diagnose func(c Configuration) []Message

	// Check, if not nil, returns what is wrong with c without a test, for example that one
	// of its files does not parse. It is advice: a configuration for which Check returns
	// messages is not tested as long as there are others. Check depends on c alone, and is
	// called by the goroutine that called Search. Of many messages only those with the fewest explanations count,
	// with 4,096 explanations in all, or one message.
	Check func(c Configuration) []Message

	// Precheck, if not nil, says which tests rejected their configuration without a trial.
	// These do not count towards MaxTrials.
	Precheck *Precheck

	// Doubt, if not nil, is called with an outcome o of c that may be wrong, and reports
	// whether o holds. odds says how much more likely the later part of the path is if o is
	// wrong; it is at least 1. Doubt is called in the order of the path, by the goroutine
	// that called Search. If it returns false, Search ends with ErrTurned. It is for tests that
	// sometimes have wrong outcomes, see [SequentialTest.Doubt].
	Doubt func(ctx context.Context, c Configuration, o Outcome, odds float64) (holds bool, err error)
}

// A Step is one question on the path of the search, and its answer.
type Step struct {
	Trial            int           // trials on the path so far, this one included unless it was rejected
	Config           Configuration // what was asked
	Outcome          Outcome       //
	Known            bool          // answered without a trial: asked before, or it breaks Problem.Requires
	Suspects         int           // elements among which the search still looks, those that require each other in a circle as one
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
