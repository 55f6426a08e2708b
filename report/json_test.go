package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/report"
)

// keysOf are the keys of gitdd.result/1 in their order, with those of the
// objects in them; scripts read results by these names.
var keysOf = map[string][]string{
	"": {"schema", "session", "status", "reason", "direction", "good", "bad", "changes", "commit", "cause", "context",
		"passing", "failing", "minimal", "unproven", "verified", "confidence", "trials", "seconds", "jobs", "algorithm", "seed",
		"goal", "command", "commits", "context_changes", "hints", "history", "why", "learned", "repaired", "alone", "further", "apply", "signature", "other_failures", "bases", "surroundings", "flaky", "suspicions", "artifacts", "remote", "beyond", "inseparable", "messages", "timeouts", "checks", "paths", "history_unused", "rounds", "context_diff", "context_unproven", "place", "repaired_reason", "whole_hunks"},
	".good":               {"rev", "commit", "tree"},
	".bad":                {"rev", "commit", "tree"},
	".changes":            {"total", "files"},
	".commit":             {"id", "subject", "author", "date"},
	".commits[]":          {"id", "subject", "author", "date"},
	".cause[]":            {"id", "kind", "path", "old_path", "old_start", "old_lines", "new_start", "new_lines", "symbol", "commits", "old", "new", "confidence", "bad_line"},
	".passing":            {"tree", "changes"},
	".failing":            {"tree", "changes"},
	".trials":             {"run", "cached", "pass", "fail", "unresolved"},
	".seconds":            {"total", "testing"},
	".context_changes[]":  {"id", "kind", "path", "symbol", "line"},
	".history":            {"commits", "tested", "skipped", "last_good", "first_bad", "suspects", "sides", "changes", "side_changes", "terms", "first_parents", "merges"},
	".history.terms":      {"old", "new"},
	".bases[]":            {"id", "subject", "good", "outcome"},
	".history.suspects[]": {"id", "subject", "author", "date"},
	".history.changes":    {"total", "files"},

	".suspicions[]":           {"kind", "text", "changes"},
	".artifacts[]":            {"path", "passing", "failing"},
	".further[].suspicions[]": {"kind", "text", "changes"},
	".further[].artifacts[]":  {"path", "passing", "failing"},
	".surroundings":           {"patches", "overlay", "peak_memory", "disk"},
	".remote":                 {"engine", "endpoint", "storage", "instance", "shared", "machines", "cached", "lost", "gave_up", "uploaded"},
	".checks":                 {"run", "rejected", "dropped"},
	".other_failures":         {"trials", "first", "reason", "line"},
	".timeouts":               {"trials", "shortest", "longest"},

	".flaky":         {"wanted", "good", "bad", "wrong_fail", "wrong_pass", "passing", "failing", "torn"},
	".flaky.good":    {"pass", "fail", "unresolved"},
	".flaky.bad":     {"pass", "fail", "unresolved"},
	".flaky.passing": {"pass", "fail", "unresolved"},
	".flaky.failing": {"pass", "fail", "unresolved"},
	".flaky.torn[]":  {"tree", "trials", "outcomes"},

	".learned[]":                   {"change", "requires"},
	".learned[].change":            {"id", "kind", "path", "symbol", "line"},
	".learned[].requires":          {"id", "kind", "path", "symbol", "line"},
	".further[]":                   {"relation", "commit", "cause", "context", "passing", "failing", "minimal", "unproven", "verified", "commits", "context_changes", "context_diff", "context_unproven", "confidence", "suspicions", "artifacts"},
	".further[].commit":            {"id", "subject", "author", "date"},
	".further[].cause[]":           {"id", "kind", "path", "old_path", "old_start", "old_lines", "new_start", "new_lines", "symbol", "commits", "old", "new", "confidence", "bad_line"},
	".further[].passing":           {"tree", "changes"},
	".further[].failing":           {"tree", "changes"},
	".further[].commits[]":         {"id", "subject", "author", "date"},
	".further[].context_changes[]": {"id", "kind", "path", "symbol", "line"},
}

