package testcase

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Read reads the input that paths name, as it is now: one file, or everything below the directories and
// files that are named. The Path of a File begins with the base name of the path that it was found by,
// so two paths with the same base name are an error. Read follows a symbolic link that is named by
// paths, and keeps those that it finds in directories. It leaves .git directories out.
func Read(paths ...string) (Input, error) {
	in := Input{Dir: len(paths) > 1}
	named := map[string]string{} // by base name
	for _, name := range paths {
		abs, err := filepath.Abs(name)
		if err != nil {
			return in, err
		}
		base := filepath.Base(abs)
		if other, taken := named[base]; taken {
			return in, fmt.Errorf("%s and %s have the same name: COMMAND finds both in one directory; name the directory that they are in", other, name)
		}
		named[base] = name
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return in, fmt.Errorf("there is no file %s", name)
		}
		if err != nil {
			return in, err
		}
		if !info.IsDir() {
			f, err := readFile(name, base, info.Mode())
			if err != nil {
				return in, err
			}
			in.Files = append(in.Files, f)
			continue
		}
		in.Dir = true
		files, err := readDir(abs, base, false)
		if err != nil {
			return in, err
		}
		in.Files = append(in.Files, files...)
	}
	slices.SortFunc(in.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return in, nil
}

// ReadDir reads all files below a directory, those of .git directories too. Their paths are relative to
// the directory.
func ReadDir(dir string) (Input, error) {
	files, err := readDir(dir, ".", true)
	return Input{Files: files, Dir: true}, err
}

// readDir reads the files below a directory, which a symbolic link may name. It reads those of .git
// directories only if all is true.
func readDir(dir, base string, all bool) (files []File, err error) {
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".git" && !all {
				return fs.SkipDir
			}
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		f, err := readFile(name, path.Join(base, filepath.ToSlash(rel)), d.Type())
		if err == nil {
			files = append(files, f)
		}
		return err
	})
	return files, err
}

// readFile reads a file, or the target of a symbolic link if mode says that it is one.
func readFile(name, as string, mode fs.FileMode) (f File, err error) {
	f.Path = as
	switch mode.Type() {
	case fs.ModeSymlink:
		target, err := os.Readlink(name)
		f.Mode, f.Content = fs.ModeSymlink, []byte(target)
		return f, err
	case 0:
	default:
		return f, fmt.Errorf("%s is no file: gitdd reads files and directories", name)
	}
	info, err := os.Stat(name)
	if err == nil {
		f.Mode = info.Mode().Perm()
		f.Content, err = os.ReadFile(name)
	}
	return f, err
}

// Create creates the file by another name than f.Path. It is an error if there is one of that name.
func (f File) Create(name string) error {
	if f.Mode&fs.ModeSymlink != 0 {
		return os.Symlink(string(f.Content), name)
	}
	w, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = w.Write(f.Content)
	return errors.Join(err, w.Chmod(f.Mode.Perm()), w.Close())
}

// CreateBelow creates the files of the input below a directory, and the directories that they are in.
// It is an error if one of the files exists.
func (in Input) CreateBelow(dir string) error {
	for _, f := range in.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := f.Create(name); err != nil {
			return err
		}
	}
	return nil
}
