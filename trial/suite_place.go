package trial

import (
	"context"
	"errors"
	"os"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/process"
	"github.com/gitdd/gitdd/isolate"
)

// A testPlace is the place of a Runner of one test: what it tries is a trial of the suite.
type testPlace struct {
	nowhere
	one, all *Runner
	test     string
}

func (p *testPlace) try(ctx context.Context, _ *worker, q question, rec *Record) error {
	of, err := p.perform(ctx, q, rec)
	if err != nil {
		return err
	}
	rec.Suite = of.Trial
	rec.Cold, rec.Cleaned, rec.Memory, rec.Cut = of.Cold, of.Cleaned, of.Memory, of.Cut
	rec.Seconds, rec.BuildSeconds = of.Seconds, of.BuildSeconds
	if !of.Built {
		rec.Built, rec.Outcome, rec.Reason = false, of.Outcome, of.Reason
		rec.Exit, rec.Signal, rec.TimedOut, rec.Limit, rec.Over, rec.Missing = of.Exit, of.Signal, of.TimedOut, of.Limit, of.Over, of.Missing
		rec.First, rec.Last = of.First, of.Last
		return p.write(rec, "build.out", p.printed(of))
	}
	if of.gaveUp() { // a search that is resumed asks again
		rec.Outcome, rec.Reason, rec.Remote = of.Outcome, of.Reason, of.Remote
		return nil
	}
	report, err := p.all.Tests(of.Trial)
	if err != nil {
		return err
	}
	test := report.Find(p.test)
	x := process.Exit{Started: true}
	text := []byte(test.Message)
	switch test.Outcome {
	case isolate.Fail:
		x.Code = 1
	case isolate.Unresolved:
		x.Code = exitUnresolved
		if text = []byte(report.Build); len(text) == 0 {
			text = p.printed(of)
		}
	}
	if err := p.write(rec, "out", text); err != nil {
		return err
	}
	output := process.Command{Stdout: p.one.session.Output(rec.Trial, "out"), Stderr: p.one.session.Output(rec.Trial, "err")}
	rec.enter(x, output)
	rules := p.one.rules()
	j, err := rules.judge(x, output.Stdout)
	rec.judged(j, rules)
	switch {
	case test.Outcome == isolate.Fail && j.outcome == isolate.Fail:
		rec.Reason = "it fails"
	case test.Outcome == isolate.Pass:
		rec.Reason = "it passes"
	case test.Outcome == isolate.Unresolved && test.Name == "":
		rec.Reason = "it is not in the report"
		if report.Incomplete != "" {
			rec.Reason += ": " + report.Incomplete
		}
	case test.Outcome == isolate.Unresolved:
		rec.Reason = "it was skipped, or did not come to its end"
	}
	p.one.compareNew(rec)
	return err
}

// perform returns the record of the trial of the suite that answers q.
func (p *testPlace) perform(ctx context.Context, q question, rec *Record) (Record, error) {
	if p.one.cleans() {
		p.all.distrust()
	}
	p.all.mu.Lock()
	same := question{
		set: q.set, round: p.all.round(q.set), config: q.config, commit: q.commit, tree: q.tree,
		purpose: q.purpose, key: memoKey{tree: q.key.tree, settings: p.all.key},
	}
	p.all.mu.Unlock()
	if q.purpose != Confirm {
		if !p.all.mayRun(same.key, rec.Attempt) {
			return Record{}, isolate.ErrBudget
		}
		of, _, err := p.all.attempted(ctx, same, rec.Attempt, p.all.shared)
		return of, err
	}
	before := rec.Attempt - 1 // with a sequential test, whose attempts are numbered through
	if p.one.sequential == nil {
		p.one.mu.Lock()
		before = len(p.one.memo.confirms[q.key])
		p.one.mu.Unlock()
	}
	return p.all.confirmation(ctx, same, rec.Attempt, before)
}

// Distrusted reports whether each trial begins in a clean workspace since Distrust said so.
func (r *Runner) Distrusted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.key != r.firstKey
}

// Stop lets no Runner that ForTest has made run a trial of r any more: what is not known is isolate.ErrBudget.
func (r *Runner) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.halted = true
}

// mayRun reports whether Stop and Options.MaxTrials leave a trial for an attempt, or it needs none.
func (r *Runner) mayRun(key memoKey, attempt int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.halted && (r.opts.MaxTrials == 0 || r.memo.stats.Run+len(r.memo.inFlight) < r.opts.MaxTrials) {
		return true
	}
	_, known := r.memo.attempt(key, attempt)
	return known || r.memo.inFlight[callKey{key, attempt}] != nil
}

// distrust makes the workspace as new before each trial from now on, as Distrust does, and keeps the limits of time.
func (r *Runner) distrust() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clean, r.key = true, r.cleanKey
}

// confirmation returns the record of a trial that confirms q, in a fresh or a cleaned workspace, after the
// first `before` ones.
func (r *Runner) confirmation(ctx context.Context, q question, attempt, before int) (Record, error) {
	r.confirming.Lock()
	defer r.confirming.Unlock()
	r.mu.Lock()
	recs := r.memo.confirms[q.key]
	r.mu.Unlock()
	if before < len(recs) {
		return recs[before], nil
	}
	if !r.mayRun(memoKey{}, 0) {
		return Record{}, isolate.ErrBudget
	}
	q.cleaned = before == 0 && r.confirmsCleaned(q, isolate.Unresolved)
	w, err := r.take(ctx, q)
	if err != nil {
		return Record{}, err
	}
	defer r.release(w)
	space, leave, err := r.confirmSpace(ctx, w, q)
	if err != nil {
		return Record{}, err
	}
	rec, err := r.trial(ctx, w, space, q, attempt)
	if err = errors.Join(err, leave()); err != nil {
		return Record{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memo.confirms[q.key] = append(r.memo.confirms[q.key], rec)
	return rec, nil
}

// printed is what a trial of the suite printed.
func (p *testPlace) printed(of Record) []byte {
	text, _ := p.all.session.Printed(of)
	return text
}

// write makes a text an output of a trial of one test.
func (p *testPlace) write(rec *Record, kind string, text []byte) error {
	if err := os.WriteFile(p.one.session.Output(rec.Trial, kind), text, 0o666); err != nil {
		return disk.Wrap("keep what is said of a test", err)
	}
	return nil
}