func TestJSONSchema(t *testing.T) {
	got := make(map[string][]string)
	r := allCauses()
	r.Learned = learned().Learned
	r.Further = r.Further[:1] // of each shape one
	r.Suspicions, r.Artifacts = suspicious().Suspicions[:1], suspicious().Artifacts
	r.Further[0].Suspicions, r.Further[0].Artifacts = r.Suspicions, r.Artifacts
	r.Bases = historyBisect(report.Break).Bases
	r.Flaky = repeated().Flaky
	r.Remote = machines().Remote
	keys(t, json.NewDecoder(strings.NewReader(encode(t, r))), "", got)
	if diff := cmp.Diff(keysOf, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

// keys collects the keys of every object below the next value of d, by the
// path to it.
func keys(t *testing.T, d *json.Decoder, path string, into map[string][]string) {
	t.Helper()
	token, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch token {
	case json.Delim('{'):
		var list []string
		for d.More() {
			key, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, key.(string))
			keys(t, d, path+"."+key.(string), into)
		}
		into[path] = list
	case json.Delim('['):
		for d.More() {
			keys(t, d, path+"[]", into)
		}
	default:
		return
	}
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
}

func TestJSONGolden(t *testing.T) {
	golden(t, "testdata/one.json", encode(t, one()))
	golden(t, "testdata/hostile.json", encode(t, hostile()))
}

// A result shown again reads the same, to the byte.
func TestJSONRoundTrip(t *testing.T) {
	for name, r := range cases() {
		first := encode(t, r)
		read, err := report.ReadJSON(strings.NewReader(first))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if second := encode(t, read); second != first {
			t.Errorf("%s: read and written again (-first +second):\n%s", name, cmp.Diff(first, second))
		}
		o := report.TextOptions{Full: true, Color: true}
		if diff := cmp.Diff(text(t, r, o), text(t, read, o)); diff != "" {
			t.Errorf("%s: text of the result read back (-before +after):\n%s", name, diff)
		}
	}
}

func TestJSONNoNull(t *testing.T) {
	r := report.Result{Schema: report.Schema, Cause: []report.Change{{Commits: []string{"x"}}, {}}}
	got := encode(t, r)
	if n := strings.Count(got, "null"); n != 7 || !strings.Contains(got, `"place": null`) || strings.Count(got, `"confidence": null`) != 3 || !strings.Contains(got, `"commit": null`) || !strings.Contains(got, `"history": null`) || !strings.Contains(got, `"remote": null`) {
		t.Errorf("%d nulls, want those of commit, history, remote, place and three of confidence only:\n%s", n, got)
	}
	r.History, r.Remote, r.Place = &report.History{}, &report.Remote{}, &report.FailurePlace{}
	if got := encode(t, r); strings.Count(got, "null") != 4 {
		t.Errorf("want four nulls, those of commit and confidence:\n%s", got)
	}
}

// JSON must not write into slices that the caller still has.
func TestJSONLeavesResult(t *testing.T) {
	r := report.Result{Schema: report.Schema, Cause: []report.Change{{ID: "a"}}}
	encode(t, r)
	if r.Cause[0].Commits != nil || r.Context != nil {
		t.Errorf("JSON changed its argument: %#v", r)
	}
}

func TestReadJSON(t *testing.T) {
	tests := []struct{ name, input, want string }{
		{"empty", "", "read result: it is empty"},
		{"not JSON", "hello", "read result: invalid character 'h'"},
		{"cut short", `{"schema":"gitdd.result/1","status":`, "read result: unexpected EOF"},
		{"other schema", `{"schema":"gitdd.reduction/1"}`, `read result: it has schema "gitdd.reduction/1", this gitdd reads "gitdd.result/1"`},
		{"wrong type", `{"schema":"gitdd.result/1","jobs":"many"}`, "read result: json: cannot unmarshal string"},
		{"two", `{"schema":"gitdd.result/1"}{"schema":"gitdd.result/1"}`, "read result: there is more after its end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := report.ReadJSON(strings.NewReader(tt.input))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s...", err, tt.want)
			}
		})
	}
	later := `{"schema":"gitdd.result/1","status":"isolated","mood":{"of":["a","later","version"]}}` + "\n"
	r, err := report.ReadJSON(strings.NewReader(later))
	if err != nil || r.Status != report.Isolated || r.Cause == nil {
		t.Errorf("a result of a later version: %+v, %v", r, err)
	}
}

func encode(t *testing.T, r report.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
