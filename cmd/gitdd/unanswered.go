package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
)

// unanswered writes the JSON result of a search that ended without one, with the
// error as its reason: a CI job finds a result of this run, and not of the last
// one, at every end but that of a wrong command line. It returns the exit status.
func (a *app) unanswered(cmd *cobra.Command, err error, status int) int {
	if !searches[cmd.Name()] || a.answered {
		return status
	}
	flag := cmd.Flags().Lookup("json")
	if flag == nil || flag.Value.String() == "" {
		return status
	}
	if cmd.Name() == reductionName || a.session != nil && isReduction(a.session.Header()) {
		return a.unreduced(cmd, err, status, flag.Value.String())
	}
	result := report.Result{Schema: report.Schema, Reason: fmt.Sprint(err), Direction: report.Break}
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		result.Command = cmd.Flags().Args()[dash:]
	}
	switch status {
	case exitNothing:
		result.Status = report.NotIsolated
	case exitTrouble:
		result.Status = report.Failed
	case exitInterrupted:
		result.Status, result.Reason = report.Interrupted, "by a signal"
	default:
		return status
	}
	text := func(name string) string {
		if f := cmd.Flags().Lookup(name); f != nil {
			return f.Value.String()
		}
		return ""
	}
	result.Good.Rev, result.Bad.Rev = text("good"), text("bad")
	result.Algorithm, result.Goal = text("algorithm"), text("goal")
	a.tell(&result)
	if err := a.writeTo(nil, flag.Value.String(), func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
		a.complain(err)
		return exitTrouble
	}
	return status
}

// searches are the commands whose --json is a result.
var searches = map[string]bool{"run": true, "bisect": true, "resume": true, "demo": true, reductionName: true}

// tell fills in what the session knows of an unanswered search.
func (a *app) tell(result *report.Result) {
	if a.session == nil {
		return
	}
	header := a.session.Header()
	result.Command = header.Command
	result.Good = report.Revision{Rev: header.Good.Rev, Commit: string(header.Good.Commit), Tree: string(header.Good.Tree)}
	result.Bad = report.Revision{Rev: header.Bad.Rev, Commit: string(header.Bad.Commit), Tree: string(header.Bad.Tree)}
	if _, err := os.Stat(a.session.Dir()); err == nil { // else there is nothing to resume
		result.Session = a.session.Name()
	}
	for _, r := range a.session.Records() {
		result.Trials.Run++
		switch isolate.Outcome(r.Outcome) {
		case isolate.Pass:
			result.Trials.Pass++
		case isolate.Fail:
			result.Trials.Fail++
		default:
			result.Trials.Unresolved++
		}
	}
}

// unreduced is unanswered for a reduction.
func (a *app) unreduced(cmd *cobra.Command, err error, status int, name string) int {
	result := report.Reduction{Schema: report.ReductionSchema, Reason: fmt.Sprint(err)}
	switch status {
	case exitNothing:
		result.Status = report.NotReduced
	case exitTrouble:
		result.Status = report.Failed
	case exitInterrupted:
		result.Status, result.Reason = report.Interrupted, "by a signal"
	default:
		return status
	}
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		result.Input.Paths, result.Command = cmd.Flags().Args()[:dash], cmd.Flags().Args()[dash:]
	}
	if a.session != nil {
		if s, err := reducingOf(a.session.Header()); err == nil {
			result.Input.Paths, result.Command, result.Algorithm = s.paths, s.command, s.algorithm
		}
		var known report.Result
		a.tell(&known)
		result.Session, result.Trials = known.Session, known.Trials
	}
	if err := a.writeTo(nil, name, func(w io.Writer) error { return report.ReductionJSON(w, result) }); err != nil {
		a.complain(err)
		return exitTrouble
	}
	return status
}
