package changes

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
)

var long = strings.Repeat("x", 250)

// numbered gives lines "1\n" .. "n\n", those in replace otherwise.
func numbered(n int, replace map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if r, ok := replace[i]; ok {
			b.WriteString(r)
			continue
		}
		b.WriteString("line ")
		b.WriteString(strings.Repeat("i", i%7))
		b.WriteByte(byte('a' + i%26))
		b.WriteString(" of text\n")
	}
	return b.String()
}

var deep = strings.Repeat(long+"/", 16) + "leaf" // 4,020 characters

// cases are pairs of trees with the changes that lie between them; every one is
// checked for G1 and G2, in both object formats, and again after each Split.
var cases = []struct {
	name      string
	good, bad tree
	want      []string // Change.String, with its requirements
}{
	{"two hunks", tree{"a": text(numbered(30, nil))}, tree{"a": text(numbered(30, map[int]string{3: "three\n", 20: ""}))},
		[]string{"text a:3", "text a:19"}},
	{"created", tree{"a": text("1\n")}, tree{"a": text("1\n"), "d/b": text("x\ny\n"), "e": script("run\n")},
		[]string{"created d/b", "created e"}},
	{"deleted", tree{"a": text("1\n"), "d/b": text("x\ny\n")}, tree{"a": text("1\n")},
		[]string{"deleted d/b"}},
	{"from nothing", tree{}, tree{"a/b/c": text("1\n")}, []string{"created a/b/c"}},
	{"to nothing", tree{"a/b/c": text("1\n")}, tree{}, []string{"deleted a/b/c"}},
	{"empty files", tree{"a": text(""), "b": text("b\n"), "c": text("c\n")}, tree{"a": text("a\n"), "b": text(""), "d": text("")},
		[]string{"text a:1", "text b:1", "deleted c", "created d"}},
	{"renamed", tree{"a": text(numbered(40, nil))}, tree{"b/c": text(numbered(40, map[int]string{5: "five\n", 30: "thirty\n"}))},
		[]string{"renamed a -> b/c", "text b/c:5", "text b/c:30"}},
	{"renamed into its own directory", tree{"a": text(numbered(40, nil))}, tree{"a/a": text(numbered(40, map[int]string{5: "five\n"}))},
		[]string{"renamed a -> a/a", "text a/a:5"}},
	{"renamed out of its directory", tree{"a/a": text(numbered(40, nil))}, tree{"a": text(numbered(40, map[int]string{5: "five\n"}))},
		[]string{"renamed a/a -> a", "text a:5"}},
	{"renamed with mode", tree{"a": text(numbered(40, nil))}, tree{"b": script(numbered(40, map[int]string{5: "five\n"}))},
		[]string{"renamed a -> b", "mode a -> b", "text b:5"}},
	{"copied", tree{"a": text(numbered(40, nil))}, tree{"a": text(numbered(40, map[int]string{9: "nine\n"})), "b": script(numbered(40, map[int]string{5: "five\n"}))},
		[]string{"text a:9", "copied a -> b", "mode a -> b [1]", "text b:5 [1]"}},
	{"renamed and copied", tree{"a": text(numbered(40, nil))}, tree{"b": text(numbered(40, nil)), "c": text(numbered(40, map[int]string{5: "five\n"}))},
		[]string{"copied a -> b", "renamed a -> c", "text c:5"}},
	{"mode", tree{"a": text("1\n"), "b": script("2\n")}, tree{"a": script("1\n"), "b": text("3\n")},
		[]string{"mode a", "mode b", "text b:1"}},
	{"symlink", tree{"a": link("x")}, tree{"a": link("../y")}, []string{"symlink a"}},
	{"symlink to empty target", tree{"a": link("x")}, tree{"a": link("")}, []string{"symlink a"}},
	{"binary", tree{"a": text("\x00one")}, tree{"a": text("\x00two")}, []string{"binary a"}},
	{"text becomes binary", tree{"a": text("one\n")}, tree{"a": text("one\n\x00")}, []string{"binary a"}},
	{"binary becomes empty", tree{"a": text("\x00")}, tree{"a": text("")}, []string{"binary a"}},
	{"submodule", tree{"a": module('1'), "b": module('3')}, tree{"a": module('2'), "c": module('4')},
		[]string{"submodule a", "deleted b", "created c"}},
	{"type", tree{"a": text("x"), "b": link("x"), "c": module('1'), "d": text("y")}, tree{"a": link("x"), "b": module('2'), "c": text("c\n"), "d": module('3')},
		[]string{"type a", "type b", "type c", "type d"}},
	{"file becomes directory", tree{"a": text("1\n")}, tree{"a/b": text("x\n"), "a/c/d": text("y\n")},
		[]string{"deleted a", "created a/b [0]", "created a/c/d [0]"}},
	{"directory becomes file", tree{"a/b": text("x\n"), "a/c/d": text("y\n"), "a-b": text("z\n"), "a0": text("")}, tree{"a": text("1\n"), "a-b": text("z\n"), "a0": text("")},
		[]string{"created a [1 2]", "deleted a/b", "deleted a/c/d"}},
	{"directory becomes symlink", tree{"a/b": text("x\n"), "b/b": text("x\ny\n")}, tree{"a": link("b"), "b/b": text("x\ny\n")},
		[]string{"created a [1]", "deleted a/b"}},
	{"symlink becomes directory", tree{"a": link("b"), "b/b": text("x\ny\n")}, tree{"a/b": text("q\n"), "b/b": text("x\ny\n")},
		[]string{"deleted a", "created a/b [0]"}},
	{"file becomes deep directory, neighbours sort between", tree{"a": text("1\n"), "a-b": text("2\n"), "a.b": text("3\n")}, tree{"a/x/y/z": text("4\n"), "a-b": text("2!\n"), "a.b": text("3!\n")},
		[]string{"deleted a", "text a-b:1", "text a.b:1", "created a/x/y/z [0]"}},
	{"no final newline", tree{"a": text("1\n2"), "b": text("1\n2\n"), "c": text("1")}, tree{"a": text("1\n2\n"), "b": text("1\n2"), "c": text("1\n2")},
		[]string{"text a:2", "text b:2", "text c:1"}},
	{"carriage returns", tree{"a": text("1\r\n2\r\n3\r\n")}, tree{"a": text("1\n2\r\n3\r\n4\r5")},
		[]string{"text a:1", "text a:4"}},
	{"no encoding, late NUL", tree{"a": text(strings.Repeat("\xff\xfe\n", 4000) + "\x00\n")}, tree{"a": text(strings.Repeat("\xff\xfe\n", 3999) + "\xfe\xff\n\x00\x00\n")},
		[]string{"text a:4000"}},
	{"odd names", tree{"a b": text("1\n"), "n\nl": text("1\n"), `q"u\o`: text("1\n"), "\xff\xfe": text("1\n"), deep: text("1\n"), "-f": text("1\n"), "tab\t": text("1\n"), ":(top)": text("1\n")},
		tree{"a b": text("2\n"), "n\nl": text("2\n"), `q"u\o`: text("2\n"), "\xff\xfe": text("2\n"), deep: text("2\n"), "-f": text("2\n"), "tab\t": text("2\n"), ":(top)": text("2\n")},
		[]string{"text -f:1", "text :(top):1", "text a b:1", `text "n\nl":1`, `text "q\"u\\o":1`, `text "tab\t":1`, "text " + deep + ":1", `text "\xff\xfe":1`}},
	{"deep created and deleted", tree{"x": text(""), deep: text("1\n2\n")}, tree{"x": text(""), deep + "2": text("something else\n")},
		[]string{"deleted " + deep, "created " + deep + "2"}},
	{"long hunk", tree{"a": text("head\n" + numbered(60, nil) + "tail\n")}, tree{"a": text("head\n" + strings.ToUpper(numbered(100, nil)) + "tail\n")},
		[]string{"text a:2"}},
	{"long removal and insertion", tree{"a": text("head\n" + numbered(60, nil) + "mid\n" + "tail")}, tree{"a": text("head\nmid\n" + strings.ToUpper(numbered(70, nil)) + "tail")},
		[]string{"text a:1", "text a:3"}},
	{"one word in many places", tree{"a": text("x\nk1\nx\nk2\nx\nk3\n"), "b": text("x\n")}, tree{"a": text("y\nk1\ny\nk2\ny\nk3\n"), "b": text("y\n")},
		[]string{"text a:1", "text a:3", "text a:5", "text b:1"}},
}

