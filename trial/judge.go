package trial

import (
	"context"
	"os"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
)

// A Request is what Options.Judge is asked for: the outcome of one configuration.
type Request struct {
	Trial   int                   // its number, if it gets a judgement
	Purpose Purpose               // of the trial
	Set     *changes.Set          // that Config and Tree are of; of a commit, all that it changes from good
	Config  isolate.Configuration // of the changes of Set, or of a line of commits
	Commit  git.ID                // whose tree it is; "" for a configuration of changes
	Tree    *changes.Tree         // what the configuration has, composed
}

// A Judgement is an outcome that no command gave, and the reason for it in words.
type Judgement struct {
	Outcome isolate.Outcome
	Reason  string
	Output  string // read like the output of a command: of what is unresolved it may say what is missing
}

// byHand is the Record.Key of judgements.
const byHand = "by hand"

// Judged reports whether the outcome was given by Options.Judge, and not by the command.
func (rec Record) Judged() bool { return rec.Key == byHand }

// remembers reports whether a pool with these settings and this key takes up the outcome of a record. With Options.ByHand
// it does so whoever gave the outcome, but a command tests the two ends itself, so that it is known to tell them apart.
func (o Options) remembers(key string, rec Record) bool {
	return !o.ByHand || o.Judge != nil || rec.Purpose != End || rec.Key == key
}

// A judgedPlace is the place of a Runner with Options.Judge. Nothing lies there and nothing runs there.
type judgedPlace struct {
	nowhere
	r *Runner
}

func (p judgedPlace) try(ctx context.Context, _ *worker, q question, rec *Record) error {
	j, err := p.r.opts.Judge(ctx, Request{rec.Trial, q.purpose, q.set, q.config, q.commit, q.tree})
	if err != nil {
		return err
	}
	// A search goes another way if there is no output at all.
	if err := os.WriteFile(p.r.session.Output(rec.Trial, "out"), []byte(j.Output), 0o666); err != nil {
		return disk.Wrap("keep a judgement", err)
	}
	rec.Outcome, rec.Reason = Outcome(j.Outcome), j.Reason
	switch j.Outcome {
	case isolate.Fail:
		rec.Exit = 1
	case isolate.Unresolved:
		rec.Exit = exitUnresolved
	}
	return nil
}
