package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/grouping"
	"github.com/gitdd/gitdd/report"
	"github.com/gitdd/gitdd/trial"
)

func TestOwnFiles(t *testing.T) {
	tests := []struct {
		command, prefix, name string
		want                  bool
	}{
		{"./check.sh", "", "check.sh", true},
		{"./check.sh", "sub", "check.sh", false},
		{"./check.sh", "sub", "sub/check.sh", true},
		{"../check.sh", "sub", "check.sh", true},
		{"sh check", "", "check", true},
		{"sh -e judge", "", "judge", true},
		{"check", "", "check", true},
		{"env A=b ./judge", "", "judge", true},
		{"./prog input.txt", "", "input.txt", false},
		{"grep -q x notes", "", "notes", false},
		{"python3 app.py", "", "app.py", false},
		{"python3 check_app.py", "", "check_app.py", true},
		{"sh|-c|grep -q x notes", "", "notes", false},
		{"sh|-c|test -e a && ! bash judge a", "", "judge", true},
		{"sh|-c|. ./lib.sh; f", "", "lib.sh", true},
		{"sh|-c|cd x && ./run.sh|tests/all", "", "run.sh", true},
		{"sh|-c|(./a;./b.sh)", "", "b.sh", true},
		{"./with blank", "", "with blank", true},
		{"runner --spec=conf/a_test.ini", "", "conf/a_test.ini", true},
		{"pytest tests/test_a.py::TestA::test_b", "", "tests/test_a.py", true},
		{"pytest tests", "", "tests/unit/test_a.py", true},
		{"pytest tests/", "", "tests/unit/test_a.py", true},
		{"pytest tests", "", "src/test_a.py", false},
		{"python -m pytest src", "", "src/lib.py", false},
		{"make -C src test", "", "src/a_test.c", false},
		{"rspec spec/a_spec.rb:12:4", "", "spec/a_spec.rb", true},
		{"python3 -m unittest tests.test_a.T.test_b", "", "tests/test_a.py", true},
		{"python3 -m unittest tests.test_a", "", "tests/test_b.py", false},
		{"python3 -m tool.main", "", "tool/main.py", false},
		{"cargo test --test cli", "", "tests/cli.rs", true},
		{"cargo test --test cli", "crate", "crate/tests/cli.rs", true},
		{"cargo test", "", "tests/cli.rs", false},
		{"go test", "", "a_test.go", true},
		{"go test", "", "a.go", false},
		{"go test", "", "pkg/a_test.go", false},
		{"go test ./...", "", "pkg/deep/a_test.go", true},
		{"go test ./pkg/...", "", "pkg/deep/a_test.go", true},
		{"go test ./pkg/...", "", "pkgs/a_test.go", false},
		{"go test -run TestA ./pkg", "", "pkg/a_test.go", true},
		{"go test ./pkg", "", "pkg/testdata/x.txt", true},
		{"go test ./pkg", "", "pkg/deep/a_test.go", false},
		{"go test ./pkg", "sub", "sub/pkg/a_test.go", true},
		{"go vet ./...", "", "a_test.go", false},
		{"make test", "", "test/a.sh", true},
		{"make test", "", "Makefile", false},
		{"/usr/bin/env true", "", "usr/bin/env", false},
	}
	for _, tt := range tests {
		split := strings.Fields
		if strings.Contains(tt.command, "|") {
			split = func(s string) []string { return strings.Split(s, "|") }
		} else if strings.Contains(tt.command, "blank") {
			split = func(s string) []string { return []string{s} }
		}
		got := ownFiles(split(tt.command), tt.prefix, []string{"other", tt.name, tt.name})
		if want := []string{tt.name}; slices.Equal(got, want) != tt.want {
			t.Errorf("%s in %q: %s: got %v", tt.command, tt.prefix, tt.name, got)
		}
	}
}

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
	is := func(path, digest string) trial.Artifact {
		if digest == "" {
			return trial.Artifact{Path: path, Problem: "there is none"}
		}
		return trial.Artifact{Path: path, Digest: digest}
	}
	list := func(a ...trial.Artifact) []trial.Artifact { return a }
	tests := []struct {
		name          string
		without, with []trial.Artifact
		want          []report.Doubt
	}{
		{"none asked for", nil, nil, nil},
		{"same", list(is("a", "1")), list(is("a", "1")), []report.Doubt{report.SameArtifact}},
		{"different", list(is("a", "1")), list(is("a", "2")), nil},
		{"one of two differs", list(is("a", "1"), is("b", "1")), list(is("a", "1"), is("b", "2")), nil},
		{"both same", list(is("a", "1"), is("b", "1")), list(is("a", "1"), is("b", "1")), []report.Doubt{report.SameArtifact}},
		{"missing with", list(is("a", "1")), list(is("a", "")), []report.Doubt{report.NoArtifact}},
		{"missing at both ends", list(is("a", "")), list(is("a", "")), []report.Doubt{report.NoArtifact}},
		{"missing beside the same", list(is("a", ""), is("b", "1")), list(is("a", "1"), is("b", "1")), []report.Doubt{report.NoArtifact, report.SameArtifact}},
	}
	for _, tt := range tests {
		built := artifacts{tt.without, tt.with}
		var got []report.Doubt
		for _, s := range built.suspicions([]string{"id"}) {
			got = append(got, s.Kind)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
	built := artifacts{list(is("a", "1")), list(is("a", "2"))}
	if got := built.report(trial.Fix); len(got) != 1 || got[0].Passing != "2" || got[0].Failing != "1" {
		t.Errorf("of a fix: %+v", got)
	}
}
