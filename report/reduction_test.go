package report_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
)

// reductions are of every shape there is, by the name of their golden file.
func reductions() map[string]report.Reduction {
	return map[string]report.Reduction{
		"reduced":             reduced(),
		"reduced_fast":        reducedFast(),
		"reduced_directory":   reducedDirectory(),
		"reduced_budget":      reducedBudget(),
		"reduced_early":       reducedEarly(),
		"reduced_whole":       reducedWhole(),
		"reduced_not":         notReduced(),
		"reduced_interesting": reducedInteresting(),
		"reduced_regression":  reducedRegression(),
		"reduced_hostile":     reducedHostile(),
		"reduced_long":        reducedLong(),
		"reduced_isolated":    isolatedInput(),
		"reduced_confidence":  reducedConfidence(),
		"reduced_graph":       reducedGraph(),
		"reduced_graph_part":  reducedGraphPart(),
		"reduced_graph_large": reducedGraphLarge(),
	}
}

func reduced() report.Reduction {
	return report.Reduction{
		Schema: report.ReductionSchema, Session: "20260102-030405-0a1b2c", Status: report.Reduced,
		Input:   report.Content{Paths: []string{"crash.c"}, Files: 1, Bytes: 48210, Tokens: 11034, Lines: 1204},
		Output:  report.Content{Paths: []string{"crash.c.reduced"}, Files: 1, Bytes: 62, Tokens: 17, Lines: 4},
		Minimal: true, Verified: true, Confidence: 1,
		Trials:  report.Trials{Run: 412, Cached: 120, Pass: 350, Fail: 40, Unresolved: 22},
		Seconds: report.Seconds{Total: 65.2, Testing: 60.1}, Jobs: 1,
		Format: "c", Formats: []string{"c"}, Algorithm: "hdd*/dab",
		Passes: []report.Pass{
			{Name: "structure", Trials: 301, Removed: 47000}, {Name: "comments", Trials: 2, Removed: 1000},
			{Name: "identifiers", Trials: 60, Removed: 148}, {Name: "numbers", Trials: 20}, {Name: "certificate", Trials: 29},
		},
		Curve: []report.Point{
			{Trial: 0, Bytes: 48210}, {Trial: 3, Bytes: 24000}, {Trial: 9, Bytes: 20000}, {Trial: 30, Bytes: 9000},
			{Trial: 80, Bytes: 3000}, {Trial: 150, Bytes: 800}, {Trial: 220, Bytes: 210}, {Trial: 360, Bytes: 62},
		},
		Command: []string{"cc", "-O2", "-c", "{}"},
		Failure: `exit status 1, output line "internal compiler error: in fold, at fold.c:12"`,
		Shown:   report.NewExcerpt("crash.c.reduced", []byte("int f(int a)\n{\n\treturn a / 0;\n}\n"), 1<<16),
	}
}

func reducedFast() report.Reduction {
	r := reduced()
	r.Minimal, r.Fast = false, true
	r.Passes = r.Passes[:3]
	r.OutputFailure = `exit status 1, output line "internal compiler error: in fold, at fold.c:7"`
	return r
}

func reducedDirectory() report.Reduction {
	r := reduced()
	r.Input = report.Content{Paths: []string{"src", "build.conf"}, Files: 214, Bytes: 1_480_210, Tokens: 210_034, Lines: 41_204}
	r.Output = report.Content{Paths: []string{"src.reduced", "build.conf.reduced"}, Files: 3, Bytes: 410, Tokens: 99, Lines: 31}
	r.Format, r.Formats = "go", []string{"go", "ini", "lines"}
	r.Curve[0].Bytes, r.Curve[len(r.Curve)-1].Bytes = r.Input.Bytes, r.Output.Bytes
	r.Shown = nil
	r.Notes = []string{"src/a.go does not parse as go (3:14: unexpected }): taken as brackets and lines"}
	r.Others = report.OtherFailures{Trials: 7, First: 19, Reason: "exit status 2 where the input ends with 1", Line: "undefined: x"}
	r.SavedOthers = "others"
	return r
}

