package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/testcase"
)

// A session keeps what an output is compared with, and the output, for show --patch.
const (
	beforeFile = "before.tar"
	answerFile = "output.tar"
)

// inputPatch is what turns one input into another, by names as they are below both.
func inputPatch(ctx context.Context, from, to testcase.Input) ([]byte, error) {
	dir, err := os.MkdirTemp("", "gitdd-patch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, in := range map[string]testcase.Input{"a": from, "b": to} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			return nil, err
		}
		for _, f := range in.Files {
			path := filepath.Join(dir, name, filepath.FromSlash(f.Path))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return nil, err
			}
			f.Mode |= 0o400 // git reads it
			if err := writeNew(path, f); err != nil {
				return nil, err
			}
		}
	}
	return git.Compare(ctx, dir, "a", "b")
}

// unifiedDiff is the difference of two texts as diff -u writes it, under two names.
func unifiedDiff(ctx context.Context, from, to []byte, nameFrom, nameTo string) ([]byte, error) {
	one := func(content []byte) testcase.Input {
		return testcase.Input{Files: []testcase.File{{Path: "x", Mode: 0o644, Content: content}}}
	}
	patch, err := inputPatch(ctx, one(from), one(to))
	if err != nil || len(patch) == 0 {
		return nil, err
	}
	at := bytes.Index(patch, []byte("\n@@ "))
	if at < 0 {
		return patch, nil // not of text
	}
	return append([]byte("--- "+nameFrom+"\n+++ "+nameTo), patch[at:]...), nil
}
