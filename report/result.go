package report

import "encoding/json"

// Schema names the shape of a [Result]. Fields are only ever added to it.
const Schema = "gitdd.result/1"

// A Result is what a search found out. Its fields and their order are those
// of schema gitdd.result/1; the ones after Seed came later and may be absent
// in results of older versions. No array of it is null in JSON.
type Result struct {
	Schema     string               `json:"schema"`
	Session    string               `json:"session"`
	Status     Status               `json:"status"`
	Reason     string               `json:"reason"` // why it is not Isolated; "" when it is
	Direction  Direction            `json:"direction"`
	Good       Revision             `json:"good"`
	Bad        Revision             `json:"bad"`
	Changes    Extent               `json:"changes"`    // from Good to Bad
	Commit     *Commit              `json:"commit"`     // the one commit that made all of the cause; nil when there is none such
	Cause      []Change             `json:"cause"`      // sorted by path, then position; the suspects left when the search was cut short
	Context    []string             `json:"context"`    // ids of the changes that had to be present
	Passing    End                  `json:"passing"`    // the command passes on it
	Failing    End                  `json:"failing"`    // the command fails on it
	Minimal    bool                 `json:"minimal"`    // each member of Cause was shown to be needed
	Unproven   []string             `json:"unproven"`   // ids of members that no resolved trial speaks for: Failing without one of these alone could not be judged
	Verified   bool                 `json:"verified"`   // Passing and Failing were tested again, in a fresh workspace or as Cleaned says
	Confidence Probability          `json:"confidence"` // that the answer is right, at least
	Trials     Trials               `json:"trials"`
	ByHand     int                  `json:"by_hand,omitempty"` // how many of the outcomes of Trials a person gave
	Seconds    Seconds              `json:"seconds"`
	Jobs       int                  `json:"jobs"`
	Algorithm  string               `json:"algorithm"`
	Seed       uint64               `json:"seed"`
	Goal       string               `json:"goal"`            // "cause", "introduce" or "revert"
	Command    []string             `json:"command"`         // the test command, argv
	Commits    []Commit             `json:"commits"`         // every commit named in Cause, in order of first mention
	Present    []Reference          `json:"context_changes"` // Context again, with places to show
	Hints      []string             `json:"hints"`           // what the user may want to do differently
	History    *History             `json:"history"`         // what the commits told first; nil when the whole difference was searched
	Why        string               `json:"why"`             // why Algorithm was chosen; "" when the user did
	Learned    []LearnedRequirement `json:"learned"`         // requirements read off the errors of mixtures, and not refuted
	Repaired   string               `json:"repaired"`        // "pass", "fail" or "unresolved": the command on the revision that fails, without Cause or, of a search for a fix, with it; "" = not tested
	Alone      string               `json:"alone"`           // "pass", "fail" or "unresolved": the command on the older end with nothing but Cause and what it requires; "" = not tested
	Further    []Further            `json:"further"`         // what --all found beside Cause
	Apply      Fit                  `json:"apply"`           // whether gitdd apply could work: with --revert on Bad, for a Fix without it on Good; "" = not known

	Signature string        `json:"signature"`      // of the failing end, that all failing trials had; "" = none was asked for
	Others    OtherFailures `json:"other_failures"` // what failed otherwise
	Bases     []Base        `json:"bases"`          // tested first where a good commit is not in the history of Bad
	Around    Surroundings  `json:"surroundings"`   // of the trials
	Flaky     Flaky         `json:"flaky"`          // how steady the test is, as far as that is known

	Suspicions []Suspicion `json:"suspicions"` // reasons to doubt Cause
	Artifacts  []Artifact  `json:"artifacts"`  // what was compared of both ends

	Remote *Remote `json:"remote"` // the machines that ran the trials; nil = this one did
	Beyond int     `json:"beyond"` // trials of Trials.Run that were run ahead, and that the path of the search did not come to

	Inseparable bool         `json:"inseparable"` // the members of Cause could not be told apart: trials on parts of them were unresolved, until too many had been so in a row or no part was left to try
	Messages    []Diagnostic `json:"messages"`    // what these trials said, the most frequent first; empty unless Inseparable

	Timeouts Timeouts `json:"timeouts"` // trials that were ended by their limit of time
	Checks   Checks   `json:"checks"`   // of --check

	Paths []string `json:"paths"` // pathspecs that kept changes of Bad from being tried; empty where all were

	Unused string `json:"history_unused"` // why the commits between Good and Bad were not searched first although that was wanted: then History is nil; "" otherwise

	Rounds bool `json:"rounds"` // few rounds of trials were asked for (--rounds), rather than few trials

	// Printed has names and literals that the failing configuration printed and the passing one did not. Of a long change the text shows the lines with these.
	Printed []string `json:"-"`

	// Cleaned says that Verified is by trials of which at least one ran in a workspace of the search that
	// was made as new, but for what --keep brought.
	Cleaned bool `json:"cleaned,omitempty"`

	// ContextDiff has the changes of Context with their texts, the nearest to Cause first; of a
	// context of more than 4 MB the first ones. It is empty in
	// results of older versions, and if Status is Failed.
	ContextDiff []Change `json:"context_diff"`

	// ContextUnproven has the ids of the changes of Context that were not left out without the
	// others, so that it is not known whether they are needed; empty in results of older versions.
	ContextUnproven []string `json:"context_unproven"`

	Place *FailurePlace `json:"place"` // where the command failed; nil if its output names no line of the failing tree, or Status is not Isolated

	Line string `json:"failure_line,omitempty"` // of the output of Failing, that tells why it fails; absent if the command prints it on Passing, too, or Status is not Isolated

	RepairedReason string `json:"repaired_reason"` // why the trial of Repaired is unresolved; "" otherwise
	// WholeHunks says that Repaired and gitdd apply --revert are of whole hunks, of which Cause has only some lines.
	WholeHunks bool `json:"whole_hunks"`
	// Dependents are the ids of changes that need those of Cause. If there are any, Repaired and gitdd apply --revert take them off as well.
	Dependents []string `json:"dependents,omitempty"`

	// Otherwise is what the trial of Repaired failed with, where that is unresolved only because the failure is another
	// one than Match asks for; nil otherwise.
	Otherwise *Otherwise `json:"repaired_otherwise,omitempty"`

	// Measured says how the number of --measure differs; nil = the exit status tells the outcome.
	Measured *Measured `json:"measured,omitempty"`

	// Updates are the updates of packages that Cause has changes of, and Constraints say which changes of
	// Cause manifests and lock files do not allow without others.
	Updates     []Update     `json:"updates,omitempty"`
	Constraints []Constraint `json:"constraints,omitempty"`

	// Generated are the declarations in files that a program made of which Cause has several hunks, which count as one change.
	Generated []Generated `json:"generated,omitempty"`

	// Untraced is how many configurations were tested to look for what Cause switches on, if nothing was found; 0 otherwise.
	Untraced int `json:"untraced,omitempty"`

	// Apart is the number of the cause that gitdd apply cannot take together with those before it, because other
	// changes went over its lines: then it takes one at a time. 0 = it takes all, or there is one.
	Apart int `json:"causes_apart,omitempty"`

	About []int `json:"reason_trials,omitempty"` // numbers of the trials that Reason is about

	// Of one cause of [Results], or of an answer with several: the names of its tests, and its number.
	Tests  []string `json:"-"`
	Number int      `json:"-"`
	Beside bool     `json:"-"` // it is one of an answer with several
}

