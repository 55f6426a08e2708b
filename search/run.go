package search

import (
	"context"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// Options say how a search goes. Repo, Session and Runner are needed; everything else may be zero, and
// then the search goes as that of gitdd run without flags.
type Options struct {
	Repo    *git.Repo
	Session *trial.Session // that of Runner
	Runner  *trial.Runner  // performs the trials, and remembers them
	Command []string       // that Runner runs: a fault is not looked for in its own files, see grouping.OwnTest

	Known   Known  // of the commits between the ends, which the search goes through first
	Whole   bool   // search the whole difference instead
	NoteWhy string // why Whole, if the user would have wanted the commits to be searched; "" = Whole was asked for

	Levels []grouping.Level // of the groups of changes, from coarse to fine; nil = ByPlace
	Level  Level            // how fine the answer is to be; "" = Auto
	Goal   isolate.Goal

	Algorithm string // as in isolate.Options; "" = auto
	Jobs      int    // trials at a time
	Rounds    bool   // as in isolate.Options
	MaxTrials int    // after which the search stops with the best answer so far; 0 = no limit
	MaxCost   int    // of trials that are run ahead, as in isolate.Options

	All     bool // go on behind the first answer: to an earlier change that it needs, and to independent causes
	Through Through
	Lenient bool // a failure of a mixture counts although it prints what no commit prints

	// These are as trial.Options of Runner have them.
	Clean      bool
	Checked    bool // there is a check
	Repeat     int
	Confidence float64

	// Observe is told how the search goes; nil = nobody is. It must not call anything of this package.
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

// Through says when the changes that a cause needs are searched for those without which the test
// passes: then the cause makes code run that fails.
type Through string

// When that is.
const (
	Short  Through = "auto" // if the cause is short
	Always Through = "always"
	Never  Through = "never"
)

// ByPlace are the levels of groups of changes that stand together, and byTime those that leave each
// commit whole (Zeller, ESEC/FSE 1999, section 4.2).
var (
	ByPlace = []grouping.Level{grouping.Directory, grouping.File, grouping.Symbol, grouping.Hunk}
	byTime  = []grouping.Level{grouping.Commit, grouping.File, grouping.Hunk}
)

// Run searches a difference for the changes that make the command of Options.Runner fail: it tests both
// ends, bisects the commits between them, searches among the changes that are left, cuts those finer,
// and confirms the answer in a fresh workspace.
//
// With an error that ended the search early, isolate.ErrBudget or that of ctx, comes the best answer so
// far. *trial.EndsError says that the ends do not differ, errWithheld that the answer was not confirmed,
// and Verdict.Reason why.
//
// A search whose journal has trials already asks for the same ones in the same order, and goes on behind
// them: so it is resumed.
func Run(ctx context.Context, set *changes.Set, o Options) (found Found, err error) {
	if o.Level == "" {
		o.Level = Auto
	}
	if o.Through == "" {
		o.Through = Short
	}
	if o.Levels == nil {
		o.Levels = ByPlace
	}
	w := &searcher{Options: o, runner: o.Runner, options: isolate.Options{
		Algorithm: o.Algorithm,
		Goal:      o.Goal,
		Jobs:      o.Jobs,
		MaxTrials: o.MaxTrials,
		MaxCost:   o.MaxCost,
		Rounds:    o.Rounds,
	}}
	if w.surely() {
		w.options.MaxTrials = 0 // the runner counts: it knows how many a configuration took
	} else {
		w.spent = reruns(o.Session.Records())
	}
	w.rejectable = w.mostRejected(set.Len())
	found.Answer = Answer{Set: set, Result: unknown(set)}
	defer func() {
		found.Path = w.path
		if found.Result.Algorithm == "" { // the search never came to the changes
			found.Result.Algorithm = o.Algorithm
		}
	}()
	set.Declarations, set.Nodes = grouping.Declarations, grouping.Nodes
	store, err := Store(o.Repo, o.Session) // which gets trees that are tested, see repaired
	if err == nil {
		err = o.Repo.AddObjects(ctx, store)
	}
	if err != nil {
		return found, err
	}
	if found.Ends, err = o.Runner.Ends(ctx, set); err != nil {
		return found, err
	}
	w.direction = found.Ends.Direction
	w.observe(EndsTested{found.Ends})
	why := o.NoteWhy
	if !o.Whole {
		if w.history, why, err = historyOf(ctx, o.Repo, set, o.Known); err != nil {
			return found, err
		}
	}
	if w.history == nil && why != "" {
		w.note("searching the whole difference: " + why)
	}
	found.Answer, found.Verdict, err = w.confirmed(ctx, set)
	if found.Commits != nil && w.history == nil {
		found.Commits.Unused = why
	}
	found.Built = found.Verdict.Built
	return found, err
}

// A searcher performs one search. It goes through the commits, if there is a history to go by. Then,
// among the changes that are left, it goes from groups to hunks in a first round, and cuts what is left
// of long hunks and whole files at declarations, into lines, and within lines, one round each.
type searcher struct {
	Options
	runner    *trial.Runner
	options   isolate.Options // of the rounds
	direction trial.Direction // as the ends have it
	history   *history        // nil = search the whole difference

	rejectable int // see mostRejected; 0 = there is no check

	stage  int  // the last one that began
	number int  // of the answer that is looked for
	one    bool // what comes is about one outcome only
	path   Path

	odds  endOdds                 // of the present path
	spent int                     // trials off the path of the present search: of earlier ones, and confirmations
	stop  context.CancelCauseFunc // ends the search at once
}

// surely reports whether outcomes that the answer rests on are tested again, until the answer is right
// with the probability that was asked for.
func (w *searcher) surely() bool { return w.Confidence > 0 }

// once reports whether one trial tells an outcome.
func (w *searcher) once() bool { return w.Confidence == 0 && w.Repeat <= 1 }

func (w *searcher) observe(e Event) {
	if w.Observe != nil {
		w.Observe(e)
	}
}

func (w *searcher) note(text string) { w.observe(Note{text}) }

func (w *searcher) leave(stage int, why string) { w.observe(Leave{stage, why}) }

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
