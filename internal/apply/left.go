package apply

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/internal/git"
	"github.com/gitdd/gitdd/trial"
)

// leftName is the file of a session that says how [Files] has left the files that it wrote: by path the mode and the blob
// of each, "" of one that it removed. So one cause after another can be taken off the same file, and put back, while
// edits of the user are still told from those of Files.
const leftName = "applied.json"

// sessionDir is the directory of a session as the user knows it: the session of a cause of --each lies in that of the suite.
func sessionDir(session *trial.Session) string {
	if session.Header().Test != "" {
		return filepath.Dir(filepath.Dir(session.Dir()))
	}
	return session.Dir()
}

// keepLeft enters the files in which two trees differ as they are in the second one, which the user's now have.
func keepLeft(ctx context.Context, session *trial.Session, store *git.Scratch, from, to git.ID) error {
	changed, err := store.Git(ctx, "diff-tree", "-r", "-z", "--no-renames", string(from), string(to))
	if err != nil {
		return err
	}
	name := filepath.Join(sessionDir(session), leftName)
	left := readLeft(name)
	for path, file := range filesOf(changed) {
		left[path] = file
	}
	text, err := json.Marshal(left)
	if err == nil {
		err = disk.WriteFile(name, text)
	}
	if err != nil {
		return disk.Wrap("write "+leftName, err)
	}
	return nil
}

// readLeft reads what keepLeft has written. A file that is not there, or damaged, says nothing.
func readLeft(name string) map[string]string {
	left := map[string]string{}
	if text, err := os.ReadFile(name); err != nil || json.Unmarshal(text, &left) != nil {
		return map[string]string{}
	}
	return left
}

// filesOf reads the second side of what diff-tree -r -z lists: the mode and the blob of each path, "" where it is gone.
func filesOf(list []byte) map[string]string {
	files := map[string]string{}
	fields := bytes.Split(list, []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		side := bytes.Fields(fields[i]) // ":MODE MODE BLOB BLOB STATUS"
		if len(side) != 5 {
			continue
		}
		file := ""
		if !bytes.Equal(side[4], []byte("D")) {
			file = string(side[1]) + " " + string(side[3])
		}
		files[string(fields[i+1])] = file
	}
	return files
}

// leftByFiles returns HEAD, whose tree is head, with some edited files as the user has them. It reports whether each of
// these files is as [Files] has left it, for any session of the repository, or as the checkout was when it was recorded
// as an end of this session.
func leftByFiles(ctx context.Context, repo *git.Repo, session *trial.Session, store *git.Scratch, head git.ID, edited []string) (now git.ID, ours bool, err error) {
	if now, err = worktree(ctx, repo, store, head, edited); err != nil {
		return "", false, err
	}
	filesFrom := func(tree git.ID) (map[string]string, error) {
		list, err := store.Git(ctx, "diff-tree", "-r", "-z", "--no-renames", string(head), string(tree))
		return filesOf(list), err
	}
	files, err := filesFrom(now)
	if err != nil {
		return "", false, err
	}
	root := filepath.Dir(sessionDir(session))
	sessions, err := os.ReadDir(root)
	if err != nil {
		return "", false, err
	}
	var known []map[string]string
	for _, s := range sessions {
		known = append(known, readLeft(filepath.Join(root, s.Name(), leftName)))
	}
	for _, tree := range recordedTrees(session) {
		recorded, err := filesFrom(tree)
		if err != nil {
			return "", false, err
		}
		known = append(known, recorded)
	}
	for _, path := range edited {
		file, differs := files[path]
		if !differs || !slices.ContainsFunc(known, func(was map[string]string) bool {
			left, there := was[path]
			return there && left == file
		}) {
			return now, false, nil
		}
	}
	return now, true, nil
}