// Otherwise is a failure that is left when the one that was searched for is gone.
type Otherwise struct {
	Match string `json:"match"` // the expression of --match, which its output does not match
	Line  string `json:"line"`  // of its output, that tells why it failed
}

// A Diagnostic is something that unresolved trials said to be wrong.
type Diagnostic struct {
	Text   string `json:"text"`
	Trials int    `json:"trials"` // the number of trials that said so
}

// Checks counts what a quick check did before trials. What it rejected is no trial.
type Checks struct {
	Run      int  `json:"run"`      // executions of the check
	Rejected int  `json:"rejected"` // configurations that it failed on: they are in none of Trials
	Dropped  bool `json:"dropped"`  // it rejected so many in a row that the search went on without it
}

// Status says how a search ended.
type Status string

// The five ways a search ends.
const (
	Isolated    Status = "isolated"     // Cause is the answer
	Budget      Status = "budget"       // trials or time ran out: Cause holds the suspects left
	Interrupted Status = "interrupted"  // stopped from outside: likewise
	NotIsolated Status = "not-isolated" // no trustworthy answer; Reason says why
	Failed      Status = "error"        // trouble with the repository or the machine: only Good, Bad, Command and what else was known until then
)

// Fit says whether the cause can be taken off a revision, or put on it.
type Fit string

