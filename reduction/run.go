package reduction

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// Options say how a reduction goes. Runner is required; its trial.InputOptions have the input, and say how
// a trial is made and judged, how many run at a time, and after how many the reduction stops with the
// smallest input so far. With every other field zero, the reduction is that of gitdd reduce without flags.
type Options struct {
	Runner *trial.Inputs // performs the trials, and remembers them

	// Reduce says how the input is made smaller. Its Jobs, MaxTrials, Evidence and Ahead are not used: they
	// follow from the options of Runner. Its Observe is not used either: see Observe below.
	// Isolate uses Format, Formats and Algorithm alone.
	Reduce reduce.Options

	Name        string // what messages call the input; "" = "the input"
	PassingName string // what messages call the input that passes; "" = "the passing input"

	// Observe receives the events of the reduction; nil = nobody does. It must not call Run or Isolate.
	Observe func(Event)
}

// An Event is one step of a reduction that Options.Observe is told of: one of the types below. Events come
// one after the other, in the order of the path of the reduction, however many trials run at a time.
type Event interface{ event() }

type (
	// Step is a question that was answered.
	Step struct{ reduce.Step }

	// Note is a sentence for the user.
	Note struct{ Text string }
)

func (Step) event() {}
func (Note) event() {}

// A Found is what a reduction has found, as far as it went.
type Found struct {
	Original trial.Verdict // of the input
	Failed   bool          // the input fails; and for Run, its failure is not that of an OracleError
	Answer   trial.Verdict // of the output in a fresh directory, as Verified says; the zero Verdict = it was not tested there; of Run alone

	Result     reduce.Result
	Difference *reduce.Difference // of Isolate; nil = it did not get so far

	// Verified says that the output of Run failed once more in a fresh directory. After Isolate both ends
	// were tested once more, or, with trial.Options.Confidence, they have that confidence.
	Verified bool

	Withheld string // why the output is not to be trusted; "" = it is
	About    int    // the trial that Withheld is about; 0 = there is none
	Empty    bool   // the reason is that the empty input fails too

	// With trial.Options.Confidence.
	Settled  trial.Settled
	Unjudged int // elements that cannot be left out because the outcome without them is unresolved

	Curve  []Point           // how the input became smaller; of Run alone
	Passes map[string]string // the first pass that asked about an input, by testcase.Input.Digest
	Trails *Trails           // what is left of the texts of the input; nil = not known; of Run alone
}

// A Point says how small the input was after a trial.
type Point struct {
	Trial int // number of the trial on the path; 0 for the input itself
	Bytes int64
	Nodes int // of graphs; 0 = there are none
}

// Errors that Run and Isolate end with.
var (
	// ErrWithheld says that a trial in a fresh directory contradicts the answer; Found.Withheld says how.
	ErrWithheld = errors.New("the answer could not be confirmed")

	// ErrIndistinct says that the empty input fails as the input does, so that every smaller input may.
	ErrIndistinct = errors.New("the failure of the input cannot be told from that of an empty one")

	// errTrials says that trial.Options.MaxTrials are spent, with trial.Options.Confidence.
	errTrials = fmt.Errorf("%w: --max-trials", isolate.ErrBudget)
)

// Run makes the input of Options.Runner smaller while the command fails on it in the same way.
//
// If a limit or ctx ended the reduction early, the error wraps isolate.ErrBudget or is that of ctx, and
// Found.Result has the smallest input so far. The error is a *trial.EndsError if the input does not fail,
// an *OracleError if its failure says too little to reduce the input by, ErrIndistinct if the empty input
// fails as well, and ErrWithheld if the answer was not confirmed. An error of Options.Reduce.Improved is
// returned as it is.
//
// If the journal of the session already has trials, Run asks for them in the same order, takes their
// outcomes from the journal, and continues after the last one. This is how a reduction is resumed.
func Run(ctx context.Context, o Options) (found Found, err error) {
	w := newReducer(o)
	found = Found{Result: reduce.Result{Output: w.input}, Passes: map[string]string{}}
	if found.Original, err = w.Runner.Original(ctx); err != nil {
		return found, err
	}
	if err := w.checkOracle(ctx, found.Original); err != nil {
		return found, err
	}
	found.Failed = true
	_, err = isolate.UntilSettled(
		func() (reduce.Result, error) {
			err := w.reduce(ctx, &found)
			return found.Result, err
		},
		func(r reduce.Result) (bool, error) {
			if !w.surely() {
				return true, nil
			}
			var claims []trial.InputClaim
			claims, found.Unjudged = claimed(r)
			return w.settle(ctx, claims, &found, "reducing")
		},
	)
	if err != nil {
		return found, err
	}
	return found, w.confirm(ctx, &found)
}

// A reducer performs one reduction.
type reducer struct {
	Options
	trials trial.InputOptions // of Runner
	input  testcase.Input
	graph  bool // the input is reduced as graphs
}

func newReducer(o Options) *reducer {
	o.Name, o.PassingName = cmp.Or(o.Name, "the input"), cmp.Or(o.PassingName, "the passing input")
	trials := o.Runner.Options()
	return &reducer{Options: o, trials: trials, input: trials.Original, graph: IsGraph(trials.Original, o.Reduce.Format)}
}

