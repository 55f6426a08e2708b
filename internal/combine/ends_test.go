package combine

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/seed"
)

func initRepo(t *testing.T, format string) *git.Repo {
	t.Helper()
	repo, err := git.Init(t.Context(), filepath.Join(t.TempDir(), "repo"), format)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	return repo
}

func run(t *testing.T, repo *git.Repo, input string, args ...string) git.ID {
	t.Helper()
	args = append([]string{"-c", "user.name=A U Thor", "-c", "user.email=author@example.com"}, args...)
	out, err := repo.GitInput(t.Context(), strings.NewReader(input), args...)
	if err != nil {
		t.Fatal(err)
	}
	return git.ID(strings.TrimSpace(string(out)))
}

// treeOf stores a tree with files, and a directory with another one.
func treeOf(t *testing.T, repo *git.Repo, files map[string]string) git.ID {
	t.Helper()
	list := ""
	for name, text := range files {
		list += fmt.Sprintf("100644 blob %s\t%s\n", run(t, repo, text, "hash-object", "-w", "--stdin"), name)
	}
	return run(t, repo, list, "mktree")
}

// drawHistory makes a history of n commits with merges, of which a branch has the last, so that nothing is lost. Its commits differ by a file.
func drawHistory(t *testing.T, r *rand.Rand, repo *git.Repo, name string, n int) []git.Revision {
	t.Helper()
	var all []git.Revision
	for i := range n {
		args := []string{"commit-tree", string(treeOf(t, repo, map[string]string{name: fmt.Sprint(name, i), "README": name})), "-m", fmt.Sprint(name, " ", i)}
		if i > 0 {
			parents := map[int]bool{i - 1: true}
			for range r.IntN(2) {
				parents[r.IntN(i)] = true
			}
			for j := i - 1; j >= 0; j-- {
				if parents[j] {
					args = append(args, "-p", string(all[j].Commit))
				}
			}
		}
		rev, err := repo.Resolve(t.Context(), string(run(t, repo, "", args...)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rev)
	}
	run(t, repo, "", "update-ref", "refs/heads/main", string(all[n-1].Commit))
	return all
}

// stored lists all files of a repository with their sizes.
func stored(t *testing.T, repo *git.Repo) (list []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Dir(repo.GitDir()), func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			info, _ := d.Info()
			list = append(list, fmt.Sprint(path, info.Size(), info.ModTime()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The combined commits are those of all repositories, one line after another, each with the trees that it should have.
func TestEnds(t *testing.T) {
	seed.SkipLong(t, 4)
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	for range 6 {
		ctx := t.Context()
		main, lib := initRepo(t, ""), initRepo(t, "")
		ours, theirs := drawHistory(t, r, main, "app", 2+r.IntN(6)), drawHistory(t, r, lib, "lib", 2+r.IntN(6))
		good, bad := ours[0], ours[r.IntN(len(ours))]
		part := Part{Name: "lib", Path: "vendor/lib", Repo: lib, Good: theirs[0], Bad: theirs[1+r.IntN(len(theirs)-1)]}
		wantCommits := 0
		for _, of := range []struct {
			repo     *git.Repo
			from, to git.Revision
		}{{main, good, bad}, {lib, part.Good, part.Bad}} {
			n, err := of.repo.CountCommits(ctx, of.to.Commit, of.from.Commit)
			if err != nil {
				t.Fatal(err)
			}
			wantCommits += n
		}
		before := [][]string{stored(t, main), stored(t, lib)}
		store, err := main.NewScratch(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		from, to, err := Ends(ctx, main, store, good, bad, []Part{part})
		if err != nil {
			t.Fatal(err)
		}
		if after := [][]string{stored(t, main), stored(t, lib)}; !slices.Equal(before[0], after[0]) || !slices.Equal(before[1], after[1]) {
			t.Error("a repository was written to")
		}
		check := func(what string, tree, wantMain, wantLib git.ID) {
			t.Helper()
			e, ok, err := main.EntryAt(ctx, tree, "vendor/lib")
			if err != nil || !ok || e.ID != wantLib {
				t.Errorf("%s: the folder has %v %v %v, want %s", what, e, ok, err, wantLib)
			}
			entries, err := main.Tree(ctx, tree)
			if err != nil {
				t.Fatal(err)
			}
			entries = slices.DeleteFunc(entries, func(e git.Entry) bool { return e.Name == "vendor" })
			if want, err := main.Tree(ctx, wantMain); err != nil || !slices.Equal(entries, want) {
				t.Errorf("%s: the rest has %v, want %v (%v)", what, entries, want, err)
			}
		}
		check("good", from.Tree, good.Tree, part.Good.Tree)
		check("bad", to.Tree, bad.Tree, part.Bad.Tree)
		of, err := Origins(ctx, main, from, to)
		if err != nil {
			t.Fatal(err)
		}
		list, err := main.Range(ctx, from.Commit, to.Commit)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != wantCommits || len(of) != wantCommits+1 {
			t.Errorf("%d commits, %d with an origin, want %d", len(list), len(of), wantCommits)
		}
		for _, c := range list {
			repo, before, wantMain, wantLib := main, "", c.Tree, part.Good.Tree
			if strings.HasPrefix(c.Subject, "lib: ") {
				repo, before, wantMain = lib, "lib: ", bad.Tree
			}
			origin, err := repo.CommitOf(ctx, of[c.ID])
			if err != nil {
				t.Fatal(err)
			}
			if repo == main {
				wantMain = origin.Tree
			} else {
				wantLib = origin.Tree
			}
			check(c.Subject, c.Tree, wantMain, wantLib)
			if c.Subject != before+origin.Subject || c.Author != origin.Author || !c.Date.Equal(origin.Date) {
				t.Errorf("commit %v is not like %v", c, origin)
			}
			var parents []git.ID
			for _, p := range c.Parents {
				parents = append(parents, of[p])
			}
			for _, p := range origin.Parents {
				if repo == lib && p == part.Good.Commit { // where the line of the main repository ends
					p = bad.Commit
				}
				if !slices.Contains(parents, p) {
					t.Errorf("%s: parents are %v, want %s among them", c.Subject, parents, p)
				}
			}
		}
		text := struct{ List []struct{ A string } }{[]struct{ A string }{{string(to.Commit)}, {to.Commit.Short() + " x"}}}
		Rewrite(&text, Names(of))
		if want := part.Bad.Commit; text.List[0].A != string(want) || text.List[1].A != want.Short()+" x" {
			t.Errorf("named %v, want %s", text, want)
		}
	}
}

// A part may be a directory of a repository, which only some of its commits have.
func TestEndsOfDir(t *testing.T) {
	ctx := t.Context()
	main, lib := initRepo(t, ""), initRepo(t, "")
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	ours := drawHistory(t, r, main, "app", 1)
	var theirs []git.Revision
	for i := range 3 {
		tree := treeOf(t, lib, map[string]string{"README": fmt.Sprint(i)})
		if i != 1 {
			tree = run(t, lib, fmt.Sprintf("040000 tree %s\tsub\n", tree), "mktree")
		}
		args := []string{"commit-tree", string(tree), "-m", "lib"}
		if i > 0 {
			args = append(args, "-p", string(theirs[i-1].Commit))
		}
		rev, err := lib.Resolve(ctx, string(run(t, lib, "", args...)))
		if err != nil {
			t.Fatal(err)
		}
		theirs = append(theirs, rev)
	}
	store, err := main.NewScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	from, to, err := Ends(ctx, main, store, ours[0], ours[0], []Part{{Name: "lib", Path: "lib", Dir: "sub", Repo: lib, Good: theirs[0], Bad: theirs[2]}})
	if err != nil {
		t.Fatal(err)
	}
	commits, err := main.Range(ctx, from.Commit, to.Commit)
	if err != nil || len(commits) != 2 {
		t.Fatalf("commits %v, %v", commits, err)
	}
	for i, tree := range []git.ID{from.Tree, commits[0].Tree, to.Tree} {
		e, _, err := main.EntryAt(ctx, tree, "lib/README")
		var text []byte
		if err == nil && e.ID != "" {
			text, err = main.Blob(ctx, e.ID)
		}
		if want := map[int]string{0: "0", 2: "2"}[i]; err != nil || string(text) != want {
			t.Errorf("commit %d has %q, %v; want %q", i, text, err, want)
		}
	}
}

// What is no line from good to bad is one commit, or none if nothing else is.
func TestEndsWithoutHistory(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	ctx := t.Context()
	main, lib := initRepo(t, ""), initRepo(t, "")
	ours, theirs := drawHistory(t, r, main, "app", 2), drawHistory(t, r, lib, "lib", 3)
	tree := func(rev git.Revision) git.Revision { return git.Revision{Rev: rev.Rev, Tree: rev.Tree} }
	for _, test := range []struct {
		good, bad, from, to git.Revision
		commits             int // -1 = both ends are trees
	}{
		{ours[0], ours[0], tree(theirs[0]), tree(theirs[1]), -1},
		{ours[0], ours[0], theirs[2], theirs[0], -1}, // backwards
		{ours[0], ours[1], tree(theirs[0]), tree(theirs[1]), 2},
		{tree(ours[0]), tree(ours[1]), theirs[0], theirs[2], 3},
	} {
		store, err := main.NewScratch(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		from, to, err := Ends(ctx, main, store, test.good, test.bad, []Part{{Name: "lib", Path: "lib", Repo: lib, Good: test.from, Bad: test.to}})
		if err != nil {
			t.Fatal(err)
		}
		n := -1
		if from.Commit != "" {
			if n, err = main.CountCommits(ctx, to.Commit, from.Commit); err != nil {
				t.Fatal(err)
			}
		}
		if n < test.commits || n > test.commits+1 || (n < 0) != (test.commits < 0) {
			t.Errorf("%v: %d commits, want %d", test, n, test.commits)
		}
	}
}

func TestEndsRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	main, lib, other := initRepo(t, ""), initRepo(t, ""), initRepo(t, "sha256")
	ours, theirs, others := drawHistory(t, r, main, "app", 2), drawHistory(t, r, lib, "lib", 2), drawHistory(t, r, other, "lib", 2)
	for _, test := range []struct {
		part Part
		want string
	}{
		{Part{Name: "lib", Path: "README", Repo: lib, Good: theirs[0], Bad: theirs[1]}, "has README already, where the folder of it would lie: choose another name"},
		{Part{Name: "lib", Path: "lib", Repo: lib, Good: theirs[0], Bad: theirs[0]}, "have the same content: name two revisions that differ"},
		{Part{Name: "lib", Path: "lib", Repo: other, Good: others[0], Bad: others[1]}, "has objects of format sha256"},
	} {
		store, err := main.NewScratch(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = Ends(t.Context(), main, store, ours[0], ours[1], []Part{test.part}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// Edit makes the tree that git makes.
func TestEdit(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.New(t), 0))
	ctx := context.Background()
	repo := initRepo(t, "")
	store, err := repo.NewScratch(t.TempDir())
	if err == nil {
		err = repo.AddObjects(ctx, store)
	}
	if err != nil {
		t.Fatal(err)
	}
	blob := run(t, repo, "text", "hash-object", "-w", "--stdin")
	names := []string{"a", "a-b", "a.b", "a0", "b", "a/x", "a/x/y", "a-b/x"}
	tree := git.ID("")
	files := map[string]bool{}
	for range 40 {
		path := names[r.IntN(len(names))]
		if tree, err = store.Edit(ctx, tree, path, git.Regular, blob); err != nil {
			t.Fatal(err)
		}
		for other := range files {
			if strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
				delete(files, other)
			}
		}
		files[path] = true
		input := ""
		for f := range files {
			input += fmt.Sprintf("100644 blob %s\t%s\n", blob, f)
		}
		run(t, repo, "", "read-tree", "--empty")
		run(t, repo, input, "update-index", "--index-info")
		if want := run(t, repo, "", "write-tree"); tree != want {
			t.Fatalf("after %s: %s, want %s of %v", path, tree, want, files)
		}
	}
}