func reducedBudget() report.Reduction {
	r := reduced()
	r.Status, r.Reason, r.Minimal, r.Verified = report.Budget, "after 100 trials (--max-trials)", false, false
	r.Output.Bytes = 3000
	r.Shown = nil
	r.Curve = r.Curve[:5]
	r.Trials = report.Trials{Run: 100, Pass: 90, Fail: 10}
	return r
}

// reducedWhole is an input of one long line, out of which nothing can be taken.
func reducedWhole() report.Reduction {
	r := reduced()
	line := `{"id":17,"name":"a value that is longer than a line of a terminal","list":[1,2,3],"of":"日本語"}` + "\n"
	r.Input = report.Content{Paths: []string{"-"}, Files: 1, Bytes: int64(len(line)), Tokens: 31, Lines: 1}
	r.Output = r.Input
	r.Format, r.Formats = "json", []string{"json"}
	r.Curve, r.Passes = []report.Point{{Trial: 0, Bytes: int64(len(line))}}, []report.Pass{{Name: "structure", Trials: 12}}
	r.Shown = report.NewExcerpt("-", []byte(line), 1<<16)
	return r
}

func reducedEarly() report.Reduction {
	r := reducedBudget()
	r.Status, r.Reason = report.Interrupted, "by a signal"
	r.Output = r.Input
	r.Curve, r.Passes = r.Curve[:1], nil
	r.Trials = report.Trials{Run: 1, Fail: 1}
	return r
}

func notReduced() report.Reduction {
	return report.Reduction{
		Schema: report.ReductionSchema, Session: "20260102-030405-0a1b2c", Status: report.NotReduced,
		Reason:  `the command does not fail on crash.c: exit status 0, output line "ok"`,
		Input:   report.Content{Paths: []string{"crash.c"}, Files: 1, Bytes: 48210, Tokens: 11034, Lines: 1204},
		About:   []int{1},
		Trials:  report.Trials{Run: 1, Pass: 1},
		Seconds: report.Seconds{Total: 0.2, Testing: 0.1}, Jobs: 1, Command: []string{"cc", "crash.c"},
		Hints: []string{"exit status 0 means that it does not fail; with --interesting it means that it still does"},
	}
}

func reducedInteresting() report.Reduction {
	r := reduced()
	r.Interesting, r.Failure = true, "exit status 0"
	r.Jobs = 4
	return r
}

func reducedRegression() report.Reduction {
	r := reduced()
	r.Regression = &report.Regression{
		Good:  report.Revision{Rev: "v1", Commit: ada, Tree: ada},
		Bad:   report.Revision{Rev: "HEAD", Commit: linus, Tree: linus},
		Build: "make -s",
		Next:  []string{"gitdd", "run", "--good", "v1", "--bad", "HEAD", "--build", "make -s", "--", "./cc", "-O2", "-c", "/home/ada/crash.c.reduced"},
	}
	return r
}

func reducedHostile() report.Reduction {
	r := reduced()
	r.Output.Paths = []string{"a\x1b[31m\u202e.c"}
	r.Command = []string{"sh", "-c", "echo \x1b]0;evil\a"}
	r.Failure = "exit status 1, output line \"\x1b[2J\""
	r.Shown = report.NewExcerpt("a\x1b[31m\u202e.c", []byte("\x00\xff\x1b[2Jline\r\nno newline"), 1<<16)
	r.Notes = []string{"one\x1b[1m", "two", "three", "four", "five", "six"}
	r.Passes[0].Name = "\x1b[5m"
	return r
}

func reducedLong() report.Reduction {
	r := reduced()
	var b bytes.Buffer
	for i := range 60 {
		fmt.Fprintf(&b, "line %d %s\n", i, strings.Repeat("word ", i))
	}
	r.Output.Bytes, r.Output.Lines = int64(b.Len()), 60
	r.Shown = report.NewExcerpt("crash.c.reduced", b.Bytes(), 2000)
	return r
}

