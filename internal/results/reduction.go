package results

import (
	"bytes"
	"context"
	"io/fs"
	"time"

	"github.com/gitdd/gitdd/internal/hints"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// Reduction returns the result of a reduction that found this and ended with err. It has no status if there
// is nothing to report. The error is that of writing what the result is about.
func Reduction(ctx context.Context, t *settings.Task, found Reduced, err error) (report.Reduction, error) {
	r := soFar(t, found)
	if r.Status, r.Reason = t.Status(err, found.Withheld); r.Status == "" {
		return r, nil
	}
	if r.About = trial.About(err); found.About > 0 {
		r.About = []int{found.About}
	}
	varies := ""
	if found.Varies {
		varies = "what the command prints on the input differs from run to run" + byStatus
	}
	r.Hints = hints.OfReduction(&t.Reduction, t.Session, found.Found, varies, err)
	if err := addDifference(ctx, &r, t, found); err != nil {
		return r, err
	}
	return r, addRegression(&r, t, found)
}

// shownBytes is how much of a result's text the session keeps to show.
const shownBytes = 64 << 10

// soFar returns what a result says of a reduction beside how it ended.
func soFar(t *settings.Task, found Reduced) report.Reduction {
	output, stats := found.Result.Output, found.Stats
	r := report.Reduction{
		Schema:  report.ReductionSchema,
		Session: t.Session.Name(),
		Input:   content(t.Input),
		Output:  content(output),
		Minimal: found.Result.Minimal && found.Verified, Verified: found.Verified,
		Trials: report.Trials{
			Run: stats.Run, Cached: stats.Cached + found.Result.Cached,
			Pass: stats.Pass, Fail: stats.Fail, Unresolved: stats.Unresolved,
		},
		Seconds:   report.Seconds{Total: stats.Total.Round(time.Millisecond).Seconds(), Testing: stats.Testing.Round(time.Millisecond).Seconds()},
		Formats:   found.Result.Formats,
		Format:    mostly(output, found.Result.Formats),
		Algorithm: found.Result.Algorithm,
		Notes:     found.Result.Notes,
		Flaky:     flaky(found.Flaky, t.Confidence),
		Others:    otherInputs(t.Session.InOrder()),
	}
	r.Input.Paths = t.Paths
	r.Remote = t.Machines.Report(t.Session.InOrder())
	r.Jobs, r.Fast, r.Command, r.Interesting, r.SavedOthers = t.Jobs, t.Fast, t.Command, t.Interesting, t.SaveOther
	if found.Written {
		r.Output.Paths = t.Out.Failing.Names(output)
		if text, ok := onlyText(output); ok {
			r.Shown = report.NewExcerpt(t.Out.Failing.File(output.Files[0]), text, shownBytes)
		}
	}
	for _, p := range found.Curve {
		r.Curve = append(r.Curve, report.Point(p))
	}
	for _, p := range found.Result.Passes {
		r.Passes = append(r.Passes, report.Pass{Name: p.Name, Trials: p.Trials, Removed: p.Removed, Nodes: p.Nodes, Bits: p.Bits})
	}
	if t.IsGraph(t.Input) && r.Format == reduce.BTOR {
		r.Input.Nodes, r.Input.Bits = reduction.GraphSize(t.Input)
		r.Output.Nodes, r.Output.Bits = reduction.GraphSize(output)
	}
	if found.Failed {
		r.Failure = found.Original.Seen()
		r.Signature = found.Original.Signature
		if found.Verified && found.Answer.Trial > 0 {
			r.OutputFailure = found.Answer.Seen()
		}
	}
	if t.Confidence > 0 {
		if len(found.Settled.Risk) > 0 { // else it was not even begun
			r.Confidence = report.Probability(max(0, 1-found.Settled.Total))
		}
		r.Unjudged = found.Unjudged
	}
	return r
}

// mostly is the format of most of the bytes.
func mostly(in testcase.Input, formats []string) string {
	sizes := map[string]int{}
	best := ""
	for i, format := range formats {
		if i >= len(in.Files) || format == "" {
			continue
		}
		sizes[format] += 1 + len(in.Files[i].Content)
		if best == "" || sizes[format] > sizes[best] {
			best = format
		}
	}
	return best
}

// content measures an input.
func content(in testcase.Input) report.Content {
	c := report.Content{Files: len(in.Files), Bytes: in.Size()}
	for _, f := range in.Files {
		if f.Mode&fs.ModeSymlink != 0 {
			continue
		}
		c.Tokens += reduce.Tokens(f.Content)
		c.Lines += bytes.Count(f.Content, []byte("\n"))
		if n := len(f.Content); n > 0 && f.Content[n-1] != '\n' {
			c.Lines++
		}
	}
	return c
}

// onlyText returns the content of an input that is one file of text.
func onlyText(in testcase.Input) ([]byte, bool) {
	if len(in.Files) != 1 || in.Files[0].Mode&fs.ModeSymlink != 0 {
		return nil, false
	}
	text := in.Files[0].Content
	return text, len(text) > 0 && bytes.IndexByte(text, 0) < 0
}

// otherInputs counts the trials that failed otherwise than the input does.
func otherInputs(records []trial.Record) (o report.OtherFailures) {
	for _, r := range records {
		if !r.Other {
			continue
		}
		if o.Trials++; o.Trials == 1 {
			o.First, o.Reason, o.Line = r.Trial, r.Reason, r.Last
		}
	}
	return o
}
