package hunt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/jsonlog"
	"github.com/gitdd/gitdd/trial"
)

// Format is the version of the manifest's format. A manifest of another is refused.
const Format = 1

// The directory of a hunt:
//
//	lock             held while a gitdd hunts in it
//	manifest.jsonl   the header, then a line for each run and each reduction
//	seed-N.btor      the file of a finding; .out and .err what the solver printed
//	seed-N.reduced.btor  what is left of it
//	work/            what is being made, while a gitdd hunts
const (
	manifestFile = "manifest.jsonl"
	workDir      = "work"
	fileStem     = "seed-"
	newPrefix    = "new-" // of a file in workDir that gets its name when it is whole
)

// A Header is the first line of a manifest: what the hunt was begun with.
type Header struct {
	Format  int       `json:"format"`  // set by Open
	Version string    `json:"version"` // of the gitdd that began it
	Started time.Time `json:"started"`

	Command []string `json:"command"` // argv
	// Settings are all others that the files and what comes of them depend on, as
	// words of the command line.
	Settings []string `json:"settings"`
	// Generator is how the file of the first seed begins, so that a generator that
	// makes others is noticed.
	Generator string `json:"generator"`
}

// A MismatchError says that a hunt was begun with other settings.
type MismatchError struct {
	Dir       string
	Then, Now string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("the hunt in %s was begun with %s, and now it is %s: go on with the same, or name another directory with -o", e.Dir, e.Then, e.Now)
}

// A Manifest is the open directory of a hunt. Its methods may be used by several
// goroutines.
type Manifest struct {
	dir  string
	lock io.Closer

	mu  sync.Mutex
	log jsonlog.Writer
}

// Open makes the directory of a new hunt, or opens that of a hunt with an equal header
// and returns its records. A manifest without records is begun anew with h. A last line that a kill or a
// crash has cut is taken off; other damage is an error that names the line.
func Open(dir string, h Header) (m *Manifest, known []Record, err error) {
	h.Format = Format
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, fmt.Errorf("make the directory of the hunt: %w", err)
	}
	name := filepath.Join(dir, manifestFile)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if other, err := foreign(dir); err != nil || other != "" {
			if err == nil {
				err = fmt.Errorf("%s is there and holds %s, but no hunt: name another directory with -o", dir, other)
			}
			return nil, nil, err
		}
	}
	lock, err := trial.LockDir(dir)
	if err != nil {
		return nil, nil, err
	}
	m = &Manifest{dir: dir, lock: lock}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Close())
			m, known = nil, nil
		}
	}()
	if err := m.empty(); err != nil {
		return m, nil, err
	}
	var whole int64
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := m.begin(name, h); err != nil {
			return m, nil, err
		}
	case err != nil:
		return m, nil, err
	default:
		known, whole, err = decode(name, text, h)
		var other *MismatchError
		switch {
		case errors.As(err, &other) && bytes.Count(text, []byte{'\n'}) == 1:
			err = m.begin(name, h) // nothing was run yet, as with a mistyped command
		case err == nil:
			err = os.Truncate(name, whole)
		}
		if err != nil {
			return m, nil, err
		}
	}
	m.log.File, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	return m, known, err
}

