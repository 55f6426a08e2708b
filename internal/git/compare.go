package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
)

// Compare returns what turns the directory a within dir into the directory b, as
// a patch that git apply and patch -p1 read; it is empty if there is no
// difference. Neither need be in a repository. The names in it are those below a
// and b if these two are called so. No configuration of the user's is read, nor of a
// repository that dir, an absolute path, lies in.
func Compare(ctx context.Context, dir, a, b string) ([]byte, error) {
	program, err := findProgram()
	if err != nil {
		return nil, err
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
	var stdout bytes.Buffer
	_, err := p.stream(ctx, nil, &stdout, args...)
	if exited(err, 1) && stdout.Len() > 0 {
		return stdout.Bytes(), nil
	}
	if err != nil {
		return nil, err
	}
	return stdout.Bytes(), nil
}
