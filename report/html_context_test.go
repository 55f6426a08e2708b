package report_test

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
)

// A page has the lines of the context, folded if they are many, and says when they are not all there.
func TestHTMLContext(t *testing.T) {
	short := html(t, contextLines(), report.Story{})
	if !strings.Contains(short, `<details class="context" open><summary>Needed by the cause: 4 other changes</summary>`) {
		t.Error("a short context is folded, or not there")
	}
	said := strings.Join(strings.Fields(texts(parse5(t, short))), "")
	for _, want := range []string{"value:=defaults[key]", "created", "go1.21", "config.Parse()"} {
		if !strings.Contains(said, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	r := contextLarge(nil)
	if page := html(t, r, report.Story{}); !strings.Contains(page, `<details class="context"><summary>`) {
		t.Error("a large context is not folded")
	}
	r.ContextDiff = r.ContextDiff[:10]
	if page := html(t, r, report.Story{}); !strings.Contains(page, "The lines of 51 more changes are not shown") {
		t.Error("nothing is said of the other changes")
	}
	r.Status = report.Budget
	if page := html(t, r, report.Story{}); !strings.Contains(page, "Needed by the suspect, as far as is known") {
		t.Error("a search that was cut short has no context")
	}
}
