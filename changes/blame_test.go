package changes

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/git"
)

// A commitSpec is a commit of a test history; its name is its subject and tag.
type commitSpec struct {
	name    string
	parents []string
	files   tree
}

// graph makes a bare repository of commits, each after its parents.
func graph(t testing.TB, commits []commitSpec) *git.Repo {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r.git")
	runGit(t, "", nil, "init", "-q", "--bare", dir)
	var in bytes.Buffer
	mark := make(map[string]int)
	for i, c := range commits {
		mark[c.name] = i + 1
		// The authors' dates run backwards: only the graph says what is older.
		fmt.Fprintf(&in, "commit refs/heads/%s\nmark :%d\nauthor A %s <%s@example.org> %d +0000\ncommitter c <c@example.org> %d +0000\ndata %d\n%s\n",
			c.name, i+1, c.name, c.name, 1700000000-i*3600, 1700000000+i, len(c.name), c.name)
		for j, p := range c.parents {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[min(j, 1)], mark[p])
		}
		in.WriteString("deleteall\n")
		for _, path := range slices.Sorted(maps.Keys(c.files)) {
			f := c.files[path]
			if f.mode == git.Gitlink {
				fmt.Fprintf(&in, "M %s %s %s\n", f.mode, f.content, quoteC(path))
				continue
			}
			fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", f.mode, quoteC(path), len(f.content), f.content)
		}
		in.WriteString("\n")
	}
	runGit(t, dir, in.Bytes(), "fast-import", "--quiet")
	return open(t, dir)
}

// lines20 is twenty different lines, some of them replaced; "" removes one.
func lines20(replace map[int]string) node {
	var b strings.Builder
	for i := 1; i <= 20; i++ {
		if r, ok := replace[i]; ok {
			b.WriteString(r)
		} else {
			fmt.Fprintf(&b, "this is line %d\n", i)
		}
	}
	return text(b.String())
}

type edits = map[int]string

