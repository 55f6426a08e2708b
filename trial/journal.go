package trial

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/gitdd/gitdd/internal/git"
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
	Confirm Purpose = "confirm" // an answer, tested again in a fresh workspace
	Again   Purpose = "again"   // what an answer rests on, repeated to be surer of it

	// Repaired is the failing end without the cause, or with the fix.
	Repaired Purpose = "repaired"
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

	Commit git.ID `json:"commit,omitempty"` // the commit that was tested as it is; Set and Config are then of a line of commits

	Outcome  Outcome `json:"outcome"`
	Exit     int     `json:"exit"`                // exit code of the command, of the build when Built is false, of the check when Rejected is true
	Signal   string  `json:"signal,omitempty"`    // the signal that ended it
	TimedOut bool    `json:"timed_out,omitempty"` //
	Limit    float64 `json:"limit,omitempty"`     // if so, after so many seconds; 0 = it is one of an older version
	Over     excess  `json:"over,omitempty"`      // what it took too much of: "memory" or "disk"
	Missing  bool    `json:"missing,omitempty"`   // the command could not be started; Exit is then the shell's code for it, 126 or 127
	Built    bool    `json:"built"`               // the build went through, or there was none to run; false where Options.Check failed
	Reason   string  `json:"reason"`              // the outcome in words
	Other    bool    `json:"other,omitempty"`     // it failed, but not as the failing end did: so it is unresolved
	Spurious bool    `json:"spurious,omitempty"`  // and that for what it printed, see Runner.RejectSpurious
	First    string  `json:"first,omitempty"`     // first line of output that is not blank
	Last     string  `json:"last,omitempty"`      // last one

	Signature string     `json:"signature,omitempty"` // of a failure, with Options.SameOutput
	Artifacts []Artifact `json:"artifacts,omitempty"` // of a trial to confirm, with Options.Artifacts

	Cold      bool `json:"cold,omitempty"`      // nothing in its workspace had been built before; of a difference only
	Shortened bool `json:"shortened,omitempty"` // Limit is not the longest one of the session, see Runner.Rerun

	Seconds      float64 `json:"seconds"`                 // of the command
	BuildSeconds float64 `json:"build_seconds,omitempty"` // of the build
	CheckSeconds float64 `json:"check_seconds,omitempty"` // of the check
	Checked      bool    `json:"checked,omitempty"`       // the check was run
	Rejected     bool    `json:"rejected,omitempty"`      // and it failed: nothing else was run, so this was no trial
	Memory       int64   `json:"memory,omitempty"`        // bytes, that the command or the build took at once
	Cut          int64   `json:"cut,omitempty"`           // bytes of the output that were left out
	Remote       *Away   `json:"remote,omitempty"`        // with Options.Remote
	Process      int     `json:"process,omitempty"`       // which of the processes that worked in the session, from 1
	Elapsed      float64 `json:"elapsed,omitempty"`       // seconds from that process's New to the end of the trial
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

