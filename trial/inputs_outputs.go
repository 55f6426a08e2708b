package trial

import (
	"errors"
	"io/fs"
	"os"

	"github.com/gitdd/gitdd/internal/disk"
)

// A reduction has thousands of trials, and many print a lot. So only the outputs of
// the last ones are kept, as many as fit into a budget, and those of the original
// and of answers that were confirmed.

const (
	// outputBudget is what they take at most, in bytes.
	outputBudget = 256 << 20
	// leastOutput is what the outputs of a trial count at least: two files.
	leastOutput = 8 << 10
)

// An outputHistory are the outputs that may go, the oldest first.
type outputHistory struct {
	budget int64
	trials []finished
	size   int64
}

type finished struct {
	trial int
	size  int64
}

// outdated takes the outputs of a trial up, and returns the trials whose outputs
// have to go for that.
func (h *outputHistory) outdated(trial int, size int64) (gone []int) {
	h.trials = append(h.trials, finished{trial, size + leastOutput})
	h.size += size + leastOutput
	for h.size > h.budget && len(h.trials) > 1 {
		gone = append(gone, h.trials[0].trial)
		h.size -= h.trials[0].size
		h.trials = h.trials[1:]
	}
	return gone
}

// limitOutputs removes outputs after a trial of an input, so that all of them stay
// within the budget.
func (r *pool) limitOutputs(rec Record) error {
	if rec.Purpose == End || rec.Purpose == Confirm {
		return nil
	}
	here := r.outputSize(rec.Trial)
	r.mu.Lock()
	gone := r.history.outdated(rec.Trial, here)
	r.mu.Unlock()
	for _, trial := range gone {
		there := r.outputSize(trial)
		for _, kind := range outputKinds {
			if err := os.Remove(r.session.Output(trial, kind)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return disk.Wrap("remove the output of an old trial", err)
			}
		}
		if r.opts.MaxDisk > 0 {
			r.mu.Lock()
			r.outputs -= there
			r.mu.Unlock()
		}
	}
	return nil
}
