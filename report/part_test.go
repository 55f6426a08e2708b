package report_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
)

// A page marks what matters within lines, and nothing else. Its patch has the line as it is with
// these changes alone.
func TestHTMLWithinLines(t *testing.T) {
	page := html(t, withinLines(), report.Story{})
	var marked []string
	for _, m := range regexp.MustCompile(`<mark[^>]*>([^<]*)</mark>`).FindAllStringSubmatch(page, -1) {
		marked = append(marked, m[1])
	}
	if want := []string{"*", "2", "/", "3", ", ", "界", ", b", "3", "0", "b", "c"}; strings.Join(marked, "") != strings.Join(want, "") {
		t.Errorf("marked %q, want %q", marked, want)
	}
	for _, want := range []string{"\n+\tprice := rate\t/ größe(a, 3, 界)\n", "\n+f(a)\n"} {
		if !strings.Contains(page, strings.ReplaceAll(want, "+", "&#43;")) {
			t.Errorf("the patch of the page does not have %q", want)
		}
	}
}

// Columns of a result of another hand are taken as far as there is text.
func TestStrangeColumns(t *testing.T) {
	for _, columns := range [][4]int{{900, 1000, 900, 1000}, {5, 2, 5, 2}, {-3, -1, 1, 1}, {1, 2, 1 << 40, 1}, {2, 3, 2, 3}} {
		r := withinLines()
		for i := range r.Cause {
			c := &r.Cause[i]
			c.OldColumn, c.OldEndColumn, c.NewColumn, c.NewEndColumn = columns[0], columns[1], columns[2], columns[3]
		}
		several := r
		several.Cause = slices.Clone(r.Cause)
		several.Cause[1].Old, several.Cause[1].New, several.Cause[1].NewLines = "a\nb\n", "", 0
		for _, r := range []report.Result{r, several} {
			text(t, r, report.TextOptions{})
			html(t, r, report.Story{})
			sarifText(t, r, report.Story{})
			annotations(t, r)
		}
	}
}
