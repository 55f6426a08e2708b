package grouping_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gitdd/gitdd/changes"
	"github.com/gitdd/gitdd/grouping"
)

// A function is new, and another file calls it: the change that calls it requires the
// one that declares it.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "grouping-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for _, version := range []map[string]string{
		{"sum.go": "package p\n\nfunc sum(a, b int) int {\n\treturn a + b\n}\n", "use.go": "package p\n\nfunc use() int {\n\treturn 0\n}\n\nvar _ = 1\n"},
		{"sum.go": "package p\n\nfunc sum(a, b int) int {\n\treturn a + b\n}\n\nfunc sum3(a, b, c int) int {\n\treturn sum(sum(a, b), c)\n}\n", "use.go": "package p\n\nfunc use() int {\n\treturn sum3(1, 2, 3)\n}\n\nvar _ = 2\n"},
	} {
		if err := recordFiles(dir, version); err != nil {
			fmt.Println(err)
			return
		}
	}

	repo, err := changes.Open(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer repo.Close()
	set, err := changes.Between(ctx, repo, "HEAD~", "HEAD", changes.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := grouping.New(ctx, set, grouping.Options{By: []grouping.Level{grouping.File, grouping.Symbol}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, c := range set.Changes {
		fmt.Printf("%d: %s, in %q, requires %v\n", i, c.Path, plan.Symbols[i], plan.Predicted[i])
	}
	fmt.Println("order", plan.Order)
	for l, level := range plan.Levels {
		fmt.Println(level, plan.Names[l])
	}
	// Output:
	// 0: sum.go, in "sum3", requires []
	// 1: use.go, in "use", requires [0]
	// 2: use.go, in "_", requires []
	// order [0 1 2]
	// file [sum.go use.go]
	// symbol [sum3 use _]
}

// recordFiles commits files, in a new repository if there is none.
func recordFiles(dir string, files map[string]string) error {
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "next"},
	} {
		if text, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, text)
		}
	}
	return nil
}
