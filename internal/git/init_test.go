package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gitdd/gitdd/internal/git"
)

func TestInit(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[init]\n\tdefaultBranch = trunk\n\ttemplateDir = /nowhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	for format, want := range map[string]string{"": "sha1", "sha1": "sha1", "sha256": "sha256"} {
		dir := filepath.Join(t.TempDir(), "parent", "repo")
		repo, err := git.Init(t.Context(), dir, format)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { repo.Close() })
		if got := repo.ObjectFormat(); got != want {
			t.Errorf("format %q gives %s, want %s", format, got, want)
		}
		head, err := os.ReadFile(filepath.Join(dir, ".git", "HEAD"))
		if err != nil || string(head) != "ref: refs/heads/main\n" {
			t.Errorf("HEAD = %q, %v, want main", head, err)
		}
		if _, err := git.Init(t.Context(), dir, format); err == nil || !strings.Contains(err.Error(), "already") {
			t.Errorf("Init again: error %v", err)
		}
	}
	if _, err := git.Init(t.Context(), filepath.Join(t.TempDir(), "repo"), "md5"); err == nil {
		t.Error("format md5: no error")
	}
}

// A new repository never turns out to be the one that the environment names.
func TestInitWithGitDir(t *testing.T) {
	other, err := git.Init(t.Context(), filepath.Join(t.TempDir(), "other"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	t.Setenv("GIT_DIR", other.GitDir())
	t.Setenv("GIT_WORK_TREE", other.Top())
	repo, err := git.Init(t.Context(), filepath.Join(t.TempDir(), "new"), "")
	if err == nil {
		t.Errorf("Init opened %s", repo.GitDir())
		repo.Close()
	} else if !strings.Contains(err.Error(), "unset GIT_DIR") {
		t.Errorf("error %v, want what to do", err)
	}
}
