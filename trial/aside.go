package trial

import (
	"fmt"

	"github.com/gitdd/gitdd/internal/failure"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// SetAside makes the failures so far of the trees for which of is true unresolved, since they are known to be another failure
// than that of the failing end. why says how that is known, and is a part of their reasons.
func (r *Runner) SetAside(of func(tree git.ID) bool, why string) error {
	for _, rec := range r.session.Records() {
		if rec.Purpose == End || isolate.Outcome(rec.Outcome) != isolate.Fail || !of(rec.Tree) {
			continue
		}
		rec.Outcome, rec.Other = Outcome(isolate.Unresolved), true
		said := "no output"
		if rec.Last != "" {
			said = prose.Quote(rec.Last)
		}
		rec.Reason = fmt.Sprintf("another failure: %s, %s; %s", rec.Reason, said, why)
		q := question{key: memoKey{tree: rec.Tree, settings: rec.Key}, purpose: rec.Purpose, round: rec.Set, commit: rec.Commit}
		if err := r.amend(q, rec); err != nil {
			return err
		}
	}
	return nil
}

// SaysAsFailingEnd reports whether the failed trials of a tree say the same as the failing end, which failure.Text.SaysAs tells. known is
// false if there is no such trial, if one of them prints nothing beyond what the passing end prints, or if failures are not compared
// with what the failing end prints.
func (r *Runner) SaysAsFailingEnd(tree git.ID) (alike, known bool) {
	ref, done := r.lockReference()
	defer done()
	if ref == nil || ref.messages {
		return false, false
	}
	for _, rec := range r.session.Records() {
		if rec.Tree != tree || rec.Key != ref.failing.Key || isolate.Outcome(rec.Outcome) != isolate.Fail {
			continue
		}
		r.differs(ref, rec) // it reads what the failing end says
		output, ok := r.session.Printed(rec)
		if !ok || !ref.read {
			return false, false
		}
		f := failure.TextOf(rec.Exit, output, ref.usual)
		if len(f.All) == 0 || len(ref.first.All) == 0 {
			return false, false
		}
		if known = true; f.SaysAs(ref.first) || ref.ranAgain && f.SaysAs(ref.second) {
			alike = true
		}
	}
	return alike, known
}
