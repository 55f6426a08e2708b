package search

import (
	"context"
	"fmt"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/gostandard"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// Options say how to search. Runner is required. Its trial.Options say how a trial is run and judged, how
// many trials run at a time, and after how many trials the search stops with the best answer so far. If all
// other fields are zero, the search is that of gitdd run without flags.
type Options struct {
	Runner *trial.Runner // performs the trials, and remembers them

	Known       Known  // of the commits between the ends, which the search goes through first
	Whole       bool   // search the whole difference instead
	WholeReason string // why Whole is set although the user did not ask for it; "" = the user asked for it

	Groups []grouping.Level // of the groups of changes, from coarse to fine; nil = ByPlace
	Finest Level            // how fine the answer is to be; "" = Auto
	Goal   isolate.Goal

	Algorithm string  // as in isolate.Options; "" = auto
	Sigma     float64 // as in isolate.Options
	Rounds    bool    // as in isolate.Options
	MaxCost   int     // of trials that are run ahead, as in isolate.Options

	All         bool // continue after the first answer: look for an earlier change that it needs, and for independent causes
	Through     Through
	Unconfirmed bool // the answer is not tested again, so that Verdict.Verified stays false

	// Numbers say how numbers are judged, with trial.Options.Measure; nil = the status of the command tells the
	// outcome.
	Numbers *Numbers

	Lenient bool // a failure of a mixture counts although it prints what no commit prints

	// Joint is what the search has in common with those for other tests of a suite, see Each; nil = nothing.
	Joint *Joint

	// Modules is grouping.Options.Modules.
	Modules func(path, version string) []byte

	// Observe receives the events of the search; it may be nil. It must not call Run.
	Observe func(Event)
}

// A Level is how fine an answer is to be. A search begins with hunks; a finer level cuts the hunks of
// the cause, and searches again among the pieces.
type Level string

// The levels.
const (
	Auto    Level = "auto"   // symbols, and then what is likely to take few trials
	Hunks   Level = "hunk"   // as changes.Between cuts the difference
	Symbols Level = "symbol" // long hunks and whole files at the declarations in them
	Lines   Level = "line"
	Nodes   Level = "node" // parts of lines
)

// Through says when to search for a fault in code that the cause only switches on. Such a fault consists of
// those changes that the cause needs without which the test passes.
type Through string

// The values of Through.
const (
	IfShort Through = "auto" // if the cause is short
	Always  Through = "always"
	Never   Through = "never"
)

// ByPlace are the levels of groups of changes that stand together, and byTime those that leave each
// commit whole (Zeller, ESEC/FSE 1999, section 4.2).
var (
	ByPlace = []grouping.Level{grouping.Directory, grouping.File, grouping.Symbol, grouping.Hunk}
	byTime  = []grouping.Level{grouping.Commit, grouping.File, grouping.Hunk}
)

// Run searches a difference for the changes that make the command of Options.Runner fail: it tests both
// ends, bisects the commits between them, searches among the changes that are left, cuts those finer,
// and confirms the answer in a workspace that no earlier trial has changed, see trial.Confirmation.
//
// If a limit or ctx ended the search early, the error is isolate.ErrBudget or that of ctx, and Found has
// the best answer so far. The error is a *trial.EndsError if the ends do not differ, and ErrWithheld if
// the answer was not confirmed; Verdict.Reason then says why. With Options.All, Verdict.Verified may be
// true beside an error: then only the further causes are incomplete.
//
// If the journal of the session already has trials, Run asks for them in the same order, takes their
// outcomes from the journal, and continues after the last one. This is how a search is resumed.
//
// Run sets set.Declarations and set.Nodes to those of package grouping.
func Run(ctx context.Context, set *changes.Set, o Options) (found Found, err error) {
	if o.Finest == "" {
		o.Finest = Auto
	}
	if o.Through == "" {
		o.Through = IfShort
	}
	if o.Groups == nil {
		o.Groups = ByPlace
	}
	if _, ok := rounds[o.Finest]; !ok {
		return found, fmt.Errorf("search: no level %q", o.Finest)
	}
	trials := o.Runner.Options()
	w := &searcher{Options: o, trials: trials, options: isolate.Options{
		Algorithm: o.Algorithm,
		Sigma:     o.Sigma,
		Goal:      o.Goal,
		Jobs:      trials.Jobs,
		MaxTrials: trials.MaxTrials,
		MaxCost:   o.MaxCost,
		Rounds:    o.Rounds,
	}}
	if w.surely() {
		w.options.MaxTrials = 0 // the runner counts: it knows how many a configuration took
	} else {
		w.spent = offPath(trials.Session.Records())
	}
	w.rejectable = w.mostRejected(set.Len())
	found.Answer = Untested(set)
	defer func() {
		found.Ends, found.Path = w.ends, w.path
		if found.Result.Algorithm == "" { // the search never came to the changes
			found.Result.Algorithm = o.Algorithm
		}
	}()
	set.Declarations, set.Nodes = grouping.Declarations, grouping.Nodes
	store, err := AnswerStore(trials.Repo, trials.Session) // which gets trees that are tested, see repaired
	if err == nil {
		err = trials.Repo.AddObjects(ctx, store)
	}
	if err != nil {
		return found, err
	}
	if w.Numbers != nil {
		w.ends, err = o.Runner.MeasuredEnds(ctx, set)
		if err == nil && (w.ends.Good.Value == nil || w.ends.Bad.Value == nil) {
			w.note("the ends differ by their exit status, which counts: the numbers are noted only")
			w.Numbers = nil
		}
	}
	if w.Numbers == nil && err == nil {
		w.ends, err = o.Runner.Ends(ctx, set)
	}
	if err != nil {
		return found, err
	}
	w.direction = w.ends.Direction
	w.observe(EndsTested{w.ends})
	why := o.WholeReason
	if !o.Whole {
		if w.history, why, err = historyOf(ctx, trials.Repo, set, o.Known); err != nil {
			return found, err
		}
	}
	if w.history == nil && why != "" {
		w.note("searching the whole difference: " + why)
	}
	unused := w.history == nil
	if w.Numbers == nil {
		found.Answer, found.Verdict, err = w.confirmed(ctx, set)
	} else {
		found, err = w.measured(ctx, set)
	}
	if found.Commits != nil && unused {
		found.Commits.Unused = why
	}
	found.Built = found.Verdict.built
	return found, err
}

// A searcher performs one search. It goes through the commits, if there is a history to go by. Then,
// among the changes that are left, it goes from groups to hunks in a first round, and cuts what is left
// of long hunks and whole files at declarations, into lines, and within lines, in the rounds of rounds.
type searcher struct {
	Options
	trials    trial.Options   // of Runner
	options   isolate.Options // of the rounds
	ends      trial.Ends
	direction trial.Direction // as the ends have it
	history   *history        // nil = search the whole difference
	span      span            // of the history, that is left of it

	rejectable int // see mostRejected; 0 = there is no check

	line *measuredLine // with Numbers: where the number changes

	stage  int  // number of the last stage that began
	before int  // likewise, when the present answer began to be searched for: earlier stages stay on the path
	number int  // which answer is searched for, see LineBegun.Number
	one    bool // the next stage asks for one outcome only, see LineBegun.One
	path   Path

	standard *gostandard.Importer // of Go's standard library, see faults; nil before the first time

	jointly int                     // trials of the joint search, see begin
	odds    endOdds                 // of the present path
	spent   int                     // trials off the path of the present search: of earlier ones, and confirmations
	cleaned bool                    // the last answer was confirmed in a cleaned workspace
	stop    context.CancelCauseFunc // ends the search at once
}

// surely reports whether outcomes that the answer rests on are tested again, until the answer is right
// with the probability that was asked for.
func (w *searcher) surely() bool { return w.trials.Confidence > 0 }

// once reports whether one trial tells an outcome.
func (w *searcher) once() bool { return w.trials.Confidence == 0 && w.trials.Repeat <= 1 }

func (w *searcher) observe(e Event) {
	if w.Observe != nil {
		w.Observe(e)
	}
}

// settle says that a search has found an answer.
func (w *searcher) settle(a Answer) {
	e := Settled{Answer: a}
	if a.Set != nil {
		e.SetNumber = w.Runner.Set(a.Set)
	}
	w.observe(e)
}

func (w *searcher) note(text string) { w.observe(Note{text}) }

func (w *searcher) discard(stage int, why string) { w.observe(Discarded{stage, why}) }

// towards turns a test around when the search is for a fix: isolate always
// looks for what turns a pass into a fail.
func towards(direction trial.Direction, test isolate.Test) isolate.Test {
	if direction == trial.Break {
		return test
	}
	return func(ctx context.Context, c isolate.Configuration) (isolate.Outcome, error) {
		outcome, err := test(ctx, c)
		return outcome.Opposite(), err
	}
}

// unknown is the result before anything was tested: all changes are suspects.
func unknown(set *changes.Set) isolate.Result {
	none, all := isolate.Empty(set.Len()), isolate.Full(set.Len())
	return isolate.Result{Passing: none, Failing: all, Cause: all, Context: none, ContextUnproven: none, Unproven: all}
}
