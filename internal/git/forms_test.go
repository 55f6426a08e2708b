package git

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/seed"
)

// forms lists the kinds of repository that git knows. make builds one from the
// repository "origin" of the sandbox (see sandbox.repo) and returns the
// directory to open.
var forms = []struct {
	name      string
	make      func(s *sandbox) string
	inProcess bool // the blobs are found by go-git, not by the fallback
	bare      bool
	prefix    string
	fetches   bool // git adds objects to the store on demand
}{
	{name: "normal", make: func(s *sandbox) string { return "origin" }, inProcess: true},
	{name: "subdirectory", make: func(s *sandbox) string { return "origin/sub" }, inProcess: true, prefix: "sub"},
	{name: "inside .git", make: func(s *sandbox) string { return "origin/.git/refs" }, inProcess: true, bare: true},
	{name: "packed", make: func(s *sandbox) string {
		s.git("origin", "gc", "-q")
		s.git("origin", "multi-pack-index", "write")
		s.git("origin", "commit-graph", "write", "--reachable")
		return "origin"
	}, inProcess: true},
	{name: "bare", make: func(s *sandbox) string {
		s.git("", "clone", "-q", "--bare", "origin", "bare.git")
		return "bare.git"
	}, inProcess: true, bare: true},
	{name: "linked worktree", make: func(s *sandbox) string {
		s.git("origin", "worktree", "add", "-q", "--detach", "../linked", "v1")
		return "linked"
	}, inProcess: true},
	{name: "worktree of a bare repository", make: func(s *sandbox) string {
		s.git("", "clone", "-q", "--bare", "origin", "bare.git")
		s.git("bare.git", "worktree", "add", "-q", "--detach", "../linked", "v1")
		return "linked"
	}, inProcess: true},
	{name: "git directory elsewhere", make: func(s *sandbox) string {
		s.git("", "clone", "-q", "--separate-git-dir", "elsewhere", "origin", "clone")
		return "clone"
	}, inProcess: true},
	{name: "submodule", make: func(s *sandbox) string {
		s.git("", "init", "-q", "super")
		s.git("super", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../origin", "module")
		return "super/module"
	}, inProcess: true},
	{name: "shallow", make: func(s *sandbox) string {
		s.write("origin/late.txt", "late\n")
		s.git("origin", "add", "-A")
		s.git("origin", "commit", "-q", "-m", "third")
		s.git("", "clone", "-q", "--depth=2", "--no-local", "file://"+s.path("origin"), "shallow")
		s.git("shallow", "tag", "-f", "v1", "HEAD~1")
		s.git("shallow", "tag", "-f", "v2", "HEAD")
		return "shallow"
	}, inProcess: true},
	{name: "partial", make: func(s *sandbox) string {
		s.git("origin", "config", "uploadpack.allowFilter", "true")
		s.git("", "clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+s.path("origin"), "partial")
		return "partial"
	}, fetches: true},
	{name: "alternates", make: func(s *sandbox) string {
		s.git("", "clone", "-q", "--shared", "origin", "shared")
		return "shared"
	}, inProcess: true},
	{name: "alternates, relative and twice", make: func(s *sandbox) string {
		s.git("", "clone", "-q", "--shared", "origin", "shared")
		s.git("", "clone", "-q", "--shared", "shared", "again")
		s.write("shared/.git/objects/info/alternates", "../../../origin/.git/objects\n")
		s.write("again/.git/objects/info/alternates", "../../../shared/.git/objects\n")
		return "again"
	}, inProcess: true},
	{name: "alternates, object directory of another name", make: func(s *sandbox) string {
		s.git("", "clone", "-q", "--shared", "origin", "shared")
		if err := os.Rename(s.path("origin/.git/objects"), s.path("store")); err != nil {
			s.t.Fatal(err)
		}
		s.write("shared/.git/objects/info/alternates", s.path("store")+"\n")
		return "shared"
	}},
	{name: "sparse", make: func(s *sandbox) string {
		s.git("", "clone", "-q", "origin", "sparse")
		s.git("sparse", "sparse-checkout", "set", "--cone", "--sparse-index", "nothing")
		return "sparse"
	}, inProcess: true},
	{name: "sparse in the shared config", make: func(s *sandbox) string {
		s.git("", "clone", "-q", "origin", "sparse")
		s.git("sparse", "config", "core.sparseCheckout", "true")
		s.write("sparse/.git/info/sparse-checkout", "/new.txt\n")
		s.git("sparse", "read-tree", "-m", "-u", "HEAD")
		return "sparse"
	}, inProcess: true},
	{name: "split index and untracked cache", make: func(s *sandbox) string {
		s.git("origin", "config", "core.splitIndex", "true")
		s.git("origin", "config", "core.untrackedCache", "true")
		s.git("origin", "update-index", "--split-index", "--untracked-cache")
		return "origin"
	}, inProcess: true},
	{name: "newline in the path", make: func(s *sandbox) string {
		s.git("", "clone", "-q", "origin", "a \"b\"\nc:d")
		return "a \"b\"\nc:d"
	}, inProcess: true},
	{name: "sha256", make: func(s *sandbox) string {
		s.repo("sha256", "--object-format=sha256")
		return "sha256"
	}},
	{name: "reftable", make: func(s *sandbox) string {
		if out, err := s.try("", "init", "-q", "--ref-format=reftable", "probe"); err != nil {
			s.t.Skipf("this git cannot make a reftable repository: %s", strings.SplitN(out, "\n", 2)[0])
		}
		s.repo("reftable", "--ref-format=reftable")
		return "reftable"
	}, inProcess: true},
	{name: "extensions that go-git refuses", make: func(s *sandbox) string {
		s.git("origin", "config", "core.repositoryFormatVersion", "1")
		s.git("origin", "config", "extensions.worktreeConfig", "true")
		return "origin"
	}, inProcess: true},
}

// TestForms does everything in every form of repository, and finds the
// repository as it was before.
func TestForms(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			seed.SkipLong(t, 3)
			s := newSandbox(t)
			s.repo("origin")
			dir := form.make(s)
			before := snapshot(t, s.dir)
			outside := t.TempDir()

			r := s.open(dir)
			if got := r.Top() == ""; got != form.bare {
				t.Errorf("Top %q, want none: %v", r.Top(), form.bare)
			}
			if r.Prefix() != form.prefix {
				t.Errorf("Prefix %q, want %q", r.Prefix(), form.prefix)
			}
			v1, v2 := s.resolve(r, "v1"), s.resolve(r, "v2")
			checkObjects(t, s, r, dir, v1.Tree, form.inProcess)
			checkObjects(t, s, r, dir, v2.Tree, form.inProcess)
			checkBlobs(t, r, s.manyOf(dir, "v2"))
			checkDiff(t, s, r, dir, v1.Tree, v2.Tree)
			checkScratch(t, s, r, outside, v1.Tree, v2.Tree)
			checkWorkspace(t, s, r, dir, outside, v1)

			after := snapshot(t, s.dir)
			if form.fetches {
				isPack := func(name, _ string) bool { return strings.Contains(name, ".git/objects/pack/") }
				maps.DeleteFunc(before, isPack)
				maps.DeleteFunc(after, isPack)
			}
			checkSame(t, before, after)
		})
	}
}

