package changes

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/git"
)

// unified writes text hunks of one file as git diff -U0 does.
func unified(s *Set, path string, subset []int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "diff --git %s %s\n--- %[1]s\n+++ %[2]s\n", quoteC("a/"+path), quoteC("b/"+path))
	shift := 0 // lines that the hunks before have added
	for _, i := range subset {
		c := s.Changes[i]
		first := c.OldStart // of the lines after the change
		if c.OldLines == 0 {
			first++
		}
		if first += shift; c.NewLines == 0 {
			first--
		}
		shift += c.NewLines - c.OldLines
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", c.OldStart, c.OldLines, first, c.NewLines)
		for _, side := range []struct {
			sign string
			text []byte
		}{{"-", c.Old}, {"+", c.New}} {
			for _, l := range lines(side.text) {
				b.WriteString(side.sign)
				b.Write(l)
				if !bytes.HasSuffix(l, []byte("\n")) {
					b.WriteString("\n\\ No newline at end of file\n")
				}
			}
		}
	}
	return b.Bytes()
}

// TestApply holds random subsets of text hunks against git apply of the same
// hunks, over random texts with few distinct lines: where a hunk could be put in
// many places, only its offset tells which.
func TestApply(t *testing.T) {
	rng := seeded(t)
	good, bad := tree{}, tree{}
	for n := range 60 {
		path := fmt.Sprintf("%02d%s", n, []string{"", " x", "/\"y", "\n", "\xff"}[n%5])
		old, new := randomTexts(rng, 60, 2+rng.IntN(8))
		old, new = ownLastLine(old), ownLastLine(new)
		if n%3 == 0 { // a large text with small edits
			old = numbered(400, nil)
			edits := map[int]string{}
			for range 20 {
				edits[1+rng.IntN(400)] = []string{"", "x\n", "x\r\ny\n", "}\n}\n}\n"}[rng.IntN(4)]
			}
			new = numbered(400, edits)
		}
		good[path], bad[path] = text(old), text(new)
	}
	repo, revs := repository(t, "sha1", good, bad)
	s := between(t, repo, revs[0], revs[1])
	checkEndsOf(t, s)
	if n := checkApply(t, s, rng, 12); n < s.Len() {
		t.Errorf("git applied %d hunks in all, of %d: the test asks too little", n, s.Len())
	}
}

// ownLastLine makes the last line of a text that lacks its newline differ from the start
// of every other line. To take out such a line, git apply also accepts a longer line that
// begins with it and differs from it by white space alone, such as "a\r\n" for "a".
func ownLastLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "."
}

// checkApply composes random subsets of the text changes and lets git apply the
// same, to an index of the good tree. It returns how many hunks git applied.
func checkApply(t testing.TB, s *Set, rng *rand.Rand, rounds int) (texts int) {
	t.Helper()
	dir := t.TempDir()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	for range rounds {
		p := rng.Float64()
		var subset []int
		var patch bytes.Buffer
		for n := range s.files {
			f := &s.files[n]
			if f.created() || f.deleted() || f.old.path != f.new.path || f.copied {
				continue
			}
			var here []int
			for i := f.first; i < f.end; i++ {
				if s.Changes[i].Kind == Text && rng.Float64() < p {
					here = append(here, i)
				}
			}
			if here != nil {
				patch.Write(unified(s, f.old.path, here))
				subset = append(subset, here...)
			}
		}
		texts += len(subset)
		want := s.Good.Tree
		if subset != nil {
			name := filepath.Join(dir, "patch")
			if err := os.WriteFile(name, patch.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			runGitEnv(t, s.repo.GitDir(), env, nil, "read-tree", string(s.Good.Tree))
			runGitEnv(t, s.repo.GitDir(), env, nil, "apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", name)
			want = git.ID(strings.TrimSpace(string(runGitEnv(t, s.repo.GitDir(), env, nil, "write-tree"))))
		}
		if got := compose(t, s, subset); got.ID != want {
			t.Errorf("%d hunks compose to %s, git apply gives %s", len(subset), got.ID, want)
		}
	}
	return texts
}
