package trial

import (
	"crypto/rand"
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
	"time"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/jsonlog"
)

// A session's directory:
//
//	lock           held with flock while a gitdd runs in it; names the holder
//	journal.jsonl  the header, then one line per finished trial, another if it is amended, and one per inference
//	result.json    the last result, if there is one
//	tests/         of a search for each test of a suite: the sessions of Runner.ForTest
//	trials/        N.tests, the report of a suite, and N.asked, the arguments that chose its tests; N.out, N.err, and N.build.out, N.build.err, N.build.all of trial N, and N.check.* likewise; of inputs only the last
//	overlay/       a copy of the overlaid files, made when they were first used
//	patches/       likewise of the patches, by their numbers, and their results
//	objects/       a scratch object store
//	folders/       of a search between two folders: a bare repository with both
//	unfinished-*   names of temporary files that a kill may have left elsewhere; of a process that runs, held with flock
//	work/          the workspaces, while a Runner lives
//	places         directories elsewhere that a Runner has made, while it lives
const (
	lockFile    = "lock"
	journalFile = "journal.jsonl"
	resultFile  = "result.json"
	trialsDir   = "trials"
	overlayDir  = "overlay"
	patchesDir  = "patches"
	objectsDir  = "objects"
	FoldersDir  = "folders"
	workDir     = "work"
	placesFile  = "places"

	unfinishedFile = "unfinished"
)

// A Header is the first line of a journal: everything that is needed to
// resume the session, or to say what it was about.
type Header struct {
	Format  int       `json:"format"`  // set by CreateSession
	Version string    `json:"version"` // of the gitdd that wrote it
	Started time.Time `json:"started"` // names the session, too

	Name string   `json:"name"` // of the gitdd command: "run", "bisect", ...
	Args []string `json:"args"` // its words, for the flags that this package does not know
	Dir  string   `json:"dir"`  // absolute: where it was started

	CommonDir string       `json:"common_dir"` // of the user's repository, absolute, if there is one; for who finds the session, whose path has but a hash of it
	Good      git.Revision `json:"good"`       // resolved once: a branch may have moved since
	Bad       git.Revision `json:"bad"`

	Command []string `json:"command"` // the test command

	Test string `json:"test,omitempty"` // of the session of a Runner.ForTest: its name
}

// A Session is an open session. Its methods may be used by several goroutines.
type Session struct {
	dir    string
	header Header
	lock   *os.File // nil in a session that is only read

	mu         sync.Mutex
	records    []Record    // all that the journal holds, but for those that were withdrawn
	withdrawn  []Record    // these
	last       int         // the highest number of a trial, withdrawn ones included
	inferences []inference // all that the journal holds
	journal    journal
	unfinished *os.File // the list of this process's temporary files; nil = there were none
}

// CreateSession makes the directory of a new session below root, writes the
// journal's header and locks the session. h.Started gives the sortable part of
// the name.
func CreateSession(root string, h Header) (*Session, error) {
	return CreateSessionWith(root, h, func(string, *Header) error { return nil })
}

// CreateSessionWith is CreateSession for a header that goes by what is first put into the
// directory: fill gets both. An error of it leaves no session behind, and nor does a kill
// until the header is written.
func CreateSessionWith(root string, h Header, fill func(dir string, h *Header) error) (*Session, error) {
	h.Format = Format
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, cacheError(err)
	}
	dir, err := newSessionDir(root, h.Started)
	if err != nil {
		return nil, err
	}
	lock, err := lockSession(dir)
	if err != nil {
		return nil, errors.Join(cacheError(err), os.RemoveAll(dir))
	}
	var s *Session
	if err = fill(dir, &h); err == nil {
		s, err = startJournal(dir, h, lock)
	}
	if err == nil {
		// What the session makes elsewhere only it knows of: so its name, and that of
		// root, are on the disk before. The directory above may be another user's.
		err = disk.SyncDir(root)
		if above := disk.SyncDir(filepath.Dir(root)); !errors.Is(above, fs.ErrPermission) {
			err = errors.Join(err, above)
		}
		if err != nil {
			err = errors.Join(disk.Wrap("make a session", err), s.journal.File.Close())
		}
	}
	if err != nil {
		lock.Close()
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// stampLayout is how the name of a session begins: the time of its beginning.
const stampLayout = "20060102-150405"

// newSessionDir makes a directory that no other process has. Names grow, so that
// sessions are in the order of their making though the clock may have jumped back.
func newSessionDir(root string, started time.Time) (string, error) {
	stamp, err := newest(root)
	if err != nil {
		return "", cacheError(err)
	}
	if stamp = stamp.Add(time.Second); stamp.Before(started) {
		stamp = started
	}
	for {
		dir := filepath.Join(root, stamp.UTC().Format(stampLayout)+"-"+randomName(3))
		err := os.Mkdir(dir, 0o777)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", cacheError(err)
		}
	}
}

