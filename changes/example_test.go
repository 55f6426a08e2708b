package changes_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gitdd/gitdd/changes"
)

// Two versions of a file differ in two places: each of the four mixtures of them
// is a tree of git.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "changes-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := record(dir, "v1", "menu", "soup\nbread\nfish\npeas\ntea\n"); err != nil {
		fmt.Println(err)
		return
	}
	if err := record(dir, "v2", "menu", "soup\nrice\nfish\npeas\ncoffee\nsugar\n"); err != nil {
		fmt.Println(err)
		return
	}

	repo, err := changes.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer repo.Close()
	set, err := changes.Between(ctx, repo, "v1", "v2", changes.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, c := range set.Changes {
		fmt.Printf("%d: %s %s line %d: %q becomes %q\n", i, c.Kind, c.Path, c.OldStart, c.Old, c.New)
	}
	second := func(yield func(int) bool) { yield(1) }
	tree, err := set.Compose(second)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range tree.Files {
		content, err := set.Content(f)
		fmt.Printf("%s with the second alone: %q %v\n", f.Path, content, err)
	}
	// Output:
	// 0: text menu line 2: "bread\n" becomes "rice\n"
	// 1: text menu line 5: "tea\n" becomes "coffee\nsugar\n"
	// menu with the second alone: "soup\nbread\nfish\npeas\ncoffee\nsugar\n" <nil>
}

// record commits a file, in a new repository if there is none, and tags the commit.
func record(dir, tag, name, content string) error {
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", tag},
		{"tag", tag},
	} {
		if text, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, text)
		}
	}
	return nil
}
