package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/fixtures"
)

// TestBisectSuspects leaves a merge whose side ends in what cannot be judged to a
// bisect that is limited to paths: all that may be the first bad commit is a
// suspect, whatever git's simplification of history leaves out.
func TestBisectSuspects(t *testing.T) {
	tests := []struct {
		name  string
		side  func(*past)
		paths string
		want  []string
	}{
		{"the culprit cannot be judged", func(p *past) {
			p.step("Topic", "topic", "1\n")
			p.Write("value", "3\n")
			p.Commit("Culprit")
			p.Tag("skipped")
		}, "value", []string{"Culprit", "Merge topic"}},
		{"one behind it cannot be judged", func(p *past) {
			p.step("Topic", "topic", "1\n")
			p.Write("value", "3\n")
			p.Commit("Culprit")
			p.step("Topic 2", "topic", "2\n")
			p.Tag("skipped")
		}, "topic", []string{"Culprit"}},
		{"no commit of the side touches the paths", func(p *past) {
			p.Write("value", "3\n")
			p.Commit("Culprit")
			p.step("Topic", "topic", "1\n")
			p.Tag("skipped")
		}, "other", []string{"Culprit"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newField(t)
			p := &past{History: fixtures.New(f.path("repo"))}
			p.begin()
			p.side("topic", func() { tt.side(p) })
			p.Write("main", "1\n")
			p.Commit("Main")
			p.Merge("topic", "Merge topic")
			p.step("Later", "other", "new\n")
			repo, err := p.Build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			repo.Close()
			f.run("repo", "git", "bisect", "start", "HEAD", "v1", "--", tt.paths)
			f.status("repo", "git", "bisect", "skip", "skipped")
			text := f.run("repo", "gitdd", "bisect", "--json", "../result.json", "--", "sh", "-c", checkValue)
			r, err := readResult(f.path("result.json"))
			if err != nil {
				t.Fatal(err)
			}
			if r.History == nil {
				t.Fatalf("no history\n%s", text)
			}
			var got []string
			for _, c := range r.History.Suspects {
				got = append(got, c.Subject)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("suspects (-want +got):\n%s\n%s", diff, text)
			}
		})
	}
}

// TestBisectBehindUnjudged limits a bisect to a path that a skipped commit touches: what
// comes behind that commit, and touches the path no more, tells on which side of it the
// first bad commit lies.
func TestBisectBehindUnjudged(t *testing.T) {
	tests := []struct {
		name            string
		skipped, behind string // what they make of value
		want            []string
	}{
		{"the skipped one is harmless", "2\n2\n", "3\n", []string{"Behind"}},
		{"the skipped one is the culprit", "3\n", "3\n3\n", []string{"Skipped", "Beside"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newField(t)
			p := &past{History: fixtures.New(f.path("repo"))}
			p.begin()
			p.step("Before", "other", "1\n")
			p.Write("value", tt.skipped)
			p.Commit("Skipped")
			p.Tag("skipped")
			p.Write("other", "2\n")
			p.Commit("Beside")
			p.Write("value", tt.behind)
			p.Commit("Behind")
			p.Write("other", "3\n")
			p.Commit("Later")
			repo, err := p.Build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			repo.Close()
			f.run("repo", "git", "bisect", "start", "HEAD", "v1", "--", "value")
			f.status("repo", "git", "bisect", "skip", "skipped")
			text := f.run("repo", "gitdd", "bisect", "--json", "../result.json", "--", "sh", "-c", checkValue)
			r, err := readResult(f.path("result.json"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range r.History.Suspects {
				got = append(got, c.Subject)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("suspects (-want +got):\n%s\n%s", diff, text)
			}
		})
	}
}
