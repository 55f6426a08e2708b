package report_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Every golden file holds one result printed in these ways, escapes as "␛".
var views = []struct {
	name string
	opts report.TextOptions
}{
	{"80 columns", report.TextOptions{Width: 80}},
	{"40 columns", report.TextOptions{Width: 40}},
	{"80 columns, colour", report.TextOptions{Width: 80, Color: true}},
	{"40 columns, colour", report.TextOptions{Width: 40, Color: true}},
}

// What is written to a file or a pipe has the lines of code whole, and is otherwise the same.
func TestTextWhole(t *testing.T) {
	for _, name := range []string{"long_line", "hostile", "context_lines"} {
		r := cases()[name]
		golden(t, filepath.Join("testdata", name+".whole.txt"), text(t, r, report.TextOptions{Whole: true}))
	}
}

func TestText(t *testing.T) {
	for name, r := range cases() {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, v := range views {
				fmt.Fprintf(&got, "-- %s --\n%s", v.name, strings.ReplaceAll(text(t, r, v.opts), "\x1b", "␛"))
			}
			golden(t, filepath.Join("testdata", name+".txt"), got.String())
		})
	}
}

// With a confidence it is known how often the test fails by chance, which may be why the cause is not all.
func TestTextStillFails(t *testing.T) {
	for fail, want := range map[int]string{
		0: "still fails: there is another cause, which --all looks for; where the test passes, none of 1,031 tries failed by chance",
		3: "still fails: there is another cause, which --all looks for, or this failed by chance, as 3 of 1,034 tries did where the test passes",
	} {
		r := repeated()
		r.Goal, r.Repaired, r.Flaky.Passing.Fail = "cause", "fail", fail
		if got := text(t, r, report.TextOptions{}); !strings.Contains(squeeze(got), want) {
			t.Errorf("%d fail: %q is not in:\n%s", fail, want, got)
		}
	}
}

func TestTextFull(t *testing.T) {
	for _, name := range []string{"long_hunk", "long_line", "whole_context", "context_lines", "hostile"} {
		t.Run(name, func(t *testing.T) {
			got := text(t, cases()[name], report.TextOptions{Full: true})
			golden(t, filepath.Join("testdata", name+".full.txt"), got)
		})
	}
	got := text(t, many(5000, report.Isolated), report.TextOptions{Full: true})
	if n := strings.Count(got, "\n@@ -"); n != 5000 {
		t.Errorf("full text of 5000 changes shows %d", n)
	}
}

// Without colour nothing may be lost: the styled text is the plain text with
// escapes in it, and nothing else.
func TestTextColourOnlyStyles(t *testing.T) {
	for name, r := range cases() {
		for _, width := range []int{40, 80, 200} {
			plain := text(t, r, report.TextOptions{Width: width})
			styled := text(t, r, report.TextOptions{Width: width, Color: true})
			if got := sgr.ReplaceAllString(styled, ""); got != plain {
				t.Errorf("%s at %d columns: colour changes the text (-plain +styled):\n%s", name, width, cmp.Diff(plain, got))
			}
		}
	}
}

func TestTextFitsScreen(t *testing.T) {
	for _, name := range []string{"one", "not_isolated", "flaky", "no_newline", "no_commits", "budget", "interrupted", "last_suspect"} {
		got := text(t, cases()[name], report.TextOptions{Width: 80})
		if n := strings.Count(got, "\n"); n > 24 {
			t.Errorf("%s takes %d lines of 24", name, n)
		}
	}
}

