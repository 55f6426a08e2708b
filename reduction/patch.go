package reduction

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/testcase"
)

// Patch returns what turns one input into another, as git diff writes it. The names in it are the paths of
// the files.
func Patch(ctx context.Context, from, to testcase.Input) ([]byte, error) {
	dir, err := os.MkdirTemp("", "gitdd-patch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, in := range map[string]testcase.Input{"a": from, "b": to} {
		readable := testcase.Input{Dir: in.Dir}
		for _, f := range in.Files {
			f.Mode |= 0o400 // git reads it
			readable.Files = append(readable.Files, f)
		}
		top := filepath.Join(dir, name)
		if err := os.Mkdir(top, 0o777); err != nil {
			return nil, err
		}
		if err := readable.CreateBelow(top); err != nil {
			return nil, err
		}
	}
	return git.Compare(ctx, dir, "a", "b")
}

// UnifiedDiff returns the difference of two texts as diff -u writes it, under two names.
func UnifiedDiff(ctx context.Context, from, to []byte, nameFrom, nameTo string) ([]byte, error) {
	one := func(content []byte) testcase.Input {
		return testcase.Input{Files: []testcase.File{{Path: "x", Mode: 0o644, Content: content}}}
	}
	patch, err := Patch(ctx, one(from), one(to))
	if err != nil || len(patch) == 0 {
		return nil, err
	}
	at := bytes.Index(patch, []byte("\n@@ "))
	if at < 0 {
		return patch, nil // not of text
	}
	return append([]byte("--- "+nameFrom+"\n+++ "+nameTo), patch[at:]...), nil
}
