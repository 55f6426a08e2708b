package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Compare returns what turns the directory a within dir into the directory b, as
// a patch that git apply and patch -p1 read; it is empty if there is no
// difference. Neither need be in a repository. The names in it are those below a
// and b if these two are called so. No configuration of the user's is read, nor of a
// repository that dir, an absolute path, lies in.
func Compare(ctx context.Context, dir, a, b string) ([]byte, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("the git program was not found: install git 2.36 or newer, or put it on PATH")
	}
	at := place{program: program, dir: dir, env: []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir), // of none above: the directory itself is looked at always
	}}
	return at.differing(ctx, "diff", "--no-index", "--no-prefix", "--binary", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", a, b)
}

// differing is run for a command that ends with 1 to say that there is a
// difference.
func (p place) differing(ctx context.Context, args ...string) ([]byte, error) {
	cmd := p.command(ctx, args)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := start(cmd)
	if err == nil {
		err = wait(cmd)
	}
	if ctx.Err() != nil {
		killSession(cmd)
		return nil, fmt.Errorf("%s: %w", commandLine(args), context.Cause(ctx))
	}
	exit := (*exec.ExitError)(nil)
	switch {
	case errors.As(err, &exit) && (exit.ExitCode() != 1 || stdout.Len() == 0):
		return nil, p.failed(args, exit, stderr.String())
	case exit == nil && err != nil:
		return nil, fmt.Errorf("%s: %w", commandLine(args), err)
	}
	return stdout.Bytes(), nil
}
