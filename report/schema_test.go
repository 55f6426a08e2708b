package report_test

import (
	"bytes"
	"testing"

	"github.com/gitdd/gitdd/internal/schema"
	"github.com/gitdd/gitdd/report"
)

// Results of every shape there is are what docs/schema says, and no more.
func TestSchemas(t *testing.T) {
	set, err := schema.Load("../docs/schema", true)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, write func(*bytes.Buffer) error) {
		t.Helper()
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if err := set.Validate(schema.Names(b.Bytes()), b.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, r := range cases() {
		if len(r.Cause) > 1000 {
			r.Cause = r.Cause[:100] // they are alike
		}
		check(name, func(b *bytes.Buffer) error { return report.JSON(b, r) })
		check(name+", story", func(b *bytes.Buffer) error { return report.StoryJSON(b, sarifStory(r)) })
	}
	for name, r := range resultsCases() {
		if len(r.Both) > 1000 {
			r = resultsMany(100) // they are alike
		}
		check(name, func(b *bytes.Buffer) error { return report.ResultsJSON(b, r) })
	}
	r, story := minimised(100)
	check("minimised", func(b *bytes.Buffer) error { return report.ReductionJSON(b, r) })
	check("minimised", func(b *bytes.Buffer) error { return report.StoryJSON(b, story) })
	for name, r := range reductions() {
		check(name, func(b *bytes.Buffer) error { return report.ReductionJSON(b, r) })
	}
	for name, size := range map[string][3]int{"few": {60, 40, 3}, "many": {5000, 300, 40}} {
		r, s := searched(size[0], size[1], size[2])
		check(name, func(b *bytes.Buffer) error { return report.JSON(b, r) })
		check(name, func(b *bytes.Buffer) error { return report.StoryJSON(b, s) })
	}
	check("empty", func(b *bytes.Buffer) error { return report.StoryJSON(b, report.Story{Schema: report.StorySchema}) })
}
