package hunt

import "github.com/gitdd/gitdd/graph"

// A Case is the file of one seed.
type Case struct {
	Seed  uint64
	Name  string // of the file without its ending; "" = FileName of the seed
	Graph *graph.Graph
	Text  []byte
	Again bool // the commands were run on this text before, and have to be once more
}

// A Run is what came of the file of one seed.
type Run struct {
	Seed    uint64   `json:"seed"`
	Failure *Failure `json:"failure,omitempty"` // nil = it is no finding
	Lost    string   `json:"lost,omitempty"`    // why nothing came of it: other machines lost it each time; "" = something did
	Answers []Answer `json:"answers"`           // of the commands
	Nodes   int      `json:"nodes"`             // of the graph
	Seconds float64  `json:"seconds"`           // of the commands together
}

// A Reduction is what came of reducing a finding.
type Reduction struct {
	Seed    uint64   `json:"seed"`
	Status  string   `json:"status"`            // of the reduction, as its result has it
	Reason  string   `json:"reason,omitempty"`  // why it did not come to its end, "" if it did
	Failure *Failure `json:"failure,omitempty"` // of what is left, run once more; nil = that is no finding, or there is none
	Nodes   int      `json:"nodes,omitempty"`   // of what is left; 0 = nothing was found
	Shape   string   `json:"shape,omitempty"`   // likewise
	Minimal bool     `json:"minimal,omitempty"`
	Trials  int      `json:"trials"`
	Seconds float64  `json:"seconds"`
}

// A Finding is a run that failed, and its reduction as far as there is one.
type Finding struct {
	Run
	Reduction *Reduction
}

// A Record is one line of the manifest behind the header.
type Record struct {
	Run       *Run       `json:"run,omitempty"`
	Reduction *Reduction `json:"reduction,omitempty"`
}

// An Event is for the eyes of the user. Counted and Settled come in the order of the
// seeds, which does not depend on Options.Jobs; the others as it happens.
type Event struct {
	Kind      EventKind
	Worker    int // 0 to Options.Jobs - 1
	Seed      uint64
	Run       *Run       // of Ran, Counted and Settled
	Reduction *Reduction // of Reduced, and of Settled if there is one
	Known     bool       // from an earlier process
	Trial     int        // number of the trial of a reduction, from 1 on: of TrialStarted and TrialFinished
	Nodes     int        // of Asked: those of the smallest graph so far; 0 = as before
	Outputs   []string   // of Running and TrialStarted: the files that standard output and standard error go to
	Text      string     // of Noted
	Err       error      // of Troubled
}

// EventKind says what has happened.
type EventKind uint8

const (
	Running   EventKind = iota // a worker runs a seed
	Ran                        // and has recorded what came of it
	Reducing                   // a worker reduces a finding
	Reduced                    // likewise
	Abandoned                  // a worker ended a task with an error, or was cancelled: that counts for nothing
	Counted                    // the runs of all seeds up to this one are known
	Settled                    // a finding that counts; it and all before it are reduced, if they have to be

	Opened        // the hunt begins: the first event, Known if an earlier process has recorded something
	TrialStarted  // of the reduction of a worker
	TrialFinished // likewise
	Asked         // a question of the reduction of a worker was answered
	Noted         // a sentence for the user, without its full stop
	Troubled      // an error that does not stop the hunt, such as that of a directory that was not removed
)

// A Summary is what a hunt has found.
type Summary struct {
	First, Next uint64    // seeds: of all from First on below Next it is known what came of them
	Runs        int       // that count: also those behind Next, unless the end of the hunt lies before
	Nodes       int       // of their graphs together
	Findings    []Finding // by seed
	Unanswered  []int     // for each command, runs without a definite answer
	Lost        int       // runs of which nothing came, because other machines lost them
	Done        bool      // as many as were asked for
}
