package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/gitdd/gitdd/internal/disk"
	"github.com/gitdd/gitdd/testcase"
)

// writeInput writes the files of an input into an empty directory. No step goes
// through a symlink: these come last. A *noTrial error when this file system cannot
// hold them.
func writeInput(dir string, in testcase.Input) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return disk.Wrap("write an input", err)
	}
	defer root.Close()
	for _, links := range []bool{false, true} {
		for _, f := range in.Files {
			if f.Mode&fs.ModeSymlink != 0 != links {
				continue
			}
			if err := writeInputFile(root, f); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeInputFile(root *os.Root, f testcase.File) error {
	name := filepath.FromSlash(f.Path)
	var err error
	if above := path.Dir(f.Path); above != "." {
		err = root.MkdirAll(filepath.FromSlash(above), 0o777)
	}
	switch {
	case err != nil:
	case f.Mode&fs.ModeSymlink != 0:
		err = root.Symlink(string(f.Content), name)
	default:
		err = createFile(root, name, f)
	}
	switch {
	case err == nil:
		return nil
	case disk.NotNameable(err), errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrPermission):
		return &noTrial{fmt.Sprintf("write %q: %v", f.Path, err)}
	}
	return disk.Wrap("write an input", err)
}

// createFile makes a file that is not there yet, with exactly its permissions.
func createFile(root *os.Root, name string, f testcase.File) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Content)
	if err == nil {
		err = file.Chmod(f.Mode.Perm())
	}
	return errors.Join(err, file.Close())
}
