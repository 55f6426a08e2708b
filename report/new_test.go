package report_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/report"
)

// testSet has one change of each kind, in two files more than twice.
func testSet() *changes.Set {
	ada := changes.Commit{ID: ada, Author: "Ada", Email: "a@b", Date: time.Date(2024, 3, 2, 10, 11, 12, 0, time.FixedZone("", 3600)), Subject: "One"}
	far := changes.Commit{ID: linus, Author: "L\xe9o", Date: time.Date(123456, 1, 1, 0, 0, 0, 0, time.UTC), Subject: "Two"}
	return &changes.Set{
		Good: git.Revision{Rev: "v1", Commit: "c1", Tree: "t1"},
		Bad:  git.Revision{Rev: "HEAD", Commit: "c2", Tree: "t2"},
		Changes: []changes.Change{
			{ID: "a", Kind: changes.Text, Path: "a.go", OldPath: "a.go", OldStart: 3, OldLines: 1, NewStart: 4, NewLines: 2, Old: []byte("x\n"), New: []byte("y\nz\n"), Commits: []changes.Commit{ada}},
			{ID: "b", Kind: changes.Text, Path: "a.go", OldPath: "a.go", Old: []byte("caf\xe9\n"), Commits: []changes.Commit{ada}},
			{ID: "c", Kind: changes.Mode, Path: "b\xff.sh", OldPath: "b\xff.sh", OldMode: 0o100644, NewMode: 0o100755, Commits: []changes.Commit{far}},
			{ID: "d", Kind: changes.Created, Path: "c.go", OldPath: "c.go", NewMode: 0o100644, NewBlob: "blob1"},
			{ID: "e", Kind: changes.Deleted, Path: "d.bin", OldPath: "d.bin", OldMode: 0o100644, OldBlob: "blob2"},
			{ID: "f", Kind: changes.Submodule, Path: "sub", OldPath: "sub", OldBlob: "p1", NewBlob: "p2", Commits: []changes.Commit{ada, far}},
			{ID: "g", Kind: changes.Deleted, Path: "sub2", OldPath: "sub2", OldMode: 0o160000, OldBlob: "p3"},
			{ID: "h", Kind: changes.Deleted, Path: "gone", OldPath: "gone", OldMode: 0o100644, OldBlob: "missing"},
			{ID: "i", Kind: changes.Created, Path: "huge", OldPath: "huge", NewMode: 0o100644, NewBlob: "huge"},
		},
	}
}

func readBlob(id string) ([]byte, error) {
	switch id {
	case "blob1":
		return []byte("package c\n"), nil
	case "blob2":
		return []byte("\x7fELF\x00"), nil
	case "huge":
		return []byte(strings.Repeat("line\n", 100_000)), nil
	}
	return nil, fmt.Errorf("blob %s is missing", id)
}

