package measure

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/gitdd/gitdd/internal/prose"
)

// A Number is what was measured.
type Number struct {
	Value float64 // finite
	Unit  string  // that of the What; of a regex the unit that stands at the number, "" = none does
}

// A Run is what is left of a command that has ended with status 0.
type Run struct {
	Wall         time.Duration
	CPU          time.Duration // 0 = not known
	Memory       int64         // bytes, 0 = not known
	Instructions int64         // 0 = not known

	Outputs [2]func() (io.ReadCloser, error) // standard output and standard error
	Root    *os.Root                         // the workspace; nil = it is on another machine
	Dir     string                           // in which the command ran, relative to Root, slash-separated
	Before  fs.FileInfo                      // of the File of a What that is Fresh, as it was before the command; nil = it was not there
}

// An AbsentError says why an execution has no number. That is a matter of the command, and not of the machine.
type AbsentError struct {
	Reason string // behind "but": "no line matches x"
}

func (e *AbsentError) Error() string { return e.Reason }

func absent(format string, args ...any) error { return &AbsentError{fmt.Sprintf(format, args...)} }

// Number reads the number of an execution. The error is an *AbsentError if it has none. Any other error is that of the
// machine.
func (w What) Number(run Run) (Number, error) {
	n := Number{Unit: w.unit}
	var err error
	switch w.kind {
	case wallTime:
		n.Value = run.Wall.Seconds()
	case cpuTime:
		if run.CPU == 0 {
			return n, absent("its processor time is not known: it is less than the system counts, or nobody counted it; measure more of the work at once")
		}
		n.Value = run.CPU.Seconds()
	case memory:
		if run.Memory == 0 {
			return n, absent("its memory was not seen: it took less than some 40 MB, for a moment; measure more of the work at once")
		}
		n.Value = float64(run.Memory)
	case instructions:
		if run.Instructions == 0 {
			return n, absent("no instructions were counted all the time: another program may have taken the counter")
		}
		n.Value = float64(run.Instructions)
	case size:
		n.Value, err = run.size(w.path)
	case matched:
		n, err = w.match(run)
	case pointed:
		n.Value, err = run.read(w, func(r io.Reader) (float64, error) { return pointedAt(r, w.pointer) })
	case hyperfine:
		n.Value, err = run.read(w, medianOf)
	case benchmarked:
		n.Value, err = w.bench(run)
	default:
		err = errors.New("no number is measured")
	}
	return n, err
}

// read reads the number in the file of w.
func (run Run) read(w What, number func(io.Reader) (float64, error)) (float64, error) {
	var file io.ReadCloser
	var err error
	if w.path == Stdout {
		file, err = run.Outputs[0]()
	} else {
		file, err = run.open(w.path)
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	most := &io.LimitedReader{R: file, N: mostBytes + 1}
	value, err := number(most)
	switch none := (*AbsentError)(nil); {
	case err != nil && most.N == 0:
		err = absent("%s has more than %s", nameOf(w.path), prose.Size(mostBytes))
	case errors.As(err, &none):
		err = absent("%s: %s", nameOf(w.path), none.Reason)
	}
	return value, err
}

// mostBytes bounds a file that a number is read from.
const mostBytes = 64 << 20

func nameOf(file string) string {
	if file == Stdout {
		return "standard output"
	}
	return prose.Printable(file)
}

// open opens a file that the command has written.
func (run Run) open(name string) (io.ReadCloser, error) {
	if run.Root == nil {
		return nil, absent("%s is on another machine", nameOf(name))
	}
	at := path.Join(run.Dir, name)
	info, err := run.Root.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absent("there is no file %s", nameOf(name))
	case err != nil:
		return nil, absent("%s cannot be read: %v", nameOf(name), err)
	case !info.Mode().IsRegular():
		return nil, absent("%s is no regular file", nameOf(name))
	case unwritten(run.Before, info):
		return nil, absent("%s was there before, and the command did not write it", nameOf(name))
	case info.Size() > mostBytes:
		return nil, absent("%s has more than %s", nameOf(name), prose.Size(mostBytes))
	}
	file, err := run.Root.Open(at)
	if err != nil {
		return nil, absent("%s cannot be read: %v", nameOf(name), err)
	}
	return file, nil
}

func unwritten(before, now fs.FileInfo) bool {
	return before != nil && os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size()
}

// size is how many bytes a file has, or all regular files of a folder together. No link is followed, and what git
// keeps of a workspace is left out.
func (run Run) size(name string) (float64, error) {
	if run.Root == nil {
		return 0, absent("%s is on another machine", nameOf(name))
	}
	at := path.Join(run.Dir, name)
	info, err := run.Root.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, absent("there is no %s", nameOf(name))
	case err != nil:
		return 0, absent("%s cannot be looked at: %v", nameOf(name), err)
	case info.Mode().IsRegular():
		return float64(info.Size()), nil
	case info.Mode()&fs.ModeSymlink != 0:
		return 0, absent("%s is a symbolic link, and none is followed", nameOf(name))
	case !info.IsDir():
		return 0, absent("%s is neither a file nor a folder", nameOf(name))
	}
	sum := int64(0)
	err = fs.WalkDir(run.Root.FS(), at, func(_ string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".git":
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.Type().IsRegular():
			info, err := entry.Info()
			if err != nil {
				return err
			}
			sum += info.Size()
		}
		return nil
	})
	if err != nil {
		return 0, absent("%s cannot be looked at: %v", nameOf(name), err)
	}
	return float64(sum), nil
}
