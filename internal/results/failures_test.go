package results

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func TestOtherwise(t *testing.T) {
	record := func(number int, p trial.Purpose, o isolate.Outcome, exit int, last string) trial.Record {
		return trial.Record{Trial: number, Purpose: p, Outcome: trial.Outcome(o), Exit: exit, Last: last, Key: "k"}
	}
	good := record(1, trial.End, isolate.Pass, 0, "ok")
	bad := record(2, trial.End, isolate.Fail, 1, "FAIL 12 tests in 0.31s at 0xc0ffee01")
	again := record(3, trial.Search, isolate.Fail, 1, "FAIL 9 tests in 1.05s at 0xdeadbeef")
	otherExit := record(5, trial.Search, isolate.Fail, 2, bad.Last)
	otherLine := record(4, trial.Confirm, isolate.Fail, 1, "attempt to call a nil value\x1b[2J")
	silent := record(6, trial.Search, isolate.Fail, 1, "")
	killed := record(7, trial.Search, isolate.Fail, 139, bad.Last)
	killed.Signal = "segmentation fault"
	hung := record(8, trial.Search, isolate.Fail, 1, bad.Last)
	hung.TimedOut = true
	older := record(9, trial.Search, isolate.Fail, 3, "")
	older.Key = "other settings"
	unresolved := record(10, trial.Search, isolate.Unresolved, 2, "does not build")
	confirmed := record(11, trial.Confirm, isolate.Fail, 2, "no end")
	const vary = ", and what the failing end prints differs from run to run: if that is another failure, --match or --same-output tells them apart"
	const none = "what the failing end prints differs from run to run, so failures are told apart by the exit status alone: --match or --same-output tells more of them apart"
	tests := []struct {
		name    string
		records []trial.Record
		want    string
		answer  bool
	}{
		{"none", nil, none, false},
		{"no failing end", []trial.Record{good, otherExit}, none, false},
		{"the same status", []trial.Record{good, bad, again, otherLine, silent, unresolved, older}, none, false},
		{"another status", []trial.Record{good, bad, again, otherExit},
			`1 of 2 failing trials had another exit status than the failing end, as trial 5 (exit 2, "FAIL 12 tests in 0.31s at 0xc0ffee01")` + vary, false},
		{"the first of several", []trial.Record{good, bad, killed, otherExit, otherLine},
			`2 of 3 failing trials had another exit status than the failing end, as trial 5 (exit 2, "FAIL 12 tests in 0.31s at 0xc0ffee01")` + vary, false},
		{"the answer", []trial.Record{good, bad, again, confirmed}, `1 of 2 failing trials had another exit status than the failing end, as trial 11 (exit 2, "no end")` + vary, true},
		{"killed", []trial.Record{bad, killed}, `1 of 1 failing trial had another exit status than the failing end, as trial 7 (segmentation fault, "FAIL 12 tests in 0.31s at 0xc0ffee01")` + vary, false},
		{"hung", []trial.Record{bad, hung}, `1 of 1 failing trial had another exit status than the failing end, as trial 8 (no end in time, "FAIL 12 tests in 0.31s at 0xc0ffee01")` + vary, false},
	}
	for _, tt := range tests {
		var end *trial.Record
		if slices.ContainsFunc(tt.records, func(r trial.Record) bool { return r.Trial == bad.Trial }) {
			end = &bad
		}
		got := OtherExitsOf(tt.records, end)
		if got.String() != tt.want || got.answer != tt.answer {
			t.Errorf("%s:\ngot  %v %s\nwant %v %s", tt.name, got.answer, got, tt.answer, tt.want)
		}
	}
}

func TestOtherFailures(t *testing.T) {
	record := func(number int, p trial.Purpose, o isolate.Outcome, key string) trial.Record {
		return trial.Record{Trial: number, Purpose: p, Outcome: trial.Outcome(o), Key: key, Reason: fmt.Sprint("reason ", number), Last: fmt.Sprint("line ", number)}
	}
	end := record(2, trial.End, isolate.Fail, "k")
	other := func(number int, key string) trial.Record {
		r := record(number, trial.Search, isolate.Unresolved, key)
		r.Other = true
		return r
	}
	unbuilt := record(3, trial.Search, isolate.Unresolved, "k")
	got := otherFailures([]trial.Record{record(1, trial.End, isolate.Pass, "k"), end, unbuilt, other(6, "k"), other(5, "k"), other(4, "older")}, &end)
	want := report.OtherFailures{Trials: 2, First: 5, Reason: "reason 5", Line: "line 5"}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := otherFailures([]trial.Record{other(6, "k")}, nil); got.Trials != 0 {
		t.Errorf("without a failing end: %+v", got)
	}
}

func TestFailingEnd(t *testing.T) {
	record := func(number int, o isolate.Outcome) trial.Record {
		return trial.Record{Trial: number, Purpose: trial.End, Outcome: trial.Outcome(o)}
	}
	// Both ends are flaky.
	records := []trial.Record{record(1, isolate.Pass), record(2, isolate.Pass), record(3, isolate.Fail), record(4, isolate.Fail), record(5, isolate.Fail)}
	pass, fail := trial.Verdict{Outcome: isolate.Pass, Trial: 1}, trial.Verdict{Outcome: isolate.Fail, Trial: 4}
	tests := []struct {
		name string
		ends trial.Ends
		want int
	}{
		{"break", trial.Ends{Good: pass, Bad: fail}, 4},
		{"fix", trial.Ends{Good: fail, Bad: pass, Direction: trial.Fix}, 4},
		{"equal", trial.Ends{Good: fail, Bad: fail}, 0},
		{"not tested", trial.Ends{Good: pass}, 0},
	}
	for _, tt := range tests {
		got := 0
		if r := FailingEnd(records, tt.ends); r != nil {
			got = r.Trial
		}
		if got != tt.want {
			t.Errorf("%s: trial %d, want %d", tt.name, got, tt.want)
		}
	}
}
