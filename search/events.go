package search

import (
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// An Event is one step of a search that Options.Observe is told of: one of the types below. Events
// come one after the other, in the order of the path of the search, whatever Options.Jobs is; those
// of trials that are known already, because a search was resumed, come as well.
//
// The search among commits, and each search among changes, is a stage. Stages are numbered from 1 in
// the order in which they begin.
type Event interface{ event() }

type (
	// EndsTested says that both ends of the difference were tested.
	EndsTested struct{ trial.Ends }

	// LineBegin says that a stage among the commits of a line begins: the first of them is like the
	// older end.
	LineBegin struct {
		Stage   int
		Number  int // of the answer that is looked for: 0 for the first one, then those of Answer.Further from 1
		Set     int // as Runner numbers the line
		Commits []git.Commit
		One     bool // only the outcome of the last commit is asked for
	}

	// LineStep is a step of such a stage. Elements of the step are the commits behind the first.
	LineStep struct {
		isolate.Step // as seen from the older end
		Commits      []git.Commit
		Outcome      isolate.Outcome // of the command
		Trial        int             // 0 if Known
		Judged       bool            // the step took a trial of this commit, or one that was known
	}

	// ChangesBegin says that a stage among the changes of Answer.Set begins.
	ChangesBegin struct {
		Stage  int
		Number int    // see LineBegin
		Set    int    // as Runner numbers the set
		Answer Answer // what was found before
		Goal   isolate.Goal
		One    bool // only the outcome of one configuration is asked for
	}

	// ChangesStep is a step of such a stage.
	ChangesStep struct {
		isolate.Step // pass and fail are exchanged in a search for a fix
		Answer       Answer
		Outcome      isolate.Outcome // of the command
		Trial        int             // 0 if Known
	}

	// StageEnd says what the stage that began last has found.
	StageEnd struct {
		Result isolate.Result
		Err    error
	}

	// Back says that all stages after Stage were on a wrong path: the search begins again there.
	Back struct{ Stage int }

	// Leave says that the answer stays as it was before the stages after Stage, and why.
	Leave struct {
		Stage int
		Why   string
	}

	// Tried says that a trial outside of any stage belongs to the path.
	Tried struct{ Trial int }

	// Settled says that the search has come to an answer, which is confirmed now.
	Settled struct{ Answer Answer }

	// Contradicted says that an outcome on which the search relied did not hold when it was tested
	// again, see Options.Confidence.
	Contradicted struct{}

	// Note is something that the user should know at once: a sentence without its full stop.
	Note struct{ Text string }
)

func (EndsTested) event()   {}
func (LineBegin) event()    {}
func (LineStep) event()     {}
func (ChangesBegin) event() {}
func (ChangesStep) event()  {}
func (StageEnd) event()     {}
func (Back) event()         {}
func (Leave) event()        {}
func (Tried) event()        {}
func (Settled) event()      {}
func (Contradicted) event() {}
func (Note) event()         {}

// A Path has the numbers of the trials on the path of a search, also on one that was left. Any other
// trial was run ahead, by a free worker, and its outcome was not needed.
type Path map[int]bool

func (p *Path) add(number int) {
	if *p == nil {
		*p = Path{}
	}
	(*p)[number] = true
}

// Beyond returns how many trials of a search were run on trees that no path has come to. Those whose
// outcome a cluster had in its cache are not counted.
func (p Path) Beyond(records []trial.Record) int {
	on := map[git.ID]bool{}
	for _, r := range records {
		if p[r.Trial] || r.Purpose != trial.Search {
			on[r.Tree] = true
		}
	}
	n := 0
	for _, r := range records {
		if r.Purpose == trial.Search && !on[r.Tree] && !r.Rejected && (r.Remote == nil || !r.Remote.Cached) {
			n++
		}
	}
	return n
}
