package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/isolate"
)

// A trialRow is a line of the table of trials.
type trialRow struct {
	Number, Attempt int
	Pass, Size      string
	Outcome, Word   string
	Best            bool // it made the input smaller
	Reason, Time    string
}

// calledOutcome is what an outcome of a trial is called.
func calledOutcome(outcome string, interesting bool) string {
	for _, o := range []isolate.Outcome{isolate.Pass, isolate.Fail} {
		if outcome == o.String() {
			return o.Word(interesting)
		}
	}
	return outcome
}

// pageTrials is how many trials the table has, at most.
const pageTrials = 1000

// trialRows are the trials: all, or if they are too many those that made the input
// smaller, the ends, and what failed otherwise.
func trialRows(r *Reduction, s *Story) (rows []trialRow, note string) {
	smaller := map[int]bool{}
	for _, p := range pointsOf(r, s) {
		smaller[p.Trial] = p.Trial > 0
	}
	some := len(s.Trials) > pageTrials
	for i := range s.Trials {
		t := &s.Trials[i]
		if len(rows) == pageTrials {
			break
		}
		if some && t.Purpose == "search" && !smaller[t.Number] && !t.Other {
			continue
		}
		row := trialRow{
			Number: t.Number, Attempt: t.Attempt, Pass: prose.Printable(t.Pass), Size: prose.Number(t.Applied), Outcome: t.Outcome, Word: calledOutcome(t.Outcome, r.Interesting),
			Best: smaller[t.Number], Reason: (&prose.Line{}).Add(prose.Plain, t.Reason).Cut(200).Render(false), Time: strconv.FormatFloat(t.Seconds+t.BuildSeconds, 'f', 2, 64),
		}
		switch {
		case t.Purpose == "end":
			row.Pass = "the input"
		case t.Purpose == "confirm":
			row.Pass = "once more"
		case t.Purpose == "again":
			row.Pass = "to be sure"
		}
		rows = append(rows, row)
	}
	if left := len(s.Trials) - len(rows); left > 0 {
		note = prose.Count(left, "more trial") + " " + verb(left, "is", "are") + " not shown; gitdd log has all."
	}
	return rows, note
}

// An otherFailure is a way to fail that is not the one of the input.
type otherFailure struct {
	Reason string
	Trials string
	Log    string // the command that shows the first of them
	Text   string // what it printed
}

// otherFailures are the failures of another kind, by how they ended, the most frequent
// first.
func otherFailures(r *Reduction, s *Story) (list []otherFailure, note string) {
	const most = 8
	type kind struct {
		reason string
		n      int
		first  *Trial
	}
	var kinds []*kind
	for i := range s.Trials {
		t := &s.Trials[i]
		if !t.Other {
			continue
		}
		k := slices.IndexFunc(kinds, func(k *kind) bool { return k.reason == t.Reason })
		if k < 0 {
			k = len(kinds)
			kinds = append(kinds, &kind{reason: t.Reason, first: t})
		}
		kinds[k].n++
	}
	slices.SortStableFunc(kinds, func(a, b *kind) int { return b.n - a.n })
	for _, k := range kinds[:min(len(kinds), most)] {
		f := otherFailure{Reason: (&prose.Line{}).Add(prose.Plain, k.reason).Cut(400).Render(false), Trials: prose.Count(k.n, "trial") + such(k.n, k.first.Number)}
		f.Text = printed(k.first.Diagnostics)
		f.Log = fmt.Sprintf("gitdd log --trial %d", k.first.Number)
		list = append(list, f)
	}
	if more := len(kinds) - len(list); more > 0 {
		note = "… " + prose.Count(more, "more kind")
	}
	if o := r.Others; len(list) == 0 && o.Trials > 0 { // of a session of an older version
		list = append(list, otherFailure{Reason: prose.Printable(o.Reason), Trials: prose.Count(o.Trials, "trial") + such(o.Trials, o.First), Text: printed(o.Line), Log: fmt.Sprintf("gitdd log --trial %d", o.First)})
	}
	return list, note
}

// such names one of n trials.
func such(n, first int) string {
	if n == 1 {
		return fmt.Sprintf(", %d", first)
	}
	return fmt.Sprintf(", such as %d", first)
}
