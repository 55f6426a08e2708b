package git

import (
	"strings"
	"testing"
	"time"
)

// A clock that runs backwards, merges, a root of its own and a shallow clone:
// what the user's git shows as the line of first parents.
func TestFirstParents(t *testing.T) {
	s := newSandbox(t)
	s.git("", "init", "-q", "-b", "main", "r")
	commit := func(name, date string) {
		t.Setenv("GIT_COMMITTER_DATE", date)
		s.git("r", "commit", "-q", "--allow-empty", "-m", name)
		s.git("r", "tag", name)
	}
	merge := func(name string, sides ...string) {
		s.git("r", append([]string{"merge", "-q", "--no-ff", "--allow-unrelated-histories", "-m", name}, sides...)...)
		s.git("r", "tag", name)
	}
	commit("root", "2026-01-09T00:00:00Z")
	commit("a", "2026-01-08T00:00:00Z")
	s.git("r", "checkout", "-q", "-b", "side")
	commit("s1", "2026-01-20T00:00:00Z")
	commit("s2", "2026-01-02T00:00:00Z")
	s.git("r", "checkout", "-q", "main")
	commit("b", "2026-01-07T00:00:00Z")
	merge("m", "side")
	s.git("r", "checkout", "-q", "--orphan", "foreign")
	commit("f", "2026-01-03T00:00:00Z")
	s.git("r", "checkout", "-q", "main")
	merge("n", "foreign")
	for _, name := range []string{"t", "u"} {
		s.git("r", "checkout", "-q", "-b", "for-"+name, "b")
		commit(name, "2026-01-05T00:00:00Z")
	}
	s.git("r", "checkout", "-q", "main")
	merge("o", "t", "u")
	commit("c", "2026-01-01T00:00:00Z")
	s.git("", "clone", "-q", "--depth=3", "--branch=main", "file://"+s.path("r"), "shallow")

	tests := []struct {
		repo, tip string
		not       []string
		want      string // subjects, oldest first
		base      string // first parent of the oldest
	}{
		{"r", "c", []string{"root"}, "a b m n o c", "root"},
		{"r", "c", []string{"a"}, "b m n o c", "a"},
		{"r", "c", []string{"s2"}, "b m n o c", "a"}, // a parent of s1 and b: reached by another way
		{"r", "c", nil, "root a b m n o c", ""},
		{"r", "c", []string{"f"}, "root a b m n o c", ""}, // the line does not go through f
		{"r", "s2", []string{"b"}, "s1 s2", "a"},
		{"r", "s2", []string{"b", "s1"}, "s2", "s1"},
		{"r", "a", []string{"c"}, "", ""},
		{"r", "a", []string{"a"}, "", ""},
		{"shallow", "HEAD", []string{"HEAD~1"}, "c", "o"},
		{"shallow", "HEAD", nil, "n o c", ""},
	}
	for _, test := range tests {
		r := s.open(test.repo)
		var not []ID
		for _, rev := range test.not {
			not = append(not, s.resolve(r, rev).Commit)
		}
		line, err := r.FirstParents(t.Context(), s.resolve(r, test.tip).Commit, not...)
		if err != nil {
			t.Fatalf("%s ^%v: %v", test.tip, test.not, err)
		}
		var subjects []string
		for i, c := range line {
			subjects = append(subjects, c.Subject)
			if i > 0 && c.Parents[0] != line[i-1].ID {
				t.Errorf("%s ^%v: %s does not follow on %s", test.tip, test.not, c.Subject, line[i-1].Subject)
			}
			if want := s.resolve(r, string(c.ID)); c.Tree != want.Tree {
				t.Errorf("%s has tree %s, want %s", c.Subject, c.Tree, want.Tree)
			}
		}
		if got := strings.Join(subjects, " "); got != test.want {
			t.Errorf("%s ^%v in %s: %q, want %q", test.tip, test.not, test.repo, got, test.want)
			continue
		}
		base := ""
		if len(line) > 0 && len(line[0].Parents) > 0 {
			c, err := r.CommitOf(t.Context(), line[0].Parents[0])
			if err != nil {
				t.Fatal(err)
			}
			base = c.Subject
		}
		if base != test.base {
			t.Errorf("%s ^%v in %s leaves at %q, want %q", test.tip, test.not, test.repo, base, test.base)
		}
	}

	r := s.open("r")
	subjects := subjectsOf(t)
	id := func(rev string) ID { return s.resolve(r, rev).Commit }
	o, err := r.CommitOf(t.Context(), id("o"))
	if err != nil || len(o.Parents) != 3 || o.Parents[2] != id("u") || o.Author != "Ada" || !o.Date.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
		t.Errorf("the octopus is %+v, %v", o, err)
	}
	for _, bases := range [][]string{{"a", "b", "s2"}, {"a", "c", "b", "s1"}, {"s2", "n", "s2"}, {"b", "n", "t", "u"}, {"", "f", "b"}, {"", "f", "b", "s1"}} {
		var list []ID
		for _, rev := range bases[1:] {
			list = append(list, id(rev))
		}
		want := ID("")
		if bases[0] != "" {
			want = id(bases[0])
		}
		if got, err := r.MergeBase(t.Context(), list...); err != nil || got != want {
			t.Errorf("merge base of %v is %s (%v), want %s", bases[1:], got, err, bases[0])
		}
	}
	for _, test := range []struct{ one, other, want string }{{"a", "c", "a"}, {"s2", "b", "a"}, {"n", "f", "f"}, {"s2", "f", ""}} {
		bases, err := r.MergeBases(t.Context(), id(test.one), id(test.other))
		if test.want == "" && len(bases) == 0 && err == nil {
			continue
		}
		if err != nil || len(bases) != 1 || bases[0] != id(test.want) {
			t.Errorf("merge bases of %s and %s are %v (%v), want %s", test.one, test.other, bases, err, test.want)
		}
	}
	for _, test := range []struct {
		first bool
		want  string
	}{{false, "m b s2 s1"}, {true, "m b"}} {
		list, err := r.Candidates(t.Context(), id("m"), nil, test.first, id("a"))
		if got := subjects(list, err); got != test.want {
			t.Errorf("candidates between a and m are %s, want %s", got, test.want)
		}
	}
	if n, err := r.CountCommits(t.Context(), id("m"), id("a")); n != 4 || err != nil {
		t.Errorf("%d commits between a and m (%v), want 4", n, err)
	}
	if r.IsShallow() || !s.open("shallow").IsShallow() {
		t.Error("which of the two is shallow?")
	}
	if c, err := r.CommitOf(t.Context(), ID(strings.Repeat("ab", 20))); err == nil {
		t.Errorf("a commit that is not there is %+v", c)
	}
}