// What is known of a fit.
const (
	Fits      Fit = "fits"
	Elsewhere Fit = "elsewhere" // it can, but not where HEAD was: the lines around it are others there
	Conflicts Fit = "conflicts" // the lines around it are others there
	NoFiles   Fit = "no-files"  // a bare repository has no working tree
)

// Direction says what the changes do to the test.
type Direction string

// The two directions.
const (
	Break Direction = "break" // good passes, bad fails
	Fix   Direction = "fix"   // good fails, bad passes
)

// A LearnedRequirement is one that was inferred from the output of an unresolved trial: without Requires,
// Change cannot be judged.
type LearnedRequirement struct {
	Change   Reference `json:"change"`
	Requires Reference `json:"requires"`
}

// Flaky says how steady the test is.
type Flaky struct {
	Wanted float64 `json:"wanted"` // --confidence; 0 = it was not given, and no trial was repeated for it
	Good   Tries   `json:"good"`   // the attempts at either end that a wanted confidence took
	Bad    Tries   `json:"bad"`

	// WrongFail is how often an attempt fails at the end that passes, and WrongPass
	// how often one passes at the end that fails, as estimated: not 0 where none
	// was seen.
	WrongFail float64 `json:"wrong_fail"`
	WrongPass float64 `json:"wrong_pass"`

	// Passing and Failing are the attempts at all trees that the answer rests on,
	// the ends included: where the command passes when it is right, and where it
	// fails.
	Passing Tries `json:"passing"`
	Failing Tries `json:"failing"`

	Torn []Torn `json:"torn"` // trees with different outcomes
}

// Tries counts the attempts at one tree by outcome.
type Tries struct {
	Pass       int `json:"pass"`
	Fail       int `json:"fail"`
	Unresolved int `json:"unresolved"`
}

// A Torn tree is one on which the same command had different outcomes, and not
// because of what an earlier trial left in the workspace.
type Torn struct {
	Tree     string   `json:"tree"`
	Trials   []int    `json:"trials"`
	Outcomes []string `json:"outcomes"` // of these trials
}

// A Further cause is an answer beside the first one. Its fields mean what those
// of Result do.
type Further struct {
	Relation Relation    `json:"relation"`
	Commit   *Commit     `json:"commit"`
	Cause    []Change    `json:"cause"`
	Context  []string    `json:"context"`
	Passing  End         `json:"passing"`
	Failing  End         `json:"failing"`
	Minimal  bool        `json:"minimal"`
	Unproven []string    `json:"unproven"`
	Verified bool        `json:"verified"`
	Commits  []Commit    `json:"commits"`
	Present  []Reference `json:"context_changes"`

	ContextDiff []Change `json:"context_diff"`

	ContextUnproven []string `json:"context_unproven"`

	Confidence Probability `json:"confidence"`
	Suspicions []Suspicion `json:"suspicions"`
	Artifacts  []Artifact  `json:"artifacts"`

	Line string `json:"failure_line,omitempty"`

	Updates     []Update     `json:"updates,omitempty"`
	Constraints []Constraint `json:"constraints,omitempty"`
	Generated   []Generated  `json:"generated,omitempty"`
}

