package trial

import (
	"slices"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// A check ([Options.Check]) is a command that is much quicker than a trial, such as a type
// check, and says whether a configuration is worth one. What it rejects is unresolved and
// has a record with a number, as a trial has, so that nothing is checked twice, and what
// the check printed is learned from; but it is no trial.
//
// Should a check reject one configuration after the other, it may be wrong about
// mixtures, or there may be nothing to find by it. Then the search drops it: from that
// point of its path on, trials are run without it. That is told by the path alone, so
// outcomes are the same for any number of jobs, and when a session is resumed.

// check is the line of shell that is run before a build now; "" = none.
func (r *pool) check() string {
	if r.dropped.Load() {
		return ""
	}
	return r.opts.Check
}

// Rejected reports whether the check rejected a configuration of s.
func (r *Runner) Rejected(s *changes.Set, c isolate.Configuration) bool {
	q, err := r.question(s, c, Search)
	return err == nil && r.rejected(q.key)
}

// RejectedCommit is Rejected for a configuration of a line of commits, as for Commits.
func (r *Runner) RejectedCommit(line []git.Commit, c isolate.Configuration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.memo.rejected(memoKey{tree: line[c.Len()].Tree, settings: r.key})
}

func (r *pool) rejected(key memoKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.memo.rejected(key)
}

// DropCheck has no check run any more, and forgets what was rejected. It must not be called
// while a test runs.
func (r *Runner) DropCheck() {
	r.dropped.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range r.memo.dropCheck() {
		if r.sequential != nil {
			q := question{key: key}
			r.sequential.Forget(q.name())
		}
	}
}

// CheckDropped reports whether DropCheck was called.
func (r *Runner) CheckDropped() bool { return r.dropped.Load() }

// rejected reports whether a check rejected the first attempt at a question.
func (m *memo) rejected(key memoKey) bool {
	rec, ok := m.attempt(key, 1)
	return ok && rec.Rejected
}

// dropCheck forgets what was rejected, and remembers instead what an earlier process found out
// about the same without a check. It returns the questions.
func (m *memo) dropCheck() (keys []memoKey) {
	for key, recs := range m.attempts {
		left := slices.DeleteFunc(slices.Clone(recs), func(rec Record) bool { return rec.Rejected })
		if len(left) == len(recs) {
			continue
		}
		keys = append(keys, key)
		m.attempts[key] = left
		delete(m.believed, key)
		for _, rec := range m.behind[key] {
			m.add(key, rec)
		}
	}
	clear(m.behind)
	return keys
}
