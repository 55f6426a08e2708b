package changes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// upstream is a Go module that carries real git histories as packs: test data of
// go-git. So they can be had on any machine that reaches a Go module proxy, and
// the checksum database vouches for them.
const (
	upstream    = "github.com/go-git/go-git-fixtures/v4@v4.3.1"
	upstreamSum = "h1:y5z6dd3qi8Hl+stezc8p3JxDkoTRqMAlKnXHuzrfjTQ="
)

// packs are the histories of it that are used, with the number of their
// parent-child pairs.
var packs = []struct {
	name  string
	pairs int
}{
	{"pack-4ec6344877f494690fc800aceaf2ca0e86786acb", 179},
	{"pack-0d3d824fb5c930e7e7e1f0f399f2976847d31fd3", 138},
	{"pack-7861f2632868833a35fe5e4ab94f99638ec5129b", 570},
}

// download returns the directory of the module, or skips the test when neither
// the module cache nor a proxy has it.
func download(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", upstream)
	cmd.Dir = t.TempDir() // outside any module: go.mod need not list it
	out, err := cmd.Output()
	var module struct{ Dir, Error, Sum string }
	if e := json.Unmarshal(out, &module); err != nil || e != nil || module.Error != "" {
		t.Skipf("NOT COVERED: G1 and G2 on real histories. %s cannot be had: %v %s", upstream, err, module.Error)
	}
	if module.Sum != upstreamSum {
		t.Fatalf("%s has the sum %s, want %s", upstream, module.Sum, upstreamSum)
	}
	return module.Dir
}

// unpack makes a repository of one pack.
func unpack(t *testing.T, module, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r.git")
	runGit(t, "", nil, "init", "-q", "--bare", dir)
	pack, err := os.ReadFile(filepath.Join(module, "data", name+".pack"))
	if err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, pack, "index-pack", "--stdin")
	return dir
}

// parentChild lists the pairs of tree ids of a repository's commits and their
// parents, of all commits whose parents are there.
func parentChild(t *testing.T, dir string) [][2]string {
	t.Helper()
	var commits []string
	for row := range strings.Lines(string(runGit(t, dir, nil, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"))) {
		if id, ok := strings.CutPrefix(row, "commit "); ok {
			commits = append(commits, id)
		}
	}
	in := []byte(strings.Join(commits, ""))
	out := runGit(t, dir, in, "rev-list", "--stdin", "--no-walk=unsorted", "--parents")
	var pairs [][2]string
	for row := range strings.Lines(string(out)) {
		ids := strings.Fields(row)
		for _, parent := range ids[1:] {
			pairs = append(pairs, [2]string{parent, ids[0]})
		}
	}
	return pairs
}

// sampled is how many parent-child pairs of a real history a test takes, other ones for
// another seed. TestGivenHistory takes all of a history.
const sampled = 60

// TestUpstream is G1 over parent-child pairs of real histories, and on some of them git
// apply of random subsets, G2 and Split.
func TestUpstream(t *testing.T) {
	seed.SkipLong(t, 4)
	module := download(t)
	for _, p := range packs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			dir := unpack(t, module, p.name)
			if n := len(parentChild(t, dir)); n != p.pairs {
				t.Errorf("%d parent-child pairs, want %d", n, p.pairs)
			}
			checkHistory(t, dir, sampled)
		})
	}
}

