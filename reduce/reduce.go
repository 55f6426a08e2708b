package reduce

import (
	"context"
	"regexp"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// A Test says whether an input still fails the same way: isolate.Fail. Any other
// outcome is that it does not. It may be called by several goroutines.
type Test func(ctx context.Context, in trial.Input) (isolate.Outcome, error)

// Options say how an input is reduced. The zero value is a good default.
type Options struct {
	Format    string         // of the file; "" = guessed from name and content
	Algorithm string         // see Algorithms; "" = auto
	Jobs      int            // tests at once; the result does not depend on it
	MaxTrials int            // 0 = no limit
	Fast      bool           // without the last pass, which certifies that no single element can go
	Keep      *regexp.Regexp // text that matches stays; nil = none
	Passes    []string       // which of Passes, in their order; nil = all

	Observe  func(Step)              // called for each trial on the path, one at a time; may be nil
	Improved func(trial.Input) error // called for each smaller input that fails, in order; may be nil
}

// A Step is a question that was answered.
type Step struct {
	Trial   int // number of the trial, from 1; the same again = no trial was needed
	Outcome isolate.Outcome
	Pass    string // the pass that asked
	Best    int64  // bytes of the smallest input that fails so far
	Size    int64  // bytes of the one that was asked about
}

// A Pass is what became of one pass.
type Pass struct {
	Name    string
	Trials  int
	Removed int64 // bytes
}

// A Result is the smallest input that was found to fail.
type Result struct {
	Output    trial.Input
	Minimal   bool     // no single element of its format can be taken out: each was tried
	Trials    int      // questions that needed a test
	Passes    []Pass   // in the order of their first run; the sums over all runs
	Formats   []string // by file of the output: what it was taken for in the end
	Algorithm string
	Notes     []string // sentences for the user: what did not parse, and the like
}
