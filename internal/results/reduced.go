package results

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/gitdd/gitdd/internal/outfile"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// A Reduced is what a reduction has found, as far as it went.
type Reduced struct {
	reduction.Found
	Written bool // the output went where answers go
	Varies  bool // what the input prints when it fails differs from run to run
	Stats   trial.Stats
	Flaky   trial.Flakiness
}

// addDifference enters the difference that was found into a result.
func addDifference(ctx context.Context, r *report.Reduction, t *settings.Task, found Reduced) error {
	d := found.Difference
	if d == nil || found.Withheld != "" {
		return nil
	}
	r.Shown, r.Curve, r.Format = nil, nil, t.Format
	i := &report.Isolation{
		Passing: content(t.PassingInput), Units: d.Units, Total: d.Total, Differences: d.Left,
		NearPassing: outfile.Shown(t.Out.Passing.Name()), NearFailing: outfile.Shown(t.Out.Failing.Name()),
	}
	i.Passing.Paths = []string{t.Passing}
	r.Output.Paths = []string{i.NearFailing}
	r.Isolation = i
	var diff []byte
	var err error
	if d.Failing.Dir {
		diff, err = reduction.Patch(context.WithoutCancel(ctx), d.Passing, d.Failing)
	} else {
		diff, err = reduction.UnifiedDiff(context.WithoutCancel(ctx), d.Passing.Files[0].Content, d.Failing.Files[0].Content, i.NearPassing, i.NearFailing)
	}
	if err != nil {
		return err
	}
	i.SetDiff(diff)
	return nil
}

// addRegression says in a result which revisions were compared, and which command
// finds the changes between them.
func addRegression(r *report.Reduction, t *settings.Task, found Reduced) error {
	if t.Both.Repo == nil {
		return nil
	}
	r.Regression = &report.Regression{Good: Revision(t.Both.Good), Bad: Revision(t.Both.Bad), Build: t.Build}
	if !found.Failed || found.Withheld != "" || r.Status == report.NotReduced {
		return nil
	}
	name, err := answer(t, found.Result.Output)
	r.Regression.Next = t.RunLine(name, found.Result.Output.Dir)
	return err
}

// answerDir is where a session keeps the output by its own name, which the command
// may go by.
const answerDir = "answer"

// answer is where a command finds the output by the name of the input, or by one of
// the same kind.
func answer(t *settings.Task, in testcase.Input) (string, error) {
	out := t.Out.Failing
	written := out.Written()
	if len(in.Files) == 0 || written && (in.Dir || filepath.Ext(out.Name()) == filepath.Ext(in.Files[0].Path)) {
		return out.Name(), nil
	}
	dir := filepath.Join(t.Session.Dir(), answerDir)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := in.CreateBelow(dir); err != nil {
		return "", err
	}
	if len(t.Paths) > 1 {
		return dir, nil
	}
	top, _, _ := strings.Cut(in.Files[0].Path, "/")
	return filepath.Join(dir, top), nil
}