func describe(s *Set) []string {
	var out []string
	for i := range s.Changes {
		row := s.Changes[i].String()
		if s.Requires[i] != nil {
			row += fmt.Sprint(" ", s.Requires[i])
		}
		out = append(out, row)
	}
	return out
}

func TestBetween(t *testing.T) {
	seed.SkipLong(t, 4)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rng := seeded(t)
			for _, format := range []string{"sha1", "sha256"} {
				repo, revs := repository(t, format, c.good, c.bad)
				s := between(t, repo, revs[0], revs[1])
				if diff := cmp.Diff(c.want, describe(s)); diff != "" {
					t.Errorf("%s: changes (-want +got):\n%s", format, diff)
				}
				check(t, s, c.good, c.bad, rng)
				back := between(t, repo, revs[1], revs[0])
				check(t, back, c.bad, c.good, rng)
				whole, err := Between(t.Context(), repo, revs[0], revs[1], Options{Whole: true})
				if err != nil {
					t.Fatal(err)
				}
				if i := slices.IndexFunc(whole.Changes, func(c Change) bool { return c.Kind == Text || c.Kind == Renamed || c.Kind == Copied }); i >= 0 {
					t.Errorf("%s: whole files have %v", format, whole.Changes[i])
				}
				check(t, whole, c.good, c.bad, rng)
			}
		})
	}
}

