package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/jsonlog"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/isolate"
)

// Format is the version of the journal's format. Sessions of format 1 have no
// inferences, and get none; in those of format 2 each trial has one record. Both are read
// and resumed all the same. A journal of any other version is refused, never guessed at.
const (
	Format            = 3
	withoutAmended    = 2
	withoutInferences = 1
)

// A Purpose says what a trial was run for.
type Purpose string

const (
	End     Purpose = "end"     // one of the two ends
	Search  Purpose = "search"  // asked by the search
	Confirm Purpose = "confirm" // an answer, tested again in a fresh or a cleaned workspace
	Again   Purpose = "again"   // what an answer rests on, repeated to be surer of it

	// Repaired is the failing end without the cause, or with the fix.
	Repaired Purpose = "repaired"

	// Older is a commit before the bad end, tested to find a good end.
	Older Purpose = "older"
)

// A Record is what the journal keeps of one finished trial, or of a configuration that a
// check has rejected. A later record of the same trial takes its place.
type Record struct {
	Trial   int     `json:"trial"`   // from 1, unique in the session
	Purpose Purpose `json:"purpose"` //
	Tree    git.ID  `json:"tree"`    // the tree of the configuration, or the digest of the input
	Set     int     `json:"set"`     // which change set or line of commits, counted in the order of their first use
	Config  string  `json:"config"`  // the configuration in that set, as isolate.Configuration prints it
	Key     string  `json:"key"`     // digest of all settings beside the tree that an outcome depends on
	Attempt int     `json:"attempt"` // from 1; above 1 only with Options.Repeat or Confidence
	Worker  int     `json:"worker"`  // 0..Jobs-1

	// Of an input, whose digest is then Tree; there is no Set and no Config.
	Files int   `json:"files,omitempty"`
	Size  int64 `json:"size,omitempty"` // bytes of all files together
	// With InputOptions.Good, for one that fails in the bad version: what the
	// command did in the good one. All else is of the bad one.
	Good *Ended `json:"good,omitempty"`

	Suite int `json:"suite,omitempty"` // of a Runner.ForTest: the number of the trial of the suite

	Commit git.ID `json:"commit,omitempty"` // the commit that was tested as it is; Set and Config are then of a line of commits

	Outcome   Outcome        `json:"outcome"`
	Exit      int            `json:"exit"`                // exit code of the command, of the build when Built is false, of the check when Rejected is true
	Signal    string         `json:"signal,omitempty"`    // the signal that ended it
	TimedOut  bool           `json:"timed_out,omitempty"` //
	Limit     float64        `json:"limit,omitempty"`     // if so, after so many seconds; 0 = it is one of an older version
	Over      process.Excess `json:"over,omitempty"`      // what it took too much of: "memory" or "disk"
	Missing   bool           `json:"missing,omitempty"`   // the command could not be started; Exit is then the shell's code for it, 126 or 127
	Built     bool           `json:"built"`               // the build went through, or there was none to run; false where Options.Check failed
	Reason    string         `json:"reason"`              // the outcome in words
	Other     bool           `json:"other,omitempty"`     // it failed, but not as the failing end did: so it is unresolved
	Unmatched bool           `json:"unmatched,omitempty"` // it exited as failures do, but its output does not match Options.Match
	Spurious  bool           `json:"spurious,omitempty"`  // and that for what it printed, see Runner.RejectSpurious
	First     string         `json:"first,omitempty"`     // first line of output that is not blank
	Last      string         `json:"last,omitempty"`      // last one

	Signature string     `json:"signature,omitempty"` // of a failure, with Options.SameOutput
	Artifacts []Artifact `json:"artifacts,omitempty"` // of a trial to confirm, with Options.Artifacts

	Cleaned   bool `json:"cleaned,omitempty"`   // of Confirm: in a cleaned workspace
	Cold      bool `json:"cold,omitempty"`      // nothing in its workspace had been built before; of a difference only
	Alone     bool `json:"alone,omitempty"`     // the command found a port taken beside others, and was run again alone: all else is of that run
	Shortened bool `json:"shortened,omitempty"` // Limit is not the longest one of the session, see Runner.Rerun

	Seconds      float64 `json:"seconds"`                 // of the command
	BuildSeconds float64 `json:"build_seconds,omitempty"` // of the build
	CheckSeconds float64 `json:"check_seconds,omitempty"` // of the check
	Checked      bool    `json:"checked,omitempty"`       // the check was run
	Rejected     bool    `json:"rejected,omitempty"`      // and it failed: nothing else was run, so this was no trial
	Memory       int64   `json:"memory,omitempty"`        // bytes, that the command or the build took at once
	Cut          int64   `json:"cut,omitempty"`           // bytes of the output that were left out
	Remote       *Away   `json:"remote,omitempty"`        // with Options.Remote
	Withdrawn    bool    `json:"withdrawn,omitempty"`     // the outcome does not count any more, see Session.Withdraw
	Process      int     `json:"process,omitempty"`       // which of the processes that worked in the session, from 1
	Elapsed      float64 `json:"elapsed,omitempty"`       // seconds from that process's New to the end of the trial

	// With Options.Measure, of a trial whose command ended with status 0 and that has a number.
	Value *float64 `json:"value,omitempty"`
	Unit  string   `json:"unit,omitempty"` // of it, as in measure.Number
}

