package report_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/report"
)

// An answer that is updates alone names them before anything else; of others they are told below. Each
// constraint is told once.
func TestUpdates(t *testing.T) {
	tokio := report.Update{Name: "tokio", Old: "1.37.0", New: "1.38.0", Title: "tokio 1.37.0 → 1.38.0", Changes: []string{"c1"}}
	added := report.Update{Name: "mio", New: "1.0.0", Title: "mio 1.0.0 (added)", Changes: []string{"c3"}}
	evil := report.Update{Title: "a\x1b[2J → b", Changes: []string{"c1"}}
	tie := report.Constraint{Change: "c1", Requires: "c3", Reason: "Cargo.lock: tokio 1.38.0 requires mio"}
	named := tie
	named.Update, named.RequiresUpdate = tokio.Title, added.Title
	both, other := tokio, env()
	both.Changes, other.ID = []string{"c1", "c3"}, "c9"
	for _, c := range []struct {
		name    string
		cause   []report.Change
		updates []report.Update
		ties    []report.Constraint
		want    []string
		not     string
	}{
		{"one", []report.Change{parse()}, []report.Update{tokio}, nil,
			[]string{"The failure comes from the update of tokio 1.37.0 → 1.38.0 (1 of "}, "tied"},
		{"two", []report.Change{parse(), env()}, []report.Update{tokio, added}, []report.Constraint{tie, tie},
			[]string{"The failure comes from the updates of tokio 1.37.0 → 1.38.0 and mio 1.0.0 (added) (2 of ", ", only together.", "tied      Cargo.lock: tokio 1.38.0 requires mio\n"}, "requires mio and"},
		{"a tie that names both", []report.Change{parse(), env()}, []report.Update{tokio}, []report.Constraint{named},
			[]string{"tied      tokio 1.37.0 → 1.38.0 to mio 1.0.0 (added) by Cargo.lock: tokio 1.38.0 requires mio\n"}, "by name"},
		{"one beside another change", []report.Change{parse(), env()}, []report.Update{tokio}, nil,
			[]string{"The failure comes from 2 of ", "updates   tokio 1.37.0 → 1.38.0\n"}, "the update of"},
		{"one of two changes", []report.Change{parse(), env()}, []report.Update{both}, nil,
			[]string{"The failure comes from the update of tokio", "minimal: an update is one change"}, "either of"},
		{"one of two changes, and another change", []report.Change{parse(), env(), other}, []report.Update{both}, nil,
			[]string{"it passes with either of the 2 alone, and fails with both (an update is one)"}, "the 3"},
		{"hostile", []report.Change{parse()}, []report.Update{evil}, nil, []string{`the update of a`}, "\x1b[2J"},
	} {
		r := base(c.cause...)
		r.Updates, r.Constraints = c.updates, c.ties
		got := text(t, r, report.TextOptions{Width: 200})
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, got)
			}
		}
		if strings.Contains(got, c.not) {
			t.Errorf("%s: %q in\n%s", c.name, c.not, got)
		}
	}
}

// Every form names the updates at the changes that are of them, also those of a further cause.
func TestUpdatesAtChanges(t *testing.T) {
	r := base(parse(), env())
	r.Updates = []report.Update{
		{Title: "tokio 1.37.0 → 1.38.0", Changes: []string{"c1"}}, {Title: "a<b>\x1b[2J 1 → 2", Changes: []string{"c1"}},
	}
	further := env()
	further.ID = "c7"
	r.Further = []report.Further{{Relation: report.Independent, Cause: []report.Change{further}, Updates: []report.Update{{Title: "mio 1.0.0 (added)", Changes: []string{"c7"}}},
		Constraints: []report.Constraint{{Change: "c7", Requires: "c1", Reason: "Cargo.lock: mio requires tokio"}}}}
	var page, log strings.Builder
	if err := errors.Join(report.HTML(&page, r, report.Story{}), report.SARIF(&log, r, report.Story{})); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"page", page.String(), []string{"the updates of tokio 1.37.0 → 1.38.0 and a&lt;b&gt;", "the update of mio 1.0.0 (added)", "Cargo.lock: mio requires tokio"}},
		{"log", log.String(), []string{"This change in Parse, the updates of tokio 1.37.0 → 1.38.0 and a", "the update of mio 1.0.0 (added)", "\"updates\": [\n"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s: no %q", c.name, want)
			}
		}
		if strings.Contains(c.text, "\x1b") || strings.Contains(c.text, "a<b>\\u001b") {
			t.Errorf("%s: the escape sequence of a name is in it", c.name)
		}
	}
}
