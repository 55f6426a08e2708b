package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
)

// Where a number tells the outcome, each form says so in place of pass and fail.
func TestMeasuredForms(t *testing.T) {
	r := measuredExact()
	value := func(v float64) *float64 { return &v }
	s := report.Story{
		Trials: []report.Trial{
			{Number: 1, Purpose: "end", Stage: -1, Tree: r.Good.Tree, Outcome: "pass", Value: value(312_400)},
			{Number: 2, Purpose: "end", Stage: -1, Tree: r.Bad.Tree, Outcome: "pass", Value: value(406_120)},
			{Number: 3, Purpose: "search", Stage: -1, Tree: "ee", Outcome: "pass", Value: value(312_404)},
			{Number: 4, Purpose: "confirm", Stage: -1, Tree: r.Failing.Tree, Outcome: "pass", Value: value(406_121)},
			{Number: 5, Purpose: "search", Stage: -1, Tree: "ff", Outcome: "unresolved"},
		},
		Needed: []report.Needed{{Change: r.Cause[0].ID, Trials: []int{3}}},
	}
	var text bytes.Buffer
	if err := report.SARIF(&text, r, s); err != nil {
		t.Fatal(err)
	}
	if err := report.HTML(&text, r, s); err != nil {
		t.Fatal(err)
	}
	if err := report.Markdown(&text, r); err != nil {
		t.Fatal(err)
	}
	text.WriteString(annotations(t, r))
	text.WriteString(report.CommitMessage(r, report.Message{Revert: true, Onto: "HEAD", Tested: "pass", Version: "1", Command: "gitdd run"}))
	for _, want := range []string{
		"makes `make test` make 406.1 kB instead of 312.4 kB", // SARIF, annotations
		"Without it trial 3 has at most 359.3 kB.",
		"<i>406.1 kB</i>", // the row of a trial
		"The difference comes from 1 of 5 changes in commit 3f2a91c7e: +30 %",
		"14 trials, 1 of them unresolved", "the tree of this commit itself was measured",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("nothing says %q", want)
		}
	}
	for _, wrong := range []string{"`make test` fail", "make test passes", "13 pass", "The failure"} {
		if strings.Contains(text.String(), wrong) {
			t.Errorf("something says %q", wrong)
		}
	}
	page := html(t, r, s)
	for number, outcome := range map[string]string{"1": "pass", "2": "fail", "3": "pass", "4": "fail", "5": "unresolved"} {
		_, row, _ := strings.Cut(page, `<tr id="trial-`+number+`">`)
		row, _, _ = strings.Cut(row, "</tr>")
		if !strings.Contains(row, `<span class="word">`+outcome+`</span>`) {
			t.Errorf("trial %s is not shown as %s: %s", number, outcome, row)
		}
	}
}

// The good side of a further cause has the number of the bad side of the first one.
func TestMeasuredOutcomesOfFurtherCauses(t *testing.T) {
	r := measuredSteps()
	r.Further[0].Passing.Tree, r.Further[0].Failing.Tree = "xx", "yy"
	v := 1.291
	page := html(t, r, report.Story{Trials: []report.Trial{{Number: 1, Purpose: "confirm", Stage: -1, Tree: "xx", Outcome: "pass", Value: &v}}})
	if _, row, _ := strings.Cut(page, `<tr id="trial-1">`); !strings.Contains(row[:min(len(row), 400)], `<span class="word">pass</span>`) {
		t.Error("the passing end of the second cause is shown as a failure")
	}
}
