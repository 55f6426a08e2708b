package hunt

import (
	"context"

	"github.com/gitdd/gitdd/graph"
	"github.com/gitdd/gitdd/trial"
)

// A Case is the file of one seed.
type Case struct {
	Seed  uint64
	Name  string // of the file without its ending; "" = FileName of the seed
	Graph *graph.Graph
	Text  []byte
}

// A Run is what came of the file of one seed.
type Run struct {
	Seed    uint64   `json:"seed"`
	Failure *Failure `json:"failure,omitempty"` // nil = it is no finding
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

// Options say what is searched, and by what. The functions are called by Jobs
// goroutines, each with its number; one that is cancelled returns the error of its
// context, and any other error ends the search.
type Options struct {
	First uint64 // seed
	Jobs  int    // at a time; 0 = 1
	Count int    // stop behind so many findings; 0 = any number
	Runs  int    // stop behind so many seeds; 0 = any number

	Good   []int    // exit statuses that mean nothing bad
	Labels []string // of the commands; the first is the one that is tested
	Known  []Record // of earlier processes

	Generate func(seed uint64) (Case, error)
	Run      func(ctx context.Context, worker int, c Case) ([]trial.Execution, error)
	// Keep puts what belongs to a finding where it stays, before it is recorded.
	Keep func(c Case, f Failure, all []trial.Execution) error
	// Reduce reduces a finding that was kept; nil = findings stay as they are.
	Reduce func(ctx context.Context, worker int, r Run) (Reduction, error)
	// Record puts a record on the disk, before anyone hears of it.
	Record func(Record) error
	// Observe hears of all events, one at a time; nil = nobody does.
	Observe func(Event)
}

// An Event is for the eyes of the user. Counted and Settled come in the order of the
// seeds, which does not depend on Jobs; the others as it happens.
type Event struct {
	Kind      EventKind
	Worker    int
	Seed      uint64
	Run       *Run       // of Ran, Counted and Settled
	Reduction *Reduction // of Reduced, and of Settled if there is one
	Known     bool       // from an earlier process
}

// EventKind says what has happened.
type EventKind uint8

const (
	Running   EventKind = iota // a worker runs a seed
	Ran                        // and has recorded what came of it
	Reducing                   // a worker reduces a finding
	Reduced                    // likewise
	Abandoned                  // a worker was cancelled: that counts for nothing
	Counted                    // the runs of all seeds up to this one are known
	Settled                    // a finding that counts; it and all before it are reduced, if they have to be
)

// A Summary is what a hunt has found.
type Summary struct {
	First, Next uint64    // seeds: of all from First on below Next it is known what came of them
	Runs        int       // that count: also those behind Next, unless the end of the hunt lies before
	Nodes       int       // of their graphs together
	Findings    []Finding // by seed
	Unanswered  []int     // for each command, runs without a definite answer
	Done        bool      // as many as were asked for
}