// foreign names something in dir that is not of a hunt that was killed before it had a
// manifest. What a user has in a directory that is called work, too, must not be removed.
func foreign(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Name() != workDir && e.Name() != "lock" || e.Name() == workDir && !e.IsDir() {
			return e.Name(), nil
		}
	}
	made, err := os.ReadDir(filepath.Join(dir, workDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, e := range made {
		if !strings.HasPrefix(e.Name(), newPrefix) {
			return filepath.Join(workDir, e.Name()), nil
		}
	}
	return "", nil
}

// empty makes the directory for what is being made as new.
func (m *Manifest) empty() error {
	if err := os.RemoveAll(m.Work("")); err != nil {
		return err
	}
	return os.Mkdir(m.Work(""), 0o777)
}

// begin writes the header under another name first, so that there is no manifest
// without one.
func (m *Manifest) begin(name string, h Header) error {
	text, err := jsonlog.Encode(headerLine, h)
	if err != nil {
		return err
	}
	return m.write(name, text)
}

// Work is a name below the directory that is removed in the end.
func (m *Manifest) Work(name string) string { return filepath.Join(m.dir, workDir, name) }

// File is the name of a file of a seed's finding: ending is ".btor", ".reduced.btor",
// ".out" or ".err".
func (m *Manifest) File(seed uint64, ending string) string {
	return filepath.Join(m.dir, FileName(seed)+ending)
}

// FileName is what the files of a seed are called, without the ending.
func FileName(seed uint64) string { return fileStem + strconv.FormatUint(seed, 10) }

// Keep writes a file of a seed's finding, all or nothing.
func (m *Manifest) Keep(seed uint64, ending string, text []byte) error {
	return m.write(m.File(seed, ending), text)
}

func (m *Manifest) write(name string, text []byte) error {
	f, err := os.CreateTemp(m.Work(""), newPrefix)
	if err != nil {
		return err
	}
	if err := disk.Replace(f, name, 0o644, disk.Content(text)); err != nil {
		return err
	}
	return disk.SyncDir(m.dir)
}

// Record adds a line; when it returns nil, the line is on the disk.
func (m *Manifest) Record(r Record) error {
	kind, value := reductionLine, any(r.Reduction)
	if r.Run != nil {
		kind, value = runLine, r.Run
	}
	text, err := jsonlog.Encode(kind, value)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.log.Write(text, (*os.File).Sync, func(err error) error {
		return fmt.Errorf("write the manifest of the hunt: %w; the same command goes on where this stopped", err)
	})
}

// Close gives the directory up, and removes what was being made.
func (m *Manifest) Close() error {
	var err error
	if m.log.File != nil {
		err = m.log.File.Close()
	}
	return errors.Join(err, os.RemoveAll(m.Work("")), m.lock.Close())
}

// The kinds of lines: the first one is a header, and all others are runs or reductions.
const (
	headerLine    = "header"
	runLine       = "run"
	reductionLine = "reduction"
)

// decode reads a manifest of a hunt that was begun with what h says, and how many
// bytes of it are whole lines.
func decode(name string, text []byte, h Header) (known []Record, whole int64, err error) {
	whole, err = jsonlog.Read(bytes.NewReader(text), func(number int, line []byte) (string, error) {
		kind, value, problem := jsonlog.Decode(line)
		if problem != "" {
			return problem, nil
		}
		var r Record
		var err error
		switch {
		case number == 1 && kind == headerLine:
			return "", begunWith(name, value, h)
		case number > 1 && kind == runLine:
			r.Run = new(Run)
			err = json.Unmarshal(value, r.Run)
		case number > 1 && kind == reductionLine:
			r.Reduction = new(Reduction)
			err = json.Unmarshal(value, r.Reduction)
		default:
			return "not a line of a manifest", nil
		}
		if err != nil {
			return err.Error(), nil
		}
		known = append(known, r)
		return "", nil
	})
	if damage, ok := errors.AsType[*jsonlog.DamageError](err); ok {
		err = damaged(name, damage.Line, damage.Problem)
	}
	if err != nil {
		return nil, 0, err
	}
	return known, whole, nil
}

func damaged(name string, line int, what string) error {
	return fmt.Errorf("%s:%d: %s; the hunt cannot be trusted any more: begin a new one in another directory (-o)", name, line, what)
}

// begunWith returns an error unless a header says the same as h.
func begunWith(name string, text []byte, h Header) error {
	var then Header
	var version struct {
		Format  int
		Version string
	}
	if err := json.Unmarshal(text, &version); err == nil && version.Format != Format {
		return fmt.Errorf("%s: format %d, this gitdd reads %d: it is of gitdd %s; use that one, or name another directory with -o", name, version.Format, Format, version.Version)
	}
	if err := json.Unmarshal(text, &then); err != nil {
		return damaged(name, 1, err.Error())
	}
	dir := filepath.Dir(name)
	if then, now := fmt.Sprintf("%q", then.Command), fmt.Sprintf("%q", h.Command); then != now {
		return &MismatchError{Dir: dir, Then: then, Now: now}
	}
	for i := range max(len(then.Settings), len(h.Settings)) {
		a, b := at(then.Settings, i), at(h.Settings, i)
		if a != b {
			return &MismatchError{Dir: dir, Then: a, Now: b}
		}
	}
	if then.Generator != h.Generator {
		return &MismatchError{Dir: dir, Then: "the generator of gitdd " + then.Version, Now: "one that makes other files"}
	}
	return nil
}

func at(settings []string, i int) string {
	if i < len(settings) {
		return settings[i]
	}
	return "no more settings"
}
