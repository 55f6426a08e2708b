package report_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/schema"
	"github.com/gitdd/gitdd/report"
)

var sarifSchema = sync.OnceValues(schema.SARIF)

// A sarifLog has what the tests look at.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID               string
					ShortDescription struct{ Text string }
					FullDescription  struct{ Text string }
					Help             struct{ Text string }
				}
			}
		}
		Invocations []struct {
			ExitCode                   int
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct {
				Descriptor struct{ ID string }
				Message    struct{ Text string }
			}
		}
		Results []sarifResult
	}
}

type sarifResult struct {
	RuleID              string
	RuleIndex           int
	Level               string
	Message             struct{ Text, Markdown string }
	Locations           []sarifLocation
	RelatedLocations    []sarifLocation
	PartialFingerprints map[string]string
	Fixes               []struct {
		ArtifactChanges []struct {
			Replacements []struct {
				DeletedRegion   sarifRegion
				InsertedContent struct{ Text string }
			}
		}
	}
	Properties struct {
		Evidence []struct {
			Trial          int
			Shows, Outcome string
		}
	}
}

type sarifLocation struct {
	ID               int
	PhysicalLocation struct {
		ArtifactLocation struct{ URI, URIBaseID string }
		Region           *sarifRegion
	}
	LogicalLocations []struct{ FullyQualifiedName string }
	Message          struct{ Text string }
}

type sarifRegion struct{ StartLine, StartColumn, EndLine, EndColumn int }

