package results

import (
	"bytes"
	"io/fs"
	"time"

	"github.com/gitdd/gitdd/reduce"
	"github.com/gitdd/gitdd/reduction"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/testcase"
	"github.com/gitdd/gitdd/trial"
)

// Reduction returns what a result says of a reduction of an input beside how it ended, as far as the
// reduction, its runner and its journal know it. isGraph says that the input is reduced as graphs. What
// depends on settings of the reduction is left to the caller.
func Reduction(session *trial.Session, input testcase.Input, isGraph bool, found reduction.Found, stats trial.Stats, flakiness trial.Flakiness, confidence float64) report.Reduction {
	output := found.Result.Output
	r := report.Reduction{
		Schema:  report.ReductionSchema,
		Session: session.Name(),
		Input:   Content(input),
		Output:  Content(output),
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
		Flaky:     flaky(flakiness, confidence),
		Others:    otherInputs(session.InOrder()),
	}
	for _, p := range found.Curve {
		r.Curve = append(r.Curve, report.Point(p))
	}
	for _, p := range found.Result.Passes {
		r.Passes = append(r.Passes, report.Pass{Name: p.Name, Trials: p.Trials, Removed: p.Removed, Nodes: p.Nodes, Bits: p.Bits})
	}
	if isGraph && r.Format == reduce.BTOR {
		r.Input.Nodes, r.Input.Bits = reduction.GraphSize(input)
		r.Output.Nodes, r.Output.Bits = reduction.GraphSize(output)
	}
	if found.Failed {
		r.Failure = found.Original.Seen()
		r.Signature = found.Original.Signature
	}
	if confidence > 0 {
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

// Content measures an input.
func Content(in testcase.Input) report.Content {
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

// OnlyText returns the content of an input that is one file of text.
func OnlyText(in testcase.Input) ([]byte, bool) {
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
