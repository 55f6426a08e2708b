package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// What a page says in numbers, where a slip would not be seen.

func TestNeeding(t *testing.T) {
	shown := func(outcomes ...string) (list []shownTrial) {
		for i, o := range outcomes {
			list = append(list, shownTrial{Trial: 3 + i, Shows: "needed", Outcome: o})
		}
		return append(list, shownTrial{Trial: 9, Shows: "passing", Outcome: "pass"})
	}
	for _, c := range []struct {
		goal   string
		trials []shownTrial
		want   string
	}{
		{"", shown(), ""},
		{"", shown("pass"), "Without it trial 3 passes."},
		{"revert", shown("fail", "fail"), "With it trials 3 and 4 fail."},
		{"", shown("pass", "fail", "pass"), "Trials 3, 4 and 5 show that it is needed."},
	} {
		if got := needing(&Result{Goal: c.goal}, c.trials); got != c.want {
			t.Errorf("%q: %q, want %q", c.goal, got, c.want)
		}
	}
}

func TestBothSidesNumbers(t *testing.T) {
	var got []string
	for _, c := range bothSides([]string{" a", "-b", "+c", "+d", " e"}, 10, 20, nil) {
		got = append(got, c.Number)
	}
	if want := []string{"10", "20", "11", "21", "", "22", "12", "23"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestListingTakesOfTheRoom(t *testing.T) {
	left := 5
	for i, want := range []string{"", "… 1 more line", "… 3 more lines"} {
		if l := newListing("a", "1\n2\n3\n", 3, 6, &left); l.Note != want {
			t.Errorf("text %d: %q, want %q", i, l.Note, want)
		}
	}
}

// Of a fix the good end is the one that fails.
func TestFlakyOfAFix(t *testing.T) {
	for direction, want := range map[Direction][2]string{Break: {"1 %", "2 %"}, Fix: {"2 %", "1 %"}} {
		r := Result{Direction: direction, Flaky: Flaky{Wanted: 0.99, WrongFail: 0.01, WrongPass: 0.02, Good: Tries{Pass: 3}, Bad: Tries{Fail: 3}}}
		h := newHTMLFlaky(&r, func(int) bool { return false })
		if got := [2]string{h.Rows[0].Wrong, h.Rows[1].Wrong}; got != want {
			t.Errorf("%s: %q, want %q", direction, got, want)
		}
	}
}

// A step that clears nothing is told once, and what no step asked for is told, too.
func TestStagesTellEachTrialOnce(t *testing.T) {
	s := Story{
		Trials: []Trial{
			{Number: 1, Purpose: "end", Stage: -1, Tree: "a", Outcome: "pass"},
			{Number: 2, Purpose: "search", Tree: "b", Outcome: "pass"},
			{Number: 3, Purpose: "search", Tree: "c", Outcome: "fail"},
		},
		Stages: []Stage{{Of: "changes", Elements: 4, Steps: []Step{
			{Trial: 1, Outcome: "pass", Suspects: "0-3", Count: 4}, {Trial: 2, Outcome: "pass", Suspects: "1-2", Count: 2},
		}}},
	}
	var got []string
	for _, st := range newHTMLTrials(&Result{}, &s).stages() {
		for _, b := range st.Blocks {
			for _, r := range b.Rows {
				got = append(got, fmt.Sprint(st.ID, " ", r.Number, " ", strings.Join(r.Notes, ", ")))
			}
		}
	}
	if want := []string{"ends 1 ", "stage-1 2 ", "others 3 run ahead, and not needed"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRequirementBothWaysIsOneLine(t *testing.T) {
	a, b := Reference{ID: "a", Path: "a"}, Reference{ID: "b", Path: "b"}
	h := newHTMLRequires(&Result{}, &Story{Stages: []Stage{{Requires: []Edge{{From: a, To: b, Kind: "learned"}, {From: b, To: a, Kind: "learned"}}}}})
	if len(h.Rows) != 2 || len(h.Edges) != 1 || !h.Edges[0].Both {
		t.Errorf("%+v", h)
	}
}

// Four trials that cleared nothing are folded, three are not.
func TestFoldOfStillRows(t *testing.T) {
	for still, want := range map[int]int{stillRows - 1: 1, stillRows: 3} {
		rows := make([]htmlRow, seenRows+1)
		for i := range rows {
			rows[i].Before = "M0 5h1"
		}
		for i := range still {
			rows[20+i].Before = ""
		}
		if blocks := fold(rows, true); len(blocks) != want {
			t.Errorf("%d rows: %d blocks, want %d", still, len(blocks), want)
		}
	}
}

func TestBarOfManyRuns(t *testing.T) {
	for n, most := range map[int]int{mostRuns: mostRuns, 200: mostRuns + 2} {
		var runs []run
		for i := range n {
			runs = append(runs, run{10 * i, 10*i + 1})
		}
		if got := strings.Count(barPath(runs, 10*n), "h"); got > most {
			t.Errorf("%d runs: %d strokes, want at most %d", n, got, most)
		}
	}
}

func TestTimesOfManyTrials(t *testing.T) {
	for n, want := range map[int]int{10: 24, 100: 8, 400: 3, 2000: 1} {
		trials := make([]Trial, n)
		for i := range trials {
			trials[i] = Trial{Number: i + 1, Outcome: "pass", Seconds: 1, Ended: float64(i + 1), Process: 1, Worker: i % 65}
		}
		h := newHTMLTimes(&Result{Jobs: 65}, &Story{Trials: trials})
		if h.Width != want {
			t.Errorf("%d trials: columns %d wide, want %d", n, h.Width, want)
		}
		if lanes := len(h.Lanes); n == 10 && lanes != 10 || n > 65 && lanes != 0 {
			t.Errorf("%d trials: %d lanes", n, lanes)
		}
	}
}

// What a log has no room for is counted in it, and no more than that.
func TestSARIFLimits(t *testing.T) {
	for _, c := range []struct {
		status      Status
		n, results  int
		oneIsHidden bool
	}{
		{Isolated, sarifResults, sarifResults, false},
		{Isolated, sarifResults + 1, sarifResults, true},
		{Budget, sarifSuspects, sarifSuspects, false},
		{Budget, sarifSuspects + 1, 0, false},
	} {
		r := Result{Status: c.status, Cause: make([]Change, c.n)}
		for i := range r.Cause {
			r.Cause[i] = Change{ID: fmt.Sprint(i), Kind: "text", Path: "a", OldPath: "a", BadLine: i + 1}
		}
		run := newSARIFRun(&r, &Story{}).run()
		hidden := slices.ContainsFunc(run.Invocations[0].ToolExecutionNotifications, func(n *sarif.Notification) bool {
			return strings.HasPrefix(*n.Message.Text, "1 more change of the cause is not")
		})
		if len(run.Results) != c.results || hidden != c.oneIsHidden {
			t.Errorf("%s, %d changes: %d results, one hidden %v", c.status, c.n, len(run.Results), hidden)
		}
	}
}

// A number and its unit stay on a line, but not in a command: that is copied.
func TestTied(t *testing.T) {
	for text, want := range map[string]string{
		"5 trials in 3 s, 40 % of 2 KiB":              "5 trials in 3\u00a0s, 40\u00a0% of 2\u00a0KiB",
		"1 s: `sleep 2 s` and `sh -c 'x 3 B'` in 4 s": "1\u00a0s: `sleep 2 s` and `sh -c 'x 3 B'` in 4\u00a0s",
	} {
		if got := tied(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
