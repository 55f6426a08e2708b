package report_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/report"
)

func resultsText(t *testing.T, r report.Results, o report.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.ResultsText(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestResultsText(t *testing.T) {
	for name, r := range resultsCases() {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, v := range views[:3] {
				fmt.Fprintf(&got, "-- %s --\n%s", v.name, strings.ReplaceAll(resultsText(t, r, v.opts), "\x1b", "␛"))
			}
			golden(t, filepath.Join("testdata", name+".txt"), got.String())
		})
	}
}

// No test is left out of the full text, and none of the commands is named when the session is gone.
func TestResultsTextFullAndGone(t *testing.T) {
	r := resultsMany(10_000)
	full := resultsText(t, r, report.TextOptions{Full: true})
	for _, word := range []string{"TestOfSomething", "TestOfAnother"} {
		if n := strings.Count(full, word); n != 10_000 {
			t.Errorf("the full text has %s %d times", word, n)
		}
	}
	for name, r := range resultsCases() {
		r.Hints = nil
		if gone := resultsText(t, r, report.TextOptions{Gone: true}); strings.Contains(gone, "gitdd ") || strings.Contains(gone, r.Session) {
			t.Errorf("%s names what is gone:\n%s", name, gone)
		}
	}
}

func TestResultsTextSafe(t *testing.T) {
	for name, r := range resultsCases() {
		for width := 40; width <= 200; width += 40 {
			t.Run(fmt.Sprint(name, width), func(t *testing.T) {
				checkTerminalSafe(t, resultsText(t, r, report.TextOptions{Width: width, Color: width == 80}), width)
			})
		}
	}
}

func resultsJSON(t *testing.T, r report.Results) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.ResultsJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What was written is read as the same, and a text of it says the same.
func TestResultsJSON(t *testing.T) {
	for name, r := range resultsCases() {
		text := resultsJSON(t, r)
		read, err := report.ReadResults(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range read.Causes {
			if c.Result.Number != c.Number || !cmp.Equal(c.Result.Tests, c.Names()) {
				t.Errorf("%s: the result of cause %d is of cause %d and of %q", name, c.Number, c.Result.Number, c.Result.Tests)
			}
		}
		if name == "results_hostile" {
			continue // what is no UTF-8 is another text behind that
		}
		if diff := cmp.Diff(string(text), string(resultsJSON(t, read))); diff != "" {
			t.Errorf("%s: read and written again (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(resultsText(t, r, report.TextOptions{}), resultsText(t, read, report.TextOptions{})); diff != "" {
			t.Errorf("%s: the text of what was read (-want +got):\n%s", name, diff)
		}
	}
}

// A cause is found by its number, and another number is an error that says how many there are.
func TestResultsCause(t *testing.T) {
	r := resultsSeveral()
	if c, err := r.Cause(2); err != nil || c.Tests[0].Name != "doc.TestLinks" {
		t.Errorf("cause 2: %+v, %v", c.Tests, err)
	}
	for _, number := range []int{-1, 0, 4} {
		if _, err := r.Cause(number); err == nil || !strings.Contains(err.Error(), "has 3 causes") {
			t.Errorf("cause %d: %v", number, err)
		}
	}
}