func isolatedInput() report.Reduction {
	r := reduced()
	r.Status, r.Shown, r.Passes, r.Curve = report.Isolated, nil, nil, nil
	r.Input = report.Content{Paths: []string{"bad.json"}, Files: 1, Bytes: 900, Tokens: 240, Lines: 30}
	i := &report.Isolation{
		Passing: report.Content{Paths: []string{"good.json"}, Files: 1, Bytes: 880, Tokens: 236, Lines: 30},
		Units:   "tokens", Total: 44, Differences: 2,
		NearPassing: "bad.json.passing", NearFailing: "bad.json.failing",
	}
	i.SetDiff([]byte("--- bad.json.passing\n+++ bad.json.failing\n@@ -3,3 +3,3 @@\n {\n-  \"depth\": 3,\n+  \"depth\": -1,\n }\n"))
	r.Isolation = i
	r.Output = r.Input
	r.Output.Paths = []string{"bad.json.failing"}
	return r
}

func reducedConfidence() report.Reduction {
	r := reduced()
	r.Confidence, r.Unjudged = 0.9921, 3
	r.Flaky = report.Flaky{Wanted: 0.99, WrongFail: 0.01, WrongPass: 0.3, Passing: report.Tries{Pass: 40}, Failing: report.Tries{Fail: 30, Pass: 9}}
	return r
}

func reducedGraph() report.Reduction {
	r := reduced()
	r.Input = report.Content{Paths: []string{"crash.btor"}, Files: 1, Bytes: 29210, Tokens: 6034, Lines: 1226, Nodes: 1222, Bits: 4120}
	r.Output = report.Content{Paths: []string{"crash.btor.reduced"}, Files: 1, Bytes: 55, Tokens: 22, Lines: 5, Nodes: 5, Bits: 7}
	r.Format, r.Formats, r.Algorithm = "btor", []string{"btor"}, "auto"
	r.Passes = []report.Pass{
		{Name: "nodes", Trials: 301, Removed: 29000, Nodes: 1217, Bits: 4102}, {Name: "widths", Trials: 20, Removed: -3, Bits: 11},
		{Name: "negations", Trials: 2, Removed: 1}, {Name: "certificate", Trials: 29},
	}
	r.Curve = []report.Point{
		{Trial: 0, Bytes: 29210, Nodes: 1222}, {Trial: 3, Bytes: 20000, Nodes: 1000}, {Trial: 9, Bytes: 2100, Nodes: 90},
		{Trial: 90, Bytes: 200, Nodes: 18}, {Trial: 100, Bytes: 60, Nodes: 5}, {Trial: 220, Bytes: 62, Nodes: 5},
	}
	r.Command, r.Failure = []string{"boolector", "{}"}, "took more memory than --max-memory"
	r.Shown = report.NewExcerpt("crash.btor.reduced", []byte("1 array 1 1\n2 var 1\n3 read 1 -1 2\n4 root 1 3\n"), 1<<16)
	return r
}

func reducedGraphPart() report.Reduction {
	r := reducedGraph()
	r.Status, r.Reason, r.Minimal, r.Verified, r.Shown = report.Budget, "after 9 trials (--max-trials)", false, false, nil
	r.Output.Nodes, r.Output.Bits, r.Output.Bytes, r.Output.Lines = 90, 311, 2100, 90
	r.Curve = r.Curve[:3]
	r.Passes = r.Passes[:1]
	r.Passes[0].Nodes = 1132
	r.Trials = report.Trials{Run: 9, Fail: 3, Pass: 6}
	return r
}

