package git

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
)

// TestDiffPaths compares what DiffPaths says of random trees with what git says.
func TestDiffPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.New(t), 0))
	s := newSandbox(t)
	s.repo("r")
	var blobs []string
	for i := range 3 {
		s.write("r/x", fmt.Sprint(i))
		blobs = append(blobs, strings.TrimSpace(s.git("r", "hash-object", "-w", "x")))
	}
	// Names that stand in another order as files than as directories.
	names := []string{"a", "a.b", "a-b", "a0", "a/b", "b", "\xff", "a b", "é"}
	mktree := func(lines []string) string {
		cmd := s.command(s.path("r"), "mktree", "--missing")
		cmd.Stdin = strings.NewReader(strings.Join(lines, ""))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %q", err, lines)
		}
		return strings.TrimSpace(string(out))
	}
	var tree func(depth int) string
	tree = func(depth int) string {
		var lines []string
		for _, name := range names {
			if strings.Contains(name, "/") {
				continue
			}
			switch k := rng.IntN(9); {
			case k < 2:
				lines = append(lines, fmt.Sprintf("100644 blob %s\t%s\n", blobs[rng.IntN(3)], name))
			case k == 2:
				lines = append(lines, fmt.Sprintf("100755 blob %s\t%s\n", blobs[rng.IntN(3)], name))
			case k == 3:
				lines = append(lines, fmt.Sprintf("120000 blob %s\t%s\n", blobs[rng.IntN(3)], name))
			case k == 4:
				lines = append(lines, fmt.Sprintf("160000 commit %s\t%s\n", strings.Repeat("12"[k%2:k%2+1], 40), name))
			case k < 7 && depth > 0:
				lines = append(lines, fmt.Sprintf("040000 tree %s\t%s\n", tree(depth-1), name))
			}
		}
		return mktree(lines)
	}
	repo := s.open("r")
	var trees []ID
	for range 12 {
		trees = append(trees, ID(tree(2)))
	}
	// A tree that has the old mode of a file which the group may write, and the empty one.
	old := mktree([]string{"100664 blob " + blobs[0] + "\ta\n"})
	now := mktree([]string{"100644 blob " + blobs[0] + "\ta\n", "100644 blob " + blobs[1] + "\tb\n"})
	trees = append(trees, ID(old), ID(now), repo.HashObject("tree", nil))
	kinds := map[byte]int{}
	for _, x := range trees {
		for _, y := range trees {
			got, err := repo.DiffPaths(t.Context(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			want, err := repo.diffTrees(t.Context(), x, y, nil, "--no-renames")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%s to %s (-git +DiffPaths):\n%s", x, y, d)
			}
			for _, d := range got {
				kinds[d.Status]++
			}
		}
	}
	for _, k := range []byte("ADMT") {
		if kinds[k] == 0 {
			t.Errorf("no two trees differ by %c", k)
		}
	}
	// With renames and copies, where DiffTrees leaves all to git because of a pathspec, and where it does not.
	for _, x := range trees[9:] {
		for _, y := range trees[9:] {
			got, err := repo.DiffTrees(t.Context(), x, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := repo.DiffTrees(t.Context(), x, y, []string{"."})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%s to %s (-git +DiffTrees):\n%s", x, y, d)
			}
		}
	}
	if _, err := repo.DiffPaths(t.Context(), trees[0], ID(strings.Repeat("0", 40))); err == nil {
		t.Error("a tree that does not exist was read")
	}
}

// countedObjects counts what is read.
type countedObjects struct {
	objects
	reads int
}

func (c *countedObjects) read(ctx context.Context, id ID) (string, []byte, error) {
	c.reads++
	return c.objects.read(ctx, id)
}

// TestTreesReadOnce compares trees again and again, as each step of a search among commits does, and counts the objects
// that are read: each tree is one.
func TestTreesReadOnce(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	r := s.open("r")
	counted := &countedObjects{objects: r.store.inProcess}
	r.store.inProcess = counted
	v1, v2 := s.resolve(r, "v1"), s.resolve(r, "v2")
	counted.reads = 0
	for range 3 {
		deltas, err := r.DiffPaths(t.Context(), v1.Tree, v2.Tree)
		if err != nil || len(deltas) != 3 {
			t.Fatalf("%v, %v", deltas, err)
		}
	}
	if counted.reads != 4 {
		t.Errorf("%d objects were read, want 4: both trees, and sub in both", counted.reads)
	}
	// What Tree returns is the caller's.
	entries, err := r.Tree(t.Context(), v1.Tree)
	if err != nil {
		t.Fatal(err)
	}
	was := slices.Clone(entries)
	clear(entries)
	if again, err := r.Tree(t.Context(), v1.Tree); err != nil || !slices.Equal(again, was) || counted.reads != 4 {
		t.Errorf("after a change of the entries: %v, want %v; %d objects were read; %v", again, was, counted.reads, err)
	}
	// The trees read last are kept: half of the limit and more of others are in between.
	r.recent.put("other", make([]Entry, cachedEntries/2))
	if _, err := r.DiffPaths(t.Context(), v1.Tree, v2.Tree); err != nil || counted.reads != 4 {
		t.Errorf("%d objects were read, %v", counted.reads, err)
	}
	for range 2 {
		r.recent.put("other", make([]Entry, cachedEntries))
	}
	if _, err := r.DiffPaths(t.Context(), v1.Tree, v2.Tree); err != nil || counted.reads != 8 {
		t.Errorf("%d objects were read after as many entries as are kept, want 8; %v", counted.reads, err)
	}
	if n := len(r.recent.recent) + len(r.recent.older); n > 6 {
		t.Errorf("%d trees are kept", n)
	}
}
