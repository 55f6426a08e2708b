package workspace

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gitdd/gitdd/internal/git"
)

func TestWriterRefusesPaths(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w := writer{root: root}
	for _, p := range []string{"", "/a", "a/", "a//b", "../a", "a/../../b", ".", "./a", ".git", ".git/hooks/x", "a/.GIT/config"} {
		if err := w.write(p, git.Regular, nil, time.Now()); err == nil {
			t.Errorf("%q was written", p)
		}
		if err := w.remove(p); err == nil {
			t.Errorf("%q was removed", p)
		}
	}
	if left, err := os.ReadDir(root.Name()); err != nil || len(left) != 0 {
		t.Errorf("written: %v", left)
	}
	for name, err := range map[string]error{
		"too long":     w.write(strings.Repeat("x", 300), git.Regular, nil, time.Now()),
		"empty target": w.write("a", git.Symlink, nil, time.Now()),
		"NUL target":   w.write("a", git.Symlink, []byte("a\x00b"), time.Now()),
	} {
		if _, ok := errors.AsType[*unfitError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