// newest returns the time that the name of the last session says.
func newest(root string) (last time.Time, err error) {
	entries, err := os.ReadDir(root)
	for _, e := range entries {
		name := e.Name()
		if t, err := time.Parse(stampLayout, name[:min(len(name), len(stampLayout))]); err == nil && t.After(last) {
			last = t
		}
	}
	return last, err
}

// randomName is twice as many digits as bytes, which make a name one's own.
func randomName(bytes int) string {
	random := make([]byte, bytes)
	rand.Read(random)
	return hex.EncodeToString(random)
}

// cacheError says what can be done when a session cannot even begin.
func cacheError(err error) error {
	advice := "set %s to a directory that can be written"
	if disk.Full(err) {
		advice = "make room there, or set %s to a directory on another disk"
	}
	return fmt.Errorf("make a session: %w; "+advice, err, CacheVariable)
}

// startJournal writes the header under another name first, so that a journal
// is never seen without one.
func startJournal(dir string, h Header, lock *os.File) (*Session, error) {
	text, err := jsonlog.Encode(headerLine, h)
	if err != nil {
		return nil, fmt.Errorf("make a session: %w", err)
	}
	if err := os.Mkdir(filepath.Join(dir, trialsDir), 0o777); err != nil {
		return nil, cacheError(err)
	}
	if err := disk.WriteFile(filepath.Join(dir, journalFile), text); err != nil {
		return nil, disk.Wrap("make a session", err)
	}
	s := &Session{dir: dir, header: h, lock: lock}
	return s, s.openJournal()
}

// OpenSession opens the session in dir to go on with it, and locks it. A last
// line of the journal that a crash has cut is taken off; a journal that is
// damaged otherwise, or of another version, is refused with its line. A
// session that another process holds is refused and the holder named.
func OpenSession(dir string) (*Session, error) {
	lock, err := lockSession(dir)
	if disk.Full(err) {
		return nil, disk.Wrap("open a session", err)
	}
	if err != nil {
		return nil, err
	}
	s := &Session{dir: dir, lock: lock}
	c, err := readJournal(filepath.Join(dir, journalFile))
	s.header, s.records, s.withdrawn, s.last, s.inferences = c.header, c.records, c.withdrawn, c.last, c.inferences
	if err == nil {
		err = os.Truncate(filepath.Join(dir, journalFile), c.whole)
	}
	if err == nil {
		err = s.openJournal()
	}
	if err == nil {
		err = s.tidy()
	}
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("open session %s: %w", filepath.Base(dir), err)
	}
	return s, nil
}

// tidy mends what a kill, or somebody who made room, has done to the session's
// files. The lock is held, so whatever git has locked there is nobody's.
func (s *Session) tidy() error {
	locks, err := filepath.Glob(filepath.Join(globQuote.Replace(s.dir), "*", "index.lock"))
	if err != nil {
		return err
	}
	for _, name := range locks {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(s.dir, trialsDir), 0o777); err != nil {
		return err
	}
	return removeUnfinished(s.dir)
}

// globQuote makes a name a pattern that matches only itself.
var globQuote = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// ReadSession reads the session in dir without locking it, running or not.
// Such a session cannot be used by a Runner.
func ReadSession(dir string) (*Session, error) {
	c, err := readJournal(filepath.Join(dir, journalFile))
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", filepath.Base(dir), err)
	}
	return &Session{dir: dir, header: c.header, records: c.records, withdrawn: c.withdrawn, last: c.last, inferences: c.inferences}, nil
}

func (s *Session) openJournal() error {
	f, err := os.OpenFile(filepath.Join(s.dir, journalFile), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	s.journal.File = f
	return nil
}

// Close ends the session's use by this process and gives up its lock. Only the
// first call does anything.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return nil
	}
	err := errors.Join(s.journal.File.Close(), s.closeUnfinished(), s.lock.Close())
	s.journal.Err, s.lock = fs.ErrClosed, nil
	return err
}

