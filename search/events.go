package search

import (
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// An Event is one step of a search: one of the types below. Options.Observe receives the events one
// after the other, in the order of the path of the search, however many trials run at a time. When a
// search is resumed, it also receives the events of trials that are already known.
//
// The search among commits, and each search among changes, is a stage. Stages are numbered from 1 in
// the order in which they begin.
type Event interface{ event() }

type (
	// EndsTested says that both ends were tested, and that one passes and the other fails. It comes again
	// if they were tested again in a clean workspace. If they do not differ, Run returns an error.
	EndsTested struct{ trial.Ends }

	// LineBegun says that a stage among the commits of a line begins. The first of them should have the
	// outcome of the older end; if it has not, StageEnded.Err is an *isolate.EndsError.
	LineBegun struct {
		Stage     int
		Number    int // of the answer that is looked for: 0 for the first one, then those of Answer.Further from 1
		SetNumber int // as Runner numbers the line
		Commits   []git.Commit
		One       bool // only the outcome of the last commit is asked for
	}

	// LineStep is a step of such a stage.
	LineStep struct {
		Step    isolate.Step // its elements are the commits after the first; outcomes are as seen from the older end
		Commits []git.Commit
		Outcome isolate.Outcome // of the command
		Trial   int             // its number; 0 if the outcome took none
		Judged  bool            // the command was run on this commit, and this step is the first to ask for it
	}

	// ChangesBegun says that a stage among the changes of Answer.Set begins.
	ChangesBegun struct {
		Stage     int
		Number    int    // see LineBegun
		SetNumber int    // as Runner numbers the set
		Answer    Answer // what was found before
		Goal      isolate.Goal
		Rounds    bool // as in Options
		One       bool // only the outcome of one configuration is asked for
	}

	// ChangesStep is a step of such a stage.
	ChangesStep struct {
		Step    isolate.Step // pass and fail are exchanged in a search for a fix
		Answer  Answer
		Outcome isolate.Outcome // of the command
		Trial   int             // its number; 0 if the outcome took none
	}

	// StageEnded says what the stage that began last has found.
	StageEnded struct {
		Result isolate.Result
		Err    error
	}

	// Rewound says that the stages after Stage no longer belong to the path. It comes before each search,
	// also if there are no such stages.
	Rewound struct{ Stage int }

	// Discarded says that what the stages after Stage found is not used: the answer stays the one before
	// them. Why gives the reason.
	Discarded struct {
		Stage int
		Why   string
	}

	// Settled says that a search has found an answer. It may come again before the answer is confirmed.
	Settled struct {
		Answer    Answer
		SetNumber int // as Runner numbers its set
	}

	// Contradicted says that an outcome on which the search relied did not hold when it was tested
	// again, see trial.Options.Confidence.
	Contradicted struct{}

	// Note is something that the user should know at once: a sentence without its full stop.
	Note struct{ Text string }
)

func (EndsTested) event()   {}
func (LineBegun) event()    {}
func (LineStep) event()     {}
func (ChangesBegun) event() {}
func (ChangesStep) event()  {}
func (StageEnded) event()   {}
func (Rewound) event()      {}
func (Discarded) event()    {}
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
