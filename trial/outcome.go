package trial

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gitdd/gitdd/isolate"
)

// OnSignal says what a command means that a signal has ended, or whose exit
// code is 128 or more.
type OnSignal uint8

const (
	Auto             OnSignal = iota // fail if the failing end died the same way, else unresolved
	SignalFail                       // fail
	SignalUnresolved                 // unresolved
	SignalStop                       // *StoppedError, as git bisect run does
)

// The exit codes with a meaning. 126 and 127 are the shell's: cannot be
// executed, and not found.
const (
	exitPass       = 0
	exitUnresolved = 125
	exitCannotRun  = 126
	exitNotFound   = 127
	exitSignal     = 128
)

// Rules turn an exit into an outcome. Before the two ends are known, limits
// are zero and every kind of failure is a fail: the ends decide what it means
// afterwards.
type rules struct {
	onSignal OnSignal
	match    *regexp.Regexp // nil = any output
	limits   limits
}

// limits are what the two ends teach about all other trials.
type limits struct {
	settled     bool
	test, build time.Duration // 0 = none
	died        int           // the exit code of the failing end, if that is 128 or more, else 0
	timedOut    bool          // the failing end timed out
}

// judge names the outcome of a test that exited as x, and says it in words.
// The output is that of the named files.
func (r rules) judge(x exit, output ...string) (isolate.Outcome, string, error) {
	outcome, reason := r.byExit(x), describe(x, r.limits.test)
	if outcome != isolate.Fail || r.match == nil {
		return outcome, reason, nil
	}
	for _, name := range output {
		found, err := matches(r.match, name)
		if err != nil || found {
			return outcome, reason, err
		}
	}
	return isolate.Unresolved, reason + ", but the output does not match " + r.match.String(), nil
}

func (r rules) byExit(x exit) isolate.Outcome {
	switch {
	case x.TimedOut:
		return failIf(!r.limits.settled || r.limits.timedOut)
	case x.Code == exitPass:
		return isolate.Pass
	case x.Code == exitUnresolved:
		return isolate.Unresolved
	case x.Code < exitSignal:
		return isolate.Fail
	}
	switch r.onSignal {
	case SignalFail:
		return isolate.Fail
	case SignalUnresolved, SignalStop:
		return isolate.Unresolved
	}
	return failIf(!r.limits.settled || x.Code == r.limits.died)
}

func failIf(same bool) isolate.Outcome {
	if same {
		return isolate.Fail
	}
	return isolate.Unresolved
}

// describe says in words how a command ended.
func describe(x exit, limit time.Duration) string {
	switch {
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

const (
	lineBytes = 300      // kept of a line of output
	peekBytes = 64 << 10 // looked at from each end of an output
)

// firstAndLast returns the first and the last line that are not blank of the
// first file that has one. What says why a command failed is mostly on its
// standard error, so that comes first in the arguments.
func firstAndLast(names ...string) (first, last string) {
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		head, _ := io.ReadAll(io.LimitReader(f, peekBytes))
		tail := head
		if info, err := f.Stat(); err == nil && info.Size() > peekBytes {
			tail, _ = io.ReadAll(io.NewSectionReader(f, info.Size()-peekBytes, peekBytes))
		}
		f.Close()
		for l := range bytes.Lines(head) {
			if first = trimLine(l); first != "" {
				break
			}
		}
		for l := range bytes.Lines(tail) {
			if l := trimLine(l); l != "" {
				last = l
			}
		}
		if first != "" || last != "" {
			return first, last
		}
	}
	return "", ""
}

// trimLine returns a line as valid UTF-8 without white space around it, cut to
// lineBytes.
func trimLine(l []byte) string {
	s := strings.TrimSpace(strings.ToValidUTF8(string(l), "\uFFFD"))
	if len(s) <= lineBytes {
		return s
	}
	s = s[:lineBytes]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + "..."
}
