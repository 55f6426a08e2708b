package report_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"github.com/gitdd/gitdd/report"
)

// causePage names the page of a cause as a user may have named that of all causes.
func causePage(number int) string { return fmt.Sprintf("javascript:a b\".cause-%d.html", number) }

func resultsHTML(t *testing.T, r report.Results, page func(int) string) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.ResultsHTML(&b, r, sarifStory(report.Result{}).Environment, page); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// listed counts the tests that a page lists whose names contain a word, and those of them that a reader sees without
// unfolding anything.
func listed(root *xhtml.Node, word string) (all, seen int) {
	for n := range root.Descendants() {
		if n.Data != "span" || !slices.Contains(n.Attr, xhtml.Attribute{Key: "class", Val: "mono"}) || !strings.Contains(texts(n), word) {
			continue
		}
		in, folded := false, false
		for child := n; child.Parent != nil; child = child.Parent {
			folded = folded || child.Parent.Data == "details" && child.Data != "summary"
			in = in || slices.Contains(child.Attr, xhtml.Attribute{Key: "class", Val: "tests"})
		}
		if in {
			all++
			if !folded {
				seen++
			}
		}
	}
	return all, seen
}

func TestResultsHTML(t *testing.T) {
	for name, r := range resultsCases() {
		t.Run(name, func(t *testing.T) {
			var beside []string
			for i := range r.Causes {
				beside = append(beside, fmt.Sprintf("javascript%%3Aa%%20b%%22.cause-%d.html", i+1))
			}
			page := resultsHTML(t, r, causePage)
			checkPage(t, page, beside...)
			for _, link := range beside {
				if strings.Count(page, link) != 1 {
					t.Errorf("not one link to %s", link)
				}
			}
			checkPage(t, resultsHTML(t, r, nil)) // without links
			if again := resultsHTML(t, r, causePage); again != page {
				t.Error("another page for the same results")
			}

			root := parse5(t, page)
			said := strings.ReplaceAll(squeeze(texts(root)), "`", "")
			lines := strings.SplitN(resultsText(t, r, report.TextOptions{Width: 200}), "\n", 3)
			for _, line := range lines[:2] {
				if line := strings.ReplaceAll(line, "`", ""); !strings.Contains(said, squeeze(line)) {
					t.Errorf("the page does not say %q", line)
				}
			}
			want := len(r.Unanswered) + len(r.Open) + len(r.Both) + len(r.New) + len(r.Gone) + len(r.Repeated)
			for _, c := range r.Causes {
				want += len(c.Tests)
			}
			if all, _ := listed(root, ""); all != want {
				t.Errorf("%d tests are listed, want %d", all, want)
			}
		})
	}
}

// Of many tests the first ten are seen, and all are there.
func TestResultsHTMLMany(t *testing.T) {
	page := resultsHTML(t, resultsMany(10_000), nil)
	if n := len(page); n > 5<<20 {
		t.Errorf("%d bytes", n)
	}
	for word, want := range map[string]int{"TestOfSomething": 20, "TestOfAnother": 10} { // of two causes, and of one list
		if all, seen := listed(parse5(t, page), word); all != 10_000 || seen != want {
			t.Errorf("%s: %d tests, %d of them seen, want 10,000 and %d", word, all, seen, want)
		}
	}
	for _, want := range []string{"9,970 more tests", "9,990 more tests"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	r := resultsMany(10_001)
	if page := resultsHTML(t, r, nil); !strings.Contains(page, "… 1 more test<") {
		t.Error("the page does not say that a test is missing")
	}
}

// Messages of many tests do not make a page too long to be sent.
func TestResultsHTMLMessages(t *testing.T) {
	r := resultsMany(10_000)
	for i := range r.Causes[0].Tests {
		r.Causes[0].Tests[i].Message = strings.Repeat("<", 1000)
	}
	if n := len(resultsHTML(t, r, nil)); n < 1<<20 || n > 9<<20 {
		t.Errorf("%d bytes", n)
	}
}

// The page of a cause has a link back, and what the page of its result has.
func TestCauseHTML(t *testing.T) {
	r, s := searched(24, 12, 1)
	r.Number, r.Tests = 2, []string{"TestA", "TestB"}
	c := report.Cause{Number: 2, Result: r}
	var b bytes.Buffer
	if err := report.CauseHTML(&b, c, s, "x:y.html"); err != nil {
		t.Fatal(err)
	}
	checkPage(t, b.String(), "x%3Ay.html")
	for _, want := range []string{`<a href="x%3Ay.html">all causes</a>`, "TestA and 1 other test", "gitdd show --cause 2 --patch FILE", ", cause 2<"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if !strings.Contains(html(t, r, s), "gitdd show --cause 2") || strings.Contains(html(t, r, s), "all causes") {
		t.Error("the page of the result alone has a link, or names no cause")
	}
}
