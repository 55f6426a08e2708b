package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/internal/cli"
	"github.com/gitdd/gitdd/internal/settings"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/reduce"
)

// helpOf is what gitdd help prints for words.
func helpOf(t *testing.T, words ...string) string {
	t.Helper()
	var out strings.Builder
	a := &app{stdout: &out, stderr: &out, now: time.Now}
	if status := a.main(context.Background(), append([]string{"gitdd", "help"}, words...)); status != exitIsolated {
		t.Fatalf("gitdd help %s ends with %d:\n%s", strings.Join(words, " "), status, out.String())
	}
	return out.String()
}

// A guide is at most 60 lines of 80 columns, and what is indented fits a manual
// page of 80 columns, which begins 7 to the right.
func TestGuidesFit(t *testing.T) {
	for _, topic := range topics() {
		text := helpOf(t, topic.Name())
		if n := strings.Count(text, "\n"); n > 60 {
			t.Errorf("the guide %s has %d lines", topic.Name(), n)
		}
		for line := range strings.SplitSeq(text, "\n") {
			n, most := utf8.RuneCountInString(line), 80
			if strings.HasPrefix(line, "  ") {
				most = 73
			}
			if n > most {
				t.Errorf("the guide %s: %d columns, not %d: %s", topic.Name(), n, most, line)
			}
		}
	}
}

// firstWords are the first words of indented lines behind the line that has mark,
// up to an empty line.
func firstWords(t *testing.T, text, mark string) []string {
	t.Helper()
	_, rest, found := strings.Cut(text, mark)
	if !found {
		t.Fatalf("there is no %q in\n%s", mark, text)
	}
	_, rest, _ = strings.Cut(rest, "\n")
	rest = strings.TrimLeft(rest, "\n")
	block, _, _ := strings.Cut(rest, "\n\n")
	var words []string
	for line := range strings.SplitSeq(block, "\n") {
		words = append(words, strings.Fields(line)[0])
	}
	return words
}

// allWords is firstWords with all words of the lines.
func allWords(t *testing.T, text, mark string) []string {
	t.Helper()
	_, rest, found := strings.Cut(text, mark)
	if !found {
		t.Fatalf("there is no %q in\n%s", mark, text)
	}
	block, _, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n\n")
	return strings.Fields(block)
}

// The guides name just what there is.
func TestGuidesNameWhatThereIs(t *testing.T) {
	same := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: the guide names %q, there are %q", what, got, want)
		}
	}
	text := helpOf(t, "algorithms")
	same("algorithms", firstWords(t, text, "--algorithm  "), isolate.Algorithms())
	same("goals", firstWords(t, text, "--goal GOAL"), settings.Choices["goal"])

	text = helpOf(t, "groups")
	same("ways of grouping", firstWords(t, text, "--group WHAT"), settings.Choices["group"])
	for name, levels := range settings.Groupings {
		if !regexp.MustCompile(`(?m)^  ` + name + ` +` + levelNames(levels) + `  `).MatchString(text) {
			t.Errorf("the guide does not give %s the levels %s", name, levelNames(levels))
		}
		if groupingUses[name] == "" {
			t.Errorf("the guide does not say when to group by %s", name)
		}
	}
	for level := grouping.Commit; level <= grouping.Line; level++ {
		if !strings.Contains(text, level.String()) {
			t.Errorf("the guide does not name the level %s", level)
		}
	}
	_, rest, _ := strings.Cut(text, "--level LEVEL")
	for _, level := range settings.Choices["level"] {
		if !strings.Contains(rest, level) {
			t.Errorf("the guide does not name --level %s", level)
		}
	}
	same("requirements", firstWords(t, text, "Requirements are"), []string{"structural", "predicted", "learned"})

	text = helpOf(t, "reduce")
	var formats []string
	for _, f := range reduce.Formats() {
		formats = append(formats, f.Name)
	}
	same("formats", allWords(t, text, "Formats:\n"), formats)
	same("passes", allWords(t, text, "btor has its own:\n"), reduce.Passes())

	text = helpOf(t, "outcomes")
	for _, outcome := range []isolate.Outcome{isolate.Pass, isolate.Fail, isolate.Unresolved} {
		if !regexp.MustCompile(`(?m)^  \S.*  ` + outcome.String() + `\b`).MatchString(text) {
			t.Errorf("the guide has no row for %v", outcome)
		}
	}

	text = helpOf(t, "exit-codes")
	var rows, want []string
	for _, m := range regexp.MustCompile(`(?m)^  (\d+) +([a-z-]*)  `).FindAllStringSubmatch(text, -1) {
		rows = append(rows, m[1]+" "+m[2])
	}
	for _, e := range endings {
		want = append(want, fmt.Sprint(e.code, " ", e.status))
	}
	same("exit statuses", rows, want)
}

// A flag that a guide names is one of a command.
func TestGuidesNameFlags(t *testing.T) {
	known := map[string]bool{}
	root := (&app{stdout: io.Discard, stderr: io.Discard}).command("gitdd")
	for cmd := range cli.Commands(root) {
		cmd.InitDefaultHelpFlag()
		for _, m := range regexp.MustCompile(`--[a-z][\w-]*`).FindAllString(cmd.LocalFlags().FlagUsages(), -1) {
			known[m] = true
		}
	}
	for _, theirs := range []string{"--noout", "--cached"} { // of commands in examples
		known[theirs] = true
	}
	for _, topic := range topics() {
		for _, flag := range regexp.MustCompile(`(?:^|\s)(--[a-z][\w-]*)`).FindAllStringSubmatch(topic.Long, -1) {
			if !known[flag[1]] {
				t.Errorf("the guide %s names %s, which no command has", topic.Name(), flag[1])
			}
		}
	}
}
