package report_test

import (
	"bytes"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gitdd/gitdd/report"
)

func markdown(t *testing.T, r report.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func resultsMarkdown(t *testing.T, r report.Results) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.ResultsMarkdown(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdownGolden(t *testing.T) {
	for _, name := range []string{"one", "kinds", "all", "fault", "context_lines", "budget", "history_budget", "not_isolated", "suspicious", "hostile"} {
		golden(t, "testdata/markdown/"+name+".md", markdown(t, cases()[name]))
	}
	golden(t, "testdata/markdown/each.md", resultsMarkdown(t, resultsSeveral()))
	golden(t, "testdata/markdown/each_hostile.md", resultsMarkdown(t, resultsHostile()))
}

// Every result there is, and hostile ones, are Markdown that nothing of a repository breaks out of, and not too long.
func TestMarkdownHolds(t *testing.T) {
	for name, r := range cases() {
		t.Run(name, func(t *testing.T) { markdownHolds(t, markdown(t, r)) })
	}
	for name, r := range map[string]report.Results{"none": resultsNone(), "several": resultsSeveral(), "hostile": resultsHostile(), "many": resultsMany(5000)} {
		t.Run("each "+name, func(t *testing.T) { markdownHolds(t, resultsMarkdown(t, r)) })
	}
	for _, evil := range []string{
		"```", "````\n</details>", "~~~", "</details>", "<script>alert(1)</script>", "<!--", "@admin", "#123", "GH-7", "a/b#1", "| x |", "\\|", "`@admin`", "``` `` `",
		"[x](http://evil)", "![x](http://evil)", "https://evil", "www.evil.org", "<http://evil>", "&lt;b&gt;", "- [ ] x", "# x", "1. x", "> x", "---", "===", "\r\n\r\n# x", "\u2028# x",
		"**evil**", "__evil__", "*evil*", "[evil]", "&amp;", ":tada:", "$x$", strings.Repeat("`", 70000), strings.Repeat("long ", 50000), strings.Repeat("x\n", 70000),
	} {
		t.Run(evil[:min(len(evil), 20)], func(t *testing.T) {
			r := suspicious()
			r.Cause[0].Old, r.Cause[0].New, r.Cause[0].Path, r.Cause[0].Symbol = evil+"\n", evil+"\n"+evil, evil, evil
			r.ContextDiff = r.Cause
			r.Commit.Subject, r.Commit.Author, r.Good.Rev, r.Reason, r.Command = evil, evil, evil, evil, []string{evil}
			r.Hints, r.Suspicions[0].Text = []string{evil + "\n" + evil}, evil
			r.Messages = []report.Diagnostic{{Text: evil, Trials: 2}}
			markdownHolds(t, markdown(t, r))
			r.Status = report.NotIsolated
			markdownHolds(t, markdown(t, r))
			r.Status = report.Isolated
			suite := resultsOf(causeOf(r, evil, "a|"+evil))
			suite.Unanswered = []report.UnansweredTest{{Name: evil, Reason: evil}}
			suite.Both = []string{evil}
			text := resultsMarkdown(t, suite)
			markdownHolds(t, text)
			if row := regexp.MustCompile(`(?m)^\| 1 \|.*$`).FindString(text); strings.Count(row, "|") != 5 {
				t.Errorf("the row has other cells: %.300q", row)
			}
		})
	}
}

// What is too long is cut, with all that is open closed, and says so.
func TestMarkdownCut(t *testing.T) {
	var causes []report.Cause
	for range 400 {
		causes = append(causes, causeOf(three(), "TestA", "TestB"))
	}
	text := resultsMarkdown(t, resultsOf(causes...))
	markdownHolds(t, text)
	if !strings.HasSuffix(text, "*This is cut to 60,000 characters: `gitdd show --full` shows all.*\n") || !strings.Contains(text, "\n… 300 more causes\n") {
		t.Errorf("it does not say what is cut: %.200q", text[len(text)-200:])
	}
	if n := utf8.RuneCountInString(text); n < 59_000 {
		t.Errorf("cut to %d characters", n)
	}
}

// markdownHolds checks that text is not too long, and, by a program that reads Markdown as GitHub does, that there is
// nothing in it but what [report.Markdown] means.
func markdownHolds(t *testing.T, text string) {
	t.Helper()
	if n := utf8.RuneCountInString(text); n > 60_000 {
		t.Errorf("%d characters", n)
	}
	checkBlocks(t, text)
	if _, err := exec.LookPath("cmark-gfm"); err != nil {
		return
	}
	cmd := exec.Command("cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist")
	cmd.Stdin = strings.NewReader(text)
	page, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]int{}
	for _, tag := range regexp.MustCompile(`<(/?)([a-zA-Z0-9!]+)`).FindAllSubmatch(page, -1) {
		name := string(tag[2])
		if !slices.Contains([]string{"h3", "p", "code", "pre", "details", "summary", "ul", "li", "strong", "em", "table", "thead", "tbody", "tr", "th", "td"}, name) {
			t.Fatalf("the page has a tag %s:\n%.2000s", name, page)
		}
		if open[name]++; len(tag[1]) > 0 {
			open[name] -= 2
		}
	}
	for name, n := range open {
		if n != 0 {
			t.Errorf("the page has %d tags %s that are not closed", n, name)
		}
	}
	if found := regexp.MustCompile(`<(strong|em)>[^<]*evil`).Find(page); found != nil {
		t.Errorf("the page has %s", found)
	}
	// GitHub looks for names, numbers and links in what is no code.
	prose := regexp.MustCompile(`(?s)<code.*?</code>`).ReplaceAll(page, nil)
	if found := regexp.MustCompile(`@[\w-]|#\d|(?i)\bgh-\d|://|www\.`).Find(prose); found != nil {
		t.Errorf("GitHub finds %q in\n%.2000s", found, prose)
	}
}

// checkBlocks checks what fences and folded parts a text has: each of them is closed.
func checkBlocks(t *testing.T, text string) {
	t.Helper()
	fence, folds := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3 && line == ticks+"diff":
			fence = ticks
		case fence != "" && line == fence:
			fence = ""
		case fence != "" && strings.Contains(line, fence):
			t.Errorf("%.80q is in a fence of %d", line, len(fence))
		case fence == "" && strings.HasPrefix(line, "<details>"):
			folds++
		case fence == "" && line == "</details>":
			folds--
		case fence == "" && strings.Contains(strings.ReplaceAll(line, `\<`, ""), "<") && !strings.Contains(line, "`"):
			t.Errorf("%.80q has HTML", line)
		}
		if folds < 0 || folds > 1 {
			t.Errorf("%d folded parts are open at %.80q", folds, line)
		}
	}
	if fence != "" || folds != 0 {
		t.Errorf("a fence %q or %d folded parts are not closed", fence, folds)
	}
}