// DiscardUnused discards a session in which the command never ran, in this process or before, because
// there is nothing to show and nothing to resume. err is what the search ended with: after a *CommandError
// the trials of the session are not trials of the command. A session with judgements stays.
func (s *Session) DiscardUnused(err error) error {
	var command *CommandError
	records := s.Records()
	if len(records) > 0 && !errors.As(err, &command) || slices.ContainsFunc(records, func(r Record) bool { return r.Judged() }) {
		return nil
	}
	return s.Discard()
}

// Discard closes the session and removes it whole: for one that has nothing to
// tell. Its Runner must be closed. A session that was closed already, or is
// only read, is not touched: it may be another process's by now.
func (s *Session) Discard() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return nil
	}
	s.journal.Err = fs.ErrClosed
	closed := errors.Join(s.journal.File.Close(), s.closeUnfinished())
	err := errors.Join(closed, removeSession(s.dir, s.lock)) // while it is locked
	if unlocked := s.lock.Close(); !errors.Is(unlocked, fs.ErrClosed) {
		err = errors.Join(err, unlocked)
	}
	s.lock = nil
	if err != nil {
		return fmt.Errorf("discard session %s: %w", s.Name(), err)
	}
	return nil
}

// Dir returns the session's directory, absolute if the root was.
func (s *Session) Dir() string { return s.dir }

// Name returns the session's name: the time of its start and a few random
// digits. Names sort by time.
func (s *Session) Name() string { return filepath.Base(s.dir) }

// Header returns what the session was created with.
func (s *Session) Header() Header { return s.header }

// Records returns the trials in the journal, in the order in which they
// finished.
func (s *Session) Records() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.records)
}

// SuiteTrial returns the number of the trial of the suite that is trial n in the session of a Runner.ForTest;
// 0 = there is none.
func (s *Session) SuiteTrial(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range slices.Backward(s.records) {
		if r.Trial == n {
			return r.Suite
		}
	}
	return 0
}

// InOrder returns the trials in the journal in the order in which they began: with several workers they
// finish in another.
func (s *Session) InOrder() []Record {
	list := s.Records()
	slices.SortStableFunc(list, func(a, b Record) int { return a.Trial - b.Trial })
	return list
}

// inferencesRead returns what the journal says that unresolved trials have taught, in
// the order in which it was read off them.
func (s *Session) inferencesRead() []inference {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.inferences)
}

// Output returns the name of the file with an output of a trial: kind is
// "out", "err", "build.out" or "build.err", of a build that was run a second time to
// print all that it knows also "build.all", likewise for "check", or, of an input that was tried with two
// versions, "good.out" or "good.err". It may not exist.
func (s *Session) Output(trial int, kind string) string {
	return filepath.Join(s.dir, trialsDir, strconv.Itoa(trial)+"."+kind)
}

// append adds a record to the journal; when it returns nil the record is on
// the disk.
func (s *Session) append(r Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.journal.append(r); err != nil {
		return err
	}
	s.records, s.last = append(s.records, r), max(s.last, r.Trial)
	return nil
}

// lastTrial returns the highest number that a trial of the session has had.
func (s *Session) lastTrial() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Withdrawn returns the trials whose outcomes were taken back, in the order of their numbers.
func (s *Session) Withdrawn() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(slices.Values(s.withdrawn), func(a, b Record) int { return a.Trial - b.Trial })
}

// Withdraw takes back the outcomes of some trials, by their numbers, and the result of the session, if it has one.
// The journal says so, and keeps what they were. No Runner may be in use.
func (s *Session) Withdraw(trials []int) error {
	if err := s.RemoveFile(resultFile); err != nil { // which says what no longer holds
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(trials)
	for _, n := range slices.Backward(trials) { // if this is cut short, the last ones are taken back
		i := slices.IndexFunc(s.records, func(rec Record) bool { return rec.Trial == n })
		if i < 0 {
			continue
		}
		rec := s.records[i]
		rec.Withdrawn = true
		if err := s.journal.append(rec); err != nil {
			return err
		}
		s.records[i] = rec
	}
	records, withdrawn := split(s.records)
	s.records, s.withdrawn = records, append(s.withdrawn, withdrawn...)
	return nil
}

// amend is append for a record that takes the place of an earlier one of its trial.
func (s *Session) amend(r Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.journal.append(r); err != nil {
		return err
	}
	for i := range s.records {
		if s.records[i].Trial == r.Trial {
			s.records[i] = r
		}
	}
	return nil
}

// appendInference adds an inference to the journal, unless its format has none.
func (s *Session) appendInference(l inference) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.header.Format != withoutInferences {
		if err := s.journal.appendInference(l); err != nil {
			return err
		}
	}
	s.inferences = append(s.inferences, l)
	return nil
}