// TestHunksAsGit counts the hunks of every file over two real histories: git diff has
// nearly as many. It has fewer where a passage was rewritten, for there it does
// not hold on to the blank lines and braces that both versions have.
func TestHunksAsGit(t *testing.T) {
	seed.SkipLong(t, 4)
	module := download(t)
	ours, gits := 0, 0
	for _, p := range packs[:2] { // the third is longer than both
		dir := unpack(t, module, p.name)
		repo := open(t, dir)
		for _, pair := range parentChild(t, dir) {
			hunks := make(map[string]int)
			for _, c := range between(t, repo, pair[0], pair[1]).Changes {
				if c.Kind == Text && c.Path == c.OldPath {
					hunks[c.Path]++
				}
			}
			for path, n := range gitHunks(t, dir, pair) {
				if hunks[path] > 0 { // else a copy or move for one of the two
					ours, gits = ours+hunks[path], gits+n
				}
			}
		}
	}
	t.Logf("%d hunks, git diff has %d", ours, gits)
	if limit := gits / 150; gits < 1000 || ours < gits-limit || ours > gits+limit {
		t.Errorf("%d hunks, git diff has %d: more than %d apart", ours, gits, limit)
	}
}

// gitHunks counts the hunks of git diff in each file that it finds modified.
func gitHunks(t *testing.T, dir string, trees [2]string) map[string]int {
	t.Helper()
	hunks := make(map[string]int)
	path, headed := "", false
	out := runGit(t, dir, nil, "-c", "core.quotePath=false", "diff-tree", "-r", "-p", "-U0", "--no-renames", "--diff-filter=M", trees[0], trees[1])
	for row := range strings.Lines(string(out)) {
		name, named := strings.CutPrefix(row, "+++ b/")
		switch {
		case strings.HasPrefix(row, "diff --git "):
			headed = false
		case named && !headed:
			path, headed = strings.TrimRight(name, "\t\n"), true
		case strings.HasPrefix(row, "@@ -"):
			hunks[path]++
		}
	}
	return hunks
}

// TestOwnHistory takes a sample of the history of this very repository, which grows, in
// a checkout of it.
func TestOwnHistory(t *testing.T) {
	seed.SkipLong(t, 4)
	out, err := exec.CommandContext(t.Context(), "git", "rev-parse", "--absolute-git-dir").Output()
	if err != nil {
		t.Skip("the sources are not in a git repository")
	}
	checkHistory(t, string(bytes.TrimSpace(out)), sampled)
}

// TestGivenHistory takes the repository that GITDD_REAL_HISTORY names.
func TestGivenHistory(t *testing.T) {
	dir := os.Getenv("GITDD_REAL_HISTORY")
	if dir == "" {
		t.Skip("GITDD_REAL_HISTORY names no repository")
	}
	if n := checkHistory(t, dir, 0); n < 300 {
		t.Errorf("%s has only %d parent-child pairs, want 300", dir, n)
	}
}

// checkHistory returns the number of pairs that it checked: all of them, or at most so
// many, if most is not 0.
func checkHistory(t *testing.T, dir string, most int) int {
	t.Helper()
	rng := seeded(t)
	repo := open(t, dir)
	pairs := parentChild(t, dir)
	if most > 0 && len(pairs) > most {
		rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		pairs = pairs[:most]
	}
	changes, kinds := 0, make(map[Kind]int)
	applied, finest := 0, 0
	for n, p := range pairs {
		s := between(t, repo, p[0], p[1])
		checkEndsOf(t, s)
		for _, c := range s.Changes {
			kinds[c.Kind]++
		}
		changes += s.Len()
		if n%10 == 0 {
			applied += checkApply(t, s, rng, 2)
		}
		if finer, starts, ok := s.Split(upTo(s.Len()), LongHunks); ok && finer.Len() < 5000 {
			finest += finer.Len()
			checkStarts(t, s, finer, starts)
			checkEndsOf(t, finer)
			a, b := closed(finer, rng), closed(finer, rng)
			if compose(t, finer, a).ID != compose(t, finer, append(a, a...)).ID {
				t.Errorf("%s..%s: naming the changes twice gives another tree", p[0], p[1])
			}
			compose(t, finer, b)
		}
		if t.Failed() {
			t.Fatalf("first failure in %s at %s..%s", dir, p[0], p[1])
		}
	}
	t.Logf("%d pairs, %d changes %v, %d in the finest sets; git applied %d hunks", len(pairs), changes, fmt.Sprint(kinds), finest, applied)
	return len(pairs)
}
