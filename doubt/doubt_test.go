package doubt

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/report"
)

func TestIdle(t *testing.T) {
	const c, k, s, l, d = grouping.Code, grouping.Comments, grouping.Space, grouping.Layout, grouping.Documentation
	tests := []struct {
		natures []grouping.Nature
		kind    report.Doubt
		text    string // how it begins
	}{
		{nil, "", ""},
		{[]grouping.Nature{k, c}, "", ""},
		{[]grouping.Nature{k}, report.OnlyComments, "the cause is only comments, which programs"},
		{[]grouping.Nature{k, s}, report.OnlyComments, "the cause is only comments and white space, which programs"},
		{[]grouping.Nature{d, k, l}, report.OnlyComments, "the cause is only comments and white space and documentation, which"},
		{[]grouping.Nature{s, s}, report.OnlySpace, "the cause is only white space, which has no meaning there"},
		{[]grouping.Nature{s, l}, report.OnlySpace, "the cause is only white space. That has a meaning in some places"},
		{[]grouping.Nature{d}, report.OnlyDocumentation, "the cause is only documentation: does the command read it"},
		{[]grouping.Nature{s, d}, report.OnlyComments, "the cause is only white space and documentation, which"},
	}
	for _, tt := range tests {
		kind, text := idle(tt.natures)
		if kind != tt.kind || !strings.HasPrefix(text, tt.text) || (text == "") != (kind == "") {
			t.Errorf("%v: got %s: %s", tt.natures, kind, text)
		}
	}
}

func TestArtifactSuspicions(t *testing.T) {
	is := func(path, passing, failing string) Artifact {
		if passing == "" || failing == "" {
			return Artifact{Path: path, Problem: "there is none"}
		}
		return Artifact{Path: path, Passing: passing, Failing: failing}
	}
	list := func(a ...Artifact) []Artifact { return a }
	tests := []struct {
		name  string
		built []Artifact
		want  []report.Doubt
	}{
		{"none asked for", nil, nil},
		{"same", list(is("a", "1", "1")), []report.Doubt{report.SameArtifact}},
		{"different", list(is("a", "1", "2")), nil},
		{"one of two differs", list(is("a", "1", "1"), is("b", "1", "2")), nil},
		{"both same", list(is("a", "1", "1"), is("b", "1", "1")), []report.Doubt{report.SameArtifact}},
		{"missing with", list(is("a", "1", "")), []report.Doubt{report.NoArtifact}},
		{"missing at both ends", list(is("a", "", "")), []report.Doubt{report.NoArtifact}},
		{"missing beside the same", list(is("a", "", "1"), is("b", "1", "1")), []report.Doubt{report.NoArtifact, report.SameArtifact}},
	}
	for _, tt := range tests {
		var got []report.Doubt
		for _, s := range builtAlike(tt.built, []string{"id"}) {
			got = append(got, s.Kind)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestMatchOnly compares the expressions with what they are to match, and not to match.
func TestMatchOnly(t *testing.T) {
	for _, tt := range []struct{ want, got, expression string }{
		{"AssertionError: expected right, actual wrong", "AssertionError: expected right, actual nothing", `AssertionError: expected right, actual w`},
		{"AssertionError: expected one of the many values that are right, actual wrong: no", "AssertionError: expected one of the many values that are right, actual nothing",
			`AssertionError: expected one of the many values that are right, actual w`},
		{"a.c:12: it's \"b\"", "a.c:12: it's \"c\"", `(?m)a\.c:\w+: it.s "b"\s*$`},
		{"wrong", "wrong value", `(?m)wrong\s*$`},
		{"/tmp/w-1/a.py: 0x7f01 of 14 is odd", "/tmp/w-1/a.py: 0x7f01 of 15 is even", `(?m)\S+ \w+ of \w+ is odd\s*$`},
		{"took 12 ms", "took 13 ms", ""},
	} {
		got := matchOnly(tt.want, tt.got)
		if got != tt.expression {
			t.Errorf("%q and not %q: %s, want %s", tt.want, tt.got, got, tt.expression)
		}
		if e := regexp.MustCompile(got); got != "" && (!e.MatchString("before\n"+tt.want+"\r\nafter") || e.MatchString("before\n"+tt.got+"\nafter")) {
			t.Errorf("%s matches not just %q", got, tt.want)
		}
	}
}