// check holds a set against G1, G2, git and the oracle, and does so again with
// all of it split until nothing can be cut any further.
func check(t *testing.T, s *Set, good, bad tree, rng *rand.Rand) {
	t.Helper()
	s.Nodes = randomNodes(rng)
	if finer, starts, ok := s.Split(upTo(s.Len()), WithinLines); ok {
		checkStarts(t, s, finer, starts)
		checkEndsOf(t, finer)
		checkSubsets(t, finer, good, bad, rng)
		checkIDs(t, finer)
	}
	for how := LongHunks; ; {
		checkEndsOf(t, s)
		checkSubsets(t, s, good, bad, rng)
		checkIDs(t, s)
		finer, starts, ok := s.Split(upTo(s.Len()), how)
		switch {
		case !ok && how == WithinLines:
			return
		case !ok:
			how++
			continue
		}
		checkStarts(t, s, finer, starts)
		s = finer
	}
}

// randomNodes cuts at one byte of three, the same ones each time.
func randomNodes(rng *rand.Rand) Nodes {
	seed := rng.Uint64()
	return func(_ string, content []byte) (cuts []int) {
		rng := rand.New(rand.NewPCG(seed, 0))
		for i := range content {
			if rng.IntN(3) == 0 {
				cuts = append(cuts, i)
			}
		}
		return cuts
	}
}

// checkEndsOf is G1.
func checkEndsOf(t testing.TB, s *Set) {
	t.Helper()
	if s.beyondFiles {
		t.Error("the full set does not compose to bad by its changes")
	}
	if got := compose(t, s, nil); got.ID != s.Good.Tree || len(got.Files) != 0 {
		t.Errorf("composing nothing gives %s with %d files, want good %s with none", got.ID, len(got.Files), s.Good.Tree)
	}
	if got := compose(t, s, upTo(s.Len())); got.ID != s.Bad.Tree {
		t.Errorf("composing everything gives %s, want bad %s", got.ID, s.Bad.Tree)
	}
}

