package report

// ReductionSchema names the shape of a [Reduction]. Fields are only ever added
// to it.
const ReductionSchema = "gitdd.reduction/1"

// A Reduction is what became of a failing input. Its fields and their order are
// those of schema gitdd.reduction/1. No array of it is null in JSON.
type Reduction struct {
	Schema     string      `json:"schema"`
	Session    string      `json:"session"`
	Status     Status      `json:"status"`
	Reason     string      `json:"reason"` // why it is not Reduced or Isolated; "" when it is
	Input      Content     `json:"input"`
	Output     Content     `json:"output"`     // the smallest that was found to fail the same way
	Minimal    bool        `json:"minimal"`    // no single element can be taken out of Output: each was tried
	Verified   bool        `json:"verified"`   // Output was tested again in a fresh directory
	Confidence Probability `json:"confidence"` // that Output fails and, if Minimal, passes without any one element
	Trials     Trials      `json:"trials"`     // Fail counts those that fail the same way, which are the interesting ones
	Seconds    Seconds     `json:"seconds"`
	Jobs       int         `json:"jobs"`
	Format     string      `json:"format"`  // what the input was taken for; of several files that of most bytes
	Formats    []string    `json:"formats"` // of each file of Output, in the order of its paths
	Algorithm  string      `json:"algorithm"`
	Fast       bool        `json:"fast"` // without the last pass, which would say whether Output is minimal
	Passes     []Pass      `json:"passes"`
	Curve      []Point     `json:"curve"` // how small it was after which trial: the first point is the input, each further one is smaller, a graph in nodes or bytes
	Command    []string    `json:"command"`
	Failure    string      `json:"failure"` // how the input fails, in words

	Interesting bool          `json:"interesting"` // exit status 0 is what is looked for
	Signature   string        `json:"signature"`   // that all failing trials had; "" = none was asked for
	Others      OtherFailures `json:"other_failures"`
	SavedOthers string        `json:"saved_others"` // the directory with inputs that failed otherwise; "" = none
	Flaky       Flaky         `json:"flaky"`
	Notes       []string      `json:"notes"` // what there is to know of the input, and what was done with it
	Hints       []string      `json:"hints"`
	Shown       *Excerpt      `json:"shown"`      // what is left, if it is one text; else nil
	Regression  *Regression   `json:"regression"` // nil when no revisions were compared
	Isolation   *Isolation    `json:"isolation"`  // nil when there was no passing input

	Unjudged int `json:"unjudged"` // with a confidence wanted: elements of a minimal Output without which the command fails otherwise or cannot be judged; Confidence leaves them aside

	Remote *Remote `json:"remote"` // the machines that ran the trials; nil = this one did

	OutputFailure string `json:"output_failure"` // how Output fails in a fresh directory, in words; "" = it was not tested there, or failed no more

	About []int `json:"reason_trials,omitempty"` // Result.About
}

// Executed is Result.Executed.
func (r *Reduction) Executed() int { return r.Trials.Run + r.Remote.cached() }

// Statuses of a reduction, beside Budget, Interrupted, Failed and, with a passing
// input, Isolated.
const (
	Reduced    Status = "reduced"     // Output is the answer
	NotReduced Status = "not-reduced" // nothing to reduce, or no answer to trust; Reason says why
)

// A Content is the extent of an input.
type Content struct {
	Paths  []string `json:"paths"` // as the user names them
	Files  int      `json:"files"`
	Bytes  int64    `json:"bytes"`
	Tokens int      `json:"tokens"`
	Lines  int      `json:"lines"`
	Nodes  int      `json:"nodes"` // of graphs; 0 = it is no graph
	Bits   int      `json:"bits"`  // of graphs: the widths of all values, and of the indices of arrays
}

// A Pass is what became of one pass over the input.
type Pass struct {
	Name    string `json:"name"`
	Trials  int    `json:"trials"`
	Removed int64  `json:"removed"` // bytes
	Nodes   int    `json:"nodes"`   // removed, of graphs
	Bits    int    `json:"bits"`    // the same, see Content
}

// A Point says how many bytes the smallest failing input had after a trial, and how
// many nodes, if it is a graph.
type Point struct {
	Trial int   `json:"trial"`
	Bytes int64 `json:"bytes"`
	Nodes int   `json:"nodes"`
}

// An Excerpt is the begin of a text.
type Excerpt struct {
	Path  string `json:"path"` // of the file, as the user names it
	Text  string `json:"text"` // whole lines; as with a Change, U+FFFD stands for what is not UTF-8
	Raw   []byte `json:"text_base64,omitempty"`
	Lines int    `json:"lines"` // of the whole text
}

// A Regression is a pair of revisions: the input passes with one and fails with
// the other.
type Regression struct {
	Good  Revision `json:"good"`
	Bad   Revision `json:"bad"`
	Build string   `json:"build"`
	Next  []string `json:"next"` // argv that isolates the changes between the two that make Output fail
}

// An Isolation is the smallest difference that was found between an input that
// passes and one that fails.
type Isolation struct {
	Passing     Content `json:"passing"` // the passing input that was given
	Units       string  `json:"units"`   // what was taken apart: "lines", "tokens", ...
	Total       int     `json:"total"`   // differences between the two inputs given
	Differences int     `json:"differences"`
	NearPassing string  `json:"near_passing"` // the names of the files with the two nearest inputs
	NearFailing string  `json:"near_failing"`
	Diff        string  `json:"diff"` // from the one to the other, as diff -u writes it
	RawDiff     []byte  `json:"diff_base64,omitempty"`
}
