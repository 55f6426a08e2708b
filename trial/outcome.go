package trial

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// OnSignal says what a command means that a signal has ended, or whose exit
// code is 128 or more.
type OnSignal uint8

const (
	Auto             OnSignal = iota // fail if the failing end died the same way, else unresolved
	SignalFail                       // fail: like any other exit status, which the failing end may have had or not
	SignalUnresolved                 // unresolved
	SignalStop                       // *StoppedError, as git bisect run does
)

// The exit codes with a meaning.
const (
	exitPass       = 0
	exitUnresolved = 125
	exitCannotRun  = process.CannotRun
	exitNotFound   = process.NotFound
	exitSignal     = 128
	exitKilled     = exitSignal + 9
)

// A class is a way to end. Failures of different classes are different
// failures; so are those of class dies with different exit codes.
type class uint8

const (
	passes    class = iota
	unjudged        // 125
	fails           // 1 to 124
	cannotRun       // 126 and 127: what the command calls, if not the command itself
	dies            // by a signal, or 128 and more
	hangs           // the time was up
	swells          // it took too much memory
	fills           // or too much of the disk
)

func classOf(x process.Exit) class {
	switch {
	case x.Over == process.OverMemory:
		return swells
	case x.Over == process.OverDisk:
		return fills
	case x.TimedOut:
		return hangs
	case x.Code == exitPass:
		return passes
	case x.Code == exitUnresolved:
		return unjudged
	case x.Code < exitCannotRun:
		return fails
	case x.Code < exitSignal:
		return cannotRun
	}
	return dies
}

// Rules turn an exit into an outcome. Before the two ends are known, limits
// are zero and every kind of failure is a fail: the ends decide what it means
// afterwards.
type rules struct {
	onSignal  OnSignal
	match     *regexp.Regexp     // nil = any output
	signature *failure.Signature // nil = any output
	limits    limits

	interesting bool   // exit 0 is a fail, and 1 to 124 a pass
	answers     []int  // exit codes that are passes where the failing end has another
	measured    bool   // numbers tell the outcome: without status 0 there is none
	exact       bool   // failures with different exit codes are different ones
	whose       string // the failure that is at the failing end; "" = that
}

// limits are what the two ends teach about all other trials.
type limits struct {
	settled            bool
	provisional        bool          // by the bad end alone, see Runner.Older
	test, build, check time.Duration // 0 = none

	failure ending // of the failing end
	ports   bool   // a port that is taken is another failure

	shortTest, shortBuild bool // they are shortened, see limitsOf
}

// An ending is what one failure is compared with another by.
type ending struct {
	class     class
	code      int
	words     string // how the command ended
	signature string // "" if none is asked for
}

// A judgement is what rules make of an exit.
type judgement struct {
	outcome   isolate.Outcome
	reason    string // in words
	signature string // of a failure, if one is asked for
	other     bool   // it failed, but not as the failing end did
	unmatched bool   // it exited as failures do, but its output does not match
}

// judge names the outcome of a test that exited as x, and says it in words. The
// output is that of the named files, standard output first.
//
// A failure is a fail only if it is that of the failing end: of the same class,
// of the same signal if that is a signal, with an output that matches, and with
// the same signature.
func (r rules) judge(x process.Exit, output ...string) (j judgement, err error) {
	j.reason = describe(x, r.limits.test)
	kind := r.class(classOf(x))
	switch {
	case kind == passes && !r.interesting, kind == fails && r.interesting:
		j.outcome = isolate.Pass
		return j, nil
	case kind == unjudged, kind != passes && r.interesting:
		return j, nil
	case kind == dies: // auto, or these are no fails at all
		if r.onSignal == SignalUnresolved || r.onSignal == SignalStop {
			return j, nil
		}
	}
	if r.measured && kind != passes {
		j.reason += ", so that it has no number"
		return j, nil
	}
	end := r.limits.failure
	if r.limits.settled && kind == fails && x.Code != end.code && slices.Contains(r.answers, x.Code) {
		j.outcome = isolate.Pass
		return j, nil
	}
	if r.limits.settled && (kind != r.class(end.class) || (kind == dies || kind == fails && r.exact) && x.Code != end.code) {
		j.other = true
		j.reason = fmt.Sprintf("another failure: %s; %s: %s", j.reason, r.failingEnd(), end.words)
		return j, nil
	}
	if r.match != nil {
		found, err := anyMatches(r.match, output)
		if err != nil || !found {
			j.other = r.limits.settled
			j.unmatched = kind == fails
			j.reason += ", but the output does not match " + r.match.String()
			return j, err
		}
	}
	if r.signature != nil {
		if j.signature, err = r.signature.In(output...); err != nil {
			return j, err
		}
		if why := r.unlike(j.signature); why != "" {
			j.other = r.limits.settled
			j.reason += ", but " + why
			return j, nil
		}
	}
	j.outcome = isolate.Fail
	return j, nil
}

// accepts reports whether an exit is a pass.
func (r rules) accepts(x process.Exit) bool {
	if r.interesting {
		return classOf(x) == fails
	}
	return classOf(x) == passes || classOf(x) == fails && slices.Contains(r.answers, x.Code)
}

// class is the one that counts: a signal is a failure like any other for
// SignalFail.
func (r rules) class(c class) class {
	if c == dies && r.onSignal == SignalFail {
		return fails
	}
	return c
}

// unlike says why a failure with this signature is not that of the failing end;
// "" if it may be.
func (r rules) unlike(signature string) string {
	want := r.limits.failure.signature
	switch {
	case signature == "" && !r.limits.settled:
		return fmt.Sprintf("--same-output %s finds nothing in the output", r.signature)
	case signature == "":
		return fmt.Sprintf("without a signature; %s: %s", r.failingEnd(), prose.Quote(want))
	case r.limits.settled && signature != want:
		return fmt.Sprintf("with signature %s; %s: %s", prose.Quote(signature), r.failingEnd(), prose.Quote(want))
	}
	return ""
}

func (r rules) failingEnd() string { return cmp.Or(r.whose, "at the failing end") }

// describe says in words how a command ended.
func describe(x process.Exit, limit time.Duration) string {
	switch {
	case x.Over == process.OverMemory:
		return "took more memory than --max-memory"
	case x.Over == process.OverDisk:
		return "took more of the disk than --max-disk"
	case x.TimedOut:
		return "timed out after " + limit.Round(time.Millisecond).String()
	case !x.Started:
		return x.Error
	case x.Signal != "":
		return "killed by " + x.Signal
	case x.Code == exitUnresolved:
		return "exit 125: the test cannot judge this"
	}
	return fmt.Sprintf("exit %d", x.Code)
}

// anyMatches reports whether the content of one of the files matches.
func anyMatches(expression *regexp.Regexp, names []string) (bool, error) {
	for _, name := range names {
		if found, err := matches(expression, name); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// matches reports whether the file's content matches; a file that is not there
// is empty. It reads the file once and holds little of it.
func matches(expression *regexp.Regexp, name string) (bool, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return expression.MatchString(""), nil
	}
	if err != nil {
		return false, fmt.Errorf("match the output: %w", err)
	}
	defer f.Close()
	return expression.MatchReader(bufio.NewReader(f)), nil
}
