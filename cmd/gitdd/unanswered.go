package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/internal/forms"
	"github.com/gitdd/gitdd/internal/results"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/report"
)

// unanswered writes the forms of a search that ended without an answer, with the
// error as its reason: a CI job finds a result of this run, and not of the last
// one, at every end but that of a wrong command line. It returns the exit status.
func (a *app) unanswered(cmd *cobra.Command, err error, status int) int {
	if !searches[cmd.Name()] || a.answered {
		return status
	}
	end, reason, ok := ended(err, status)
	if !ok {
		return status
	}
	format, fixed := a.eachOf(cmd)
	reduces := cmd.Name() == reductionName || a.session != nil && isReduction(a.session.Header())
	var f forms.Forms
	switch {
	case cmd.Name() == explanationName:
		f = a.unexplained(cmd, end, reason)
	case reduces:
		f = forms.OfReduction(a.unreduced(cmd, end, reason), a.toldSoFar)
	case format != "":
		f = forms.OfEach(resultsWithout(a.unsearched(cmd, end, reason), format, fixed), "", func(int) report.Story { return a.toldSoFar() })
	default:
		f = forms.Of(a.unsearched(cmd, end, reason), a.toldSoFar)
	}
	if events := cmd.Flags().Lookup("events"); events != nil && !reduces {
		var text bytes.Buffer
		if err := errors.Join(a.openEvents(events.Value.String()), f.JSON(&text)); err != nil {
			a.complain(err)
		} else {
			a.result = text.Bytes()
		}
	}
	for _, one := range []struct {
		flag  string
		write func(io.Writer) error
	}{{"json", f.JSON}, {"html", f.HTML}, {"sarif", f.SARIF}, {"junit", f.JUnit}, {"markdown", f.Markdown}} {
		flag := cmd.Flags().Lookup(one.flag)
		if flag == nil || flag.Value.String() == "" || one.write == nil {
			continue
		}
		if err := a.out(nil).File(flag.Value.String(), one.write); err != nil {
			a.complain(err)
			status = exitTrouble
		}
	}
	if flag := cmd.Flags().Lookup("quickfix"); flag != nil && flag.Value.String() != "" && f.Quickfix != nil {
		if err := a.out(nil).File(flag.Value.String(), func(w io.Writer) error { return f.Quickfix(w, nil) }); err != nil {
			a.complain(err)
			status = exitTrouble
		}
	}
	if flag := cmd.Flags().Lookup("annotations"); flag != nil && flag.Value.String() == "true" && f.Annotations != nil {
		if err := f.Annotations(a.stderr); err != nil {
			status = exitTrouble
		}
	}
	return status
}

// toldSoFar is the story of a search that ended without an answer.
func (a *app) toldSoFar() report.Story {
	if a.session == nil {
		return report.Story{Schema: report.StorySchema, Environment: report.Environment{Gitdd: released()}}
	}
	return trialsAlone(a.session)
}

// ended is the status of a search without a result, and the reason; ok is false at a
// wrong command line.
func ended(err error, status int) (end report.Status, reason string, ok bool) {
	switch status {
	case exitNothing:
		return report.NotIsolated, fmt.Sprint(err), true
	case exitTrouble:
		return report.Failed, fmt.Sprint(err), true
	case exitInterrupted:
		return report.Interrupted, "by a signal", true
	}
	return "", "", false
}

// unsearched is the result of a search among changes that has none.
func (a *app) unsearched(cmd *cobra.Command, end report.Status, reason string) report.Result {
	result := report.Result{Schema: report.Schema, Status: end, Reason: reason, Direction: report.Break}
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		result.Command = cmd.Flags().Args()[dash:]
	}
	text := func(name string) string {
		if f := cmd.Flags().Lookup(name); f != nil {
			return f.Value.String()
		}
		return ""
	}
	result.Good.Rev, result.Bad.Rev = cmp.Or(text("good-dir"), text("good")), cmp.Or(text("bad-dir"), text("bad"))
	result.Algorithm, result.Goal = text("algorithm"), text("goal")
	if a.session != nil {
		results.Unanswered(a.session, &result)
	}
	return result
}

// eachOf returns --each and --fixed of a search: "" if it was not to be for several tests of a suite.
func (a *app) eachOf(cmd *cobra.Command) (format string, fixed bool) {
	if a.session != nil && !isReduction(a.session.Header()) {
		s, err := settings.OfSearch(a.session.Header())
		if err != nil {
			return "", false
		}
		return s.Each, s.Fixed
	}
	if flag := cmd.Flags().Lookup("each"); flag != nil {
		format, fixed = flag.Value.String(), cmd.Flags().Lookup("fixed").Value.String() == "true"
	}
	return format, fixed
}

// resultsWithout are the results of a search for several tests that has none: what is known of it is in r.
func resultsWithout(r report.Result, format string, fixed bool) report.Results {
	return report.Results{
		Schema: report.ResultsSchema, Session: r.Session, Status: r.Status, Reason: r.Reason, Good: r.Good, Bad: r.Bad, Command: r.Command, Format: format, Fixed: fixed,
		Trials: r.Trials, Jobs: max(1, r.Jobs),
	}
}

// searches are the commands whose --json is a result.
var searches = map[string]bool{"run": true, "bisect": true, "resume": true, "go": true, "demo": true, reductionName: true, explanationName: true}

// unreduced is the result of a reduction that has none.
func (a *app) unreduced(cmd *cobra.Command, end report.Status, reason string) report.Reduction {
	result := report.Reduction{Schema: report.ReductionSchema, Status: end, Reason: reason}
	if passing := cmd.Flags().Lookup("passing"); end == report.NotIsolated && (passing == nil || passing.Value.String() == "") {
		result.Status = report.NotReduced
	}
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		result.Input.Paths, result.Command = cmd.Flags().Args()[:dash], cmd.Flags().Args()[dash:]
	}
	if a.session != nil {
		if s, err := settings.OfReduction(a.session.Header()); err == nil {
			result.Input.Paths, result.Command, result.Algorithm = s.Paths, s.Command, s.Algorithm
		}
		var known report.Result
		results.Unanswered(a.session, &known)
		result.Session, result.Trials = known.Session, known.Trials
	}
	return result
}

// unexplained are the forms of an explanation one of whose halves has no result.
func (a *app) unexplained(cmd *cobra.Command, end report.Status, reason string) forms.Forms {
	f := forms.OfReduction(a.unreduced(cmd, end, reason), a.toldSoFar)
	if a.reduced != nil {
		f = forms.Of(a.unsearched(cmd, end, reason), a.toldSoFar)
	}
	half := f.JSON
	f.JSON = func(w io.Writer) error {
		var text bytes.Buffer
		err := half(&text)
		if a.reduced == nil {
			return errors.Join(err, forms.WriteExplanation(w, text.Bytes(), nil))
		}
		return errors.Join(err, forms.WriteExplanation(w, a.reduced, text.Bytes()))
	}
	return f
}
