package trial

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/measure"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/suite"
)

// With Options.Measure each trial whose command ends with status 0 has a number, Record.Value. A trial whose command
// ends so and has none is unresolved.

// checkMeasure refuses what cannot be measured, before there is any trial.
func (o Options) checkMeasure() error {
	what := o.Measure
	if what.IsZero() {
		return nil
	}
	switch {
	case o.Judge != nil:
		return errors.New("what is judged by hand has no command that could be measured")
	case o.Tests != suite.Format{}:
		return errors.New("a trial has either a number or an outcome for each test of a suite")
	case o.Remote != nil:
		return MeasuredAway(what)
	case what.Machine() == "memory" && runtime.GOOS != "linux":
		return errors.New("the memory of trials can be measured on Linux only")
	case what.Machine() == "cpu" && runtime.GOOS == "windows":
		return errors.New("the processor time of trials cannot be measured on Windows: measure time")
	case what.Machine() == "instructions":
		return process.CheckCounter()
	}
	return nil
}

// MeasuredAway returns an error if what is a number that cannot be measured on other machines.
func MeasuredAway(what measure.What) error {
	switch {
	case what.File() != "":
		return errors.New("files that a command leaves behind are not brought back from other machines: have the command print the number, and measure regex:RE or json:-:POINTER")
	case what.Machine() == "instructions":
		return errors.New("instructions are counted on this machine only, and not on other machines: measure cpu")
	}
	return nil
}

// ownSalt keeps the times of a session apart from those that a cache has of another one: the machine may have been busy
// then, or another one.
func (r *pool) ownSalt() string {
	if !r.opts.Measure.Clock() {
		return ""
	}
	return "+measured-" + r.session.Name()
}

// A measured command is one whose execution has a number.
type measured struct {
	root   *os.Root    // the workspace; nil = it is on another machine
	before fs.FileInfo // what the number is read from, as it was before; nil = it was not there
}

// measured is for a command that is about to run in a workspace.
func (r *pool) measured(root *os.Root) (m measured) {
	if r.opts.Measure.Fresh() {
		m.before, _ = root.Lstat(path.Join(filepath.ToSlash(r.dir), r.opts.Measure.File())) // what is wrong is said afterwards
	}
	m.root = root
	return m
}

// enterNumber enters into rec the number of p, which ended as x, if there is one to be had.
func (r *pool) enterNumber(rec *Record, x process.Exit, p execution) error {
	if r.opts.Measure.IsZero() || classOf(x) != passes {
		return nil
	}
	if p.measured.root == nil && r.opts.Measure.Machine() == "memory" && x.Memory == 0 {
		rec.Outcome = Outcome(isolate.Unresolved)
		rec.Reason += ", but its memory was not measured: on other machines that takes GNU time (time in PATH), which this one has not"
		return nil
	}
	run := measure.Run{
		Wall: x.Duration, CPU: x.CPU, Memory: x.Memory, Instructions: x.Instructions,
		Root: p.measured.root, Dir: filepath.ToSlash(r.dir), Before: p.measured.before,
		Outputs: [2]func() (io.ReadCloser, error){opener(p.Stdout), opener(p.Stderr)},
	}
	number, err := r.opts.Measure.Number(run)
	if none := (*measure.AbsentError)(nil); errors.As(err, &none) {
		rec.Outcome = Outcome(isolate.Unresolved)
		rec.Reason += ", but " + none.Reason
		return nil
	}
	if err != nil {
		return disk.Wrap("measure a trial", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unit == nil {
		r.unit = &number.Unit
	}
	if *r.unit != number.Unit {
		rec.Outcome = Outcome(isolate.Unresolved)
		rec.Reason += fmt.Sprintf(", but its number has %s, and that of the first trial %s: have --measure match the unit, too, as regex:took (\\S+)",
			unitInWords(number.Unit), unitInWords(*r.unit))
		return nil
	}
	rec.Value, rec.Unit = &number.Value, number.Unit
	return nil
}

func unitInWords(unit string) string {
	if unit == "" {
		return "no unit"
	}
	return "the unit " + prose.Printable(unit)
}

// opener opens an output of a command; one that is not there is empty.
func opener(name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return os.Open(os.DevNull)
		}
		return file, err
	}
}
