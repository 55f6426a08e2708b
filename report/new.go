package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/isolate"
)

// Facts are what a report needs and neither the changes nor the search know.
type Facts struct {
	Session   string
	Status    Status
	Reason    string // for every status but Isolated: a clause, lower case, no full stop
	About     []int  // Result.About, for every status but Isolated
	Direction Direction
	Goal      string   // "cause" (also meant by ""), "introduce" or "revert"
	Command   []string // the test command, argv
	Match     string   // the expression of --match; "" = any output

	// Without and With are the tree ids of the two ends of the answer: without
	// the cause (res.Passing) and with it (res.Failing). Which of the two
	// passes depends on the direction.
	Without, With string

	// Blob reads a blob of the repository, for the text of files that come, go
	// or change their type as a whole. What it cannot read is left out of the
	// result, which has its id. nil leaves all of it out.
	Blob func(id string) ([]byte, error)

	Whole   *changes.Set // the difference of the user's two ends, if set is a part of it; nil = set
	History *History     // how that part was found, its Changes to be filled in; nil = by no history

	Bases []Base // Result.Bases

	// BadLine is Change.BadLine of a change of text. nil = Bad is set's own.
	BadLine func(*changes.Change) int

	Symbols    []string // the symbol each change lies in, as in grouping.Plan; nil if unknown
	Verified   bool
	Cleaned    bool      // Result.Cleaned
	Confidence float64   // that the answer is right, at least; 0 = not measured
	Sure       []float64 // the confidence of each member of the cause, in their order; nil = as for a steady test
	Flaky      Flaky     // Result.Flaky
	Measured   *Measured // Result.Measured
	Trials     Trials
	ByHand     int           // of how many of them a person gave the outcome
	Total      time.Duration // of the whole search
	Testing    time.Duration // in the test command, summed over the workers
	Jobs       int
	Seed       uint64
	Hints      []string // whole sentences or clauses, one each; a command may follow on a line of its own

	Alone      string                // Result.Alone
	Repaired   string                // Result.Repaired
	WholeHunks bool                  // Result.WholeHunks
	Dependents isolate.Configuration // of the set: Result.Dependents
	Further    []Further             // Result.Further
	Apart      int                   // Result.Apart
	Untraced   int                   // Result.Untraced
	Apply      Fit                   // Result.Apply
	Around     Surroundings

	Signature string        // Result.Signature
	Others    OtherFailures // Result.Others

	Suspicions []Suspicion // Result.Suspicions, for a Status of Isolated
	Artifacts  []Artifact  // Result.Artifacts

	Messages []Diagnostic // Result.Messages, for a result that is inseparable

	Remote *Remote // Result.Remote
	Beyond int     // Result.Beyond
	Checks Checks  // Result.Checks

	Paths []string // Result.Paths

	Unused string // Result.Unused

	Timeouts Timeouts // Result.Timeouts

	Rounds bool // Result.Rounds

	Place   *FailurePlace // Result.Place, for a Status of Isolated
	Printed []string      // Result.Printed

	Line string // Result.Line, likewise

	RepairedReason string     // Result.RepairedReason, for a Status of Isolated
	Otherwise      *Otherwise // Result.Otherwise, likewise

	Updates     []UpdateOf     // of the set
	Constraints []ConstraintOf // of the set
	Generated   [][]int        // changes of the set of which those of one list count as one: hunks of declarations in files that a program made
}

// symbol is the symbol that change i lies in; "" = it is not known.
func (f *Facts) symbol(i int) string {
	if i < len(f.Symbols) {
		return f.Symbols[i]
	}
	return ""
}

// RevisionOf is an end of a difference as a result has it.
func RevisionOf(r changes.Revision) Revision {
	return Revision{Rev: valid(r.Rev), Commit: string(r.Commit), Tree: string(r.Tree), Base: string(r.Base)}
}