// Numbers of any size leave columns apart.
func reducedGraphLarge() report.Reduction {
	r := reducedGraph()
	r.Input.Nodes, r.Input.Lines, r.Input.Bytes, r.Input.Bits = 1_000_001, 1_000_001, 26_698_442, 2_000_000_000_000
	r.Output.Bits = 1_000_000_000_007
	r.Curve[0].Nodes, r.Curve[0].Bytes = 1_000_001, 26_698_442
	r.Passes[0].Nodes = 999_996
	return r
}

func reductionText(t *testing.T, r report.Reduction, o report.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.ReductionText(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReductionText(t *testing.T) {
	for name, r := range reductions() {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, v := range views[:3] {
				v.opts.ASCII = v.opts.Width == 40
				fmt.Fprintf(&got, "-- %s --\n%s", v.name, strings.ReplaceAll(reductionText(t, r, v.opts), "\x1b", "␛"))
			}
			golden(t, filepath.Join("testdata", name+".txt"), got.String())
		})
	}
}

// Every line fits the width but the command that is to be copied; colours change
// nothing but themselves; and no byte of the input reaches the terminal.
func TestReductionTextIsSafe(t *testing.T) {
	for name, r := range reductions() {
		for _, width := range []int{40, 80, 200} {
			plain := reductionText(t, r, report.TextOptions{Width: width})
			if styled := sgr.ReplaceAllString(reductionText(t, r, report.TextOptions{Width: width, Color: true}), ""); styled != plain {
				t.Errorf("%s at %d columns: colour changes the text (-plain +styled):\n%s", name, width, cmp.Diff(plain, styled))
			}
			for line := range strings.Lines(plain) {
				if n := prose.Columns(strings.TrimSuffix(line, "\n")); n > width && !strings.Contains(line, "gitdd run") {
					t.Errorf("%s: %d columns of %d: %q", name, n, width, line)
				}
			}
			if i := strings.IndexFunc(plain, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x202e || r == 0xfffd }); i >= 0 {
				t.Errorf("%s: %q is in the text", name, plain[i:min(i+9, len(plain))])
			}
		}
	}
}

func TestReductionJSON(t *testing.T) {
	for name, r := range reductions() {
		var text bytes.Buffer
		if err := report.ReductionJSON(&text, r); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if strings.Contains(line, ": null") && !strings.Contains("shown regression isolation unjudged confidence remote", strings.Split(line, `"`)[1]) {
				t.Errorf("%s: an array is null: %s", name, line)
			}
		}
		again, err := report.ReadReduction(bytes.NewReader(text.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := reductionText(t, r, report.TextOptions{}), reductionText(t, again, report.TextOptions{}); a != b {
			t.Errorf("%s: what was written reads otherwise:\n%s", name, cmp.Diff(a, b))
		}
	}
	var zero bytes.Buffer
	if err := report.ReductionJSON(&zero, report.Reduction{Schema: report.ReductionSchema}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(zero.String(), ": null"); n != 5 { // shown, regression, isolation, confidence, remote
		t.Errorf("%d fields are null in\n%s", n, zero.String())
	}
	// The fields that the schema was published with, in order.
	want := "schema session status reason input output minimal verified confidence trials seconds jobs format formats algorithm fast passes curve command failure " +
		"interesting signature other_failures saved_others flaky notes hints shown regression isolation unjudged remote"
	var got []string
	for field := range reflect.TypeFor[report.Reduction]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		got = append(got, name)
	}
	if !strings.HasPrefix(strings.Join(got, " "), want) {
		t.Errorf("fields %q, want first %q", got, want)
	}
	if _, err := report.ReadReduction(strings.NewReader(`{"schema":"gitdd.reduction/1"}{}`)); err == nil || !strings.Contains(err.Error(), "more after its end") {
		t.Errorf("two values were read as one: %v", err)
	}
	if _, err := report.ReadReduction(strings.NewReader(`{"schema":"gitdd.result/1"}`)); err == nil {
		t.Error("a result of another schema is read")
	}
	if got := report.SchemaOf([]byte(`{"schema":"gitdd.result/1"}`)); got != report.Schema {
		t.Errorf("schema %q", got)
	}
}
