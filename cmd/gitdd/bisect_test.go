package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/fixtures"
	"github.com/gitdd/gitdd/internal/seed"
)

// TestBisectSuspects limits a bisect to paths, where a commit is skipped: all that may be
// the first bad commit is a suspect, whatever git's simplification of history leaves out,
// and nothing else.
func TestBisectSuspects(t *testing.T) {
	// merged is a history with a side that ends in what is skipped.
	merged := func(side func(*past)) func(*past) {
		return func(p *past) {
			p.side("topic", func() { side(p); p.Tag("skipped") })
			p.Write("main", "1\n")
			p.Commit("Main")
			p.Merge("topic", "Merge topic")
			p.step("Later", "other", "new\n")
		}
	}
	// behind is a line where commits that touch the path value, and others, come behind
	// what is skipped. Beside gets the tags.
	behind := func(skipped, then string, tags ...string) func(*past) {
		return func(p *past) {
			p.step("Before", "other", "1\n")
			p.Write("value", skipped)
			p.Commit("Skipped")
			p.Tag("skipped")
			p.Write("other", "2\n")
			p.Commit("Beside")
			for _, tag := range tags {
				p.Tag(tag)
			}
			p.Write("value", then)
			p.Commit("Behind")
			p.Write("other", "3\n")
			p.Commit("Later")
		}
	}
	tests := []struct {
		name    string
		history func(*past)
		paths   string
		want    []string
	}{
		{"the culprit cannot be judged", merged(func(p *past) {
			p.step("Topic", "topic", "1\n")
			p.Write("value", "3\n")
			p.Commit("Culprit")
		}), "value", []string{"Culprit", "Merge topic"}},
		{"one behind it cannot be judged", merged(func(p *past) {
			p.step("Topic", "topic", "1\n")
			p.Write("value", "3\n")
			p.Commit("Culprit")
			p.step("Topic 2", "topic", "2\n")
		}), "topic", []string{"Culprit"}},
		{"no commit of the side touches the paths", merged(func(p *past) {
			p.Write("value", "3\n")
			p.Commit("Culprit")
			p.step("Topic", "topic", "1\n")
		}), "other", []string{"Culprit"}},
		{"the one before it cannot be judged", behind("2\n2\n", "3\n"), "value", []string{"Behind"}},
		{"nor can the one before it, nor one that touches the paths", behind("2\n2\n", "3\n", "skipped-too"), "value", []string{"Skipped", "Beside", "Behind"}},
		{"it cannot be judged, and more touch the paths", behind("3\n", "3\n3\n"), "value", []string{"Skipped", "Beside"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			seed.SkipLong(t, 4)
			t.Parallel()
			f := newField(t)
			p := &past{History: fixtures.New(f.path("repo"))}
			p.begin()
			tt.history(p)
			p.build(t)
			f.run("repo", "git", "bisect", "start", "HEAD", "v1", "--", tt.paths)
			f.status("repo", "sh", "-c", "git bisect skip $(git tag -l 'skipped*')")
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