// checkSubsets is G2: any order gives the same tree, git accepts it, and it is
// the one that the oracle expects.
func checkSubsets(t *testing.T, s *Set, good, bad tree, rng *rand.Rand) {
	t.Helper()
	scratch, err := s.repo.NewScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	subsets := [][]int{nil, upTo(s.Len())}
	for range 6 {
		subsets = append(subsets, closed(s, rng))
	}
	for _, subset := range subsets {
		got := compose(t, s, subset)
		if again := compose(t, s, slices.Sorted(slices.Values(subset))); !cmp.Equal(again, got) {
			t.Errorf("subset %v composes to %v, sorted to %v", subset, got, again)
		}
		if err := s.Store(t.Context(), got, scratch); err != nil {
			t.Fatal(err)
		}
		want := oracle(t, s, good, bad, subset)
		stored := listed(t, scratch, got.ID)
		for _, path := range slices.Sorted(maps.Keys(want)) {
			w, f := want[path], stored[path]
			if f.Mode != w.mode {
				t.Errorf("subset %v: %q has mode %s, want %s", subset, path, f.Mode, w.mode)
				continue
			}
			if w.mode == git.Gitlink {
				if !strings.HasPrefix(string(f.ID), w.content) {
					t.Errorf("subset %v: %q is pinned to %s, want %s", subset, path, f.ID, w.content)
				}
				continue
			}
			if id := s.repo.HashObject("blob", []byte(w.content)); f.ID != id {
				t.Errorf("subset %v: %q is %s, want %s: %q", subset, path, f.ID, id, w.content)
			}
		}
		if len(stored) != len(want) {
			t.Errorf("subset %v has paths %q, want %q", subset, slices.Sorted(maps.Keys(stored)), slices.Sorted(maps.Keys(want)))
		}
		checkFiles(t, s, got, good, stored)
	}
	if out, err := scratch.Git(t.Context(), "fsck", "--no-dangling", "--strict"); err != nil {
		t.Errorf("git fsck of the composed trees: %v\n%s", err, out)
	}
}

// checkFiles holds Tree.Files against what git lists, and Content against it.
func checkFiles(t *testing.T, s *Set, tr *Tree, good tree, stored map[string]File) {
	t.Helper()
	affected := s.AffectedPaths()
	differ := 0
	for path, f := range stored {
		if _, ok := good[path]; !ok || slices.Contains(affected, path) && !f.Equal(s.GoodFile(path)) {
			differ++
		}
	}
	for path := range good {
		if _, ok := stored[path]; !ok {
			differ++
		}
	}
	if differ != len(tr.Files) {
		t.Errorf("%d files listed as different from good, %d are", len(tr.Files), differ)
	}
	if !slices.IsSortedFunc(tr.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
		t.Errorf("files are not sorted: %v", tr.Files)
	}
	s.cache = newCache() // so that contents are made again from their recipes
	for _, f := range tr.Files {
		if !slices.Contains(affected, f.Path) {
			t.Errorf("%q differs but is not among the affected paths", f.Path)
		}
		if !f.Equal(File{Path: f.Path, Mode: stored[f.Path].Mode, ID: stored[f.Path].ID}) {
			t.Errorf("%q is %s %s, git lists %v", f.Path, f.Mode, f.ID, stored[f.Path])
		}
		content, err := s.Content(f)
		if f.Mode == 0 || f.Mode == git.Gitlink {
			if err == nil {
				t.Errorf("content of %q (mode %s) is %q, want an error", f.Path, f.Mode, content)
			}
			continue
		}
		if err != nil {
			t.Error(err)
		} else if id := s.repo.HashObject("blob", content); id != f.ID {
			t.Errorf("content of %q is %s, want %s", f.Path, id, f.ID)
		}
	}
}

func checkIDs(t testing.TB, s *Set) {
	t.Helper()
	seen := make(map[string]int)
	for i, c := range s.Changes {
		if j, twice := seen[c.ID]; twice || len(c.ID) != 16 {
			t.Errorf("changes %d and %d have the id %q", i, j, c.ID)
		}
		seen[c.ID] = i
	}
}

