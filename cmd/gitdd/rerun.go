package main

import (
	"context"

	"github.com/gitdd/gitdd/isolate"
)

// mostReruns is how many trials are waited for again that hang after all.
const mostReruns = 3

// rerun tests again what leaves members of a cause unproven, with the full limit, if it was
// ended by a shortened one. It reports whether one of them was decided: then the answer may
// be a smaller one, and the search is to be run again. Where the first few hang again, it
// is taken for granted that the others do: else a cause of many members that hangs without
// any of them would cost as many full limits.
func (w *narrowing) rerun(ctx context.Context, a *answer) (decided bool, err error) {
	hanging := 0
	for _, c := range a.result.Undecided {
		if hanging == mostReruns || w.exhausted(a.trials) {
			return false, nil
		}
		v, ran, err := w.runner.Rerun(ctx, a.set, c)
		if err != nil {
			return false, err
		}
		if !ran {
			continue
		}
		w.spent++
		if v.Outcome != isolate.Unresolved {
			w.view.note("that took longer than the limit it had before; searching again with its outcome")
			return true, nil
		}
		hanging++
	}
	return false, nil
}
