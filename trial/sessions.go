package trial

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/isolate"
)

// A State says how far a session has come.
type State string

const (
	StateRunning     State = "running"     // a process holds it
	StateFinished    State = "finished"    // it has a result
	StateInterrupted State = "interrupted" // it has none: `gitdd resume` goes on with it
	StateDamaged     State = "damaged"     // its journal cannot be read
)

// A Summary is one line of `gitdd list`.
type Summary struct {
	Name   string
	Dir    string
	State  State
	Err    error // why it is StateDamaged, else nil
	Header Header

	HasResult bool // ReadResult has one, whatever the state

	Trials                 int // all that finished
	Pass, Fail, Unresolved int // by outcome
}

// Sessions summarises the sessions below some roots, oldest first. A root that does
// not exist has none.
func Sessions(roots ...string) (all []Summary, err error) {
	for _, root := range roots {
		entries, err := os.ReadDir(root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		for _, e := range entries {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && begun(filepath.Join(root, e.Name())) {
				all = append(all, summarise(filepath.Join(root, e.Name())))
			}
		}
	}
	// Names tell the second in which a session began, its header the instant.
	second := func(s Summary) string { return s.Name[:strings.LastIndexByte(s.Name, '-')+1] }
	slices.SortStableFunc(all, func(a, b Summary) int {
		return cmp.Or(strings.Compare(second(a), second(b)), a.Header.Started.Compare(b.Header.Started))
	})
	return all, nil
}

// Interrupted returns the session below a root that was begun last, and whether it was interrupted after it had run trials.
// Other sessions are not read.
func Interrupted(root string) (Summary, bool) {
	entries, _ := os.ReadDir(root) // what cannot be read cannot go on either
	for _, e := range slices.Backward(entries) {
		dir := filepath.Join(root, e.Name())
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && begun(dir) {
			last := summarise(dir)
			return last, last.State == StateInterrupted && last.Trials > 0
		}
	}
	return Summary{}, false
}

// Choose returns the session that the first of some names means: its whole name, or the beginning or the end of
// the name of just one. Without a name it is the newest session. all are ordered as by Sessions.
func Choose(all []Summary, names []string) (Summary, error) {
	if len(all) == 0 {
		return Summary{}, errors.New("this repository has no sessions yet; `gitdd run` begins one")
	}
	if len(names) == 0 {
		return all[len(all)-1], nil
	}
	var matching []Summary
	for _, s := range all {
		if s.Name == names[0] {
			return s, nil
		}
		if strings.HasPrefix(s.Name, names[0]) || strings.HasSuffix(s.Name, names[0]) {
			matching = append(matching, s)
		}
	}
	switch len(matching) {
	case 1:
		return matching[0], nil
	case 0:
		return Summary{}, fmt.Errorf("no session %q; `gitdd list` shows those there are", names[0])
	}
	return Summary{}, fmt.Errorf("session %q could be %s or %s: name it longer", names[0], matching[0].Name, matching[1].Name)
}

// begun reports whether a session got as far as its journal. One that did not,
// because gitdd was killed just then, has nothing to tell; Clean removes it.
func begun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, journalFile))
	return err == nil
}

func summarise(dir string) Summary {
	sum := Summary{Name: filepath.Base(dir), Dir: dir, State: StateInterrupted}
	if _, err := os.Stat(filepath.Join(dir, resultFile)); err == nil {
		sum.HasResult = true
	}
	s, err := ReadSession(dir)
	if err != nil {
		sum.State, sum.Err = StateDamaged, err
	} else {
		sum.Header = s.header
		for _, r := range s.records {
			if r.Rejected {
				continue
			}
			sum.Trials++
			switch isolate.Outcome(r.Outcome) {
			case isolate.Pass:
				sum.Pass++
			case isolate.Fail:
				sum.Fail++
			default:
				sum.Unresolved++
			}
		}
		if sum.HasResult {
			sum.State = StateFinished
		}
	}
	if running(dir) {
		sum.State, sum.Err = StateRunning, nil
	}
	return sum
}

// removedPrefix begins the name of a directory that is no session any more, or not yet: Clean removes it.
const removedPrefix = ".removed-"

// removeSession removes the directory of a session, and what it made elsewhere.
// It gets a hidden name first: a half removed session must not look like a
// damaged one. lock is that of the session; the caller closes it, too.
func removeSession(dir string, lock *os.File) error {
	if err := errors.Join(removePlaces(dir), removeUnfinished(dir)); err != nil {
		return err
	}
	if openFilesPin {
		lock.Close() // who takes it now keeps the directory from being renamed
	}
	hidden := filepath.Join(filepath.Dir(dir), removedPrefix+filepath.Base(dir))
	if err := os.Rename(dir, hidden); err != nil {
		return err
	}
	return disk.RemoveAll(hidden)
}
