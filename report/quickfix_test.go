package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
)

func quickfix(t *testing.T, r report.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Quickfix(&b, r, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestQuickfixGolden(t *testing.T) {
	var all strings.Builder
	for _, name := range []string{"one", "three", "unproven_one", "kinds", "fix", "history_undone", "all", "budget", "last_suspect", "interrupted",
		"not_isolated", "several_made_it", "within_lines", "hostile"} {
		fmt.Fprintf(&all, "%s\n%s\n", name, quickfix(t, cases()[name]))
	}
	golden(t, "testdata/quickfix.txt", all.String())
}

// placePattern is the regular expression of the problem matcher in docs/editors.md.
func placePattern(t *testing.T) *regexp.Regexp {
	t.Helper()
	text, err := os.ReadFile("../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```json\n")
	block, _, _ = strings.Cut(block, "```\n")
	var settings struct {
		Tasks []struct {
			ProblemMatcher struct {
				Pattern struct {
					Regexp                                string
					File, Line, Column, Severity, Message int
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(block), &settings); err != nil || len(settings.Tasks) != 1 {
		t.Fatalf("the tasks of docs/editors.md: %v\n%s", err, block)
	}
	p := settings.Tasks[0].ProblemMatcher.Pattern
	if got := [5]int{p.File, p.Line, p.Column, p.Severity, p.Message}; got != [5]int{1, 2, 3, 4, 5} {
		t.Errorf("the groups of the problem matcher are %v", got)
	}
	return regexp.MustCompile(p.Regexp)
}

// Whatever a file is called, its line names that place or none, to the problem matcher of docs/editors.md.
func TestQuickfixPlaces(t *testing.T) {
	pattern := placePattern(t)
	for path, placed := range map[string]bool{
		"config/parse.go": true, "a b.go": true, "a:b.go": true, "ü.go": true, "-x.go": true, "\xff.go": true, `C\d.go`: true,
		"a:1.go": false, "other.go:7:1: error: x": false, "a\nb.go": false, "a\rb.go": false, "a\tb.go": false, "a\u2028b.go": false, "a\u202eb.go": false,
	} {
		r := one()
		r.Cause[0].Path, r.Cause[0].OldPath = path, path
		r.Commit.Subject = "x:1:1: error: y"
		text := quickfix(t, r)
		line, one := strings.CutSuffix(text, "\n")
		match := pattern.FindStringSubmatch(line)
		switch {
		case !one || strings.ContainsAny(line, "\r\n"):
			t.Errorf("%q: not one line: %q", path, text)
		case placed && (match == nil || match[1] != path || match[2] != fmt.Sprint(r.Cause[0].NewStart) || match[3] != "1" || match[4] != "error"):
			t.Errorf("%q: %q is read as %q", path, line, match)
		case !placed && match != nil:
			t.Errorf("%q: %q has the place %q", path, line, match[1])
		case !placed && !strings.HasPrefix(line, "gitdd: "):
			t.Errorf("%q: %q does not say what it is", path, line)
		}
	}
}

// The lines of all causes of a suite come in turn, by the names that the reader has for their files.
func TestResultsQuickfix(t *testing.T) {
	var b bytes.Buffer
	r := resultsSeveral()
	if err := report.ResultsQuickfix(&b, r, func(path string) string { return "up/" + path }); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) < len(r.Causes) {
		t.Fatalf("%d lines for %d causes", len(lines), len(r.Causes))
	}
	for i := range r.Causes {
		if !strings.HasPrefix(lines[i], "up/") || !strings.Contains(lines[i], fmt.Sprintf("Cause %d:", i+1)) {
			t.Errorf("line %d: %s", i+1, lines[i])
		}
	}
}

func TestFirstPlace(t *testing.T) {
	r := one()
	if path, line, column, ok := report.FirstPlace(r); !ok || path != r.Cause[0].Path || line != r.Cause[0].NewStart || column != 1 {
		t.Errorf("%s:%d:%d, %v", path, line, column, ok)
	}
	if _, _, _, ok := report.FirstPlace(notIsolated()); ok {
		t.Error("a search without an answer has a place")
	}
}