// Ended is how a command ended.
type Ended struct {
	Exit     int     `json:"exit"`
	Signal   string  `json:"signal,omitempty"`
	TimedOut bool    `json:"timed_out,omitempty"`
	Reason   string  `json:"reason"`
	Seconds  float64 `json:"seconds"`
}

// An inference is what the journal keeps of what an unresolved trial taught: a
// resumed search learns from it, and not once more from the output, so that it
// learns the same even when it would be read differently by then.
type inference struct {
	Tree git.ID `json:"tree"` // of the configuration
	Key  string `json:"key"`  // as in its Record
	Set  int    `json:"set"`  // likewise: the changes are those of this set

	// Requires are pairs of changes by their ids: the first requires the second.
	// Empty when the output was read and taught nothing.
	Requires [][2]string `json:"requires"`
}

// An Outcome is an isolate.Outcome that is written as its name.
type Outcome isolate.Outcome

// MarshalText writes "pass", "fail" or "unresolved".
func (o Outcome) MarshalText() ([]byte, error) {
	return []byte(isolate.Outcome(o).String()), nil
}

// UnmarshalText accepts what MarshalText writes and nothing else.
func (o *Outcome) UnmarshalText(text []byte) error {
	for _, known := range []isolate.Outcome{isolate.Unresolved, isolate.Pass, isolate.Fail} {
		if string(text) == known.String() {
			*o = Outcome(known)
			return nil
		}
	}
	return fmt.Errorf("unknown outcome %q", text)
}

// A journalError is damage that is not a cut last line.
type journalError struct {
	path string
	line int // from 1
	what string
}

func (e *journalError) Error() string {
	return fmt.Sprintf("%s:%d: %s; the session cannot be trusted any more: start a new one, or remove it with `gitdd clean`", e.path, e.line, e.what)
}

// errVersion is wrapped by the error for a journal of another format.
var errVersion = errors.New("written by another version of gitdd")

// The kinds of lines: the first one is a header, and all others are records or inferences.
const (
	headerLine    = "header"
	recordLine    = "record"
	inferenceLine = "lesson" // the name it had first
)

// Entries are what a journal says.
type entries struct {
	header     Header
	records    []Record
	inferences []inference
	withdrawn  []Record // in the order of their trials; none of them is among records
	last       int      // the highest number of a trial
	whole      int64    // bytes of the lines that are whole

	at map[int]int // the index of the record of a trial
}

// readJournal reads the header and all whole lines of the journal at path. What
// follows them is a last line that a crash has cut. Any other damage is an error
// that names the line.
func readJournal(path string) (entries, error) {
	f, err := os.Open(path)
	if err != nil {
		return entries{}, err
	}
	defer f.Close()
	return decodeJournal(path, f)
}