// Relation says what a further cause has to do with those before it.
type Relation string

// The relations.
const (
	Independent Relation = "independent" // it makes the same difference without them
	Interacting Relation = "interacting" // it is an earlier change, and the first cause makes a difference only on top of it
	Fault       Relation = "fault"       // the first cause needs it; with the cause, but without it, the test passes
	Within      Relation = "within"      // lines of the first cause, or of the declarations that it stands in; with all other changes, but without them, the test passes
	FurtherStep Relation = "step"        // it changes the number of --measure as well; whether it does so without the others was not tested
)

// A History is what a search among the commits found, before it went on among the
// changes between two of them: Cause, Context, Passing and Failing are about the
// changes from LastGood to FirstBad.
type History struct {
	Commits  int      `json:"commits"`   // on the lines of first parents that were searched
	Tested   int      `json:"tested"`    // how many revisions, Good and Bad included
	Skipped  []string `json:"skipped"`   // ids of commits that could not be judged
	LastGood string   `json:"last_good"` // id of the commit that is like Good
	FirstBad string   `json:"first_bad"` // id of the commit that is like Bad

	// Suspects are the commits from the one end to the other, without the older
	// end: one, or several when those in between could not be judged, or when
	// the search was cut short.
	Suspects []Commit `json:"suspects"`

	// Sides are the parents of the merge FirstBad when all of them are like Good:
	// they fail only together. LastGood is then their merge base.
	Sides   []string `json:"sides"`
	Changes Extent   `json:"changes"` // from LastGood to FirstBad

	// SideChanges are the ids of the members of Cause that each of Sides brought, in
	// their order; a member that is in none was made by the merge itself.
	SideChanges [][]string `json:"side_changes"`

	// Terms are those of the git bisect that the search took over; "" without one.
	Terms Terms `json:"terms"`

	// FirstParents is how many of Commits lie between Good and Bad themselves, the
	// newer of them included, as `git rev-list --first-parent --count` says; the
	// others are on sides of merges. 0 in results of older versions.
	FirstParents int `json:"first_parents"`

	// Merges is how many of FirstParents are merges. What they merged is not counted,
	// but for the sides that the search went into. 0 in results of older versions.
	Merges int `json:"merges"`
}

// Terms are the words of a git bisect for what is as before, and as after.
type Terms struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// A Base is a commit where the histories of Bad and of a good commit part.
type Base struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Good    string `json:"good"`    // id of the good commit
	Outcome string `json:"outcome"` // "pass", "fail" or "unresolved"
}

// A Revision is one end of the difference as the user named it.
type Revision struct {
	Rev    string `json:"rev"`
	Commit string `json:"commit"` // "" for a plain tree
	Tree   string `json:"tree"`
	Base   string `json:"base,omitempty"` // of worktree, the checkout with uncommitted changes: the commit of HEAD; Commit is then in the session only
}

// An Extent is the size of the whole difference.
type Extent struct {
	Total int `json:"total"`
	Files int `json:"files"` // distinct paths under bad, or under good if deleted
}

// A Commit is one commit that made a change.
type Commit struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Author  string `json:"author"`
	Date    string `json:"date"` // RFC 3339, in the author's zone
}

