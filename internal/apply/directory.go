package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/search"
	"github.com/gitdd/gitdd/trial"
)

// Directory writes the files of a tree of a session's answer to dir, which must not exist yet or be
// empty.
func Directory(ctx context.Context, repo *git.Repo, session *trial.Session, tree git.ID, dir string) error {
	if err := emptyDirectory(dir); err != nil {
		return err
	}
	store, err := search.AnswerStore(repo, session)
	if err != nil {
		return err
	}
	return store.Checkout(ctx, tree, dir)
}

// emptyDirectory makes dir, or takes an empty one.
func emptyDirectory(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(filepath.Clean(dir), 0o777)
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty; name a directory that does not exist yet", dir)
	}
	return nil
}
