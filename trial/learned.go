package trial

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/isolate"
)

// outputBytes is how much Output returns of either end of each stream.
const outputBytes = 64 << 10

// Output returns what the finished trial of a configuration printed, on
// standard output and then on standard error, of each the first and the last
// outputBytes: that of the check or of the build, if that did not go through, else that of
// the command; of a build that was run again to print all, both streams of that as one.
// It is that of the first attempt that had the outcome. ok is false when there was
// no such trial with the present settings, or its output is gone. A trial that an
// earlier process of the session ran has its output on the disk.
func (r *Runner) Output(s *changes.Set, c isolate.Configuration) (output []byte, ok bool) {
	rec, ok := r.finishedTrial(s, c)
	if !ok {
		return nil, false
	}
	return r.output(rec)
}

// finished returns the record of the first attempt at a question that has its
// outcome.
func (r *Runner) finished(q question) (Record, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	outcome, judged := r.memo.believed[q.key]
	for _, rec := range r.memo.attempts[q.key] {
		if r.sequential == nil || judged && r.outcome(rec) == outcome {
			return rec, true
		}
	}
	return Record{}, false
}

func (r *Runner) output(rec Record) (output []byte, ok bool) { return r.session.Printed(rec) }

// AllOutput returns what Output returns. If the build went through, what the build printed, such as warnings, stands before
// the output of the command.
func (r *Runner) AllOutput(s *changes.Set, c isolate.Configuration) (output []byte, ok bool) {
	rec, ok := r.finishedTrial(s, c)
	switch {
	case !ok:
		return nil, false
	case rec.Built:
		return r.session.readOutputs(rec.Trial, "build.out", "build.err", "out", "err")
	}
	return r.output(rec)
}

// finishedTrial returns the record of the trial of a configuration, of the first attempt that had
// the outcome; ok is false if there is none with the present settings.
func (r *Runner) finishedTrial(s *changes.Set, c isolate.Configuration) (rec Record, ok bool) {
	q, err := r.question(s, c, Search)
	if err != nil {
		return Record{}, false
	}
	return r.finished(q)
}

// Printed is Runner.Output for a record of the session.
func (s *Session) Printed(rec Record) (output []byte, ok bool) {
	kinds := []string{"out", "err"}
	if kind := rec.kind(); kind != "" {
		kinds = []string{kind + "out", kind + "err"}
		if _, err := os.Stat(s.Output(rec.Trial, kind+"all")); err == nil {
			kinds = []string{kind + "all"} // what these print is in there, too
		}
	}
	return s.readOutputs(rec.Trial, kinds...)
}

// readOutputs joins outputs of a trial, of each the first and the last outputBytes; ok is false
// if none of them is there.
func (s *Session) readOutputs(trial int, kinds ...string) (output []byte, ok bool) {
	for _, kind := range kinds {
		text, err := ends(s.Output(trial, kind))
		if err != nil {
			continue
		}
		if ok && len(output) > 0 && output[len(output)-1] != '\n' {
			output = append(output, '\n')
		}
		output, ok = append(output, text...), true
	}
	return output, ok
}

// ends reads the first and the last outputBytes of a file.
func ends(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 2*outputBytes))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || info.Size() <= 2*outputBytes {
		return text, err
	}
	tail, err := io.ReadAll(io.NewSectionReader(f, info.Size()-outputBytes, outputBytes))
	return append(append(text[:outputBytes:outputBytes], '\n'), tail...), err
}

// Learned returns what the unresolved trial of a configuration taught, as pairs
// of changes of s: the first requires the second. It is nil for every other
// configuration, and for one that was not tested with the present settings.
//
// The first time, read is given the trial's output, and what it returns is kept
// in the journal, by the ids of the changes; from then on, and in every process
// that resumes the session, the journal's word counts. So a resumed search
// learns what it learned before, at the same place. read must be a function of
// the set, the configuration and the output alone.
//
// Learned may be asked by several goroutines, but not twice at once for one
// configuration.
func (r *Runner) Learned(s *changes.Set, c isolate.Configuration, read func(output []byte) [][2]int) [][2]int {
	q, err := r.question(s, c, Search)
	if err != nil {
		return nil
	}
	rec, ok := r.finished(q)
	if ok {
		rec = r.asExpected(rec)
	}
	if !ok || rec.gaveUp() || isolate.Outcome(rec.Outcome) != isolate.Unresolved {
		return nil
	}
	r.mu.Lock()
	inference, known := r.memo.inferences[inferenceKey{q.key, q.round}]
	r.mu.Unlock()
	if known {
		return inference.pairs(s)
	}
	output, ok := r.output(rec)
	if !ok {
		return nil
	}
	inference = newInference(s, q, read(output))
	r.mu.Lock()
	r.memo.inferences[inferenceKey{q.key, q.round}] = inference
	r.mu.Unlock()
	// A journal that cannot be written to refuses the next trial: that ends the
	// search, with the reason.
	_ = r.session.appendInference(inference)
	return inference.pairs(s)
}

// keepOutput puts on the disk, before the record of an unresolved trial or of an end,
// what it printed: the search learns from that, and would take another way without it
// when it is resumed after the machine went down. Hardly anything depends on the output
// of any other trial.
func (s *Session) keepOutput(rec Record) error {
	if isolate.Outcome(rec.Outcome) != isolate.Unresolved && rec.Purpose != End {
		return nil
	}
	for _, kind := range outputKinds {
		f, err := os.OpenFile(s.Output(rec.Trial, kind), os.O_WRONLY, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = errors.Join(disk.SyncData(f), f.Close())
		}
		if err != nil {
			return disk.Wrap("keep the output of trial "+strconv.Itoa(rec.Trial), err)
		}
	}
	return disk.SyncDir(filepath.Join(s.dir, trialsDir))
}

// A inferenceKey is what an inference answers: an output says more of finer changes.
type inferenceKey struct {
	memoKey
	set int
}

// newInference names pairs of changes by their ids.
func newInference(s *changes.Set, q question, pairs [][2]int) inference {
	l := inference{Tree: q.tree.ID, Key: q.key.settings, Set: q.round, Requires: [][2]string{}}
	for _, p := range pairs {
		if min(p[0], p[1]) >= 0 && max(p[0], p[1]) < s.Len() && p[0] != p[1] {
			l.Requires = append(l.Requires, [2]string{s.Changes[p[0]].ID, s.Changes[p[1]].ID})
		}
	}
	return l
}

// pairs finds the changes of an inference in a set.
func (l *inference) pairs(s *changes.Set) (list [][2]int) {
	at := make(map[string]int, 2*len(l.Requires))
	for _, r := range l.Requires {
		at[r[0]], at[r[1]] = -1, -1
	}
	if len(at) == 0 {
		return nil
	}
	for i := range s.Changes {
		if _, wanted := at[s.Changes[i].ID]; wanted {
			at[s.Changes[i].ID] = i
		}
	}
	for _, r := range l.Requires {
		if i, j := at[r[0]], at[r[1]]; i >= 0 && j >= 0 {
			list = append(list, [2]int{i, j})
		}
	}
	return list
}