func sarifText(t *testing.T, r report.Result, s report.Story) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.SARIF(&b, r, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func sarifOf(t *testing.T, r report.Result, s report.Story) sarifLog {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal([]byte(sarifText(t, r, s)), &log); err != nil {
		t.Fatal(err)
	}
	return log
}

// sarifStory is a story of a result: each member of the cause was shown to be needed by
// a trial, and both ends were tested.
func sarifStory(r report.Result) report.Story {
	s := report.Story{
		Schema: report.StorySchema,
		Environment: report.Environment{
			Gitdd: "v1.2.3", Started: "2024-03-05T15:14:00+01:00", Subdir: "sub dir", Repository: "https://example.com/config.git",
			Repeat: [][]string{{"gitdd", "run", "--good", "v1.16.0", "--", "sh", "-c", "make {test}"}},
		},
		Trials: []report.Trial{
			{Number: 1, Purpose: "end", Stage: -1, Tree: r.Passing.Tree, Outcome: "pass", Commit: ada, Reason: "exit 0"},
			{Number: 2, Purpose: "end", Stage: -1, Tree: r.Failing.Tree, Outcome: "fail", Reason: "exit 1"},
		},
	}
	for i, c := range r.Cause {
		outcome := "pass"
		if r.Direction == report.Fix || r.Goal == "revert" {
			outcome = "fail"
		}
		s.Trials = append(s.Trials, report.Trial{Number: i + 3, Purpose: "search", Tree: "t", Outcome: outcome})
		if !slices.Contains(r.Unproven, c.ID) {
			s.Needed = append(s.Needed, report.Needed{Change: c.ID, Trials: []int{i + 3}})
		}
	}
	return s
}

// What is written is SARIF, with a story or without one, and what code scanning of
// GitHub asks of it besides.
func TestSARIFValid(t *testing.T) {
	set, err := sarifSchema()
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range cases() {
		for _, s := range []report.Story{{}, sarifStory(r)} {
			if len(r.Cause) > 1000 {
				r.Cause = r.Cause[:100] // they are alike
			}
			text := sarifText(t, r, s)
			if err := set.Validate(schema.SARIFName, []byte(text)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			codeScanning(t, name, text)
		}
	}
}

// codeScanning checks a log by GitHub Docs, "SARIF support for code scanning".
func codeScanning(t *testing.T, name, text string) {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Runs) != 1 || len(log.Runs[0].Results) > 5000 {
		t.Fatalf("%s: %d runs, %d results", name, len(log.Runs), len(log.Runs[0].Results))
	}
	rules := log.Runs[0].Tool.Driver.Rules
	for _, rule := range rules {
		for _, said := range []string{rule.ID, rule.ShortDescription.Text, rule.FullDescription.Text, rule.Help.Text} {
			if said == "" || len(said) > 1024 {
				t.Errorf("%s: rule %q says %q", name, rule.ID, said)
			}
		}
	}
	for _, res := range log.Runs[0].Results {
		switch {
		case len(res.Locations) != 1 || len(res.RelatedLocations) > 100:
			t.Errorf("%s: %d locations, %d related", name, len(res.Locations), len(res.RelatedLocations))
		case res.Message.Text == "" || res.PartialFingerprints["primaryLocationLineHash"] == "":
			t.Errorf("%s: no message or no fingerprint: %+v", name, res)
		case rules[res.RuleIndex].ID != res.RuleID:
			t.Errorf("%s: rule %d is not %q", name, res.RuleIndex, res.RuleID)
		}
		for i, at := range append(res.Locations[:1:1], res.RelatedLocations...) {
			uri, err := url.Parse(at.PhysicalLocation.ArtifactLocation.URI)
			if err != nil || uri.Scheme != "" || uri.Host != "" || uri.Path == "" || strings.HasPrefix(uri.Path, "/") {
				t.Errorf("%s: location %v, %v", name, uri, err)
			}
			if at.ID != i {
				t.Errorf("%s: location %d has the id %d", name, i, at.ID)
			}
			if g := at.PhysicalLocation.Region; g != nil && (g.StartLine < 1 || g.EndLine < g.StartLine ||
				i == 0 && (g.StartColumn < 1 || g.EndColumn < 1)) {
				t.Errorf("%s: region %+v", name, g)
			}
		}
	}
}

func TestSARIFGolden(t *testing.T) {
	golden(t, "testdata/unproven_one.sarif", sarifText(t, unprovenOne(), sarifStory(unprovenOne())))
	golden(t, "testdata/within_lines.sarif", sarifText(t, withinLines(), report.Story{}))
	golden(t, "testdata/hostile.sarif", sarifText(t, hostile(), report.Story{}))
}

// A search that has no answer has no results, but says why; so do suspects that are
// too many to look at.
func TestSARIFNotifications(t *testing.T) {
	tests := []struct {
		name    string
		r       report.Result
		results int
		exit    int
		success bool
		said    []string
	}{
		{"isolated", three(), 3, 0, true, nil},
		{"budget", budget(), 12, 3, false, []string{"gitdd/budget"}},
		{"interrupted", many(5000, report.Interrupted), 0, 130, false, []string{"gitdd/interrupted"}},
		{"not isolated", notIsolated(), 0, 1, true, []string{"gitdd/not-isolated", "gitdd/hint"}},
		{"suspicious", suspicious(), 1, 0, true, []string{"gitdd/doubt", "gitdd/doubt"}},
		{"failed", report.Result{Status: report.Failed, Reason: "the disk is full"}, 0, 4, false, []string{"gitdd/error"}},
	}
	for _, tt := range tests {
		run := sarifOf(t, tt.r, report.Story{}).Runs[0]
		i := run.Invocations[0]
		var said []string
		for _, n := range i.ToolExecutionNotifications {
			said = append(said, n.Descriptor.ID)
		}
		if len(run.Results) != tt.results || i.ExitCode != tt.exit || i.ExecutionSuccessful != tt.success || !slices.Equal(said, tt.said) {
			t.Errorf("%s: %d results, exit %d, %v, %v; want %d, %d, %v, %v", tt.name,
				len(run.Results), i.ExitCode, i.ExecutionSuccessful, said, tt.results, tt.exit, tt.success, tt.said)
		}
	}
}

// Of more results than code scanning takes the rest is counted, and the file is no
// larger than it takes.
func TestSARIFMany(t *testing.T) {
	r := many(5003, report.Isolated)
	text := sarifText(t, r, sarifStory(r))
	if n := strings.Count(text, `"ruleId":`); n != 5000 || !strings.Contains(text, `"text": "3 more changes of the cause are not in this log."`) {
		t.Errorf("%d results, and nothing of 3 more", n)
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if z.Close(); packed.Len() > 10_000_000 {
		t.Errorf("%d bytes compressed", packed.Len())
	}
	t.Logf("%d bytes, %d compressed", len(text), packed.Len())
}

func TestSARIFRules(t *testing.T) {
	tests := []struct {
		name        string
		r           report.Result
		rule, level string
	}{
		{"cause", one(), "gitdd/cause", "error"},
		{"doubted", suspicious(), "gitdd/cause", "warning"},
		{"unproven", inseparable(), "gitdd/cause", "warning"},
		{"fix", fix(), "gitdd/fix", "note"},
		{"undone", undone(report.Break, report.Fits), "gitdd/fix", "note"},
		{"fix undone", undone(report.Fix, report.Fits), "gitdd/cause", "error"},
		{"suspect", lastSuspect(), "gitdd/suspect", "note"},
	}
	for _, tt := range tests {
		res := sarifOf(t, tt.r, report.Story{}).Runs[0].Results[0]
		if res.RuleID != tt.rule || res.Level != tt.level {
			t.Errorf("%s: %s at level %s, want %s, %s", tt.name, res.RuleID, res.Level, tt.rule, tt.level)
		}
	}
}

// What a reader is shown of the trials: those that show that the change is needed,
// and those of both ends.
func TestSARIFEvidence(t *testing.T) {
	r := three()
	got := sarifOf(t, r, sarifStory(r)).Runs[0].Results[1]
	var trials []string
	for _, e := range got.Properties.Evidence {
		trials = append(trials, fmt.Sprint(e.Trial, " ", e.Shows, " ", e.Outcome))
	}
	if diff := cmp.Diff([]string{"4 needed pass", "1 passing pass", "2 failing fail"}, trials); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if !strings.Contains(got.Message.Text, "Without it trial 4 passes.") {
		t.Errorf("message %q does not name the trial", got.Message.Text)
	}
}

// The region is where the change stands behind it: a deletion at the line before.
func TestSARIFRegion(t *testing.T) {
	at := func(oldStart, oldLines, newStart, newLines int, old, new string) report.Change {
		return report.Change{ID: "x", Kind: "text", Path: "a", OldPath: "a", Old: old, New: new,
			OldStart: oldStart, OldLines: oldLines, NewStart: newStart, NewLines: newLines}
	}
	tests := []struct {
		name string
		c    report.Change
		want *sarifRegion
	}{
		{"changed", at(5, 1, 7, 2, "x\n", "y\nzz\n"), &sarifRegion{7, 1, 8, 3}},
		{"deleted", at(5, 2, 6, 0, "x\ny\n", ""), &sarifRegion{6, 1, 6, 1}},
		{"deleted from the top", at(1, 2, 0, 0, "x\ny\n", ""), &sarifRegion{1, 1, 1, 1}},
		{"no newline", at(1, 1, 1, 1, "x", "yy"), &sarifRegion{1, 1, 1, 3}},
		{"carriage return", at(1, 1, 1, 1, "x\r\n", "yy\r\n"), &sarifRegion{1, 1, 1, 3}},
		{"beyond the plane", at(1, 1, 1, 1, "x\n", "\U0001F600é\n"), &sarifRegion{1, 1, 1, 4}},
		{"damaged: the new line is not there", at(1, 1, 1, 1, "x\n", ""), &sarifRegion{1, 1, 1, 1}},
		{"binary", report.Change{ID: "x", Kind: "binary", Path: "a", OldPath: "a"}, nil},
		{"created", report.Change{ID: "x", Kind: "created", Path: "a", OldPath: "a", New: "x\n"}, nil},
	}
	for _, tt := range tests {
		got := sarifOf(t, base(tt.c), report.Story{}).Runs[0].Results[0].Locations[0].PhysicalLocation.Region
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: region (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Behind the commit that made it a change stands elsewhere, or its lines are others.
func TestSARIFLater(t *testing.T) {
	r := history()
	r.Cause[0].BadLine = 31
	res := sarifOf(t, r, report.Story{}).Runs[0].Results[0]
	if got := res.Locations[0].PhysicalLocation.Region; got == nil || got.StartLine != 31 || got.EndLine != 33 {
		t.Errorf("region %+v, want lines 31 to 33", got)
	}
	if got := res.Fixes[0].ArtifactChanges[0].Replacements[0].DeletedRegion; got.StartLine != 31 || got.EndLine != 34 {
		t.Errorf("the fix takes out %+v, want lines 31 to 33", got)
	}
	if list := commandsOf(t, r); list[0].properties["line"] != "31" || list[0].properties["endLine"] != "33" {
		t.Errorf("annotation %+v, want lines 31 to 33", list[0])
	}
	r.Cause[0].BadLine = 0
	res = sarifOf(t, r, report.Story{}).Runs[0].Results[0]
	if got := res.Locations[0].PhysicalLocation.Region; got != nil || len(res.Fixes) > 0 || !strings.Contains(res.Message.Text, "Later commits changed these lines.") {
		t.Errorf("region %+v, %d fixes, %q", got, len(res.Fixes), res.Message.Text)
	}
	if list := commandsOf(t, r); list[0].properties["line"] != "" || list[0].properties["file"] == "" {
		t.Errorf("annotation %+v", list[0])
	}
}

// A fix, put where it says, gives the older text back.
func TestSARIFFix(t *testing.T) {
	tests := []struct {
		name, before, after, old, new string
		oldStart, newStart            int
	}{
		{"changed", "1\n2\n3\n", "1\nx\ny\n3\n", "2\n", "x\ny\n", 2, 2},
		{"added", "1\n2\n", "1\nx\n2\n", "", "x\n", 1, 2},
		{"deleted", "1\n2\n3\n", "1\n3\n", "2\n", "", 2, 1},
		{"deleted from the top", "1\n2\n", "2\n", "1\n", "", 1, 0},
		{"deleted at the end", "1\n2\n", "1\n", "2\n", "", 2, 1},
		{"without newline", "1\n2", "1\nxy", "2", "xy", 2, 2},
		{"newline lost", "1\n2\n", "1\n2", "2\n", "2", 2, 2},
		{"wide", "\U0001F600\n", "é\U0001F600", "\U0001F600\n", "é\U0001F600", 1, 1},
	}
	for _, tt := range tests {
		c := report.Change{ID: "x", Kind: "text", Path: "a", OldPath: "a", Old: tt.old, New: tt.new, OldStart: tt.oldStart, NewStart: tt.newStart,
			OldLines: len(strings.SplitAfter(tt.old, "\n")), NewLines: len(strings.SplitAfter(tt.new, "\n"))}
		if strings.HasSuffix(tt.old, "\n") || tt.old == "" {
			c.OldLines--
		}
		if strings.HasSuffix(tt.new, "\n") || tt.new == "" {
			c.NewLines--
		}
		fixes := sarifOf(t, base(c), report.Story{}).Runs[0].Results[0].Fixes
		if len(fixes) != 1 {
			t.Errorf("%s: %d fixes", tt.name, len(fixes))
			continue
		}
		put := fixes[0].ArtifactChanges[0].Replacements[0]
		start, end := offset(tt.after, put.DeletedRegion.StartLine, put.DeletedRegion.StartColumn), offset(tt.after, put.DeletedRegion.EndLine, put.DeletedRegion.EndColumn)
		if got := tt.after[:start] + put.InsertedContent.Text + tt.after[end:]; got != tt.before {
			t.Errorf("%s: the fix gives %q, want %q", tt.name, got, tt.before)
		}
	}
	// None where the lines are not those of the newer end, or are not lines.
	changed := history()
	changed.Cause[0].BadLine = 0
	for name, r := range map[string]report.Result{"changed since": changed, "kinds": kinds(), "fix": fix(), "suspects": budget()} {
		for _, res := range sarifOf(t, r, report.Story{}).Runs[0].Results {
			if len(res.Fixes) > 0 && !strings.Contains(res.Locations[0].PhysicalLocation.ArtifactLocation.URI, "new%20name") {
				t.Errorf("%s: %+v has a fix", name, res.Locations[0])
			}
		}
	}
}

// offset is the place of a line and column, from 1, in UTF-16 code units.
func offset(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for _, r := range text[at:] {
		if column <= 1 {
			break
		}
		if column--; r > 0xFFFF {
			column--
		}
		at += len(string(r))
	}
	return at
}

// A path is a reference that gives its bytes back, whatever they are.
func TestSARIFPath(t *testing.T) {
	for _, path := range []string{"a/b.go", "a b", "c:d", "100%", "?x#y", "\xff\xfe", "文档/é", "a\nb", "//x", "[0]", "a\\b"} {
		c := parse()
		c.Path, c.OldPath, c.RawPath = strings.ToValidUTF8(path, "\ufffd"), "", []byte(path)
		at := sarifOf(t, base(c), report.Story{}).Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation
		got, err := url.PathUnescape(at.URI)
		if err != nil || got != path || at.URIBaseID != "%SRCROOT%" {
			t.Errorf("%q is %q in %q, that is %q, %v", path, at.URI, at.URIBaseID, got, err)
		}
	}
}

// Nothing that a commit says is read as an argument, as a link or as markup.
func TestSARIFMessage(t *testing.T) {
	r := one()
	r.Commits[0].Subject = "see [here](http://evil) {0} **now** <img src=x> ``@all"
	res := sarifOf(t, r, report.Story{}).Runs[0].Results[0]
	if want := `"see [here] (http://evil) {{0}} **now** <img src=x> ` + "``@all\""; !strings.Contains(res.Message.Text, want) {
		t.Errorf("text %q, want %q", res.Message.Text, want)
	}
	if want := "```see [here](http://evil) {{0}} **now** <img src=x> ``@all```"; !strings.Contains(res.Message.Markdown, want) {
		t.Errorf("markdown %q, want %q", res.Message.Markdown, want)
	}
}

// Few changes that go together name each other, with a link to the location of the
// other; a path cannot end it.
func TestSARIFOthers(t *testing.T) {
	r := three()
	r.Cause[2].Path, r.Cause[2].OldPath = "a](http://evil)[`x", "a](http://evil)[`x"
	res := sarifOf(t, r, report.Story{}).Runs[0].Results[0]
	if want := "It does so only together with the changes at [config/parse.go:53](1) and [a\\](http://evil)\\[`x:8](2)."; !strings.Contains(res.Message.Text, want) {
		t.Errorf("text %q, want %q", res.Message.Text, want)
	}
	if want := "only together with the changes at [`config/parse.go:53`](1) and [``a](http://evil)[`x:8``](2)."; !strings.Contains(res.Message.Markdown, want) {
		t.Errorf("markdown %q, want %q", res.Message.Markdown, want)
	}
	for i, uri := range []string{"config/parse.go", "a%5D%28http%3A//evil%29%5B%60x"} {
		if at := res.RelatedLocations[i]; at.ID != i+1 || at.PhysicalLocation.ArtifactLocation.URI != uri {
			t.Errorf("related location %+v, want %s", at, uri)
		}
	}
	doubted := suspicious()
	doubted.Suspicions[0].Text = "is *it* [so](x)?"
	res = sarifOf(t, doubted, report.Story{}).Runs[0].Results[0]
	if want := `To be doubted: is \*it\* \[so\]\(x\)\?.`; !strings.Contains(res.Message.Markdown, want) {
		t.Errorf("markdown %q, want %q", res.Message.Markdown, want)
	}
}

// The place of the failure and the lines of the context are related locations, the nearest first.
func TestSARIFContext(t *testing.T) {
	r := failsAt(contextLines(), report.FailurePlace{Path: "config/[a](1).go", Line: 9, BadLine: 7, Connection: report.SameName, Name: "x](2)", Places: 1})
	var got []string
	for _, at := range sarifOf(t, r, report.Story{}).Runs[0].Results[0].RelatedLocations {
		where := at.PhysicalLocation.ArtifactLocation.URI
		if region := at.PhysicalLocation.Region; region != nil {
			where += fmt.Sprintf(":%d-%d", region.StartLine, region.EndLine)
		}
		got = append(got, where+" "+at.Message.Text)
	}
	want := []string{
		"config/%5Ba%5D%281%29.go:7-7 fails here: config/[a] (1).go:9, a line with x] (2), as in the cause",
		"config/parse.go:41-44 must be present, too",
		"config/defaults.go must be present, too",
		"go.mod:4-4 must be present, too",
		"main.go:31-31 must be present, too",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("related locations (-want +got):\n%s", diff)
	}
}

// The same change keeps its fingerprint in another place.
func TestSARIFFingerprint(t *testing.T) {
	c := parse()
	c.NewStart += 100
	c.Commits = []string{linus}
	before, after := sarifOf(t, base(parse()), report.Story{}), sarifOf(t, base(c), report.Story{})
	if diff := cmp.Diff(before.Runs[0].Results[0].PartialFingerprints, after.Runs[0].Results[0].PartialFingerprints); diff != "" {
		t.Errorf("fingerprints (-before +after):\n%s", diff)
	}
}