// TestComposeConflict asks for subsets that are not closed.
func TestComposeConflict(t *testing.T) {
	repo, revs := repository(t, "sha1", tree{"a": text("1\n")}, tree{"a/b": text("x\n")})
	s := between(t, repo, revs[0], revs[1])
	_, err := s.Compose(slices.Values([]int{1}))
	var conflict *ConflictError
	if !errors.As(err, &conflict) || conflict.Change != 1 || conflict.Missing != 0 || conflict.Path != "a/b" {
		t.Errorf("got %v, want a conflict of change 1, which needs 0", err)
	}
	for _, i := range []int{-1, 2} {
		if _, err := s.Compose(slices.Values([]int{i})); err == nil {
			t.Errorf("composing change %d of 2: no error", i)
		}
	}
}

// TestComposeConcurrently asks for many subsets at once: each gets what it gets
// alone. The race detector watches.
func TestComposeConcurrently(t *testing.T) {
	rng := seeded(t)
	good, bad := wide(40, 2, 6)
	repo, revs := repository(t, "sha1", good, bad)
	s := between(t, repo, revs[0], revs[1])
	var subsets [][]int
	var want []git.ID
	for range 40 {
		subsets = append(subsets, closed(s, rng))
		want = append(want, compose(t, s, subsets[len(subsets)-1]).ID)
	}
	s.cache = newCache()
	var group errgroup.Group
	for i, subset := range subsets {
		group.Go(func() error {
			got, err := s.Compose(slices.Values(subset))
			if err != nil {
				return err
			}
			for _, f := range got.Files {
				content, err := s.Content(f)
				if err != nil {
					return err
				}
				if id := repo.HashObject("blob", content); id != f.ID {
					return fmt.Errorf("content of %s is %s, want %s", f.Path, id, f.ID)
				}
			}
			if got.ID != want[i] {
				return fmt.Errorf("subset %d composes to %s, alone to %s", i, got.ID, want[i])
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

func TestPaths(t *testing.T) {
	repo, revs := repository(t, "sha1",
		tree{"a": text("1\n"), "d/x": text("1\n"), "f": text("1\n")},
		tree{"a": text("2\n"), "d/x": text("2\n"), "f/g": text("other\n")})
	s, err := Between(t.Context(), repo, revs[0], revs[1], Options{Paths: []string{"d"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := describe(s), []string{"text d/x:1"}; !slices.Equal(got, want) {
		t.Errorf("limited to d: %q, want %q", got, want)
	}
	got := compose(t, s, []int{0})
	if want := []File{{Path: "d/x", Mode: git.Regular, ID: repo.HashObject("blob", []byte("2\n"))}}; !cmp.Equal(got.Files, want) {
		t.Errorf("files %v, want %v", got.Files, want)
	}
	// Half of a change from file to directory has no tree.
	if _, err := Between(t.Context(), repo, revs[0], revs[1], Options{Paths: []string{"f/g"}}); err == nil || !strings.Contains(err.Error(), "both a file and a directory") {
		t.Errorf("limited to f/g: error %v", err)
	}
}

func TestContents(t *testing.T) {
	repo, revs := repository(t, "sha1",
		tree{"a": text(numbered(30, nil)), "gone": text("g\n"), "m": module('1')},
		tree{"b": text(numbered(30, map[int]string{4: ""})), "come": text("c c c\n"), "m": module('2')})
	s := between(t, repo, revs[0], revs[1])
	for _, c := range []struct {
		path string
		get  func(string) ([]byte, error)
		want string
	}{
		{"a", s.OldContent, numbered(30, nil)},
		{"b", s.NewContent, numbered(30, map[int]string{4: ""})},
		{"gone", s.OldContent, "g\n"}, {"gone", s.NewContent, ""},
		{"come", s.OldContent, ""}, {"come", s.NewContent, "c c c\n"},
		{"m", s.OldContent, ""}, {"m", s.NewContent, ""},
	} {
		if got, err := c.get(c.path); err != nil || string(got) != c.want {
			t.Errorf("content of %s is %q, %v, want %q", c.path, got, err, c.want)
		}
	}
	if _, err := s.OldContent("b"); err == nil {
		t.Error("old content of a new name: no error")
	}
}
