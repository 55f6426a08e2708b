package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gitdd/gitdd/internal/seed"
)

// TestRecordWorktree holds what is recorded of a checkout to what `git add -u` makes of a
// copy of it, and writes nothing but into the store.
func TestRecordWorktree(t *testing.T) {
	rows := []struct {
		name string
		edit func(s *sandbox)
		in   string   // the checkout, below the sandbox; "" = r
		init []string // of git init
	}{
		{name: "nothing", edit: func(*sandbox) {}},
		{name: "edited", edit: func(s *sandbox) { s.write("r/a.txt", "edited\n") }},
		{name: "staged and edited again", edit: func(s *sandbox) {
			s.write("r/a.txt", "staged\n")
			s.git("r", "add", "a.txt")
			s.write("r/a.txt", "edited\n")
		}},
		{name: "of the same size, at once", edit: func(s *sandbox) {
			s.write("r/a.txt", "one\n2\nthrEE\n")
			s.git("r", "add", "a.txt")
			s.write("r/a.txt", "ONE\n2\nthrEE\n")
		}},
		{name: "announced", edit: func(s *sandbox) {
			s.write("r/more/announced", "announced\n")
			s.git("r", "add", "-N", "more/announced")
		}},
		{name: "announced and gone", edit: func(s *sandbox) {
			s.write("r/announced", "announced\n")
			s.git("r", "add", "-N", "announced")
			s.remove("r/announced")
		}},
		{name: "added, and taken out of the index", edit: func(s *sandbox) {
			s.write("r/added", "added\n")
			s.git("r", "add", "added")
			s.git("r", "rm", "-q", "--cached", "a.txt")
		}},
		{name: "gone", edit: func(s *sandbox) { s.remove("r/a.txt") }},
		{name: "untracked", edit: func(s *sandbox) { s.write("r/untracked", "untracked\n") }},
		{name: "modes", edit: func(s *sandbox) {
			if err := os.Chmod(s.path("r/a.txt"), 0o777); err != nil {
				s.t.Fatal(err)
			}
		}},
		{name: "file to directory, and directory to file", edit: func(s *sandbox) {
			s.remove("r/a.txt")
			s.write("r/a.txt/file", "below\n")
			s.git("r", "add", "-N", "a.txt/file")
			s.remove("r/sub")
			s.write("r/sub", "a file\n")
		}},
		{name: "symlinks", edit: func(s *sandbox) {
			s.remove("r/link")
			s.remove("r/a.txt")
			s.write("r/link", "a file\n")
			if err := os.Symlink("nowhere", s.path("r/a.txt")); err != nil {
				s.t.Fatal(err)
			}
		}},
		{name: "line endings", edit: func(s *sandbox) {
			s.git("r", "config", "core.autocrlf", "true")
			s.git("r", "config", "core.safecrlf", "true")
			s.write("r/a.txt", "one\r\ntwo\n")
		}},
		{name: "filters and attributes", edit: func(s *sandbox) {
			s.git("r", "config", "filter.up.clean", "tr A-Z a-z")
			s.git("r", "config", "filter.up.smudge", "tr a-z A-Z")
			s.write("r/.gitattributes", "*.txt filter=up\n")
			s.git("r", "add", "-N", ".gitattributes")
			s.write("r/a.txt", "ONE\nEDITED\n")
		}},
		{name: "submodule", edit: func(s *sandbox) {
			s.repo("r/module")
			s.git("r", "-c", "advice.addEmbeddedRepo=false", "add", "module")
			s.git("r", "commit", "-q", "-m", "module")
			s.git("r/module", "checkout", "-q", "v1")
			s.write("r/module/a.txt", "dirty\n")
		}},
		{name: "sparse checkout", edit: func(s *sandbox) {
			s.git("r", "sparse-checkout", "set", "--cone", "--sparse-index")
			s.write("r/a.txt", "edited\n")
		}},
		{name: "split index", edit: func(s *sandbox) {
			s.git("r", "update-index", "--split-index")
			s.write("r/a.txt", "staged\n")
			s.git("r", "add", "a.txt")
			s.write("r/new.txt", "edited\n")
		}},
		{name: "linked worktree", in: "linked", edit: func(s *sandbox) {
			s.write("r/a.txt", "edited elsewhere\n")
			s.git("r", "worktree", "add", "-q", "--detach", "../linked", "v1")
			s.write("linked/a.txt", "edited\n")
		}},
		{name: "within a merge", edit: func(s *sandbox) {
			s.git("r", "checkout", "-q", "-b", "side", "v1")
			s.write("r/side", "side\n")
			s.git("r", "add", "side")
			s.git("r", "commit", "-q", "-m", "side")
			s.git("r", "merge", "-q", "--no-commit", "v2")
			s.write("r/side", "edited\n")
		}},
		{name: "sha256", init: []string{"--object-format=sha256"}, edit: func(s *sandbox) { s.write("r/a.txt", "edited\n") }},
		{name: "hooks and monitors", edit: func(s *sandbox) {
			s.script("r/.git/hooks/post-index-change", "touch "+s.path("hooked"))
			s.git("r", "config", "core.fsmonitor", "touch "+s.path("hooked")+"; false")
			s.write("r/a.txt", "edited\n")
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			seed.SkipLong(t, 8)
			s := newSandbox(t)
			s.repo("r", row.init...)
			row.edit(s)
			in := "r"
			if row.in != "" {
				in = row.in
			}
			s.remove("hooked")
			head := s.git(in, "rev-parse", "HEAD")
			r := s.open(in)
			store, err := r.NewScratch(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, s.dir)
			got, err := store.recordWorktree(t.Context(), time.Unix(1e9, 0))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, snapshot(t, s.dir)); diff != "" {
				t.Errorf("the user's files are others: %s", diff)
			}
			s.git(in, "-c", "core.safecrlf=false", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "add", "-u")
			want := ID(s.git(in, "write-tree"))
			if got.Tree != want {
				t.Errorf("recorded tree %s, want %s", got.Tree, want)
			}
			if err := r.AddObjects(t.Context(), store); err != nil {
				t.Fatal(err)
			}
			again := s.resolve(r, string(got.Commit))
			if again.Tree != want {
				t.Errorf("commit %s has tree %s", got.Commit, again.Tree)
			}
			if edited := want != s.resolve(r, "HEAD").Tree; edited && string(got.Base) != head || !edited && string(got.Commit) != head {
				t.Errorf("recorded %+v on %s", got, head)
			}
		})
	}
}

