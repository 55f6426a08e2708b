package search

import (
	"context"
	"fmt"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/trial"
)

// mostReruns is after how many repeated trials that hang again rerun stops.
const mostReruns = 2

// rerun tests configurations of a.Result.Undecided again, with the full time limit, if a
// shortened limit ended them. It reports whether one of them now passed or failed: then the
// answer may be smaller, and the caller runs the search again. After mostReruns of them
// that hang with the full limit too, rerun stops: otherwise a cause of many members, none
// of which can be left out without a hang, would cost as many full limits.
func (w *searcher) rerun(ctx context.Context, a *Answer) (decided bool, err error) {
	hanging := 0
	for _, c := range a.Result.Undecided {
		if hanging == mostReruns || w.exhausted(a.Trials) {
			return false, nil
		}
		v, ran, err := w.Runner.Rerun(ctx, a.Set, c)
		if err != nil {
			return false, err
		}
		if !ran {
			continue
		}
		w.spent++
		if v.Outcome != isolate.Unresolved {
			w.note(fmt.Sprintf("trial %d only takes longer than the limit that ended %s before: searching again with its outcome", v.Trial, Applied(c)))
			return true, nil
		}
		hanging++
	}
	return false, nil
}

// offPath is how many trials of a session are on no path: those of rerun, if it is resumed, and those of LookBack but
// for the two ends.
func offPath(records []trial.Record) (n int) {
	older := 0
	for _, r := range records {
		switch r.Purpose {
		case trial.Again:
			n++
		case trial.Older:
			older++
		}
	}
	return n + max(older-1, 0)
}
