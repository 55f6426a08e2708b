package outfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// A Place is where the smallest input so far is written: all at once each time, so that whoever reads it
// finds an input that fails.
type Place struct {
	session *trial.Session
	name    string // absolute: the file, or the directory
	strip   bool   // the files lie below name without the first part of their paths
	stdout  bool   // it is standard output, which gets the answer alone, and name is "-"
	known   record
	now     testcase.Input // what stands there, if this process has written it
	last    string         // the digest of the directory that stands there
}

// A record says what the session is about to write. It is stored before the output is replaced, so that
// after a kill the output is the one of Digest or the one of Before.
type record struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Before string `json:"before"`
	Bytes  int64  `json:"bytes"`
}

// File is the name of the file in which a session says what it has written.
const File = "output.json"

// stdoutName names standard output.
const stdoutName = "-"

// Stdout returns a place for standard output. Nothing is written through it: the caller writes the final
// input to standard output.
func Stdout() *Place { return &Place{name: stdoutName, stdout: true} }

// At returns the place of an absolute name for the input in, which was read from the paths in given. It
// returns an error if the name is one of these paths, lies below one of them or contains one of them; if the
// directory of the name does not exist; if a directory stands where a file is to be written, or the reverse;
// and if the name is of a directory with files that no session below root has written. An existing regular
// file is accepted, and is replaced. root is called only for such a directory. strip says that the files of
// a directory lie below the name without the first element of their paths.
func At(name string, in testcase.Input, given []string, root func() (string, error), strip bool) (*Place, error) {
	o := &Place{name: name, strip: strip}
	for _, given := range given {
		abs, err := filepath.Abs(given)
		if err != nil {
			return nil, err
		}
		if sameFile(abs, name) || within(abs, name) || within(name, abs) {
			return nil, fmt.Errorf("--output %s would take the place of the input %s: name another", Shown(name), given)
		}
	}
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("--output %s: there is no directory %s to write it to", Shown(name), Shown(filepath.Dir(name)))
	}
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return o, nil
	case err != nil:
		return nil, err
	case in.Dir != info.IsDir():
		return nil, fmt.Errorf("%s is in the way of the output: remove it, or name another place with --output", Shown(name))
	case !in.Dir && info.Mode().Type()&^fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s is no regular file: the output, which is replaced after each success, cannot be it; name a file with --output", Shown(name))
	case !in.Dir:
		return o, nil
	}
	there, err := o.there()
	if err != nil {
		return nil, err
	}
	o.last = there.Digest()
	if len(there.Files) > 0 && !wrote(root, name, o.last) {
		return nil, fmt.Errorf("%s holds files that no session of gitdd here has written: remove it, or name another place with --output", Shown(name))
	}
	return o, nil
}

// sameFile reports whether two names are of one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return a == b
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// within reports whether a file lies below dir.
func within(dir, file string) bool {
	real := func(name string) string {
		if r, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
			return filepath.Join(r, filepath.Base(name))
		}
		return name
	}
	return strings.HasPrefix(real(file), real(dir)+string(filepath.Separator))
}

// there reads the directory that the output will replace, with paths as if it were
// the input. All of it: whoever made a repository of an output does not lose that.
func (o *Place) there() (testcase.Input, error) {
	return testcase.ReadDir(o.name)
}

// Resume goes on with what the session has written before: what is larger than
// that need not be written on the way there.
func (o *Place) Resume(session *trial.Session) {
	o.session = session
	if text, err := session.ReadFile(File); err == nil {
		_ = json.Unmarshal(text, &o.known) // else everything is written again
	}
}

// Follow sets the session of the place without reading what the session has written before.
func (o *Place) Follow(session *trial.Session) { o.session = session }

// Improved writes a smaller input, unless a smaller one yet was written before the
// session was resumed.
func (o *Place) Improved(in testcase.Input) error {
	if o.known.Name == o.name && in.Size() > o.known.Bytes {
		return nil
	}
	return o.write(in)
}

// write puts an input in the place of the last one.
func (o *Place) write(in testcase.Input) (err error) {
	if o.stdout {
		return nil // there is no taking it back
	}
	w := record{Name: o.name, Bytes: in.Size(), Before: o.last}
	if in.Dir {
		w.Digest = o.below(in).Digest()
	}
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	if err := o.session.WriteFile(File, text); err != nil {
		return err
	}
	if in.Dir {
		err = o.writeDir(in)
	} else {
		err = o.writeFile(in.Files[0])
	}
	if err != nil {
		return &Error{Err: fmt.Errorf("write %s: %w", Shown(o.name), err)}
	}
	o.now, o.last = in, w.Digest
	return nil
}