// decodeJournal is readJournal for what is read from f. Errors name the path.
func decodeJournal(path string, f io.Reader) (c entries, err error) {
	c.at = map[int]int{}
	c.whole, err = jsonlog.Read(f, func(number int, line []byte) (what string, err error) {
		if number > 1 {
			return c.decode(line), nil
		}
		c.header, what, err = decodeHeader(line)
		return what, err
	})
	var damage *jsonlog.DamageError
	switch {
	case errors.As(err, &damage):
		return entries{}, &journalError{path, damage.Line, damage.Problem}
	case errors.Is(err, errVersion):
		return entries{}, fmt.Errorf("%s: %w", path, err)
	case err != nil:
		return entries{}, fmt.Errorf("read %s: %w", path, err)
	}
	c.records, c.withdrawn = split(c.records)
	return c, nil
}

// decodeHeader looks at the version before all else: another version may
// write anything else differently, the checksum included.
func decodeHeader(text []byte) (h Header, what string, err error) {
	var version struct {
		Header struct {
			Format  int    `json:"format"`
			Version string `json:"version"`
		} `json:"header"`
	}
	if json.Unmarshal(text, &version) == nil && version.Header.Format != 0 && version.Header.Format != Format && version.Header.Format != withoutAmended && version.Header.Format != withoutInferences {
		return h, "", fmt.Errorf("session format %d, this gitdd reads %d: %w (%s); use that one, or start a new session",
			version.Header.Format, Format, errVersion, version.Header.Version)
	}
	kind, value, what := jsonlog.Decode(text)
	switch {
	case what != "":
		return h, what, nil
	case kind != headerLine:
		return h, "not a header", nil
	}
	if err := json.Unmarshal(value, &h); err != nil {
		return h, "not a header (" + err.Error() + ")", nil
	}
	return h, "", nil
}

// decode adds what a line behind the header says, and returns what is wrong with
// it.
func (c *entries) decode(text []byte) (what string) {
	kind, value, what := jsonlog.Decode(text)
	if what != "" {
		return what
	}
	switch {
	case kind == recordLine:
		var r Record
		if err := json.Unmarshal(value, &r); err != nil {
			return "not a record (" + err.Error() + ")"
		}
		c.last = max(c.last, r.Trial)
		if i, known := c.at[r.Trial]; known { // amended
			c.records[i] = r
			break
		}
		c.at[r.Trial] = len(c.records)
		c.records = append(c.records, r)
	case kind == inferenceLine && c.header.Format != withoutInferences:
		var i inference
		if err := json.Unmarshal(value, &i); err != nil {
			return "not an inference (" + err.Error() + ")"
		}
		c.inferences = append(c.inferences, i)
	default:
		return "not a record"
	}
	return ""
}

// split takes those out of some records that were withdrawn.
func split(all []Record) (records, withdrawn []Record) {
	for _, rec := range all {
		if rec.Withdrawn {
			withdrawn = append(withdrawn, rec)
		} else {
			records = append(records, rec)
		}
	}
	return records, withdrawn
}

// A journal is a journal file open for appending.
type journal struct{ jsonlog.Writer }

// append writes r in one write and waits until it is on the disk.
func (j *journal) append(r Record) error {
	what := "record trial " + strconv.Itoa(r.Trial)
	text, err := jsonlog.Encode(recordLine, r)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return j.Write(text, disk.SyncData, func(err error) error { return disk.Wrap(what, err) })
}

// appendInference writes i in one write. It is not waited for: whoever finds the
// journal without it reads the output again.
func (j *journal) appendInference(i inference) error {
	const what = "record an inference"
	text, err := jsonlog.Encode(inferenceLine, i)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return j.Write(text, nil, func(err error) error { return disk.Wrap(what, err) })
}

func seconds(d time.Duration) float64 { return d.Seconds() }

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