// New makes the result of a search over set.
//
// In direction [Fix] the search ran with passing and failing exchanged; New
// exchanges them back, so Passing is always what the command passes on. For
// status [NotIsolated] the answer is withheld: cause, context and commit stay
// empty whatever res holds.
func New(set *changes.Set, res isolate.Result, f Facts) Result {
	whole := set
	if f.Whole != nil {
		whole = f.Whole
	}
	r := Result{
		Schema:     Schema,
		Session:    f.Session,
		Status:     f.Status,
		Reason:     f.Reason,
		Direction:  f.Direction,
		Good:       RevisionOf(whole.Good),
		Bad:        RevisionOf(whole.Bad),
		Changes:    extent(set.Changes),
		Passing:    End{Tree: f.Without, Changes: res.Passing.Len()},
		Failing:    End{Tree: f.With, Changes: res.Failing.Len()},
		Verified:   f.Verified,
		Cleaned:    f.Cleaned,
		Confidence: probability(f.Confidence),
		Trials:     f.Trials,
		ByHand:     f.ByHand,
		Seconds:    Seconds{Total: seconds(f.Total), Testing: seconds(f.Testing)},
		Jobs:       f.Jobs,
		Algorithm:  res.Algorithm,
		Seed:       f.Seed,
		Goal:       f.Goal,
		Hints:      f.Hints,
		Why:        res.Why,
		Alone:      f.Alone,
		Repaired:   f.Repaired,
		WholeHunks: f.WholeHunks,
		Further:    f.Further,
		Apart:      f.Apart,
		Untraced:   f.Untraced,
		Apply:      f.Apply,
		Around:     f.Around,
		Remote:     f.Remote,
		Beyond:     f.Beyond,
		Timeouts:   f.Timeouts,
		Checks:     f.Checks,
		Rounds:     f.Rounds,
		Flaky:      f.Flaky,
		Measured:   f.Measured,
		Signature:  valid(f.Signature),
		Others:     f.Others,
		Artifacts:  f.Artifacts,
		Bases:      slices.Clone(f.Bases),
	}
	for i := range r.Bases {
		r.Bases[i].Subject = valid(r.Bases[i].Subject)
	}
	if f.History != nil && f.Status != NotIsolated {
		r.Changes = extent(whole.Changes)
		h := *f.History
		h.Changes = extent(set.Changes)
		h.Terms = Terms{Old: valid(h.Terms.Old), New: valid(h.Terms.New)}
		h.Suspects = nil
		for _, c := range f.History.Suspects {
			c.Subject, c.Author, c.Date = valid(c.Subject), valid(c.Author), valid(c.Date)
			h.Suspects = append(h.Suspects, c)
		}
		r.History = &h
	}
	for _, word := range f.Command {
		r.Command = append(r.Command, valid(word))
	}
	for _, path := range f.Paths {
		r.Paths = append(r.Paths, valid(path))
	}
	if r.Goal == "" {
		r.Goal = "cause"
	}
	if f.Direction == Fix {
		r.Passing, r.Failing = r.Failing, r.Passing
	}
	if f.Status != NotIsolated {
		r.answer(set, res, f)
	} else {
		r.Confidence = 0 // there is no answer
	}
	if r.History == nil && f.Status != NotIsolated {
		r.Unused = valid(f.Unused)
	}
	if f.Status != Isolated {
		r.About = f.About
	}
	if f.Status == Isolated {
		r.Suspicions = f.Suspicions
		r.Place, r.Printed, r.RepairedReason = f.Place.valid(), f.Printed, valid(f.RepairedReason)
		r.Line = valid(f.Line)
		if left := f.Otherwise; left != nil {
			r.Otherwise = &Otherwise{Match: valid(left.Match), Line: valid(left.Line)}
		}
	}
	fillArrays(&r)
	return r
}

// answer fills in what the search found among the changes of set.
func (r *Result) answer(set *changes.Set, res isolate.Result, f Facts) {
	known := make(map[string]bool) // commits already in r.Commits
	single := true                 // every member so far has the same one commit
	for i := range res.Cause.All() {
		c := &set.Changes[i]
		m := member(c, f.symbol(i), f.Blob)
		if len(r.Cause) < len(f.Sure) {
			m.Confidence = probability(f.Sure[len(r.Cause)])
		}
		if c.Kind == changes.Text {
			if m.BadLine = max(c.NewStart, 1); f.BadLine != nil {
				m.BadLine = f.BadLine(c)
			}
		}
		r.Cause = append(r.Cause, m)
		for _, commit := range c.Commits {
			if id := string(commit.ID); !known[id] {
				known[id] = true
				r.Commits = append(r.Commits, Commit{
					ID:      id,
					Subject: valid(commit.Subject),
					Author:  valid(commit.Author),
					Date:    commit.Date.Format(time.RFC3339),
				})
			}
		}
		single = single && len(c.Commits) == 1 && len(r.Commits) == 1
	}
	if single && len(r.Commits) == 1 {
		only := r.Commits[0]
		r.Commit = &only
	}
	// Changes that were not blamed on a commit are of the one that was singled out.
	if h := r.History; h != nil && len(h.Suspects) == 1 && len(h.Sides) == 0 && len(r.Commits) <= 1 {
		if only := h.Suspects[0]; len(r.Commits) == 0 || r.Commits[0].ID == only.ID {
			r.Commit = &only
		}
	}
	for i := range f.Dependents.All() {
		r.Dependents = append(r.Dependents, set.Changes[i].ID)
	}
	for i := range res.Context.All() {
		r.Context = append(r.Context, set.Changes[i].ID)
		r.Present = append(r.Present, reference(set, i, f.symbol))
	}
	for i := range res.ContextUnproven.All() {
		r.ContextUnproven = append(r.ContextUnproven, set.Changes[i].ID)
	}
	if f.Status != Failed {
		r.ContextDiff = contextDiff(set, res.Cause.All(), res.Context.All(), f)
	}
	for _, edge := range res.Learned {
		r.Learned = append(r.Learned, LearnedRequirement{Change: reference(set, edge[0], f.symbol), Requires: reference(set, edge[1], f.symbol)})
	}
	r.updates(set, res, f)
	r.generated(set, res, f)
	r.Minimal = res.Minimal && res.Unproven.Len() == 0
	if r.Inseparable = res.Inseparable; r.Inseparable {
		for _, m := range f.Messages {
			r.Messages = append(r.Messages, Diagnostic{Text: valid(m.Text), Trials: m.Trials})
		}
	}
	for i := range res.Unproven.All() {
		r.Unproven = append(r.Unproven, set.Changes[i].ID)
	}
}