// A line of the journal is {"sum":"<crc32c of the value's bytes>","header":{...}}
// for the first, and {"sum":...,"record":{...}} or {"sum":...,"inference":{...}}
// for all others.
type line struct {
	Sum       string          `json:"sum"`
	Header    json.RawMessage `json:"header,omitempty"`
	Record    json.RawMessage `json:"record,omitempty"`
	Inference json.RawMessage `json:"lesson,omitempty"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(value []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(value, castagnoli))
}

// encodeHeader, encodeRecord and encodeInference return a whole line, newline
// included.
func encodeHeader(h Header) ([]byte, error) {
	value, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return encodeLine(line{Sum: checksum(value), Header: value})
}

func encodeRecord(r Record) ([]byte, error) {
	value, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return encodeLine(line{Sum: checksum(value), Record: value})
}

func encodeInference(l inference) ([]byte, error) {
	value, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	return encodeLine(line{Sum: checksum(value), Inference: value})
}

func encodeLine(l line) ([]byte, error) {
	text, err := json.Marshal(l)
	return append(text, '\n'), err
}

// Entries are what a journal says.
type entries struct {
	header     Header
	records    []Record
	inferences []inference
	whole      int64 // bytes of the lines that are whole

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
	r := bufio.NewReader(f)
	c.at = map[int]int{}
	// Invariant: the first number lines, c.whole bytes, were intact.
	for number := 0; ; number++ {
		text, err := r.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && number == 0:
			return entries{}, &journalError{path, 1, "the header is cut"}
		case errors.Is(err, io.EOF):
			return c, nil // text, if any, is the cut last line
		case err != nil:
			return entries{}, fmt.Errorf("read %s: %w", path, err)
		}
		var what string
		if number == 0 {
			c.header, what, err = decodeHeader(text)
		} else {
			what = c.decode(text)
		}
		if err != nil {
			return entries{}, fmt.Errorf("%s: %w", path, err)
		}
		if what != "" {
			return entries{}, &journalError{path, number + 1, what}
		}
		c.whole += int64(len(text))
	}
}

// decodeLine returns what is wrong with a line, "" when nothing is.
func decodeLine(text []byte, l *line) string {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(l); err != nil {
		return "not a line of a journal (" + err.Error() + ")"
	}
	if d.InputOffset() != int64(len(text)-1) {
		return "not one line of a journal" // two, the end of the first being damaged
	}
	value := l.Header
	switch {
	case l.Record != nil:
		value = l.Record
	case l.Inference != nil:
		value = l.Inference
	}
	if sum := checksum(value); sum != l.Sum {
		return fmt.Sprintf("damaged: checksum %s, expected %s", sum, strconv.Quote(l.Sum))
	}
	return ""
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
	var l line
	if what := decodeLine(text, &l); what != "" {
		return h, what, nil
	}
	if l.Header == nil {
		return h, "not a header", nil
	}
	if err := json.Unmarshal(l.Header, &h); err != nil {
		return h, "not a header (" + err.Error() + ")", nil
	}
	return h, "", nil
}

// decode adds what a line behind the header says, and returns what is wrong with
// it.
func (c *entries) decode(text []byte) (what string) {
	var l line
	if what := decodeLine(text, &l); what != "" {
		return what
	}
	var r Record
	var inference inference
	switch {
	case l.Record != nil && l.Inference == nil && l.Header == nil:
		if err := json.Unmarshal(l.Record, &r); err != nil {
			return "not a record (" + err.Error() + ")"
		}
		if i, known := c.at[r.Trial]; known { // amended
			c.records[i] = r
			break
		}
		c.at[r.Trial] = len(c.records)
		c.records = append(c.records, r)
	case l.Inference != nil && l.Record == nil && l.Header == nil && c.header.Format != withoutInferences:
		if err := json.Unmarshal(l.Inference, &inference); err != nil {
			return "not an inference (" + err.Error() + ")"
		}
		c.inferences = append(c.inferences, inference)
	default:
		return "not a record"
	}
	return ""
}

// A journal is a journal file open for appending.
type journal struct {
	file *os.File
	err  error // the first append that did not succeed; nothing is appended after it
}

// append writes r in one write and waits until it is on the disk. A failed or
// short write ends the journal: what came after it would be damage.
func (j *journal) append(r Record) error {
	text, err := encodeRecord(r)
	if err != nil {
		return fmt.Errorf("record trial %d: %w", r.Trial, err)
	}
	return j.write("record trial "+strconv.Itoa(r.Trial), text, true)
}

// appendInference writes l in one write. It is not waited for: whoever finds the
// journal without it reads the output again.
func (j *journal) appendInference(l inference) error {
	text, err := encodeInference(l)
	if err != nil {
		return fmt.Errorf("record an inference: %w", err)
	}
	return j.write("record an inference", text, false)
}

func (j *journal) write(what string, text []byte, sync bool) error {
	if j.err != nil {
		return j.err
	}
	_, err := j.file.Write(text)
	if err == nil && sync {
		err = datasync(j.file)
	}
	if err != nil {
		j.err = machineError(what, err)
	}
	return j.err
}

func seconds(d time.Duration) float64 { return d.Seconds() }

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