// Finish writes the final input, and puts each file of a directory on the disk. Improved does that with a
// single file only: to sync each file of a directory after each success would take longer than trials do.
func (o *Place) Finish(in testcase.Input) error {
	if err := o.write(in); err != nil || !in.Dir {
		return err
	}
	names := map[string]bool{".": true, "..": true} // below the output
	for _, f := range o.below(in).Files {
		for dir := path.Dir(f.Path); !names[dir]; dir = path.Dir(dir) {
			names[dir] = true
		}
		if f.Mode&fs.ModeSymlink == 0 {
			names[f.Path] = true
		}
	}
	for name := range names {
		if err := syncFile(filepath.Join(o.name, filepath.FromSlash(name))); err != nil {
			return &Error{Err: fmt.Errorf("write %s: %w", Shown(o.name), err)}
		}
	}
	return nil
}

// syncFile puts a file, or the entries of a directory, on the disk. Where that cannot
// be asked for, as of what may not be read, it is left to the system.
func syncFile(name string) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	if err = f.Sync(); errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, fs.ErrPermission) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

func (o *Place) writeFile(file testcase.File) error {
	f, err := o.session.Beside(o.name)
	if err != nil {
		return err
	}
	return disk.Replace(f, o.name, file.Mode.Perm(), disk.Content(file.Content))
}

// below is an input with the paths that its files have below the output.
func (o *Place) below(in testcase.Input) testcase.Input {
	out := testcase.Input{Dir: true}
	for _, f := range in.Files {
		if o.strip {
			_, f.Path, _ = strings.Cut(f.Path, "/")
		}
		out.Files = append(out.Files, f)
	}
	return out
}

// writeDir makes the whole directory anew beside the old one, and exchanges them. A
// file that is as before is a link to the one before: a large tree costs a call for
// each file.
func (o *Place) writeDir(in testcase.Input) error {
	dir, err := o.session.BesideDir(o.name)
	if err != nil {
		return err
	}
	before := map[string]testcase.File{}
	for _, f := range o.below(o.now).Files {
		before[f.Path] = f
	}
	err = func() error {
		for _, f := range o.below(in).Files {
			name := filepath.Join(dir, filepath.FromSlash(f.Path))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				return err
			}
			if old, ok := before[f.Path]; ok && old.Mode == f.Mode && bytes.Equal(old.Content, f.Content) &&
				os.Link(filepath.Join(o.name, filepath.FromSlash(f.Path)), name) == nil {
				continue
			}
			if err := f.Create(name); err != nil {
				return err
			}
		}
		return o.exchange(dir)
	}()
	return errors.Join(err, os.RemoveAll(dir)) // what stood there before, or what was not finished
}

// exchange puts dir in the place of the output, and that in the place of dir.
func (o *Place) exchange(dir string) error {
	if err := os.Rename(dir, o.name); err == nil || errors.Is(err, fs.ErrNotExist) {
		return err // nothing, or an empty directory, stood there
	}
	return exchange(dir, o.name)
}

// File is a file of the output as the user would write it.
func (o *Place) File(f testcase.File) string {
	_, below, dir := strings.Cut(f.Path, "/")
	switch {
	case o.stdout:
		return o.name
	case !o.strip:
		return path.Join(Shown(o.name), f.Path)
	case dir:
		return path.Join(Shown(o.name), below)
	}
	return Shown(o.name)
}

// Names are the files and directories of an output as the user would write them.
func (o *Place) Names(in testcase.Input) []string {
	if o.stdout {
		return []string{stdoutName}
	}
	if !in.Dir || o.strip {
		return []string{Shown(o.name)}
	}
	var names []string
	for _, f := range in.Files {
		first, _, _ := strings.Cut(f.Path, "/")
		if name := path.Join(Shown(o.name), first); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// exchangeInSteps is exchange where it takes three steps: for a moment there is no b.
func exchangeInSteps(a, b string) error {
	aside := a + ".old"
	if err := os.Rename(b, aside); err != nil {
		return err
	}
	if err := os.Rename(a, b); err != nil {
		return errors.Join(err, os.Rename(aside, b))
	}
	return os.Rename(aside, a)
}

// An Error says that an input could not be written where it should go.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Name is the absolute name of the place, or stdoutName.
func (o *Place) Name() string { return o.name }

// IsStdout reports whether the place is standard output.
func (o *Place) IsStdout() bool { return o.stdout }

// Written reports whether this process has written an input with files there. It is false for standard
// output.
func (o *Place) Written() bool { return len(o.now.Files) > 0 }

// Shown is a name as the user would write it in the current directory.
func Shown(name string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}

// wrote reports whether a session below root has written just that.
func wrote(root func() (string, error), name, digest string) bool {
	dir, err := root()
	if err != nil {
		return false
	}
	all, err := trial.Sessions(dir)
	if err != nil {
		return false
	}
	for _, s := range all {
		text, err := os.ReadFile(filepath.Join(s.Dir, File))
		var w record
		if err == nil && json.Unmarshal(text, &w) == nil && w.Name == name && (w.Digest == digest || w.Before == digest) {
			return true
		}
	}
	return false
}