// subjectsOf takes what a listing of commits returns.
func subjectsOf(t *testing.T) func([]Commit, error) string {
	return func(list []Commit, err error) string {
		if err != nil {
			t.Error(err)
		}
		var names []string
		for _, c := range list {
			names = append(names, c.Subject)
		}
		return strings.Join(names, " ")
	}
}

// The commits that touch paths, along first parents and as git bisect sees them.
func TestTouching(t *testing.T) {
	s := newSandbox(t)
	bisected(s, "r")
	r := s.open("r")
	id := func(rev string) ID { return s.resolve(r, rev).Commit }
	subjects := subjectsOf(t)
	g := []string{"g it's"}
	if got := subjects(r.Touching(t.Context(), g, id("c7"), id("c1"))); got != "c2 c4 c6" {
		t.Errorf("touching: %s", got)
	}
	if got := subjects(r.Candidates(t.Context(), id("c7"), g, false, id("c1"))); got != "c6 c4 c2" {
		t.Errorf("candidates: %s", got)
	}
	middles, err := r.Middles(t.Context(), id("c7"), g, id("c1"))
	if err != nil || len(middles) != 3 || middles[2] != id("c6") {
		t.Errorf("middles: %v, %v", middles, err)
	}
	middles, err = r.Middles(t.Context(), id("c8"), nil, id("c1"))
	if err != nil || len(middles) != 7 || middles[0] != id("c4") && middles[0] != id("c5") {
		t.Errorf("middles: %v, %v", middles, err)
	}
}
