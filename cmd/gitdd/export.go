package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/trial"
)

// export writes the session of a search among changes to a file.
func (a *app) export(ctx context.Context, names []string, file string) error {
	session, err := a.findToRead(ctx, names)
	if err != nil {
		return err
	}
	if isReduction(session.Header()) {
		return fmt.Errorf("session %s is one of `gitdd reduce`, which has no revisions that another machine could have, too: only searches among changes are exported", session.Name())
	}
	list, in := combined(session.Header())
	if len(in) > 0 {
		return fmt.Errorf("session %s has searched in %s, whose files are not in the file of a session: export session %s, which has found the update, and `gitdd resume --into` goes on from there", session.Name(), in[0].Name, in[0].Session)
	}
	if len(list) > 0 {
		return fmt.Errorf("session %s has searched several repositories, and those of --with are not in the file of a session: where they all are, begin anew with the command line that `gitdd list` shows", session.Name())
	}
	if err := a.out(nil).File(file, session.Export); err != nil {
		return err
	}
	if file != "-" {
		where := "where its revisions are"
		if betweenFolders(session.Header()) {
			where = "with both folders"
		}
		fmt.Fprintf(a.aside(), "gitdd: session %s is in %s; %s, `%s` goes on with it\n", session.Name(), prose.Printable(file), where, a.named("gitdd resume "+prose.Words([]string{file})))
	}
	return nil
}

// isFile reports whether the argument of gitdd resume is a file, and no session.
func isFile(names []string) bool {
	if len(names) == 0 {
		return false
	}
	info, err := os.Stat(names[0])
	return err == nil && info.Mode().IsRegular()
}

// imported makes the session in a file one of this repository, or of this directory if it is one between folders, and
// returns it.
func (a *app) imported(ctx context.Context, file string) (trial.Summary, error) {
	f, err := os.Open(file)
	if err != nil {
		return trial.Summary{}, err
	}
	defer f.Close()
	header, errHeader := trial.ArchiveHeader(f)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return trial.Summary{}, err
	}
	var dir string
	if errHeader == nil && betweenFolders(header) {
		dir, err = importFolders(f)
	} else {
		dir, err = a.importHere(ctx, f)
	}
	if errors.Is(err, trial.ErrDiverged) {
		err = fmt.Errorf("%w: session %s has trials that the file lacks, and the file others; `gitdd resume %s` goes on with the one that is here", err, filepath.Base(dir), filepath.Base(dir))
	}
	if err != nil {
		return trial.Summary{}, fmt.Errorf("%s: %w", file, err)
	}
	return trial.Summary{Name: filepath.Base(dir), Dir: dir}, nil
}

// importHere makes the session in a file one of this repository, and returns its directory.
func (a *app) importHere(ctx context.Context, f *os.File) (dir string, err error) {
	repo, err := a.open(ctx)
	if err != nil {
		return "", err
	}
	defer repo.Close()
	root, err := trial.Root(repo)
	if err != nil {
		return "", err
	}
	return trial.Import(root, f, func(h *trial.Header) error { return adopt(ctx, repo, h) })
}

// adopt makes the header of a session from another machine one for this repository, if it has the session's revisions.
func adopt(ctx context.Context, repo *git.Repo, h *trial.Header) error {
	for _, end := range []git.Revision{h.Good, h.Bad} {
		id := end.ID()
		switch {
		case end.IsAuto(): // it is to be found
			continue
		case end.Base != "": // the rest comes with the session
			id = end.Base
		}
		if _, err := repo.Resolve(ctx, string(id)); err != nil {
			return fmt.Errorf("this repository does not have revision %s, %s: bring it here by `git fetch`, or go to a clone that has it", end.Rev, id.Short())
		}
	}
	within, err := filepath.Rel(filepath.Dir(h.CommonDir), h.Dir)
	top := repo.Top()
	if top == "" {
		top = repo.CommonDir()
	}
	h.CommonDir, h.Dir = repo.CommonDir(), top
	if err == nil && filepath.IsLocal(within) {
		if info, err := os.Stat(filepath.Join(top, within)); err == nil && info.IsDir() {
			h.Dir = filepath.Join(top, within)
		}
	}
	return nil
}
