package search

import (
	"fmt"
	"math/bits"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// mostRejected is how many configurations a check may reject in a row before the search
// goes on without it, among n changes: 10 + 5 log2 n; 0 = there is no check. A search takes
// some log2 n trials. If for each of them five configurations have to be mended until one
// is worth a trial, that is much already, as squashed releases show (docs/squashed.md): a
// check that rejects as many before a single trial is wrong about mixtures, or leads
// nowhere.
func (w *searcher) mostRejected(n int) int {
	if w.trials.Check == "" {
		return 0
	}
	return 10 + 5*bits.Len(uint(n))
}

// checking is what a search has to know of the check, as long as that is run. rejected says
// whether it rejected a configuration.
func (w *searcher) checking(rejected func(isolate.Configuration) bool) *isolate.Precheck {
	if w.rejectable == 0 || w.Runner.CheckDropped() {
		return nil
	}
	return &isolate.Precheck{Rejected: rejected, Most: w.rejectable, Drop: func() {
		w.Runner.DropCheck()
		w.note(fmt.Sprintf("--check has rejected %s in a row: the search goes on without it", prose.Count(w.rejectable, "configuration")))
	}}
}
