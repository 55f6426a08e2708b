package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Editor returns the command line of the editor that git uses, for sh: GIT_EDITOR, core.editor, VISUAL or EDITOR.
func (r *Repo) Editor(ctx context.Context) (string, error) {
	out, err := r.Git(ctx, "var", "GIT_EDITOR")
	if refused(err) {
		return "", fmt.Errorf("git knows no editor: set GIT_EDITOR or EDITOR, or git config core.editor (%w)", err)
	}
	editor := strings.TrimSuffix(string(out), "\n")
	if err == nil && strings.TrimSpace(editor) == "" { // sh would run the file
		err = errors.New("git's editor is empty: set GIT_EDITOR, or git config core.editor")
	}
	return editor, err
}

// IsAt reports whether a file of the checkout is as in a revision, by its path relative to the top.
func (r *Repo) IsAt(ctx context.Context, revision ID, path string) (bool, error) {
	_, err := r.Git(ctx, "--literal-pathspecs", "diff", "--quiet", "--no-ext-diff", "--no-textconv", string(revision), "--", path)
	if exited(err, 1) {
		return false, nil
	}
	return err == nil, err
}
