package reduction

import (
	"context"
	"sync"

	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// A budget ends a reduction when its trials are spent, with trial.Options.Confidence and MaxTrials: only
// the runner knows how many trials a question took, and only the path says which questions count. Without
// both of these options reduce.Options.MaxTrials is enough, and a budget does nothing.
type budget struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	runner *trial.Inputs // nil = the budget does nothing

	mu     sync.Mutex
	inputs map[string]testcase.Input // by digest: those that were asked about and that the path has not come to
}

func (w *reducer) newBudget(ctx context.Context) *budget {
	b := &budget{inputs: map[string]testcase.Input{}}
	b.ctx, b.cancel = context.WithCancelCause(ctx)
	if w.surely() && w.trials.MaxTrials > 0 {
		b.runner = w.Runner
	}
	return b
}

func (b *budget) asked(in testcase.Input) {
	if b.runner == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inputs[in.Digest()] = in
}

func (b *budget) step(s reduce.Step) {
	if b.runner == nil {
		return
	}
	b.mu.Lock()
	in, ok := b.inputs[s.Digest]
	delete(b.inputs, s.Digest)
	b.mu.Unlock()
	if ok && b.runner.Step(in) {
		b.cancel(errTrials)
	}
}
