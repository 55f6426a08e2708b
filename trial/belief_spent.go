package trial

import (
	"context"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// Step says that the path of a search has come by a configuration of s, and
// whether Options.MaxTrials are spent by now: the attempts at all that the paths
// have come by, and those of Ends, Settle and Confirm. What was run ahead is not
// among them, so that the search ends at the same place for any number of jobs.
// Without Options.Confidence nothing is spent here: isolate counts.
func (r *Runner) Step(s *changes.Set, c isolate.Configuration) (spent bool) { return r.step(s, c) }

// StepCommits is Step for a configuration of a line of commits.
func (r *Runner) StepCommits(line []git.Commit, c isolate.Configuration) (spent bool) {
	return r.step(&line[0], c)
}

func (r *Runner) step(of any, c isolate.Configuration) (spent bool) {
	if r.sequential == nil || r.opts.MaxTrials == 0 {
		return false
	}
	r.mu.Lock()
	q, ok := r.names[asked{r.round(of), c}]
	r.mu.Unlock()
	if ok {
		r.come(q)
	}
	return r.spent() >= r.opts.MaxTrials
}

// come says that a path has come by a question.
func (r *pool) come(q question) {
	r.count(q)
	r.sequential.Note(q.name())
}

func (r *pool) count(q question) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counted[q.name()] = q.key
}

// An asked configuration, of a round.
type asked struct {
	round  int
	config isolate.Configuration
}

// spent is how many attempts were made at what is counted.
func (r *pool) spent() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	sum := 0
	for name, key := range r.counted {
		if !r.memo.rejected(key) {
			sum += r.sequential.Tally(name).Total()
		}
	}
	return sum
}

// allow lets limited samples make what Options.MaxTrials leaves.
func (r *pool) allow() { r.left.Store(int64(r.opts.MaxTrials - r.spent())) }

// limited gives isolate.ErrBudget when as many attempts were made as the last
// allow lets. A sequential test keeps the samples of the ends.
func (r *pool) limited(sample isolate.Sample) isolate.Sample {
	if r.opts.MaxTrials == 0 {
		return sample
	}
	return func(ctx context.Context, k int) (isolate.Outcome, error) {
		if r.left.Add(-1) < 0 {
			return isolate.Unresolved, isolate.ErrBudget
		}
		return sample(ctx, k)
	}
}

// ahead is how many attempts a sequential test may make at once: with a limit none that may
// turn out not to be needed.
func (r *pool) ahead() int {
	if r.opts.MaxTrials > 0 {
		return 1
	}
	return r.opts.Jobs
}