func TestBlame(t *testing.T) {
	tests := []struct {
		name      string
		commits   []commitSpec
		good, bad string
		want      []string // change: subjects
	}{
		{"one commit per hunk", []commitSpec{
			{"g", nil, tree{"a": lines20(nil)}},
			{"one", []string{"g"}, tree{"a": lines20(edits{3: "three\n"})}},
			{"two", []string{"one"}, tree{"a": lines20(edits{3: "three\n", 15: "fifteen\n"})}},
		}, "g", "two", []string{"text a:3: one", "text a:15: two"}},
		{"removed and written by different commits", []commitSpec{
			{"g", nil, tree{"a": lines20(nil)}},
			{"remove", []string{"g"}, tree{"a": lines20(edits{3: ""})}},
			{"write", []string{"remove"}, tree{"a": lines20(edits{3: "three\n"})}},
			{"edit", []string{"write"}, tree{"a": lines20(edits{3: "THREE\n"})}},
		}, "g", "edit", []string{"text a:3: remove edit"}},
		{"only removed", []commitSpec{
			{"g", nil, tree{"a": lines20(nil)}},
			{"idle", []string{"g"}, tree{"a": lines20(nil), "b": text("b\n")}},
			{"remove", []string{"idle"}, tree{"a": lines20(edits{7: ""}), "b": text("b\n")}},
			{"idle2", []string{"remove"}, tree{"a": lines20(edits{7: ""}), "b": text("c\n")}},
		}, "g", "idle2", []string{"text a:6: remove", "created b: idle idle2"}},
		{"removed on a merged branch", []commitSpec{
			{"g", nil, tree{"a": lines20(nil)}},
			{"main", []string{"g"}, tree{"a": lines20(edits{18: "eighteen\n"})}},
			{"side", []string{"g"}, tree{"a": lines20(edits{5: ""})}},
			{"side2", []string{"side"}, tree{"a": lines20(edits{5: "", 6: ""})}},
			{"merge", []string{"main", "side2"}, tree{"a": lines20(edits{5: "", 6: "", 18: "eighteen\n"})}},
			{"end", []string{"merge"}, tree{"a": lines20(edits{5: "", 6: "", 18: "eighteen\n", 12: "twelve\n"})}},
		}, "g", "end", []string{"text a:4: side side2", "text a:10: end", "text a:16: main"}},
		{"removed by the merge itself", []commitSpec{
			{"g", nil, tree{"a": lines20(nil)}},
			{"main", []string{"g"}, tree{"a": lines20(edits{18: "eighteen\n"})}},
			{"side", []string{"g"}, tree{"a": lines20(edits{5: "five\n"})}},
			{"merge", []string{"main", "side"}, tree{"a": lines20(edits{5: "five\n", 10: "", 18: "eighteen\n"})}},
		}, "g", "merge", []string{"text a:5: side", "text a:9: merge", "text a:17: main"}},
		{"a branch from before good", []commitSpec{
			{"old", nil, tree{"a": lines20(edits{1: "first\n"})}},
			{"g", []string{"old"}, tree{"a": lines20(nil)}},
			{"side", []string{"old"}, tree{"a": lines20(edits{1: "first\n", 9: ""})}},
			{"merge", []string{"g", "side"}, tree{"a": lines20(edits{9: ""})}},
		}, "g", "merge", []string{"text a:8: side"}},
		{"renamed", []commitSpec{
			{"g", nil, tree{"a": lines20(nil), "x": text("x\n")}},
			{"edit", []string{"g"}, tree{"a": lines20(edits{3: "three\n"}), "x": text("x\n")}},
			{"move", []string{"edit"}, tree{"d/b": lines20(edits{3: "three\n"}), "x": text("x\n")}},
			{"edit2", []string{"move"}, tree{"d/b": lines20(edits{3: "three\n", 15: ""}), "x": text("x\n")}},
		}, "g", "edit2", []string{"renamed a -> d/b: move", "text d/b:3: edit", "text d/b:14: edit2"}},
		{"kinds", []commitSpec{
			{"g", nil, tree{"bin": text("\x001"), "gone": text("1\n2\n"), "link": link("x"), "mod": module('1'), "run": text("#!\n"), "type": text("x")}},
			{"c1", []string{"g"}, tree{"bin": text("\x002"), "gone": text("1\n"), "link": link("x"), "mod": module('1'), "run": script("#!\n"), "type": text("x")}},
			{"c2", []string{"c1"}, tree{"bin": text("\x002"), "link": link("y"), "mod": module('2'), "run": script("#!\n"), "type": link("x")}},
			{"c3", []string{"c2"}, tree{"bin": text("\x003"), "link": link("y"), "mod": module('2'), "run": script("#!\nx\n"), "type": link("x"), "new": link("z"), "fresh": text("one\n")}},
			{"c4", []string{"c3"}, tree{"bin": text("\x003"), "link": link("y"), "mod": module('2'), "run": script("#!\nx\n"), "type": link("x"), "new": link("z"), "fresh": text("one\ntwo\n")}},
		}, "g", "c4", []string{"binary bin: c1 c3", "created fresh: c3 c4", "deleted gone: c2", "symlink link: c2", "submodule mod: c2",
			"created new: c3", "mode run: c1", "text run:2: c3", "type type: c2"}},
		{"diverged", []commitSpec{
			{"base", nil, tree{"a": lines20(nil)}},
			{"g", []string{"base"}, tree{"a": lines20(edits{2: "two\n"})}},
			{"b", []string{"base"}, tree{"a": lines20(edits{9: "nine\n"})}},
		}, "g", "b", []string{"text a:2:", "text a:9: b"}},
		{"unrelated", []commitSpec{
			{"g", nil, tree{"a": lines20(nil)}},
			{"b", nil, tree{"a": lines20(edits{9: "nine\n"})}},
		}, "g", "b", []string{"text a:9:"}},
		{"plain trees", []commitSpec{
			{"g", nil, tree{"a": lines20(nil)}},
			{"b", []string{"g"}, tree{"a": lines20(edits{9: "nine\n"})}},
		}, "g^{tree}", "b^{tree}", []string{"text a:9:"}},
		{"backwards", []commitSpec{
			{"b", nil, tree{"a": lines20(nil)}},
			{"g", []string{"b"}, tree{"a": lines20(edits{9: "nine\n"})}},
		}, "g", "b", []string{"text a:9:"}},
		{"odd path", []commitSpec{
			{"g", nil, tree{"-L 1\n*": lines20(nil), ":(top)a": script("1\n")}},
			{"b", []string{"g"}, tree{"-L 1\n*": lines20(edits{9: "nine\n", 3: ""}), ":(top)a": text("1\n")}},
		}, "g", "b", []string{`text "-L 1\n*":2: b`, `text "-L 1\n*":8: b`, "mode :(top)a: b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := between(t, graph(t, test.commits), test.good, test.bad)
			checkBlame(t, s, test.want)
		})
	}
}