func TestNew(t *testing.T) {
	set := testSet()
	n := set.Len()
	res := isolate.Result{
		Passing: isolate.Of(n, 5), Failing: isolate.Of(n, 0, 2, 5),
		Cause: isolate.Of(n, 0, 2), Context: isolate.Of(n, 5),
		Minimal: true, Unproven: isolate.Of(n, 2), ContextUnproven: isolate.Of(n, 5), Algorithm: "dd+",
	}
	got := report.New(set, res, report.Facts{
		Session: "s", Status: report.Isolated, Direction: report.Break, Command: []string{"make"},
		Without: "tw", With: "tv", Symbols: []string{"F", "", "", "", "", "S", "", "", ""},
		Verified: true, Confidence: 0.5, Trials: report.Trials{Run: 3, Pass: 2, Fail: 1},
		Total: 1234567 * time.Microsecond, Testing: time.Second, Jobs: 2, Seed: 7, Hints: []string{"h"},
		BadLine: func(c *changes.Change) int { return 10 * c.NewStart },
		Sure:    []float64{0.8750001, 0.75}, Flaky: report.Flaky{Wanted: 0.5}})
	one := report.Commit{ID: ada, Subject: "One", Author: "Ada", Date: "2024-03-02T10:11:12+01:00"}
	two := report.Commit{ID: linus, Subject: "Two", Author: "L\ufffdo", Date: "123456-01-01T00:00:00Z"}
	want := report.Result{
		Schema: report.Schema, Session: "s", Status: report.Isolated, Direction: report.Break,
		Good:    report.Revision{Rev: "v1", Commit: "c1", Tree: "t1"},
		Bad:     report.Revision{Rev: "HEAD", Commit: "c2", Tree: "t2"},
		Changes: report.Extent{Total: 9, Files: 8},
		Cause: []report.Change{
			{ID: "a", Kind: "text", Path: "a.go", OldPath: "a.go", OldStart: 3, OldLines: 1, NewStart: 4, NewLines: 2, Symbol: "F", Commits: []string{ada}, Old: "x\n", New: "y\nz\n", Confidence: 0.875, BadLine: 40},
			{ID: "c", Kind: "mode", Path: "b\ufffd.sh", OldPath: "b\ufffd.sh", RawPath: []byte("b\xff.sh"), RawOldPath: []byte("b\xff.sh"), Commits: []string{linus}, OldMode: "100644", NewMode: "100755", Confidence: 0.75},
		},
		Context: []string{"f"}, ContextUnproven: []string{"f"},
		Present: []report.Reference{{ID: "f", Kind: "submodule", Path: "sub", Symbol: "S"}},
		Passing: report.End{Tree: "tw", Changes: 1}, Failing: report.End{Tree: "tv", Changes: 3},
		Unproven: []string{"c"}, Verified: true, Confidence: 0.5,
		Trials: report.Trials{Run: 3, Pass: 2, Fail: 1}, Seconds: report.Seconds{Total: 1.235, Testing: 1},
		Jobs: 2, Algorithm: "dd+", Seed: 7, Goal: "cause", Command: []string{"make"},
		Commits: []report.Commit{one, two}, Hints: []string{"h"}, Learned: []report.LearnedRequirement{}, Further: []report.Further{}, Bases: []report.Base{},
		Flaky: report.Flaky{Wanted: 0.5, Torn: []report.Torn{}},
		ContextDiff: []report.Change{
			{ID: "f", Kind: "submodule", Path: "sub", OldPath: "sub", Symbol: "S", Commits: []string{ada, linus}, OldBlob: "p1", NewBlob: "p2"},
		},
		Suspicions: []report.Suspicion{}, Artifacts: []report.Artifact{}, Paths: []string{}, Messages: []report.Diagnostic{},
		Around: report.Surroundings{Patches: []string{}, Overlay: []string{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("New (-want +got):\n%s", diff)
	}
}

// A reference leads to where a hunk begins in the newer end; where lines went, to
// the one before them.
func TestNewReference(t *testing.T) {
	set := testSet()
	n := set.Len()
	r := report.New(set, isolate.Result{Context: isolate.Of(n, 0, 1, 2), Learned: [][2]int{{0, 1}}}, report.Facts{Status: report.Isolated})
	want := []report.Reference{
		{ID: "a", Kind: "text", Path: "a.go", Line: 4},
		{ID: "b", Kind: "text", Path: "a.go", Line: 1},
		{ID: "c", Kind: "mode", Path: "b\ufffd.sh"},
	}
	if diff := cmp.Diff(want, r.Present); diff != "" {
		t.Errorf("context (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]report.LearnedRequirement{{Change: want[0], Requires: want[1]}}, r.Learned); diff != "" {
		t.Errorf("learned (-want +got):\n%s", diff)
	}
}

// The context of an answer comes with its texts: what the commits of the cause made first, then what
// is near to the cause.
func TestNewContextDiff(t *testing.T) {
	ours, other := []changes.Commit{{ID: ada}}, []changes.Commit{{ID: linus}}
	text := func(id, path string, start int, commits []changes.Commit) changes.Change {
		return changes.Change{ID: id, Kind: changes.Text, Path: path, OldPath: path, NewStart: start, NewLines: 2, New: []byte("x\ny\n"), Commits: commits}
	}
	set := &changes.Set{Changes: []changes.Change{
		text("first", "a/a.go", 1, other),
		text("sibling", "a/b.go", 1, nil),
		text("before", "b/a.go", 1, other),
		text("cause", "b/a.go", 100, ours),
		text("behind", "b/a.go", 110, other),
		text("made too", "b/a.go", 900, ours),
		text("beside", "b/b.go", 1, other),
		text("far, made too", "c/a.go", 1, ours),
		text("last", "d/a.go", 1, nil),
	}}
	n := set.Len()
	tests := []struct {
		name    string
		context isolate.Configuration
		status  report.Status
		want    string
	}{
		{"all", isolate.Full(n).Minus(isolate.Of(n, 3)), report.Isolated, "made too; far, made too; behind; before; beside; first; sibling; last"},
		{"some", isolate.Of(n, 0, 4), report.Isolated, "behind; first"},
		{"none", isolate.Empty(n), report.Isolated, ""},
		{"ended by an error", isolate.Of(n, 0, 4), report.Failed, ""},
		{"cut short", isolate.Of(n, 0, 4), report.Budget, "behind; first"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := report.New(set, isolate.Result{Cause: isolate.Of(n, 3), Context: tt.context}, report.Facts{Status: tt.status})
			var got []string
			for _, c := range r.ContextDiff {
				got = append(got, c.ID)
				if c.New != "x\ny\n" {
					t.Errorf("%s: text %q", c.ID, c.New)
				}
			}
			if got := strings.Join(got, "; "); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Of a context that is too large for a result the nearest changes are kept, and the report counts all.
func TestNewContextDiffBounded(t *testing.T) {
	set := &changes.Set{}
	line := []byte(strings.Repeat("x", 1<<20-1) + "\n")
	for i := range 9 {
		set.Changes = append(set.Changes, changes.Change{ID: fmt.Sprint(i), Kind: changes.Text, Path: fmt.Sprint(i), OldPath: fmt.Sprint(i), NewStart: 1, NewLines: 1, New: line})
	}
	n := set.Len()
	r := report.New(set, isolate.Result{Cause: isolate.Of(n, 8), Context: isolate.Full(n).Minus(isolate.Of(n, 8))}, report.Facts{Status: report.Isolated})
	if len(r.ContextDiff) != 4 || len(r.Present) != 8 {
		t.Errorf("%d changes with text, %d in all", len(r.ContextDiff), len(r.Present))
	}
	for _, full := range []bool{false, true} {
		if got := text(t, r, report.TextOptions{Full: full}); !strings.Contains(got, "more changes") {
			t.Errorf("full %v: nothing is said of the others:\n%.2000s", full, got)
		}
	}
}

// A commit is singled out only when it alone made every change of the cause.
func TestNewCommit(t *testing.T) {
	tests := []struct {
		name  string
		cause []int
		want  string // commit id, "" for none
	}{
		{"no cause", nil, ""},
		{"one change", []int{0}, ada},
		{"two changes of it", []int{0, 1}, ada},
		{"changes of two commits", []int{0, 2}, ""},
		{"a change of two commits", []int{5}, ""},
		{"first one commit, then both", []int{0, 5}, ""},
		{"a change of no known commit", []int{3}, ""},
		{"one known, one not", []int{0, 3}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := testSet()
			cause := isolate.Of(set.Len(), tt.cause...)
			r := report.New(set, isolate.Result{Cause: cause, Failing: cause}, report.Facts{Status: report.Isolated})
			got := ""
			if r.Commit != nil {
				got = r.Commit.ID
			}
			if got != tt.want {
				t.Errorf("got commit %q, want %q", got, tt.want)
			}
		})
	}
}

// What was found within a commit is told of the difference that the user named.
func TestNewHistory(t *testing.T) {
	whole := testSet()
	inner := &changes.Set{Good: git.Revision{Rev: "x", Commit: "x"}, Bad: git.Revision{Rev: "y", Commit: "y"}, Changes: testSet().Changes[2:4]}
	both := []report.Commit{{ID: linus, Subject: "caf\xe9"}, {ID: ada}}
	tests := []struct {
		name   string
		cause  int
		facts  report.History
		commit string // singled out
	}{
		{"blamed on it", 0, report.History{Suspects: both[:1]}, linus},
		{"not blamed", 1, report.History{Suspects: both[:1]}, linus},
		{"not blamed, several", 1, report.History{Suspects: both}, ""},
		{"not blamed, the sides of a merge", 1, report.History{Suspects: both[:1], Sides: []string{"a", "b"}}, ""},
		{"blamed on one that was merged", 0, report.History{Suspects: both[1:]}, linus},
	}
	for _, tt := range tests {
		cause := isolate.Of(2, tt.cause)
		facts := report.Facts{Status: report.Isolated, Whole: whole, History: &tt.facts}
		r := report.New(inner, isolate.Result{Cause: cause, Failing: cause}, facts)
		if r.Good.Rev != "v1" || r.Bad.Rev != "HEAD" || r.Changes.Total != 9 || r.History.Changes != (report.Extent{Total: 2, Files: 2}) {
			t.Errorf("%s: %s..%s with %+v, of these %+v", tt.name, r.Good.Rev, r.Bad.Rev, r.Changes, r.History.Changes)
		}
		if got := ""; r.Commit != nil || tt.commit != "" {
			if r.Commit != nil {
				got = r.Commit.ID
			}
			if got != tt.commit {
				t.Errorf("%s: commit %q, want %q", tt.name, got, tt.commit)
			}
		}
		facts.Status = report.NotIsolated
		if r := report.New(inner, isolate.Result{}, facts); r.History != nil {
			t.Errorf("%s: the history of an answer that is withheld is %+v", tt.name, r.History)
		}
	}
	r := report.New(inner, isolate.Result{}, report.Facts{Status: report.Budget, Whole: whole, History: &tests[2].facts})
	if r.History.Suspects[0].Subject != "caf\ufffd" || both[0].Subject != "caf\xe9" {
		t.Errorf("subjects are %+v, and %+v with the caller", r.History.Suspects, both)
	}
}

func TestNewFixExchangesEnds(t *testing.T) {
	set := testSet()
	n := set.Len()
	res := isolate.Result{Passing: isolate.Empty(n), Failing: isolate.Of(n, 1), Cause: isolate.Of(n, 1)}
	r := report.New(set, res, report.Facts{Status: report.Isolated, Direction: report.Fix, Without: "before", With: "after"})
	if want := (report.End{Tree: "after", Changes: 1}); r.Passing != want {
		t.Errorf("passing: got %+v, want %+v", r.Passing, want)
	}
	if want := (report.End{Tree: "before"}); r.Failing != want {
		t.Errorf("failing: got %+v, want %+v", r.Failing, want)
	}
}

func TestNewWithholds(t *testing.T) {
	set := testSet()
	n := set.Len()
	res := isolate.Result{Failing: isolate.Of(n, 0, 1), Passing: isolate.Of(n, 1), Cause: isolate.Of(n, 0), Context: isolate.Of(n, 1), Minimal: true}
	r := report.New(set, res, report.Facts{Status: report.NotIsolated, Reason: "flaky"})
	if len(r.Cause) > 0 || len(r.Context) > 0 || len(r.Present) > 0 || r.Commit != nil || len(r.Commits) > 0 || r.Minimal {
		t.Errorf("an answer is given though it is not trusted: %+v", r)
	}
	// Before any search there is not even a configuration.
	report.New(set, isolate.Result{}, report.Facts{Status: report.NotIsolated})
}

func TestNewContent(t *testing.T) {
	set := testSet()
	r := report.New(set, isolate.Result{Cause: isolate.Full(set.Len())}, report.Facts{Status: report.Isolated, Blob: readBlob})
	got := make(map[string][2]string)
	for _, c := range r.Cause {
		got[c.ID] = [2]string{c.Old, c.New}
		if c.ID == "b" && string(c.RawOld) != "caf\xe9\n" {
			t.Errorf("exact old text: got %q", c.RawOld)
		}
	}
	want := map[string][2]string{
		"a": {"x\n", "y\nz\n"}, "b": {"caf\ufffd\n", ""}, "c": {}, "d": {"", "package c\n"},
		"e": {}, "f": {}, "g": {}, "h": {}, "i": {}, // binary, submodules, unreadable, too large
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestWriteErrors(t *testing.T) {
	full := errors.New("no space left on device")
	if err := report.Text(brokenWriter{full}, one(), report.TextOptions{}); !errors.Is(err, full) {
		t.Errorf("Text: got %v", err)
	}
	if err := report.JSON(brokenWriter{full}, one()); !errors.Is(err, full) {
		t.Errorf("JSON: got %v", err)
	}
}