// When the session is gone, no command is named that would need it, and
// nothing else is missing.
func TestTextGone(t *testing.T) {
	for name, r := range cases() {
		stays := text(t, r, report.TextOptions{})
		gone := text(t, r, report.TextOptions{Gone: true})
		if strings.Contains(gone, "gitdd ") || strings.Contains(gone, r.Session) {
			t.Errorf("%s names what is gone:\n%s", name, gone)
		}
		stays = regexp.MustCompile(`(?m)^(next  |session).*\n(          .*\n)*`).ReplaceAllString(stays, "")
		stays = strings.Replace(stays, " (gitdd show --full)", "", 1)
		stays = strings.Replace(stays, " (gitdd log --trial 3)", "", 1)
		if diff := cmp.Diff(stays, gone); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestTextEnds checks that the report of a search by hand says of no end what nobody has seen there.
func TestTextEnds(t *testing.T) {
	r := report.Result{Status: report.Interrupted, Good: report.Revision{Rev: "v1", Commit: "1"}, Bad: report.Revision{Rev: "v2", Commit: "2"}, ByHand: 3, Trials: report.Trials{Run: 4, Pass: 3, Fail: 1}}
	for _, row := range []struct {
		status  report.Status
		command []string
		want    string
	}{
		{report.Interrupted, nil, "Judged by hand: v1 (1) is good, v2 (2) is bad."},
		{report.NotIsolated, nil, "Judged by hand: v2 (2) is bad."},
		{report.Interrupted, []string{"make"}, "Tested was `make`, between v1 (1) and v2 (2)."},
	} {
		r.Status, r.Command = row.status, row.command
		if got := text(t, r, report.TextOptions{}); !strings.Contains(got, row.want) {
			t.Errorf("%s, %q: want %s in\n%s", row.status, row.command, row.want, got)
		}
	}
}

// sgr matches the only escape that a report may contain.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// checkTerminalSafe reports what a terminal must not be sent, and lines that
// are too wide.
func checkTerminalSafe(t *testing.T, got string, width int) {
	t.Helper()
	if !utf8.ValidString(got) {
		t.Errorf("not UTF-8: %q", got)
	}
	for line := range strings.Lines(sgr.ReplaceAllString(got, "")) {
		line = strings.TrimSuffix(line, "\n")
		for _, r := range line {
			if !unicode.IsPrint(r) && r != '\u3000' {
				t.Errorf("%U in %q", r, line)
			}
		}
		if n := prose.Columns(line); n > width {
			t.Errorf("%d columns of %d: %q", n, width, line)
		}
	}
}

func TestTextSafe(t *testing.T) {
	for name, r := range cases() {
		for width := 40; width <= 200; width += 19 {
			t.Run(fmt.Sprint(name, width), func(t *testing.T) {
				checkTerminalSafe(t, text(t, r, report.TextOptions{Width: width, Color: width%2 == 0}), width)
				if name == "hostile" {
					checkTerminalSafe(t, text(t, r, report.TextOptions{Width: width, Full: true}), 1000)
				}
			})
		}
	}
}

// FuzzText puts any bytes wherever a repository can put them.
func FuzzText(f *testing.F) {
	f.Add("a\x1b[2J\nb", "old\t\x00\xff\n", "new\u202e\r\n", uint8(0), false)
	f.Add(strings.Repeat("/", 300), strings.Repeat("漢\u0301", 90), strings.Repeat("漢\u0301", 89)+"x", uint8(61), true)
	f.Fuzz(func(t *testing.T, name, old, new string, more uint8, full bool) {
		width := 40 + int(more)%161
		c := hunk("f", name, name, 1, old, new, "f0")
		r := base(c)
		r.Session, r.Reason, r.Good.Rev, r.Command = name, new, old, []string{name, new}
		r.Status = []report.Status{report.Isolated, report.Budget, report.Interrupted, report.NotIsolated}[more%4]
		r.Commits = []report.Commit{{ID: name, Subject: old, Author: new, Date: name}}
		r.Commit = &r.Commits[0]
		r.Present = []report.Reference{{Path: name, Symbol: new}}
		r.ContextDiff = []report.Change{hunk("g", old, new, 1, new, old, "f0"), c}
		r.Place = &report.FailurePlace{Path: name, Line: int(more), Symbol: old, Connection: report.ThroughStack, Name: new, Context: full, Places: int(more)}
		r.Hints = []string{old}
		limit := width
		if full {
			limit = 1 << 30 // lines of the diff are whole then
		}
		checkTerminalSafe(t, text(t, r, report.TextOptions{Width: width, Color: more%2 == 0, Full: full}), limit)
	})
}

func text(t *testing.T, r report.Result, o report.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

// A number is not parted from its per cent sign.
func TestTextPerCent(t *testing.T) {
	r := cases()["one"]
	r.Hints = []string{strings.Repeat("99.9 % sure ", 30)}
	for width := 40; width <= 100; width++ {
		for line := range strings.Lines(text(t, r, report.TextOptions{Width: width})) {
			if strings.HasPrefix(strings.TrimSpace(line), "%") {
				t.Fatalf("at %d columns a line begins with the sign: %s", width, line)
			}
		}
	}
}

// Time to print must not explode with hostile content.
func TestTextLargeContent(t *testing.T) {
	for name, old := range map[string]string{
		"tabs":     strings.Repeat("\t", 1<<18),
		"controls": strings.Repeat("\x1b\t", 1<<17),
		"marks":    strings.Repeat("\u0301", 1<<17),
		"words":    strings.Repeat("word ", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			c := hunk("x", "a.txt", "", 1, old, old+"!")
			text(t, base(c), report.TextOptions{})
			text(t, base(c), report.TextOptions{Full: true, Color: true})
		})
	}
}