func (s *sandbox) resolve(r *Repo, rev string) Revision {
	s.t.Helper()
	v, err := r.Resolve(s.t.Context(), rev)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// checkObjects compares every object below a tree with what git says.
func checkObjects(t *testing.T, s *sandbox, r *Repo, dir string, tree ID, inProcess bool) {
	t.Helper()
	entries, err := r.Tree(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, e := range entries {
		kind := "blob"
		if e.Mode == Directory {
			kind = "tree"
			checkObjects(t, s, r, dir, e.ID, inProcess)
		}
		listed = append(listed, e.Mode.String()+" "+kind+" "+string(e.ID)+"\t"+e.Name)
		if kind == "tree" {
			continue
		}
		content, err := r.Blob(t.Context(), e.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.HashObject("blob", content); got != e.ID {
			t.Errorf("blob %s %s has the hash %s", e.Name, e.ID, got)
		}
		if size, err := r.BlobSize(t.Context(), e.ID); err != nil || size != int64(len(content)) {
			t.Errorf("size of %s is %d, %v, want %d", e.Name, size, err, len(content))
		}
		// Whether the fast path did it is no accident.
		if fast := r.store.inProcess; inProcess != (fast != nil && found(t, fast, e.ID)) {
			t.Errorf("blob %s read in process: want %v", e.Name, inProcess)
		}
	}
	want := s.git(dir, "ls-tree", "--full-tree", string(tree))
	if got := strings.Join(listed, "\n"); got != want {
		t.Errorf("tree %s has\n%s\nwant\n%s", tree, got, want)
	}
}

func found(t *testing.T, o objects, id ID) bool {
	_, _, err := o.read(t.Context(), id)
	return err == nil
}

// checkDiff compares DiffTrees with git's own summary of the same.
func checkDiff(t *testing.T, s *sandbox, r *Repo, dir string, old, new ID) {
	t.Helper()
	deltas, err := r.DiffTrees(t.Context(), old, new, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range deltas {
		got = append(got, string(d.Status)+"\t"+d.NewPath)
	}
	want := strings.Split(s.git(dir, "diff-tree", "-r", "--name-status", string(old), string(new)), "\n")
	if !slices.Equal(got, want) {
		t.Errorf("deltas %q, want %q", got, want)
	}
}

// checkScratch builds the tree new out of old in a scratch store, once by
// objects and once by the private index.
func checkScratch(t *testing.T, s *sandbox, r *Repo, outside string, old, new ID) {
	t.Helper()
	scratch, err := r.NewScratch(outside + "/scratch:1")
	if err != nil {
		t.Fatal(err)
	}
	blob, err := scratch.Put("blob", []byte("composed\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"read-tree", string(old)},
		{"update-index", "--add", "--cacheinfo", "100644," + string(blob) + ",sub/composed"},
	} {
		if _, err := scratch.Git(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := scratch.Git(t.Context(), "write-tree")
	if err != nil {
		t.Fatal(err)
	}
	out, err := scratch.Git(t.Context(), "diff-tree", "-r", "--name-status", string(old), strings.TrimSpace(string(tree)))
	if err != nil || string(out) != "A\tsub/composed\n" {
		t.Errorf("scratch tree differs by %q, %v", out, err)
	}
	out, err = scratch.Git(t.Context(), "diff", "--no-ext-diff", "--no-textconv", "--name-only", string(old), string(new))
	if err != nil || len(out) == 0 {
		t.Errorf("scratch does not see the repository: %q, %v", out, err)
	}
}

// checkWorkspace compares a workspace with git's own archive of the revision.
func checkWorkspace(t *testing.T, s *sandbox, r *Repo, dir, outside string, rev Revision) {
	t.Helper()
	w, err := r.NewWorkspace(t.Context(), outside+"/work", rev.Commit)
	if err != nil {
		t.Fatal(err)
	}
	got := snapshot(t, w.Dir)
	archive := s.git(dir, "ls-tree", "-r", "-z", "--full-tree", "--name-only", string(rev.Tree))
	for name := range strings.SplitSeq(strings.TrimSuffix(archive, "\x00"), "\x00") {
		want, err := r.Git(t.Context(), "cat-file", "blob", string(rev.Tree)+":"+name)
		if err != nil {
			t.Fatal(err)
		}
		mode, content, _ := strings.Cut(got[name], "\n")
		if mode == "" || content != string(want) {
			t.Errorf("workspace has %s as %q, want %q", name, content, want)
		}
	}
	out, err := w.Git(t.Context(), "status", "--porcelain", "--ignored")
	if err != nil || len(out) > 0 {
		t.Errorf("status of the workspace: %q, %v", out, err)
	}
	out, err = w.Git(t.Context(), "ls-files", "-t")
	if err != nil || bytes.Contains(out, []byte("S ")) {
		t.Errorf("the workspace is sparse: %q, %v", out, err)
	}
	// Users' tests run plain git inside.
	cmd := s.command(w.Dir, "rev-parse", "HEAD", "HEAD^{tree}")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != string(rev.Commit)+"\n"+string(rev.Tree)+"\n" {
		t.Errorf("git in the workspace: %q, %v", out, err)
	}
	for _, args := range [][]string{{"for-each-ref"}, {"show-ref", "--dereference"}, {"log", "--oneline", "v2"}, {"describe", "--tags", "v2"}, {"fsck", "--connectivity-only", "--no-dangling"}} {
		want, wantErr := s.try(dir, args...)
		got, err := s.command(w.Dir, args...).CombinedOutput()
		if strings.TrimSpace(string(got)) != strings.TrimSpace(want) || (err == nil) != (wantErr == nil) {
			t.Errorf("git %s in the workspace: %q, %v, want %q, %v", args, got, err, want, wantErr)
		}
	}
	if err := w.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(outside); len(left) != 1 { // the scratch store
		t.Errorf("left behind: %v", left)
	}
}
