package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
)

// Where a cause has so many changes that they are counted only, what they need is not shown either.
func TestContextOfManyChanges(t *testing.T) {
	for _, tt := range []struct {
		n     int
		shown bool
	}{{10, true}, {11, false}} {
		r := one()
		member := r.Cause[0]
		r.ContextDiff, r.Cause = []report.Change{member}, nil
		r.Present = []report.Reference{{ID: "p", Kind: "text", Path: "a.go"}}
		for i := range tt.n {
			member.ID, member.NewStart = fmt.Sprint(i), 100+i
			r.Cause = append(r.Cause, member)
		}
		for _, full := range []bool{false, true} {
			got := text(t, r, report.TextOptions{Width: 80, Full: full})
			if strings.Contains(got, "\nNeeded by the cause:\n") != (tt.shown || full) {
				t.Errorf("%d changes, full %v:\n%s", tt.n, full, got)
			}
		}
	}
}