// References names all changes of a set without their texts; symbols are those of
// Facts.
func References(set *changes.Set, symbols []string) []Reference {
	list := make([]Reference, set.Len())
	for i := range list {
		list[i] = ReferenceTo(set, i, symbols)
	}
	return list
}

// ReferenceTo is one of References.
func ReferenceTo(set *changes.Set, i int, symbols []string) Reference {
	return reference(set, i, (&Facts{Symbols: symbols}).symbol)
}

// reference names change i without its text.
func reference(set *changes.Set, i int, symbol func(int) string) Reference {
	c := &set.Changes[i]
	ref := Reference{ID: c.ID, Kind: c.Kind.String(), Path: valid(c.Path), Symbol: valid(symbol(i))}
	if c.Kind == changes.Text {
		ref.Line = max(c.NewStart, 1) // of lines that went, the one before them
	}
	return ref
}

// member is one change of the cause or of its context, its bytes split as [Change] documents.
func member(c *changes.Change, symbol string, read func(string) ([]byte, error)) Change {
	m := Change{
		ID:       c.ID,
		Kind:     c.Kind.String(),
		OldStart: c.OldStart,
		OldLines: c.OldLines,
		NewStart: c.NewStart,
		NewLines: c.NewLines,
		Symbol:   valid(symbol),
		OldMode:  mode(uint32(c.OldMode)),
		NewMode:  mode(uint32(c.NewMode)),
		OldBlob:  string(c.OldBlob),
		NewBlob:  string(c.NewBlob),
	}
	m.setPart(c.Part)
	m.Path, m.RawPath = split([]byte(c.Path))
	m.OldPath, m.RawOldPath = split([]byte(c.OldPath))
	before, after := c.Old, c.New
	switch c.Kind {
	case changes.Created, changes.Deleted, changes.Type:
		before = content(m.OldMode, m.OldBlob, read)
		after = content(m.NewMode, m.NewBlob, read)
	}
	m.Old, m.RawOld = split(before)
	m.New, m.RawNew = split(after)
	for _, commit := range c.Commits {
		m.Commits = append(m.Commits, string(commit.ID))
	}
	return m
}

// A larger file, or one with a NUL in its first part as git looks at it, is
// not text for a reader.
const (
	maxText   = 256 << 10
	firstPart = 8000
)

// content reads one side of a change of a whole file, if that is text.
func content(mode, id string, read func(string) ([]byte, error)) []byte {
	if read == nil || id == "" || mode == "160000" {
		return nil
	}
	b, err := read(id)
	if err != nil || len(b) > maxText || bytes.IndexByte(b[:min(len(b), firstPart)], 0) >= 0 {
		return nil
	}
	return b
}

// split returns b as valid UTF-8, and b itself only where the two differ.
func split(b []byte) (text string, raw []byte) {
	if utf8.Valid(b) {
		return string(b), nil
	}
	return valid(string(b)), b
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func mode(m uint32) string {
	if m == 0 {
		return ""
	}
	return fmt.Sprintf("%06o", m)
}

func extent(list []changes.Change) Extent {
	paths := make(map[string]bool)
	for i := range list {
		path := list[i].Path
		if path == "" {
			path = list[i].OldPath
		}
		paths[path] = true
	}
	return Extent{Total: len(list), Files: len(paths)}
}

// probability keeps six digits behind the point, rounded down: no more than that
// is known.
func probability(p float64) Probability { return Probability(math.Floor(p*1e6) / 1e6) }

// seconds keeps milliseconds: more digits would only be noise in a report.
func seconds(d time.Duration) float64 {
	return math.Round(d.Seconds()*1000) / 1000
}
