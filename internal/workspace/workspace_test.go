package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
)

// A repository is a real one.
type repository struct {
	t   *testing.T
	dir string
}

// run runs git in the repository with a standard input.
func (r repository) run(input string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(input)
	cmd.Env = append(git.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// draw chooses a random subset of the changes that a tree can hold, and composes it; nil if
// changes conflict.
func draw(t *testing.T, random *rand.Rand, set *changes.Set) *changes.Tree {
	t.Helper()
	var chosen []int
	for i := range set.Len() {
		if random.IntN(2) == 0 {
			chosen = append(chosen, i)
		}
	}
	tree, err := set.Compose(slices.Values(chosen))
	if errors.As(err, new(*changes.ConflictError)) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// checkout returns what git writes of a composed tree, as filesIn does.
func checkout(t *testing.T, repo *git.Repo, set *changes.Set, tree *changes.Tree) map[string]string {
	t.Helper()
	scratch, err := repo.NewScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	err = set.Store(t.Context(), tree, scratch)
	if err == nil {
		_, err = scratch.Git(t.Context(), "-C", dir, "--work-tree="+dir, "read-tree", "--reset", "-u", string(tree.ID))
	}
	if err != nil {
		t.Fatal(err)
	}
	return filesIn(t, dir)
}

// filesIn returns mode and content of all files and symbolic links below dir, and of the empty
// directories named sub, which are those of submodules; not .git.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		content := ""
		switch {
		case err != nil:
			return err
		case d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			if left, err := os.ReadDir(name); err != nil || len(left) > 0 || d.Name() != "sub" {
				return err
			}
		case d.Type() == fs.ModeSymlink:
			content, err = os.Readlink(name)
		default:
			var text []byte
			text, err = os.ReadFile(name)
			content = string(text)
		}
		all[filepath.ToSlash(rel)] = info.Mode().String() + " " + content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestShow shows random trees of files, symbolic links, submodules and directories that change
// their type, and compares each with what git itself checks out. Between two of them a test may have
// left anything at the paths that can differ.
func TestShow(t *testing.T) {
	random := rand.New(rand.NewPCG(seed.New(t), 0))
	r := repository{t, t.TempDir()}
	r.run("", "init", "--quiet", "--initial-branch=main")
	start := r.run("", "commit-tree", "-m", "start", r.run("", "mktree"))
	var blobs []string
	for _, text := range []string{"0", "1", "../2"} {
		blobs = append(blobs, r.run(text, "hash-object", "-w", "--stdin"))
	}
	odd := []string{"a", "b", "d/a", "d/b", "d/e/f", "sp ace/\"q\"\t\n", "\xff\xfe/-x", "exe", "sub"}
	commit := func(paths []string) string {
		var index strings.Builder
		for _, p := range paths {
			mode, blob := "100644", blobs[random.IntN(len(blobs))]
			switch random.IntN(6) {
			case 0:
				continue
			case 1:
				mode = "120000"
			case 2:
				mode = "100755"
			case 3:
				if p == "sub" {
					mode, blob = "160000", start
				}
			case 4:
				p += "/in"
			}
			fmt.Fprintf(&index, "%s %s\t%s\x00", mode, blob, p)
		}
		r.run("", "read-tree", "--empty")
		r.run(index.String(), "update-index", "-z", "--index-info")
		return r.run("", "commit-tree", "-m", "tree", r.run("", "write-tree"))
	}
	repo, err := git.Open(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	source, err := Open(t.Context(), Options{Repo: repo, Objects: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	for round := range 4 {
		paths := odd
		if round == 0 { // each system call takes the time of its directories
			paths = append(paths, strings.Repeat("long/", 700)+"end")
		}
		set, err := changes.Between(t.Context(), repo, commit(paths), commit(paths), changes.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := source.New(t.Context(), set, filepath.Join(t.TempDir(), "workspace"))
		if err != nil {
			t.Fatal(err)
		}
		affected := set.AffectedPaths()
		for range 12 {
			tree := draw(t, random, set)
			if tree == nil {
				continue
			}
			if err := w.Show(t.Context(), set, tree); err != nil {
				t.Fatal(err)
			}
			want, got := checkout(t, repo, set, tree), filesIn(t, w.Dir)
			for _, all := range []map[string]string{want, got} { // what tests do to other files is not mended
				maps.DeleteFunc(all, func(name, _ string) bool { return !slices.Contains(affected, name) })
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("-git +workspace\n%s", diff)
			}
			if random.IntN(2) == 0 {
				leave(random, w.Root())
			}
		}
		if err := w.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// leave does to some paths what tests do: it removes them, puts a directory or a symbolic link in their
// place, or writes to them, where what it has left before allows that.
func leave(random *rand.Rand, root *os.Root) {
	for _, p := range []string{"a", "b", "d", "d/a", "d/e", "exe"} {
		switch random.IntN(7) {
		case 0:
			_ = root.RemoveAll(p)
		case 1:
			_ = errors.Join(root.RemoveAll(p), root.MkdirAll(filepath.Join(p, "x"), 0o777))
		case 2:
			_ = errors.Join(root.RemoveAll(p), root.Symlink("/tmp", p))
		case 3:
			if f, err := root.OpenFile(p, os.O_APPEND|os.O_WRONLY, 0); err == nil {
				_, _ = f.WriteString("\n")
				f.Close()
			}
		}
	}
}