// TestAddObjects reads recorded objects by each way in which a repository reads them.
func TestAddObjects(t *testing.T) {
	s := newSandbox(t)
	s.repo("origin")
	s.git("", "clone", "-q", "--shared", "origin", "r")
	s.write("r/a.txt", "edited\n")
	r := s.open("r")
	store, err := r.NewScratch(filepath.Join(t.TempDir(), `od"d:`))
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := store.recordWorktree(t.Context(), time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Tree(t.Context(), recorded.Tree); err == nil {
		t.Fatal("the tree is in the repository before the store is")
	}
	if err := r.AddObjects(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	commits, err := r.FirstParents(t.Context(), recorded.Commit, recorded.Base)
	if err != nil || len(commits) != 1 || commits[0].Author != "Not Committed Yet" {
		t.Errorf("commits %+v, %v", commits, err)
	}
	deltas, err := r.DiffTrees(t.Context(), s.resolve(r, "HEAD").Tree, recorded.Tree, nil)
	if err != nil || len(deltas) != 1 || deltas[0].NewPath != "a.txt" {
		t.Fatalf("deltas %+v, %v", deltas, err)
	}
	if text, err := r.Blob(t.Context(), deltas[0].NewID); err != nil || string(text) != "edited\n" {
		t.Errorf("blob %q, %v", text, err)
	}
	other, err := r.NewScratch(t.TempDir())
	if err == nil {
		err = other.Checkout(t.Context(), recorded.Tree, t.TempDir())
	}
	if err != nil {
		t.Errorf("another store: %v", err)
	}
	w, err := r.NewWorkspace(t.Context(), filepath.Join(t.TempDir(), "w"), recorded.Commit)
	if err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, filepath.Join(w.Dir, "a.txt")); got != "edited\n" {
		t.Errorf("workspace has %q", got)
	}
	// As a test would run it.
	if out, err := s.command(w.Dir, "log", "-1", "--format=%an").CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "Not Committed Yet" {
		t.Errorf("git log in the workspace: %s, %v", out, err)
	}
}

func TestRecordWorktreeRefused(t *testing.T) {
	s := newSandbox(t)
	s.repo("r")
	s.git("r", "checkout", "-q", "-b", "side", "v1")
	s.write("r/a.txt", "side\n")
	s.git("r", "commit", "-q", "-a", "-m", "side")
	if out, err := s.try("r", "merge", "-q", "v2"); err == nil {
		t.Fatalf("merged without a conflict: %s", out)
	}
	record := func(r *Repo) error {
		store, err := r.NewScratch(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		_, err = store.recordWorktree(t.Context(), time.Unix(1e9, 0))
		return err
	}
	var unmerged *unmergedError
	if err := record(s.open("r")); !errors.As(err, &unmerged) || !cmp.Equal(unmerged.Paths, []string{"a.txt"}) {
		t.Errorf("with conflicts: %v", err)
	}
	s.git("", "clone", "-q", "--bare", "r", "bare.git")
	if err := record(s.open("bare.git")); err == nil || !strings.Contains(err.Error(), "no checkout") {
		t.Errorf("of a bare repository: %v", err)
	}
	s.git("", "init", "-q", "empty")
	if err := record(s.open("empty")); err == nil || !strings.Contains(err.Error(), "no commit yet") {
		t.Errorf("of an empty repository: %v", err)
	}
}
