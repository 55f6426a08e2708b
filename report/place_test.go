package report_test

import (
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
)

// The place of a failure says in one sentence how it is connected with the cause, and with a fix.
func TestTextPlace(t *testing.T) {
	tests := []struct {
		at   report.FailurePlace
		want string
	}{
		{report.FailurePlace{Connection: report.ChangedLines, Symbol: "f"}, "a.go:7 in f, a line of the cause"},
		{report.FailurePlace{Connection: report.ChangedLines}, "a.go:7, a line of the cause"},
		{report.FailurePlace{Connection: report.SameFunction, Symbol: "f", Context: true}, "a.go:7 in f, where the cause is; it is a line that the cause needs"},
		{report.FailurePlace{Connection: report.UsesCause, Symbol: "f", Name: "g"}, "a.go:7 in f, which uses g, where the cause is"},
		{report.FailurePlace{Connection: report.UsedByCause, Symbol: "f", Name: "g", Places: 1}, "a.go:7 in f, which g uses, where the cause is"},
		{report.FailurePlace{Connection: report.UsedByCause, Symbol: "f"}, "a.go:7 in f, which the cause uses"},
		{report.FailurePlace{Connection: report.ThroughStack, Symbol: "f", Name: "g"}, "a.go:7 in f; the stack trace goes through g, where the cause is"},
		{report.FailurePlace{Connection: report.ThroughStack}, "a.go:7; the stack trace goes through the cause"},
		{report.FailurePlace{Connection: report.SameName, Name: "limit"}, "a.go:7, a line with limit, as in the cause"},
		{report.FailurePlace{Connection: report.SameFile, Places: 3}, "a.go:7, in the same file as the cause (the closest of 3 places)"},
		{report.FailurePlace{Connection: report.Unconnected, Places: 3}, "a.go:7 (the first of 3 places)"},
		{report.FailurePlace{Connection: report.UsedByCause, Symbol: "f", Unchanged: true}, "a.go:7 in f, which the cause uses; none of the changes touches that code"},
		{report.FailurePlace{Connection: "of a later version"}, "a.go:7"},
	}
	for _, tt := range tests {
		r := one()
		tt.at.Path, tt.at.Line, tt.at.NewLine = "a.go", 5, 7
		r.Place = &tt.at
		for direction, want := range map[report.Direction]string{report.Break: tt.want, report.Fix: strings.ReplaceAll(tt.want, "the cause", "the fix")} {
			r.Direction = direction
			if got := text(t, r, report.TextOptions{Width: 200}); !strings.Contains(got, "\nfails at  "+want+"\n") {
				t.Errorf("%s: want %s in\n%s", direction, want, got)
			}
		}
		r.Status = report.Budget
		if got := text(t, r, report.TextOptions{}); strings.Contains(got, "\nfails at  ") {
			t.Errorf("of a search that was cut short:\n%s", got)
		}
	}
}
