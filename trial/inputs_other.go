package trial

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/testcase"
)

// Others are the candidates that fail otherwise than the original, the smallest for
// each way to fail. What tells these apart is how the command ended, and the
// signature of its output: that of Options.SameOutput, or of AutoSignature.
type others struct {
	dir string // absolute; "" = none is kept

	mu    sync.Mutex
	found map[string]OtherFailure // by label
}

// An OtherFailure is another way to fail that candidates have shown.
type OtherFailure struct {
	Path   string // of the smallest such candidate
	Trial  int    // that it was tried in
	Size   int64  // bytes
	Reason string // in words
}

// mostOthers bounds the ways to fail that are kept: a signature may have numbers in
// it that change with every candidate.
const mostOthers = 100

func newOthers(dir string) (*others, error) {
	o := &others{found: map[string]OtherFailure{}}
	if dir == "" {
		return o, nil
	}
	var err error
	if o.dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if info, err := os.Stat(o.dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("save other failures in %s: it is not a directory", dir)
	}
	return o, nil
}

// Others returns the other failures whose candidates this process has saved, by
// their paths.
func (r *Inputs) Others() []OtherFailure {
	r.others.mu.Lock()
	defer r.others.mu.Unlock()
	var list []OtherFailure
	for _, f := range r.others.found {
		if f.Trial != 0 {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b OtherFailure) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// saveOther saves the candidate of a trial if that failed otherwise than the
// original, and none that is as small and fails so is saved. It comes before the
// record: a kill in between has the trial run again.
func (r *Inputs) saveOther(q question, rec *Record) error {
	o := r.others
	if o.dir == "" || !rec.Other {
		return nil
	}
	label, err := r.failureLabel(rec)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	path := filepath.Join(o.dir, label)
	if !r.original.Dir {
		path += filepath.Ext(r.original.Files[0].Path)
	}
	known, seen := o.found[label]
	if !seen && len(o.found) >= mostOthers {
		return nil
	}
	if !seen {
		known.Size = contentSize(path)
		o.found[label] = known
	}
	if known.Size >= 0 && known.Size <= rec.Size {
		return nil
	}
	if err := r.place(path, *q.input); err != nil {
		if _, ok := errors.AsType[*noTrial](err); ok {
			return nil // this disk cannot hold it; the one of the trials could
		}
		return disk.Wrap("save another failure", err)
	}
	o.found[label] = OtherFailure{Path: path, Trial: rec.Trial, Size: rec.Size, Reason: rec.Reason}
	return nil
}

// place makes path hold an input, all of it or what was there.
func (r *Inputs) place(path string, in testcase.Input) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if !in.Dir {
		f, err := r.session.Beside(path)
		if err != nil {
			return err
		}
		return disk.Replace(f, path, in.Files[0].Mode.Perm(), disk.Content(in.Files[0].Content))
	}
	made, err := r.session.BesideDir(path)
	if err == nil {
		err = writeInput(made, in)
	}
	if err != nil {
		return errors.Join(err, disk.RemoveAll(made))
	}
	// A directory that is not empty cannot be replaced.
	former, err := r.session.BesideDir(path)
	if err == nil {
		if err = os.Rename(path, filepath.Join(former, "former")); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		err = os.Rename(made, path)
	}
	return errors.Join(err, disk.RemoveAll(made), disk.RemoveAll(former))
}

// contentSize is that of a file, or of all files in a directory; -1 if there is
// none.
func contentSize(path string) int64 {
	sum := int64(-1)
	filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		sum = max(sum, 0)
		if info, err := d.Info(); err == nil && !d.IsDir() {
			sum += info.Size() // of a symlink that of its target
		}
		return nil
	})
	return sum
}

// failureLabel names what tells a failure from others, in letters that no shell
// needs to quote.
func (r *Inputs) failureLabel(rec *Record) (string, error) {
	how := "exit-" + strconv.Itoa(rec.Exit)
	switch {
	case rec.Over != "":
		how = "too-much-" + string(rec.Over)
	case rec.TimedOut:
		how = "timeout"
	case rec.Signal != "":
		how = rec.Signal
	}
	signature := cmp.Or(r.opts.SameOutput, failure.Auto)
	text, err := signature.In(r.session.Output(rec.Trial, "out"), r.session.Output(rec.Trial, "err"))
	if err != nil || text == "" {
		return how, err
	}
	sum := sha256.Sum256([]byte(text))
	words := strings.FieldsFunc(text, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_')
	})
	slug := strings.Join(words, "-")
	return strings.TrimRight(fmt.Sprintf("%s-%s", how, slug[:min(len(slug), 40)]), "-") + "-" + hex.EncodeToString(sum[:3]), nil
}