// A Change is one member of the cause, or of its context.
//
// Paths and texts are JSON strings, so they can only hold valid UTF-8. Where
// the repository has other bytes the string has U+FFFD in their place, and
// the exact bytes stand beside it in base64; otherwise that field is absent.
type Change struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"` // "text", "created", ... as changes.Kind prints
	Path     string   `json:"path"`
	OldPath  string   `json:"old_path"`
	OldStart int      `json:"old_start"` // lines, as in git diff -U0; zero for other kinds than text
	OldLines int      `json:"old_lines"`
	NewStart int      `json:"new_start"`
	NewLines int      `json:"new_lines"`
	Symbol   string   `json:"symbol"`
	Commits  []string `json:"commits"`
	Old      string   `json:"old"`
	New      string   `json:"new"`

	OldMode string `json:"old_mode,omitempty"` // "100644"; absent when there is none
	NewMode string `json:"new_mode,omitempty"`
	OldBlob string `json:"old_blob,omitempty"` // object ids, for content that is not text and for pins
	NewBlob string `json:"new_blob,omitempty"`

	// Confidence is how likely this change belongs to the cause, at least.
	Confidence Probability `json:"confidence"`

	// BadLine is where the lines begin at Result.Bad, from 1; of lines that went, the
	// line before them. 0 = later commits changed them, or it is not known.
	BadLine int `json:"bad_line"`

	RawPath    []byte `json:"path_base64,omitempty"`
	RawOldPath []byte `json:"old_path_base64,omitempty"`
	RawOld     []byte `json:"old_base64,omitempty"`
	RawNew     []byte `json:"new_base64,omitempty"`

	// The bytes of the line that a change within a line takes away and brings, from 1: those
	// from a column to before the end column. Old and New are the whole line then. Absent where
	// the change is about all of Old and New.
	OldColumn    int `json:"old_column,omitempty"`
	OldEndColumn int `json:"old_end_column,omitempty"`
	NewColumn    int `json:"new_column,omitempty"`
	NewEndColumn int `json:"new_end_column,omitempty"`
}

// A Reference names a change without its text.
type Reference struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Path   string `json:"path"`
	Symbol string `json:"symbol"`
	Line   int    `json:"line"` // where it begins in the newer end, from 1; 0 = it is no hunk, or in results of older versions
}

// An End is one end of the answer: a tested configuration.
type End struct {
	Tree    string `json:"tree"`    // "" when it was never composed
	Changes int    `json:"changes"` // how many are applied in it
}

// Trials counts the executions of the command by outcome. Pass, Fail and
// Unresolved add up to Run.
type Trials struct {
	Run        int `json:"run"`
	Cached     int `json:"cached"` // answered without a run
	Pass       int `json:"pass"`
	Fail       int `json:"fail"`
	Unresolved int `json:"unresolved"`
}

// Timeouts are trials that had no end in time.
type Timeouts struct {
	Trials   int     `json:"trials"`   // how many
	Shortest float64 `json:"shortest"` // the shortest limit that ended one, in seconds; 0 = there is none, or a session of an older version did not keep it
	Longest  float64 `json:"longest"`  // likewise the longest one
}

// Seconds are wall-clock times. With several jobs Testing may exceed Total.
type Seconds struct {
	Total   float64 `json:"total"`
	Testing float64 `json:"testing"` // in the test command, summed over the workers
}

// path, oldPath, oldText and newText are the exact bytes from the repository;
// path is where to look for the change, so never empty.
func (c *Change) path() string {
	if c.Path == "" {
		return c.oldPath()
	}
	return exact(c.Path, c.RawPath)
}

func (c *Change) oldPath() string { return exact(c.OldPath, c.RawOldPath) }
func (c *Change) oldText() string { return exact(c.Old, c.RawOld) }
func (c *Change) newText() string { return exact(c.New, c.RawNew) }

func exact(text string, raw []byte) string {
	if raw != nil {
		return string(raw)
	}
	return text
}

// A Probability is between 0 and 1. One that was not measured is 0, and null in JSON: without
// --confidence no trial is repeated, and nothing is known of how steady the test is. Older
// versions wrote 1 then.
type Probability float64

// MarshalJSON writes a number, or null.
func (p Probability) MarshalJSON() ([]byte, error) {
	if p == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(float64(p))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Probability) UnmarshalJSON(text []byte) error {
	var number *float64
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	if *p = 0; number != nil {
		*p = Probability(*number)
	}
	return nil
}
