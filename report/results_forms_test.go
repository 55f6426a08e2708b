package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/schema"
	"github.com/gitdd/gitdd/report"
)

func resultsSARIF(t *testing.T, r report.Results) (string, sarifLog) {
	t.Helper()
	var b bytes.Buffer
	err := report.ResultsSARIF(&b, r, func(number int) report.Story {
		if number == 0 {
			return report.Story{Environment: sarifStory(report.Result{}).Environment}
		}
		return sarifStory(r.Causes[number-1].Result)
	})
	if err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	return b.String(), log
}

func TestResultsSARIFValid(t *testing.T) {
	set, err := sarifSchema()
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range resultsCases() {
		text, _ := resultsSARIF(t, r)
		if err := set.Validate(schema.SARIFName, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		codeScanning(t, name, text)
	}
}

// There is a result for each change of each cause, which names the tests, and the trials of the cause.
func TestResultsSARIF(t *testing.T) {
	r := resultsSeveral()
	_, log := resultsSARIF(t, r)
	want := map[string]int{ // the results that begin so
		"Cause 1: this change in ": 3, "Cause 2: this change in ": 1, "Cause 3: this change in ": 2,
	}
	got := map[string]int{}
	for _, res := range log.Runs[0].Results {
		begin, _, _ := strings.Cut(res.Message.Text, "in ")
		got[begin+"in "]++
		number := int(res.Message.Text[len("Cause ")] - '0')
		if c := r.Causes[number-1]; !strings.Contains(res.Message.Text, c.Tests[0].Name) {
			t.Errorf("%q does not name the test %s", res.Message.Text, c.Tests[0].Name)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("results %v, want %v", got, want)
	}
	if text := log.Runs[0].Results[0].Message.Text; !strings.Contains(text, " makes config.TestParse, config.TestParse/empty, config.TestLookup, env.TestEnv, env.TestPrefix and 3 more fail.") || !strings.Contains(text, "Without it trial 3 passes.") {
		t.Errorf("message %q", text)
	}
}

func TestResultsSARIFNotifications(t *testing.T) {
	failed := report.Results{Schema: report.ResultsSchema, Status: report.Failed, Reason: "the disk is full"}
	tests := []struct {
		name    string
		r       report.Results
		results int
		exit    int
		said    []string
	}{
		{"one", resultsOf(causeOf(one(), "TestA")), 1, 0, nil},
		{"several", resultsSeveral(), 6, 0, []string{
			"The cause is only comments, which no program should notice: is the test flaky (--confidence 0.99 tells), or does the build read them?",
			`The passing and the failing configuration build to identical bin/\x1b[2Jtool: it was not these changes`,
			"Run with --build 'go build ./...' so that what does not build is told from what fails",
		}},
		{"budget", resultsBudget(), 1, 3, []string{
			"14 tests fail, and 1 reason was found for 2 of them. 12 tests were not searched for. The search ended early: 40 trials were run (--max-trials). `gitdd resume` goes on with it.",
		}},
		{"unanswered", resultsUnanswered(), 1, 0, []string{"12 tests fail, and 1 reason was found for 1 of them. 11 tests have no answer."}},
		{"not isolated", resultsNotIsolated(), 0, 1, []string{"Not isolated: no test passes at good and fails at bad."}},
		{"failed", failed, 0, 4, []string{"Stopped: the disk is full."}},
	}
	for _, tt := range tests {
		_, log := resultsSARIF(t, tt.r)
		run := log.Runs[0]
		var said []string
		for _, n := range run.Invocations[0].ToolExecutionNotifications {
			said = append(said, n.Message.Text)
		}
		if len(run.Results) != tt.results || run.Invocations[0].ExitCode != tt.exit || !slices.Equal(said, tt.said) {
			t.Errorf("%s: %d results, exit %d, said %q; want %d, %d, %q", tt.name, len(run.Results), run.Invocations[0].ExitCode, said, tt.results, tt.exit, tt.said)
		}
	}
}

func resultsAnnotations(t *testing.T, r report.Results) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.ResultsAnnotations(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestResultsAnnotationsGolden(t *testing.T) {
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(resultsCases())) {
		fmt.Fprintf(&all, "%s\n%s\n", name, resultsAnnotations(t, resultsCases()[name]))
	}
	golden(t, "testdata/results_annotations.txt", all.String())
}

// Of every cause there is something to show, at most ten of a level, however many changes the first ones have.
func TestResultsAnnotations(t *testing.T) {
	cases := maps.Clone(resultsCases())
	cases["changes"] = resultsOf(causeOf(many(200, report.Isolated), "TestA"), causeOf(many(3, report.Isolated), "TestB"), causeOf(one(), "TestC"))
	for name, r := range cases {
		levels, causes := map[string]int{}, map[string]bool{}
		for line := range strings.Lines(resultsAnnotations(t, r)) {
			c, ok := runner(strings.TrimSuffix(line, "\n"))
			if !ok || c.properties["title"] == "" || c.data == "" {
				t.Errorf("%s: no command: %q", name, line)
			}
			levels[c.name]++
			if cause, _, ok := strings.Cut(c.data, ": "); ok && strings.HasPrefix(cause, "Cause ") {
				causes[cause] = true
			}
		}
		if len(causes) != len(r.Causes) || levels["error"] > 10 || levels["notice"] > 10 || levels["error"]+levels["notice"] == 0 {
			t.Errorf("%s: %v of %v", name, levels, causes)
		}
	}
	if text := resultsAnnotations(t, cases["changes"]); !strings.Contains(text, "::notice title=gitdd%3A 204 changes::194 more are not shown here. 3 tests fail for 3 reasons.") {
		t.Errorf("nothing is said of the others:\n%s", text)
	}
}
