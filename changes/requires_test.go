package changes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/git"
)

// TestRequires feeds lists that git gives only with other settings (-B), too:
// paths that one file leaves and another takes.
func TestRequires(t *testing.T) {
	rename := func(from, to string) git.Delta {
		return git.Delta{Status: 'R', OldPath: from, NewPath: to, OldMode: git.Regular, NewMode: git.Regular, OldID: "1", NewID: "1"}
	}
	add := func(path string) git.Delta {
		return git.Delta{Status: 'A', OldPath: path, NewPath: path, NewMode: git.Regular, NewID: "2"}
	}
	remove := func(path string) git.Delta {
		return git.Delta{Status: 'D', OldPath: path, NewPath: path, OldMode: git.Regular, OldID: "1"}
	}
	for _, c := range []struct {
		name   string
		deltas []git.Delta
		want   [][]int // in the order of the paths under bad
	}{
		{"swap", []git.Delta{rename("a", "b"), rename("b", "a")}, [][]int{{1}, {0}}},
		{"ring", []git.Delta{rename("a", "b"), rename("b", "c"), rename("c", "a")}, [][]int{{1}, {2}, {0}}},
		{"chain", []git.Delta{rename("a", "b"), rename("b", "c")}, [][]int{{1}, nil}},
		{"replaced", []git.Delta{remove("a"), add("a")}, [][]int{nil, {0}}},
		{"renamed over a deleted file", []git.Delta{remove("b"), rename("a", "b")}, [][]int{{1}, nil}},
		{"file to directory", []git.Delta{remove("a"), add("a/b"), add("a/c/d")}, [][]int{nil, {0}, {0}}},
		{"directory to file", []git.Delta{add("a"), remove("a/b"), remove("a/c/d"), remove("a-b"), remove("ab")}, [][]int{{2, 3}, nil, nil, nil, nil}},
		{"into itself", []git.Delta{rename("a", "a/b")}, [][]int{nil}},
		{"out of itself", []git.Delta{rename("a/b", "a"), remove("a/c")}, [][]int{{1}, nil}},
		{"directories swap", []git.Delta{rename("a/x", "b/x"), rename("b/x", "a/x")}, [][]int{{1}, {0}}},
		{"file and directory swap", []git.Delta{rename("a", "b/f"), rename("b/f", "a")}, [][]int{{1}, {0}}},
		{"crosswise", []git.Delta{rename("a", "b/f"), rename("b", "a/f")}, [][]int{{1}, {0}}},
		{"neighbours", []git.Delta{remove("a"), add("ab"), add("a-"), add("b/a")}, [][]int{nil, nil, nil, nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := filesOf(c.deltas)
			if err != nil {
				t.Fatal(err)
			}
			s := &Set{files: files}
			if err := s.cutFiles(t.Context(), Options{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, requires(s.files, s.Changes)); diff != "" {
				t.Errorf("requires of %q (-want +got):\n%s", plainly(s), diff)
			}
		})
	}
}

// plainly names the changes only.
func plainly(s *Set) []string {
	var out []string
	for i := range s.Changes {
		out = append(out, s.Changes[i].String())
	}
	return out
}

// TestSwap composes a swap that a delta list with broken pairs describes.
func TestSwap(t *testing.T) {
	good := tree{"a": text("a\n"), "b": text("b\n"), "d/c": text("c\n")}
	bad := tree{"a": text("b\n"), "b": text("a\n"), "d/c": text("c\n")}
	repo, revs := repository(t, "sha1", good, bad)
	s := between(t, repo, revs[0], revs[1])
	ida, idb := repo.HashObject("blob", []byte("a\n")), repo.HashObject("blob", []byte("b\n"))
	files, err := filesOf([]git.Delta{
		{Status: 'R', OldPath: "a", NewPath: "b", OldMode: git.Regular, NewMode: git.Regular, OldID: ida, NewID: ida},
		{Status: 'R', OldPath: "b", NewPath: "a", OldMode: git.Regular, NewMode: git.Regular, OldID: idb, NewID: idb},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.files, s.Changes, s.spots = files, nil, nil
	if err := s.cutFiles(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	s.Requires = requires(s.files, s.Changes)
	if diff := cmp.Diff([]string{"renamed b -> a [1]", "renamed a -> b [0]"}, describe(s)); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	check(t, s, good, bad, seeded(t))
}

// TestSwapOfEqualFiles swaps the names of two files with one content: all of the
// changes applied is still nothing changed.
func TestSwapOfEqualFiles(t *testing.T) {
	repo, revs := repository(t, "sha1", tree{"a": text("x\n"), "b": text("x\n")}, tree{"a": text("y\n"), "b": text("y\n")})
	s := between(t, repo, revs[0], revs[1])
	for n := range s.files {
		s.files[n].new = s.files[1-n].old
	}
	s.Changes, s.spots = nil, nil
	if err := s.cutFiles(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	s.Requires = requires(s.files, s.Changes)
	if got := compose(t, s, upTo(2)); got.ID != s.Good.Tree || len(got.Files) != 0 {
		t.Errorf("%q compose to %s with %v, want good %s", describe(s), got.ID, got.Files, s.Good.Tree)
	}
}
