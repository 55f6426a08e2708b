package results

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
	"github.com/gitdd/gitdd/isolate"
	"github.com/gitdd/gitdd/search"
)

// Where a change stands behind later ones is where its lines are found there.
func TestMoved(t *testing.T) {
	at := func(start, n int) *changes.Change {
		return &changes.Change{Path: "a", OldPath: "a", NewStart: start, NewLines: n}
	}
	hunk := func(oldStart, oldLines, newLines int) changes.Change {
		return changes.Change{Path: "a", OldPath: "a", OldStart: oldStart, OldLines: oldLines, NewLines: newLines}
	}
	of := func(kind changes.Kind, path string) changes.Change {
		return changes.Change{Kind: kind, Path: path, OldPath: path}
	}
	tests := []struct {
		name    string
		c       *changes.Change
		further []changes.Change
		want    int
	}{
		{"nothing since", at(10, 3), nil, 10},
		{"lines added before", at(10, 3), []changes.Change{hunk(2, 0, 4)}, 14},
		{"lines gone before", at(10, 3), []changes.Change{hunk(2, 4, 1)}, 7},
		{"added just before", at(10, 3), []changes.Change{hunk(9, 0, 2)}, 12},
		{"changed just before", at(10, 3), []changes.Change{hunk(8, 2, 2)}, 10},
		{"added within", at(10, 3), []changes.Change{hunk(10, 0, 2)}, 0},
		{"changed at its end", at(10, 3), []changes.Change{hunk(12, 1, 1)}, 0},
		{"changed behind", at(10, 3), []changes.Change{hunk(13, 1, 9)}, 10},
		{"added behind", at(10, 3), []changes.Change{hunk(12, 0, 9)}, 10},
		{"two before", at(10, 3), []changes.Change{hunk(1, 0, 1), hunk(5, 2, 0), hunk(20, 1, 1)}, 9},
		{"gone, nothing since", at(10, 0), nil, 10},
		{"gone, added before", at(10, 0), []changes.Change{hunk(3, 0, 2)}, 12},
		{"gone, the line before changed", at(10, 0), []changes.Change{hunk(10, 1, 2)}, 11},
		{"gone, changed across", at(10, 0), []changes.Change{hunk(10, 2, 2)}, 0},
		{"gone from the top", at(0, 0), nil, 1},
		{"in another file", at(10, 3), []changes.Change{of(changes.Deleted, "b")}, 10},
		{"deleted", at(10, 3), []changes.Change{of(changes.Deleted, "a")}, 0},
		{"renamed", at(10, 3), []changes.Change{{Kind: changes.Renamed, Path: "b", OldPath: "a"}}, 0},
		{"executable", at(10, 3), []changes.Change{of(changes.Mode, "a")}, 10},
	}
	for _, tt := range tests {
		if got := moved(tt.c, tt.further); got != tt.want {
			t.Errorf("%s: line %d, want %d", tt.name, got, tt.want)
		}
	}
}

// What placed says of files that git compares is true of their texts.
func TestPlaced(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q", "-b", "main")
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	next := 0
	lines := make([]string, 60)
	fresh := func() string { next++; return fmt.Sprintf("line %d\n", next) }
	for i := range lines {
		lines[i] = fresh()
	}
	edit := func(list []string) []string {
		out := slices.Clone(list)
		for range 1 + rng.IntN(5) {
			at := rng.IntN(len(out) + 1)
			to := min(at+rng.IntN(3), len(out))
			added := make([]string, rng.IntN(3))
			for i := range added {
				added[i] = fresh()
			}
			out = slices.Replace(out, at, to, added...)
		}
		return append(out, fresh()) // it never stays as it was
	}
	commit := func(text []string) git.Revision {
		if err := os.WriteFile(filepath.Join(dir, "a b"), []byte(strings.Join(text, "")), 0o666); err != nil {
			t.Fatal(err)
		}
		run("add", "-A")
		run("commit", "-q", "--allow-empty", "-m", "x")
		rev, err := repo.Resolve(t.Context(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		return rev
	}
	found := 0
	for range 4 {
		good := commit(lines)
		middle := edit(lines)
		bad := commit(middle)
		lines = edit(middle)
		later := commit(lines)
		set, err := changes.Between(t.Context(), repo, string(good.Commit), string(bad.Commit), changes.Options{})
		if err != nil {
			t.Fatal(err)
		}
		line := placed(t.Context(), repo, search.Answer{Set: set, Result: isolate.Result{Cause: isolate.Full(set.Len())}}, later)
		if line == nil {
			t.Fatal("later is like bad")
		}
		for i := range set.Changes {
			c := &set.Changes[i]
			at := line(c)
			if at == 0 {
				continue // later edits touch it
			}
			found++
			if c.NewLines > 0 {
				if got := strings.Join(lines[at-1:at-1+c.NewLines], ""); got != string(c.New) {
					t.Errorf("%q is said to be at line %d, where %q stands", c.New, at, got)
				}
			}
		}
	}
	if found == 0 {
		t.Error("nothing was found again: it tells nothing")
	}
}
