package git

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stays makes a repository with two trees that differ in every way, and a workspace that shows the first.
func stays(t *testing.T) (w *Workspace, a, b ID) {
	t.Helper()
	s := newSandbox(t)
	s.git("", "init", "-q", "r")
	for name, text := range map[string]string{"same": "same\n", "text": "one\n", "gone/deep/file": "x\n", "turns": "file\n", "into/dir": "y\n"} {
		s.write("r/"+name, text)
	}
	s.git("r", "add", "-A")
	s.git("r", "commit", "-qm", "a")
	s.git("r", "rm", "-rq", "gone", "turns", "into")
	for name, text := range map[string]string{"text": "two\n", "new/file": "n\n", "turns/inner": "z\n", "into": "file\n"} {
		s.write("r/"+name, text)
	}
	s.git("r", "add", "-A")
	s.git("r", "commit", "-qm", "b")
	repo := s.open("r")
	first := s.resolve(repo, "HEAD~1")
	a, b = first.Tree, s.resolve(repo, "HEAD").Tree
	at := filepath.Join(t.TempDir(), "at")
	made, err := repo.NewWorkspace(t.Context(), at, first.Commit)
	if err == nil {
		err = made.Keep()
	}
	if err != nil {
		t.Fatal(err)
	}
	if w, err = repo.OpenWorkspace(at); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(at + ".index"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("beside the workspace lies %s.index: %v", at, err)
	}
	return w, a, b
}

// shows checks that the files of a workspace, and its index, are those of a tree but for some.
func shows(t *testing.T, w *Workspace, tree ID, but ...string) {
	t.Helper()
	out, err := w.Git(context.Background(), "write-tree")
	if err != nil || ID(strings.TrimSpace(string(out))) != tree {
		t.Errorf("the index has the tree %s, %v; want %s", out, err, tree)
	}
	out, err = w.Git(context.Background(), "status", "--porcelain", "-uall", "--no-renames")
	if err != nil {
		t.Fatal(err)
	}
	var differ []string
	for line := range strings.Lines(string(out)) {
		if line[1] != ' ' { // otherwise than in the index
			differ = append(differ, strings.TrimSpace(line[3:]))
		}
	}
	if !slices.Equal(differ, but) {
		t.Errorf("files differ from the tree: %q, want %q", differ, but)
	}
}

// Switch goes to and fro, leaves files of the user's alone, and refuses to overwrite them.
func TestWorkspaceSwitch(t *testing.T) {
	w, a, b := stays(t)
	ctx := t.Context()
	file := func(name string) string { return filepath.Join(w.Dir, filepath.FromSlash(name)) }
	product := file("product.o")
	if err := os.WriteFile(product, []byte("built\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(file("same"))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range [][2]ID{{a, b}, {b, a}, {a, b}} {
		if err := w.Switch(ctx, step[0], step[1]); err != nil {
			t.Fatal(err)
		}
		shows(t, w, step[1], "product.o")
	}
	if after, err := os.Stat(file("same")); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("a file that is the same in both trees was written: %v, %v", after, err)
	}
	if err := os.WriteFile(file("text"), []byte("mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	err = w.Switch(ctx, b, a)
	var edited *EditedError
	if !errors.As(err, &edited) || !slices.Equal(edited.Paths, []string{"text"}) {
		t.Errorf("Switch over an edited file: %v, want an EditedError of text", err)
	}
	shows(t, w, b, "text", "product.o")
	if text, _ := os.ReadFile(file("text")); string(text) != "mine\n" {
		t.Errorf("the edited file has %q", text)
	}
	if _, err := w.Git(ctx, "checkout", "--", "text"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(file("gone/deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("gone/deep/file"), []byte("also mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err = w.Switch(ctx, b, a); !errors.As(err, &edited) || !slices.Equal(edited.Paths, []string{"gone/deep/file"}) {
		t.Errorf("Switch over an untracked file: %v, want an EditedError of gone/deep/file", err)
	}
	if text, _ := os.ReadFile(file("gone/deep/file")); string(text) != "also mine\n" {
		t.Errorf("the untracked file has %q", text)
	}
	if err := os.RemoveAll(file("gone")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("text"), []byte("staged\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Git(ctx, "add", "text"); err != nil {
		t.Fatal(err)
	}
	if err = w.CanSwitch(ctx, b, a); !errors.As(err, &edited) || !slices.Equal(edited.Paths, []string{"text"}) {
		t.Errorf("CanSwitch over a staged file: %v, want an EditedError of text", err)
	}
	if _, err := w.Git(ctx, "reset", "-q", string(b), "--", "text"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Git(ctx, "checkout", "--", "text"); err != nil {
		t.Fatal(err)
	}
	// What git does not name in the index is overwritten where it is ignored, as a build product.
	if err := os.RemoveAll(file("gone")); err != nil {
		t.Fatal(err)
	}
	if err := w.Switch(ctx, b, a); err != nil {
		t.Fatal(err)
	}
	shows(t, w, a, "product.o")
}

// Repair finishes what a kill has cut short, wherever it was.
func TestWorkspaceRepair(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for n := range 6 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w, a, b := stays(t)
			ctx := t.Context()
			// git removes and writes in any order, and the index comes last. What is half written has fewer bytes.
			for _, name := range []string{"gone", "turns", "into"} {
				if random.IntN(2) == 0 {
					if err := os.RemoveAll(filepath.Join(w.Dir, name)); err != nil {
						t.Fatal(err)
					}
				}
			}
			var halves []string
			for _, name := range []string{"text", "new/file"} {
				if random.IntN(2) == 0 {
					halves = append(halves, name)
					name = filepath.Join(w.Dir, filepath.FromSlash(name))
					if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte("half"), 0o666)); err != nil {
						t.Fatal(err)
					}
				}
			}
			slices.Sort(halves)
			saved := t.TempDir()
			mine := filepath.Join(w.Dir, "same")
			if err := os.WriteFile(mine, []byte("edited\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(w.gitDir(), "index.lock"), []byte("half"), 0o666); err != nil {
				t.Fatal(err)
			}
			moved, err := w.Repair(ctx, a, b, saved)
			if slices.Sort(moved); err != nil || !slices.Equal(moved, halves) {
				t.Fatalf("moved %q, %v; want %q", moved, err, halves)
			}
			for _, name := range moved {
				if text, err := os.ReadFile(filepath.Join(saved, filepath.FromSlash(name))); string(text) != "half" {
					t.Errorf("%s was saved as %q: %v", name, text, err)
				}
			}
			shows(t, w, b, "same")
		})
	}
}

func TestOpenWorkspaceOfNothing(t *testing.T) {
	w, _, _ := stays(t)
	if _, err := w.repo.OpenWorkspace(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opened an empty directory as a workspace: %v", err)
	}
}
