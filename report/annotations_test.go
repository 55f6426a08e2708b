package report_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/report"
)

func annotations(t *testing.T, r report.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Annotations(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A command is a line as the runner of GitHub Actions takes it apart
// (actions/runner, ActionCommand.cs, TryParseV2).
type command struct {
	name       string
	properties map[string]string
	data       string
}

func runner(line string) (c command, ok bool) {
	line, ok = strings.CutPrefix(strings.TrimLeft(line, " \t"), "::")
	if !ok {
		return c, false
	}
	info, data, ok := strings.Cut(line, "::")
	if !ok {
		return c, false
	}
	name, list, _ := strings.Cut(info, " ")
	c = command{name: name, properties: map[string]string{}, data: undo(data, "%0D", "\r", "%0A", "\n", "%25", "%")}
	for property := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		if key, value, ok := strings.Cut(property, "="); ok && value != "" {
			c.properties[key] = undo(value, "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
		}
	}
	return c, true
}

// undo replaces one after the other, as the runner does.
func undo(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

func commandsOf(t *testing.T, r report.Result) []command {
	t.Helper()
	var list []command
	for line := range strings.Lines(annotations(t, r)) {
		c, ok := runner(strings.TrimSuffix(line, "\n"))
		if !ok {
			t.Fatalf("no command: %q", line)
		}
		list = append(list, c)
	}
	return list
}

func TestAnnotationsGolden(t *testing.T) {
	var all strings.Builder
	for _, name := range []string{"one", "three", "unproven_one", "many", "kinds", "fix", "history_undone", "introduce", "unproven_revert", "all",
		"budget", "last_suspect", "history_budget", "interrupted", "not_isolated", "suspicious", "several_made_it", "within_lines", "hostile"} {
		fmt.Fprintf(&all, "%s\n%s\n", name, annotations(t, cases()[name]))
	}
	golden(t, "testdata/annotations.txt", all.String())
}

// Of every result there is something to show, at most ten of a level, and no line
// moves a cursor.
func TestAnnotations(t *testing.T) {
	for name, r := range cases() {
		levels := map[string]int{}
		for _, c := range commandsOf(t, r) {
			levels[c.name]++
			if !slices.Contains([]string{"error", "warning", "notice"}, c.name) || c.properties["title"] == "" || c.data == "" {
				t.Errorf("%s: %+v", name, c)
			}
			for _, text := range []string{c.data, c.properties["file"], c.properties["title"]} {
				if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\u3000' }); i >= 0 {
					t.Errorf("%s: %q is not printable", name, text)
				}
			}
		}
		if len(levels) == 0 || max(levels["error"], levels["warning"], levels["notice"]) > 10 {
			t.Errorf("%s: %v", name, levels)
		}
	}
}

// What is proven is shown before what is not, the first cause before further ones.
func TestAnnotationsOrder(t *testing.T) {
	r := three()
	r.Minimal, r.Unproven = false, []string{"c1"}
	r.Further = []report.Further{base(env()).AsFurther(report.Independent)}
	var got []string
	for _, c := range commandsOf(t, r) {
		got = append(got, c.properties["file"]+":"+c.properties["line"]+"-"+c.properties["endLine"])
	}
	want := []string{"config/parse.go:53-53", "internal/env/env.go:8-8", "config/parse.go:11-13", "internal/env/env.go:8-8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// Nothing in a path or in a subject ends the command, or begins another one.
func TestAnnotationsEscape(t *testing.T) {
	for _, evil := range []string{"a,line=1::x", "100%0A", "%25", "a::error::b", "x\r\n::add-mask::y", "a=b", "c:d", "]", "##[error]x"} {
		c := parse()
		c.Path, c.OldPath = evil, evil
		c.Symbol = evil
		r := base(c)
		r.Commits[0].Subject = evil
		list := commandsOf(t, r)
		shown := strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(evil)
		if len(list) != 1 || list[0].properties["file"] != shown || list[0].properties["line"] != "11" || len(list[0].properties) != 4 ||
			!strings.Contains(list[0].data, `"`+shown+`"`) {
			t.Errorf("%q: %+v", evil, list)
		}
	}
}

func TestAnnotationsFailed(t *testing.T) {
	got := annotations(t, report.Result{Status: report.Failed, Reason: "no space left\non device"})
	if want := "::error title=gitdd%3A no answer::Stopped: no space left\\non device.\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