// surely reports whether outcomes that the answer rests on are tested again, until the answer is right
// with the probability that was asked for.
func (w *reducer) surely() bool { return w.trials.Confidence > 0 }

// tellsApart reports whether the user has said how one failure is told from another.
func (w *reducer) tellsApart() bool {
	return w.trials.Match != nil || w.trials.SameOutput != nil || w.trials.StatusOnly
}

func (w *reducer) observe(e Event) {
	if w.Observe != nil {
		w.Observe(e)
	}
}

// maxTrials is the number of questions that the reduction may ask; 0 = no limit. With
// trial.Options.Confidence the runner counts, because it knows how many trials a question took.
func (w *reducer) maxTrials() int {
	if w.surely() {
		return 0
	}
	return w.trials.MaxTrials
}

// reduce reduces the input once.
func (w *reducer) reduce(ctx context.Context, found *Found) error {
	first := Point{Bytes: w.input.Size()}
	found.Trails = nil
	if w.graph {
		first.Nodes, _ = GraphSize(w.input)
	} else { // the nodes of graphs get new numbers
		found.Trails = NewTrails(w.input)
	}
	found.Curve = []Point{first}
	budget := w.newBudget(ctx)
	defer budget.cancel(nil)

	options := w.Reduce
	options.Jobs, options.MaxTrials, options.Evidence = w.trials.Jobs, w.maxTrials(), w.surely()
	options.Ahead = w.trials.Remote != nil // there are workers enough, and their trials are not those of a command of a few milliseconds
	options.Improved = func(in testcase.Input) error {
		if found.Trails != nil {
			found.Trails.Follow(in)
		}
		if w.Reduce.Improved == nil {
			return nil
		}
		return w.Reduce.Improved(in)
	}
	options.Observe = func(step reduce.Step) {
		w.observe(Step{step})
		budget.step(step)
		found.asked(step)
		if last := found.Curve[len(found.Curve)-1]; step.Best < last.Bytes || step.Nodes > 0 && step.Nodes < last.Nodes {
			found.Curve = append(found.Curve, Point{Trial: step.Trial, Bytes: step.Best, Nodes: cmp.Or(step.Nodes, last.Nodes)})
		}
	}
	test := func(ctx context.Context, in testcase.Input) (isolate.Outcome, error) {
		budget.asked(in)
		v, err := w.Runner.Test(ctx, in)
		if err == nil && v.Outcome == isolate.Fail && in.Size() == 0 && !w.tellsApart() && !w.trials.Interesting {
			found.Empty, found.Withheld = true, fmt.Sprintf("the command fails on an empty input as it does on %s: %s", w.Name, v.Seen())
			found.About = v.Trial
			err = ErrIndistinct
		}
		return v.Outcome, err
	}
	var err error
	if found.Result, err = reduce.Reduce(budget.ctx, w.input, test, options); err != nil && context.Cause(budget.ctx) == errTrials {
		err = errTrials
	}
	return err
}

// IsAnswer reports whether Result.Output is to be written where answers go: the input fails, nothing
// contradicts the output, and the reduction came to its end, to its limit, or to a smaller input than the
// one given. err is the error of Run.
func (f *Found) IsAnswer(input testcase.Input, err error) bool {
	return f.Failed && f.Withheld == "" && (err == nil || errors.Is(err, isolate.ErrBudget) || f.Result.Output.Digest() != input.Digest())
}

// asked remembers the pass that asked about an input.
func (f *Found) asked(step reduce.Step) {
	if _, known := f.Passes[step.Digest]; !known {
		f.Passes[step.Digest] = step.Pass
	}
}

// settle repeats the trials that an answer rests on. It reports whether their outcomes stay as they are;
// if not, what is done is done again.
func (w *reducer) settle(ctx context.Context, claims []trial.InputClaim, found *Found, done string) (holds bool, err error) {
	if found.Settled, err = w.Runner.Settle(ctx, claims); err != nil {
		return false, err
	}
	if !found.Settled.Holds {
		w.observe(Note{"an outcome that the answer rests on turned out to be wrong: " + done + " again, with what is known now"})
	}
	return found.Settled.Holds, nil
}

// claimed are the outcomes that an answer rests on: that the output fails, and that it passes without one
// element. Inputs whose outcome is unresolved are not repeated, but counted.
func claimed(r reduce.Result) (claims []trial.InputClaim, unjudged int) {
	claims = append(claims, trial.InputClaim{Input: r.Output, Want: isolate.Fail})
	for _, w := range r.Evidence {
		if w.Outcome == isolate.Unresolved {
			unjudged++
		} else {
			claims = append(claims, trial.InputClaim{Input: w.Input, Want: w.Outcome})
		}
	}
	return claims, unjudged
}

// confirm tests the output once more.
func (w *reducer) confirm(ctx context.Context, found *Found) error {
	v, err := w.Runner.Confirm(ctx, found.Result.Output)
	if err != nil {
		return err
	}
	found.Answer = v
	if found.Verified = v.Outcome == isolate.Fail; !found.Verified {
		does := "does not fail"
		if w.trials.Interesting {
			does = "is not interesting"
		}
		found.Withheld, found.About = "what was found "+does+" again: "+v.Reason, v.Trial
		return ErrWithheld
	}
	return nil
}