func checkBlame(t *testing.T, s *Set, want []string) {
	t.Helper()
	if err := s.Blame(t.Context(), upTo(s.Len())); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range s.Changes {
		c := &s.Changes[i]
		line := c.String() + ":"
		for _, commit := range c.Commits {
			line += " " + commit.Subject
			if commit.Author != "A "+commit.Subject || commit.Email != commit.Subject+"@example.org" || commit.Date.IsZero() {
				t.Errorf("commit %+v: wrong author or date", commit)
			}
		}
		if c.Commits == nil {
			t.Errorf("%s: no commits were set", c)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blame (-want +got):\n%s", diff)
	}
}

func TestBlameOnlySome(t *testing.T) {
	s := between(t, graph(t, []commitSpec{
		{"g", nil, tree{"a": lines20(nil), "b": lines20(nil)}},
		{"c", []string{"g"}, tree{"a": lines20(edits{3: "three\n"}), "b": lines20(edits{4: "four\n"})}},
	}), "g", "c")
	if err := s.Blame(t.Context(), []int{1, 1, -1, 9}); err != nil {
		t.Fatal(err)
	}
	if s.Changes[0].Commits != nil || len(s.Changes[1].Commits) != 1 {
		t.Errorf("got commits %v and %v, want none and one", s.Changes[0].Commits, s.Changes[1].Commits)
	}
}

// The pieces of a split file have commits of their own.
func TestBlameSplit(t *testing.T) {
	s := between(t, graph(t, []commitSpec{
		{"g", nil, tree{"a": text("a\n")}},
		{"c", []string{"g"}, tree{"a": text("a\n"), "b": text("1\n")}},
		{"d", []string{"c"}, tree{"a": text("a\n"), "b": text("1\n2\n")}},
	}), "g", "d")
	finer, _, ok := s.Split([]int{0}, LongHunks)
	if !ok {
		t.Fatal("the created file was not cut")
	}
	checkBlame(t, finer, []string{"created b: c", "text b:1: c", "text b:2: d"})
}

func TestHistory(t *testing.T) {
	repo := graph(t, []commitSpec{
		{"g", nil, tree{"a": text("1\n")}},
		{"side", []string{"g"}, tree{"a": text("2\n")}},
		{"main", []string{"g"}, tree{"a": text("3\n")}},
		{"merge", []string{"main", "side"}, tree{"a": text("4\n")}},
	})
	h, err := between(t, repo, "g", "merge").History(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range h {
		got = append(got, c.Subject)
	}
	slices.Sort(got[:min(2, len(got))]) // either branch may come first
	if diff := cmp.Diff([]string{"main", "side", "merge"}, got); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// Beyond a shallow boundary a commit seems to have written everything; it must
// not be blamed for it.
func TestBlameShallow(t *testing.T) {
	repo := graph(t, []commitSpec{
		{"g", nil, tree{"a": lines20(nil)}},
		{"one", []string{"g"}, tree{"a": lines20(edits{3: "three\n"})}},
		{"two", []string{"one"}, tree{"a": lines20(edits{3: "three\n", 9: "nine\n"})}},
		{"three", []string{"two"}, tree{"a": lines20(edits{3: "three\n", 9: "nine\n", 15: "fifteen\n"})}},
	})
	shallow := filepath.Join(t.TempDir(), "s.git")
	runGit(t, "", nil, "clone", "-q", "--bare", "--depth=2", "--branch=three", "file://"+repo.GitDir(), shallow)
	runGit(t, shallow, nil, "fetch", "-q", "--depth=1", "origin", "g:g")
	checkBlame(t, between(t, open(t, shallow), "g", "three"), []string{"text a:3:", "text a:9:", "text a:15:"})
}

// A user's config cannot change whose line it is.
func TestBlameIgnoresConfig(t *testing.T) {
	repo := graph(t, []commitSpec{
		{"g", nil, tree{"a": lines20(nil)}},
		{"c", []string{"g"}, tree{"a": lines20(edits{3: "three\n"})}},
	})
	list := filepath.Join(repo.GitDir(), "ignored")
	runGit(t, repo.GitDir(), nil, "config", "blame.ignoreRevsFile", list)
	runGit(t, repo.GitDir(), nil, "config", "log.follow", "true")
	if err := os.WriteFile(list, runGit(t, repo.GitDir(), nil, "rev-parse", "c"), 0o600); err != nil {
		t.Fatal(err)
	}
	checkBlame(t, between(t, repo, "g", "c"), []string{"text a:3: c"})
}
