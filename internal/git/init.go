package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// initialize makes an empty repository by git init with these arguments, on which nothing of the user has an influence.
func initialize(ctx context.Context, program, dir, branch string, args ...string) error {
	at := place{program: program, dir: dir, env: []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_DEFAULT_REF_FORMAT=files",
	}}
	args = append([]string{"init", "--quiet", "--initial-branch=" + branch, "--template="}, args...)
	if _, err := at.run(ctx, nil, args...); err != nil {
		return fmt.Errorf("init %s: %w", dir, err)
	}
	return nil
}

// Init makes an empty repository with a work tree at dir, which is created with
// its parents, and opens it. Format is "sha1", "sha256", or "" for sha1. Nothing
// of it depends on the user: the branch is main, and no template and no config
// are read. It refuses a dir that is a repository already.
func Init(ctx context.Context, dir, format string) (*Repo, error) {
	program, err := findProgram()
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("init: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("init: %w", err)
	}
	gitDir := filepath.Join(dir, ".git")
	if _, err := os.Lstat(gitDir); err == nil {
		return nil, fmt.Errorf("init %s: it is a repository already", dir)
	}
	if format == "" {
		format = "sha1"
	}
	if err := initialize(ctx, program, dir, "main", "--object-format="+format); err != nil {
		return nil, err
	}
	repo, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	// Open honours GIT_DIR; a new repository must never turn out to be another.
	// Compared as files: the path may lead through symlinks.
	want, err := os.Stat(gitDir)
	if err == nil {
		var got os.FileInfo
		if got, err = os.Stat(repo.GitDir()); err == nil && !os.SameFile(got, want) {
			err = fmt.Errorf("init %s: the environment names another repository, %s: unset GIT_DIR", dir, repo.GitDir())
		}
	}
	if err != nil {
		repo.Close()
		return nil, err
	}
	return repo, nil
}
