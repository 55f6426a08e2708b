package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/internal/prose"
	"github.com/gitdd/gitdd/report"
)

// edit opens the first line of the cause of a session in git's editor. The session is that of read.
func (a *app) edit(ctx context.Context, names []string, cause int) error {
	session, result, repo, err := a.read(ctx, names, cause)
	if err != nil {
		return err
	}
	defer repo.Close()
	if err := noWorkingTree(session, "opens no file of them"); err != nil {
		return err
	}
	path, line, column, ok := report.FirstPlace(result)
	if !ok {
		return fmt.Errorf("session %s has no cause to open: `gitdd show %s` says why", session.Name(), session.Name())
	}
	if repo.Top() == "" {
		return errors.New("a bare repository has no file to open: `gitdd checkout failing DIR` writes those of the failing configuration")
	}
	name := filepath.Join(repo.Top(), filepath.FromSlash(path))
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		return fmt.Errorf("your checkout has no file %s, where the cause is: `gitdd checkout failing DIR` writes the files of the failing configuration, and `gitdd show` shows the change", prose.Printable(path))
	}
	bad := result.Bad
	same, err := repo.IsAt(ctx, git.ID(cmp.Or(bad.Commit, bad.Tree)), path)
	if err != nil {
		return err
	}
	if !same {
		a.hint(fmt.Sprintf("%s is not as in %s, the failing revision: line %d may be another one there", path, bad.Rev, line))
	}
	editor, err := repo.Editor(ctx)
	if err != nil {
		return err
	}
	// As git runs it: by sh, with the arguments behind whatever it says.
	cmd := exec.Command("sh", slices.Concat([]string{"-c", editor + ` "$@"`, editor}, editorArgs(editor, name, line, column))...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, a.stdout, a.stderr
	if err = cmd.Start(); err == nil {
		signal.Ignore(os.Interrupt) // Ctrl-C is the editor's, as behind git commit
		err = cmd.Wait()
	}
	if err != nil {
		return fmt.Errorf("the editor %s: %w", prose.Printable(editor), err)
	}
	return nil
}

// editorArgs are the arguments by which an editor opens a file at a line, as far as it is known how it takes them; of
// other editors the file alone.
func editorArgs(editor, file string, line, column int) []string {
	program := strings.TrimLeft(editor, " \t")
	if quoted := strings.TrimLeft(program, `"'`); quoted != program {
		program, _, _ = strings.Cut(quoted, program[:1])
	} else {
		program, _, _ = strings.Cut(program, " ")
	}
	switch strings.TrimSuffix(filepath.Base(program), ".exe") {
	case "vi", "vim", "nvim", "view", "gvim", "mvim", "nvi", "ex", "emacs", "emacsclient", "mg", "nano", "pico", "kak", "micro", "joe":
		return []string{fmt.Sprintf("+%d", line), file}
	case "code", "code-insiders", "codium":
		return []string{"--goto", fmt.Sprintf("%s:%d:%d", file, line, column)}
	}
	return []string{file}
}
